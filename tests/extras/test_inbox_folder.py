"""Where an inbox may be, and that nothing is made where it may not; one process has it."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path
from uuid import UUID

import pytest

from studio.engine.disk.temporary_names import temporary_name
from studio.errors import FileExists, StudioError
from studio.extras.inbox_folder import InboxFolder
from studio.journal.file_image import sha256
from tests.tools.rights import as_root


def refusal(folder: Path, *projects: Path, mode: int = 0o700) -> str:
    folder.mkdir(parents=True, exist_ok=True)
    folder.chmod(mode)
    held = set(folder.iterdir())
    with pytest.raises(StudioError) as refused:
        InboxFolder(folder, *projects)
    assert set(folder.iterdir()) == held
    return refused.value.code


def test_no_inbox_lies_in_a_project_a_git_folder_or_our_own(tmp_path: Path) -> None:
    subprocess.run(["git", "init", "-q", "--bare", tmp_path / "bare"], check=True)
    (tmp_path / "marked").mkdir()
    (tmp_path / "marked" / "studio.yaml").touch()
    opened = tmp_path / "opened"
    assert refusal(opened / "inbox", opened) == "file.in_project"
    assert refusal(opened, opened) == "file.in_project"
    assert refusal(tmp_path / "marked" / "a" / "b") == "file.in_project"
    assert refusal(tmp_path / "bare" / "hooks") == "file.in_git_folder"
    assert refusal(Path(os.environ["STUDIO_STATE_DIR"]) / "inbox") == "file.in_own_folder"
    assert refusal(Path(os.environ["STUDIO_CONFIG_DIR"])) == "file.in_own_folder"


def test_an_inbox_holds_nothing_else(tmp_path: Path) -> None:
    assert refusal(tmp_path / "all", tmp_path / "all" / "project") == "inbox.holds_others"
    assert refusal(Path(os.environ["HOME"])) == "inbox.holds_others"


def test_an_inbox_is_a_folder_of_its_user_s_alone(tmp_path: Path) -> None:
    folder = tmp_path / "inbox"
    assert refusal(folder, mode=0o720) == "inbox.open_to_others"
    assert refusal(folder, mode=0o702) == "inbox.open_to_others"
    folder.chmod(0o755)
    (tmp_path / "link").symlink_to(folder)
    assert refusal(tmp_path / "link") == "inbox.is_link"
    with pytest.raises(StudioError, match="is not there"):
        InboxFolder(tmp_path / "missing")
    with pytest.raises(StudioError, match="in its path"):
        InboxFolder(folder / ".." / "inbox")
    with InboxFolder(folder):
        assert refusal(folder, mode=0o755) == "inbox.held"
    InboxFolder(folder).close()


@as_root
def test_an_inbox_belongs_to_its_user(tmp_path: Path) -> None:
    (tmp_path / "inbox").mkdir()
    os.chown(tmp_path / "inbox", 12345, 12345)
    assert refusal(tmp_path / "inbox") == "inbox.other_owner"


def test_permissions_are_looked_at_each_time(tmp_path: Path) -> None:
    folder = tmp_path / "inbox"
    folder.mkdir(mode=0o700)
    with InboxFolder(folder) as held:
        held.check()
        folder.chmod(0o777)
        with pytest.raises(StudioError, match="Other users may write"):
            held.check()


def test_a_name_is_given_once(tmp_path: Path) -> None:
    """Also to a text whose own name is as long as names may be, and not to one that came meanwhile."""
    folder = tmp_path / "inbox"
    folder.mkdir(mode=0o700)
    (folder / "a.taken").touch()
    with InboxFolder(folder) as held:
        assert held.free_name("a") == "a.2"
        assert len(held.free_name("x" * 255)) == 230
        (folder / "a").write_text("text")
        assert held.claim("a", "1" * 32) and not held.claim("a", "2" * 32)
        (folder / "a.2.taken").touch()
        held.archive_claim("1" * 32, "a.2")
        assert (folder / "a.2.2.taken").read_text() == "text"
        assert not held.is_claimed("1" * 32)


def test_a_link_that_says_the_answer_is_not_ours(tmp_path: Path) -> None:
    """It has the bytes that were written; but no link is ever made here."""
    folder = tmp_path / "inbox"
    folder.mkdir(mode=0o700)
    answer, ours = b"elsewhere", [sha256(b"elsewhere")]
    with InboxFolder(folder) as held:
        held.write_answer("1" * 32, "a", answer, ours)
        (written,) = folder.glob("a*")
        written.unlink()
        written.symlink_to("elsewhere")
        with pytest.raises(FileExists):
            held.write_answer("1" * 32, "a", answer, ours)
        temporary = folder / temporary_name(str(UUID("1" * 32)), 1)
        temporary.symlink_to("elsewhere")
        held.sweep("1" * 32, ours)
        assert temporary.is_symlink() and written.is_symlink()
