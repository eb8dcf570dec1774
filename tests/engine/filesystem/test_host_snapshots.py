"""Whole states of a folder on disk: kept outside of it, and brought back whole."""

from __future__ import annotations

import errno
import os
import random
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.disk import Batch, TargetChanged, files
from studio.engine.disk.temporary_names import without_temporary
from studio.engine.filesystem import FilesystemSnapshot, HostFilesystem, SnapshotableFilesystem
from studio.errors import AccessDenied, SnapshotError, SnapshotRestoreError, StudioError
from tests.engine.snapshot_store.folders import FolderState, disturb, standing
from tests.faults.interleaving import between_calls
from tests.faults.test_recovery import once, temporaries


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


@pytest.fixture
def git_dir(tmp_path: Path) -> Path:
    return tmp_path / "kept.git"


@pytest.fixture
def host(folder: Path, git_dir: Path) -> Iterator[HostFilesystem]:
    with HostFilesystem(folder, git_dir=git_dir) as opened:
        yield opened


def git(folder: Path, *words: str) -> None:
    subprocess.run(["git", "-C", str(folder), *words], check=True, capture_output=True)


def lay_repository(folder: Path) -> None:
    """One of the user's, with all that makes git change bytes, and a nested one without a commit."""
    git(folder, "init", "-q")
    git(folder, "config", "core.autocrlf", "true")
    git(folder, "config", "filter.loud.clean", "tr a-z A-Z")
    git(folder, "config", "filter.loud.smudge", "touch was-run; cat")
    (folder / ".gitattributes").write_text("*.loud filter=loud\n*.txt text eol=crlf\n")
    (folder / ".gitignore").write_text("*.ignored\nout/\n")
    (folder / "some.loud").write_bytes(b"quiet\n")
    (folder / "some.txt").write_bytes(b"lf\ncrlf\r\n")
    (folder / "run.sh").write_bytes(b"#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    git(folder, "add", "-A")
    (folder / "some.ignored").write_bytes(b"ignored\n")
    (folder / "out").mkdir()
    (folder / "out/built").write_bytes(b"\0\1")
    (folder / "empty/inner").mkdir(parents=True)
    (folder / os.fsdecode(b"\xff\xfe")).write_bytes(b"no UTF-8\n")
    (folder / "link").symlink_to("../outside")
    (folder / "nested").mkdir()
    git(folder / "nested", "init", "-q")
    (folder / "nested/work").write_bytes(b"work\n")


def test_all_of_a_real_project_comes_back(folder: Path, host: HostFilesystem) -> None:
    """Ignored files, empty folders, bits, exact bytes; nobody's `.git` and index are touched."""
    lay_repository(folder)
    before = standing(folder)
    kept = host.snapshot("before")
    assert standing(folder) == before
    (folder / "some.ignored").unlink()
    (folder / "out/built").write_bytes(b"other")
    (folder / "empty/inner").rmdir()
    (folder / "empty").rmdir()
    (folder / "empty").write_bytes(b"a file\n")
    (folder / "some.txt").write_bytes(b"lf\nlf\n")
    (folder / "some.loud").unlink()
    (folder / "run.sh").chmod(0o600)
    (folder / "link").unlink()
    (folder / "link").mkdir()
    (folder / "link/in").write_bytes(b"in\n")
    (folder / "nested/work").write_bytes(b"changed\n")
    (folder / "new").mkdir()
    (folder / os.fsdecode(b"new/\xfe")).write_bytes(b"new\n")
    host.restore(kept)
    assert standing(folder) == before


@settings(max_examples=8)
@given(seed=st.integers())
def test_any_state_comes_back_after_any_changes(seed: int) -> None:
    """Byte, mode and link, also what one snapshot does not hold and another does, in any order."""
    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place, "project")
        folder.mkdir()
        with HostFilesystem(folder, git_dir=Path(place, "kept.git")) as host:
            states: list[tuple[FilesystemSnapshot, FolderState]] = []
            for _ in range(3):
                disturb(folder, chance, 20)
                states.append((host.snapshot(), standing(folder)))
            for kept, before in chance.choices(states, k=4):
                disturb(folder, chance, 8)
                host.restore(kept)
                assert standing(folder) == before


