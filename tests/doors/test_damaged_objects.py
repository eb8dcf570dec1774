"""What was kept is empty, cut off or gone, as after a power cut: looking mends it, and says what is lost."""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable
from pathlib import Path
from resource import RLIMIT_FSIZE, getrlimit, setrlimit
from typing import Any

import pytest

from tests.doors.conftest import CommandLine

YES = "project\n"
Damage = Callable[[Path], object]


def emptied(file: Path) -> None:
    file.chmod(0o600)
    file.write_bytes(b"")


def cut_off(file: Path) -> None:
    file.chmod(0o600)
    file.write_bytes(file.read_bytes()[:-5])


DAMAGES = pytest.mark.parametrize("damage", [emptied, cut_off, Path.unlink])


@pytest.fixture(autouse=True)
def known(studio: CommandLine, project: Path) -> None:
    for name in ("a", "b", "c"):
        (project / name).write_text(f"{name} before\n")
    assert studio("observed", "list").json == {"observed": []}


@pytest.fixture
def folder() -> Path:
    """The external git directory."""
    (found,) = Path(os.environ["STUDIO_STATE_DIR"]).glob("**/snapshots.git")
    return found


def objects(folder: Path) -> set[Path]:
    return set((folder / "objects").glob("??/*"))


def listed(studio: CommandLine) -> dict[str, dict[str, Any]]:
    return {each["path"]: each for each in studio("observed", "list").json["observed"]}


def diff_of(studio: CommandLine, change: dict[str, Any]) -> str:
    shown = studio("observed", "show", change["observed"])
    assert shown.code == 0, shown
    return str(shown.json["diff"])


@DAMAGES
def test_what_the_last_look_kept_is_read_anew(
    studio: CommandLine, project: Path, folder: Path, damage: Damage
) -> None:
    """The objects of a look are not flushed; what they hold is in the project still."""
    before = objects(folder)
    (project / "a").write_text("a after\n")
    (project / "new").write_text("new\n")
    found = listed(studio)
    for file in objects(folder) - before:
        damage(file)
    again = studio("observed", "list")
    assert {each["path"]: each for each in again.json["observed"]} == found
    assert "damaged" not in again.err  # nothing is lost
    assert "-a before\n+a after\n" in diff_of(studio, found["a"])
    assert studio.at_terminal("observed", "keep", found["new"]["observed"], typed=YES).code == 0
    assert studio.at_terminal("observed", "revert", "--all", typed=YES).code == 0
    assert (project / "a").read_text() == "a before\n"
    assert listed(studio) == {}


@DAMAGES
def test_bytes_of_the_baseline_that_are_gone_are_said(
    studio: CommandLine, project: Path, folder: Path, damage: Damage
) -> None:
    """Of that file alone a new baseline begins; what others did to the rest is still told."""
    (project / "a").write_text("a after\n")
    (project / "b").unlink()
    for file in objects(folder):
        if b"a before" in _unpacked(file):
            damage(file)
    said = studio("observed", "list", json=False)
    assert said.code == 0 and "What was kept of a is gone or damaged" in said.err, said
    assert set(listed(studio)) == {"b"}
    (project / "a").write_text("a later\n")
    assert "-a after\n+a later\n" in diff_of(studio, listed(studio)["a"])
    assert studio.at_terminal("observed", "revert", "--all", typed=YES).code == 0
    assert (project / "b").read_text() == "b before\n"


def test_a_baseline_that_is_gone_begins_anew_and_that_is_said(
    studio: CommandLine, project: Path, folder: Path
) -> None:
    (project / "a").write_text("a after\n")
    assert set(listed(studio)) == {"a"}
    for file in objects(folder):
        cut_off(file)
    said = studio("observed", "list")
    assert (said.code, said.json) == (0, {"observed": []}), said
    assert "What was kept of the project is gone or damaged" in said.err
    (project / "b").write_text("b after\n")
    assert "-b before\n+b after\n" in diff_of(studio, listed(studio)["b"])
    assert "damaged" not in studio("observed", "list").err


