"""Folders for a moment's work: what a killed process left behind goes, and nothing else."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from studio.program.work_folder import WorkFolder

_MAKES_ONE = """
from pathlib import Path
from studio.program.work_folder import WorkFolder
folder = WorkFolder("try")
Path(folder.path, "sub").mkdir()
Path(folder.path, "sub", "key").write_text("secret")
print(folder.path, flush=True)
input()
"""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    return folder


def test_it_is_for_its_owner_and_goes_with_its_end(temporary: Path) -> None:
    with WorkFolder("try") as folder:
        assert folder.parent == temporary
        assert folder.stat().st_mode & 0o077 == 0
        (folder / "file").write_bytes(b"x")
    assert list(temporary.iterdir()) == []


def test_what_a_killed_process_left_goes_with_the_next(temporary: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", _MAKES_ONE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    with process:
        assert process.stdout is not None
        left = Path(process.stdout.readline().strip())
        with WorkFolder("other"):
            assert (left / "sub/key").is_file(), "it is at work"
        process.kill()
        process.wait()
        assert (left / "sub/key").is_file()
        with WorkFolder("other") as folder:
            assert list(temporary.iterdir()) == [folder]


def test_nothing_else_goes(temporary: Path, tmp_path: Path) -> None:
    """Neither what is not known as such a folder, nor what a link leads to."""
    elsewhere = tmp_path / "elsewhere"
    lock = ".exacta-in-use"
    for folder in (elsewhere, temporary / "exacta-mine", temporary / "exacta-odd", temporary / "other"):
        folder.mkdir()
        (folder / "file").write_bytes(b"x")
    (elsewhere / lock).touch()
    (temporary / "other" / lock).touch()
    (temporary / "exacta-link").symlink_to(elsewhere)
    (temporary / "exacta-odd" / lock).symlink_to(elsewhere / lock)
    (temporary / "exacta-file").touch()
    before = sorted(temporary.rglob("*"))
    with WorkFolder("try"):
        pass
    assert sorted(temporary.rglob("*")) == before
    assert sorted(elsewhere.iterdir()) == [elsewhere / lock, elsewhere / "file"]


def test_a_removal_that_is_cut_short_is_gone_on_with(
    temporary: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What says that a folder is ours goes last; and in a place of ours an empty one is nobody else's."""
    place = tmp_path / "own"
    for folder in (place / "exacta-run-empty", temporary / "exacta-empty"):
        folder.mkdir(parents=True)
    begun = WorkFolder("run", place)
    assert list(place.iterdir()) == [begun.path]
    (begun.path / "sub").mkdir()

    def killed(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr("os.rmdir", killed)
        begun.close()
    assert [each.name for each in begun.path.iterdir() if each.is_file()] == [".exacta-in-use"]
    begun.close()
    assert list(place.iterdir()) == []
    with WorkFolder("other"):
        assert (temporary / "exacta-empty").is_dir()