def test_a_snapshot_says_where_it_is_kept(folder: Path, host: HostFilesystem, git_dir: Path) -> None:
    (folder / "a").write_bytes(b"a\n")
    kept = host.snapshot("tag")
    assert isinstance(host, SnapshotableFilesystem)
    assert (kept.tag, kept.root_path, kept.git_dir) == ("tag", str(folder), str(git_dir))
    assert len(kept.commit_ref) == 40 and host.snapshot().snapshot_id != kept.snapshot_id


def test_a_private_place_goes_with_cleanup(folder: Path) -> None:
    (folder / "a").write_bytes(b"a\n")
    with HostFilesystem(folder) as host:
        kept = host.snapshot()
        assert kept.git_dir is not None and Path(kept.git_dir).is_dir()
        assert Path(kept.git_dir).parent.stat().st_mode & 0o077 == 0
        (folder / "a").write_bytes(b"b\n")
        host.restore(kept)
        assert (folder / "a").read_bytes() == b"a\n"
        host.cleanup()
        assert not Path(kept.git_dir).parent.exists()
        with pytest.raises(SnapshotRestoreError, match="There is no snapshot"):
            host.restore(kept)


def test_another_process_brings_it_back(folder: Path, host: HostFilesystem, git_dir: Path) -> None:
    (folder / "a").write_bytes(b"a\n")
    kept = host.snapshot()
    (folder / "a").unlink()
    program = (
        "import sys\nfrom dataclasses import replace\nfrom datetime import UTC, datetime\n"
        "from studio.engine.filesystem import FilesystemSnapshot, HostFilesystem\n"
        "root, git_dir, commit = sys.argv[1:]\n"
        "with HostFilesystem(root, git_dir=git_dir) as host:\n"
        "    host.restore(FilesystemSnapshot('x', datetime.now(UTC), commit, root, git_dir))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(folder), str(git_dir), kept.commit_ref], check=True)
    assert (folder / "a").read_bytes() == b"a\n"


def test_what_is_only_read_is_kept_and_not_brought_back(folder: Path, git_dir: Path) -> None:
    (folder / "a").write_bytes(b"a\n")
    with HostFilesystem(folder, read_only=True, git_dir=git_dir) as host:
        kept = host.snapshot()
        (folder / "a").write_bytes(b"b\n")
        with pytest.raises(AccessDenied):
            host.restore(kept)
    assert (folder / "a").read_bytes() == b"b\n"


def test_a_snapshot_of_elsewhere_is_not_laid_over_a_folder(
    folder: Path, host: HostFilesystem, git_dir: Path, tmp_path: Path
) -> None:
    (folder / "a").write_bytes(b"a\n")
    (tmp_path / "other").mkdir()
    with HostFilesystem(tmp_path / "other", git_dir=git_dir) as other:
        kept = other.snapshot()
    with pytest.raises(SnapshotRestoreError, match="snapshot is of"):
        host.restore(kept)
    assert (folder / "a").read_bytes() == b"a\n"


@pytest.mark.parametrize("place", ["project/kept.git", ".", "project", "other/.git"])
def test_snapshots_lie_neither_in_nor_around_a_folder_nor_among_git_s_own(
    place: str, folder: Path, tmp_path: Path
) -> None:
    with pytest.raises(SnapshotError, match="can't be stored in"):
        HostFilesystem(folder, git_dir=tmp_path / place)
    assert list(folder.iterdir()) == []


def test_without_pygit2_it_says_what_to_install(
    folder: Path, host: HostFilesystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And it is a RuntimeError, as for any backend that is not there."""
    monkeypatch.setitem(sys.modules, "pygit2", None)
    with pytest.raises(RuntimeError, match="pip install pygit2"):
        host.snapshot()


def test_a_repository_that_came_later_keeps_its_data(folder: Path, host: HostFilesystem) -> None:
    """Its `.git` is never removed, so the folder that holds it stays, and no file takes its place."""
    (folder / "a").write_bytes(b"a\n")
    (folder / "b").mkdir()
    kept = host.snapshot()
    for name in ("new", "b"):
        (folder / name).mkdir(exist_ok=True)
        git(folder / name, "init", "-q")
        (folder / name / "work").write_bytes(b"work\n")
    held = {path: entry for path, entry in standing(folder).items() if "/.git" in path or path == "new"}
    host.restore(kept)
    assert standing(folder).keys() == {"a", "b"} | held.keys()
    assert {path: entry for path, entry in standing(folder).items() if path in held} == held
    (folder / "a").unlink()
    (folder / "new").rename(folder / "a")
    before = standing(folder)
    with pytest.raises(
        SnapshotRestoreError, match=r"a is or contains something that snapshots don't include"
    ):
        host.restore(kept)
    assert standing(folder) == before


def test_what_a_snapshot_could_not_hold_stays(folder: Path, host: HostFilesystem) -> None:
    """A pipe that is a file by now, and a file that is a pipe by now."""
    os.mkfifo(folder / "pipe")
    (folder / "file").write_bytes(b"file\n")
    kept = host.snapshot()
    (folder / "pipe").unlink()
    (folder / "pipe").write_bytes(b"mine\n")
    (folder / "other").write_bytes(b"other\n")
    host.restore(kept)
    assert {path.name for path in folder.iterdir()} == {"pipe", "file"}
    assert (folder / "pipe").read_bytes() == b"mine\n"
    (folder / "file").unlink()
    os.mkfifo(folder / "file")
    with pytest.raises(SnapshotRestoreError, match="file is or contains"):
        host.restore(kept)


@pytest.mark.parametrize("name", ["new", "kept", "closed/in"])
def test_what_can_t_be_read_stops_a_restore(
    name: str, folder: Path, host: HostFilesystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It could not be put back, and a state without it would not be the whole one."""
    (folder / "kept").write_bytes(b"one\n")
    kept = host.snapshot()
    (folder / "closed").mkdir()
    for changed in ("kept", "new", "closed/in"):
        (folder / changed).write_bytes(b"two\n")
    before = standing(folder)
    read = os.read
    inode = (folder / name).stat().st_ino

    def failing(handle: int, size: int) -> bytes:
        if os.fstat(handle).st_ino == inode:
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read(handle, size)

    with monkeypatch.context() as patch:
        patch.setattr(os, "read", failing)
        with pytest.raises(SnapshotRestoreError, match="could not be saved first"):
            host.restore(kept)
    assert standing(folder) == before
    host.restore(kept)
    assert standing(folder).keys() == {"kept"}


def scene(folder: Path, host: HostFilesystem) -> tuple[FilesystemSnapshot, FolderState, FolderState]:
    """A snapshot, what it holds, and what stands in the folder by now: every kind of change."""
    (folder / "grows").mkdir(mode=0o555)
    (folder / "kept").write_bytes(b"one\n")
    (folder / "shrinks").symlink_to("kept")
    (folder / "gone").mkdir()
    (folder / "gone/in").write_bytes(b"in\n")
    (folder / "gone/in").chmod(0o600)
    wanted = standing(folder)
    kept = host.snapshot()
    (folder / "grows").rmdir()
    (folder / "grows").write_bytes(b"grown\n")
    (folder / "kept").write_bytes(b"two\n")
    (folder / "shrinks").unlink()
    (folder / "shrinks/deep").mkdir(parents=True)
    (folder / "shrinks/deep/in").write_bytes(b"deep\n")
    (folder / "gone/in").unlink()
    (folder / "gone").rmdir()
    (folder / "new").write_bytes(b"new\n")
    return kept, wanted, standing(folder)


def moments_of_a_restore(place: Path) -> int:
    """How many calls about files one restore makes."""
    (place / "project").mkdir(parents=True)
    with HostFilesystem(place / "project", git_dir=place / "kept.git") as host:
        kept, wanted, _ = scene(place / "project", host)
        with between_calls() as moments:
            moments.begin()
            host.restore(kept)
            moments.end()
        assert standing(place / "project") == wanted
    return moments.passed


STEP = 11
"""Every eleventh call is tried, from another first one for each kind of trouble."""


def test_after_a_kill_the_next_one_finds_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    """Whoever opens the same git directory finishes the restore or undoes it, and it can be made again."""
    ends = set[str]()
    for number in range(0, moments_of_a_restore(tmp_path / "counted") + STEP, STEP):
        place = tmp_path / str(number)
        folder = place / "project"
        folder.mkdir(parents=True)
        with HostFilesystem(folder, git_dir=place / "kept.git") as host:
            kept, wanted, before = scene(folder, host)
        child = os.fork()
        if child == 0:
            with between_calls([lambda: os._exit(9)], number) as moments:
                host = HostFilesystem(folder, git_dir=place / "kept.git")
                moments.begin()
                host.restore(kept)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 9
        with HostFilesystem(folder, git_dir=place / "kept.git") as host:
            found = standing(folder)
            assert found in (before, wanted), number
            ends.add("old" if found == before else "new")
            assert standing(folder) == found
            host.snapshot()
            host.restore(kept)
            assert standing(folder) == wanted
    assert ends == {"old", "new"}


def test_after_an_error_it_is_the_old_state_or_the_new_one(tmp_path: Path) -> None:
    """In this process, which goes on, and is told."""
    ends = set[str]()

    def fail() -> None:
        raise OSError(errno.EIO, os.strerror(errno.EIO))

    for number in range(2, moments_of_a_restore(tmp_path / "counted"), STEP):
        place = tmp_path / str(number)
        folder = place / "project"
        folder.mkdir(parents=True)
        with HostFilesystem(folder, git_dir=place / "kept.git") as host:
            kept, wanted, before = scene(folder, host)
            failed = False
            with between_calls([fail], number) as moments:
                moments.begin()
                try:
                    host.restore(kept)
                except StudioError:
                    failed = True
                moments.end()
            found = standing(folder)
            if not failed:  # displaced files that could not be removed are for the next restore
                found = {path: found[path] for path in without_temporary(found)}
            assert found == (before if failed else wanted), number
            ends.add("old" if failed else "new")
            host.restore(kept)
            assert standing(folder) == wanted
    assert ends == {"old", "new"}


def test_what_somebody_writes_meanwhile_stops_it(
    folder: Path, host: HostFilesystem, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept, _, before = scene(folder, host)
    once(monkeypatch, Batch, "commit", lambda *_: (folder / "kept").write_bytes(b"mine\n"))
    with pytest.raises(TargetChanged):
        host.restore(kept)
    assert (folder / "kept").read_bytes() == b"mine\n"
    (folder / "kept").write_bytes(b"two\n")
    assert standing(folder) == before


def test_a_change_after_a_restore_is_not_taken_for_its_end(
    folder: Path, host: HostFilesystem, git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where the displaced files alone could not be removed, the next one removes them and nothing else."""
    kept, wanted, _ = scene(folder, host)
    with monkeypatch.context() as patch:
        patch.setattr(files, "remove_file", refuse)
        host.restore(kept)
    assert temporaries(folder)
    (folder / "kept").write_bytes(b"mine\n")
    with HostFilesystem(folder, git_dir=git_dir):
        assert temporaries(folder) == [] and (folder / "kept").read_bytes() == b"mine\n"
        assert standing(folder).keys() == wanted.keys()


def refuse(*_: object) -> None:
    raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))


def test_an_interrupted_one_is_no_state_to_keep(
    folder: Path, host: HostFilesystem, git_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who may only read can't end it, and keeps nothing mixed; another folder's is none of theirs."""
    kept, _, before = scene(folder, host)
    with monkeypatch.context() as patch:
        once(patch, Batch, "commit", refuse)
        patch.setattr(Batch, "abort", refuse)
        with pytest.raises(StudioError):
            host.restore(kept)
    assert temporaries(folder)
    reader = HostFilesystem(folder, read_only=True, git_dir=git_dir)
    with reader, pytest.raises(SnapshotError, match="was interrupted"):
        reader.snapshot()
    (folder.parent / "other").mkdir()
    with HostFilesystem(folder.parent / "other", git_dir=git_dir) as other:
        other.snapshot()
    assert temporaries(folder)
    HostFilesystem(folder, git_dir=git_dir).close()
    assert standing(folder) == before