@pytest.mark.parametrize(
    ("name", "left"),
    [
        ("config", b"\0" * 40),
        ("HEAD", b""),
        ("refs/snapshots/baseline", b"\0" * 40),
        ("refs", None),
        ("objects", None),
        ("", None),
    ],
)
def test_parts_of_the_folder_that_are_damaged_are_made_anew(
    studio: CommandLine, project: Path, folder: Path, name: str, left: bytes | None
) -> None:
    """Whatever is lost with them, the next look works, and so do snapshots."""
    (project / "a").write_text("a after\n")
    part = folder / name
    part.rename(folder.parent / "elsewhere")
    if left is not None:
        part.write_bytes(left)
    is_lost = name in ("objects", "")
    said = studio("observed", "list")
    assert said.code == 0 and ("damaged" in said.err) is is_lost, said
    assert set(listed(studio)) == (set() if is_lost else {"a"})
    assert studio("snapshot", "create", "one").code == 0
    assert studio("snapshot", "diff", "one").json == {"changes": []}


def test_after_a_start_what_was_not_flushed_is_looked_at(
    studio: CommandLine, project: Path, folder: Path
) -> None:
    """Before a person keeps a change whose bytes are gone: later nobody has them any more."""
    before = objects(folder)
    (project / "a").write_text("a after\n")
    (change,) = listed(studio).values()
    for file in objects(folder) - before:
        emptied(file)
    (folder / "checked").write_text("another start")
    assert studio.at_terminal("observed", "keep", change["observed"], typed=YES).code == 0
    (project / "a").write_text("a later\n")
    assert "-a after\n+a later\n" in diff_of(studio, listed(studio)["a"])


def test_a_snapshot_is_whole_beside_damaged_objects(studio: CommandLine, project: Path, folder: Path) -> None:
    """What a damaged snapshot has and the project still has too is kept anew with the next one."""
    assert studio("snapshot", "create", "one").code == 0
    for file in objects(folder):
        if b"a before" in _unpacked(file):
            emptied(file)
    (project / "a").write_text("other\n")
    assert studio("snapshot", "restore", "one", "--dry-run").error["code"] == "snapshot.damaged"
    (project / "a").write_text("a before\n")
    assert studio("snapshot", "create", "two").code == 0
    (project / "a").write_text("other\n")
    for name in ("one", "two"):
        assert studio("snapshot", "restore", name, "--dry-run").code == 0


def _unpacked(file: Path) -> bytes:
    return zlib.decompress(file.read_bytes())


def test_what_finds_no_room_is_no_file_that_was_left_out(
    studio: CommandLine, project: Path, folder: Path
) -> None:
    """Nothing is said to be as it was, or kept, because the disk that keeps it is full."""
    before, (_, hard) = objects(folder), getrlimit(RLIMIT_FSIZE)
    (project / "small").write_text("kept before the large one\n")
    (project / "large").write_bytes(os.urandom(3_000_000))
    for words in (("observed", "list"), ("snapshot", "create", "one")):
        setrlimit(RLIMIT_FSIZE, (2_000_000, hard))
        try:
            said = studio(*words)
        finally:
            setrlimit(RLIMIT_FSIZE, (hard, hard))
        assert (said.code, said.error["code"]) == (1, "snapshot.unwritable"), said
        assert "Nothing more can be stored in " in said.error["message"]
    assert objects(folder) == before, "what was kept until then takes no room"
    assert studio("snapshot", "list").json["snapshots"] == []
    assert set(listed(studio)) == {"large", "small"}


def test_a_snapshot_of_which_nothing_is_left_is_told(studio: CommandLine, folder: Path) -> None:
    made = studio("snapshot", "create", "one").json
    emptied(folder / "objects" / made["commit"][:2] / made["commit"][2:])
    said = studio("snapshot", "list")
    assert said.json["snapshots"] == []
    assert f"Snapshot {made['snapshot'][:8]} can't be read: its stored data" in said.err
