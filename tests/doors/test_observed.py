"""`observed`, `watch`: what others changed is told, kept by a person, taken back by a plan."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from tests.doors.conftest import CommandLine
from tests.tools.rights import as_anybody

YES = "project\n"
LINES = [f"line {number}\n" for number in range(40)]


@pytest.fixture(autouse=True)
def known(studio: CommandLine, project: Path) -> None:
    (project / "lines").write_text("".join(LINES))
    (project / "old").write_bytes(b"\xff\x00old" * 20)
    assert studio("observed", "list").json == {"observed": []}


def listed(studio: CommandLine, *words: str) -> dict[str, dict[str, Any]]:
    return {each["path"]: each for each in studio("observed", "list", *words).json["observed"]}


def test_what_others_changed_is_listed_shown_kept_and_taken_back(studio: CommandLine, project: Path) -> None:
    """The shapes of --json; a revert is in the history, and can be rolled back."""
    (project / "lines").write_text("".join([*LINES[:5], "changed\n", *LINES[6:]]))
    (project / "new").write_bytes(b"new\n")
    (project / "old").rename(project / "moved")
    found = listed(studio)
    assert {path: each["op"] for path, each in found.items()} == {
        "lines": "modify", "new": "create", "old": "move",
    }  # fmt: skip
    assert found["old"]["to"] == "moved" and found["new"]["before_sha256"] is None
    assert {each["state"] for each in found.values()} == {"open"}
    assert set(found["lines"]) >= {"observed", "after_sha256", "seen", "hints"}
    shown = studio("observed", "show", found["lines"]["observed"][:8]).json
    assert "-line 5\n+changed\n" in shown["diff"]
    assert "+changed" in studio("observed", "show", found["lines"]["observed"], json=False).text

    dry = studio("observed", "revert", "--all", "--dry-run").json
    assert {step["path"] for step in dry["steps"]} >= {"lines", "new"} and (project / "new").exists()
    kept = studio.at_terminal("observed", "keep", found["new"]["observed"], typed=YES)
    assert (kept.code, kept.json["state"]) == (0, "kept"), kept
    assert set(listed(studio)) == {"lines", "old"} and (project / "new").exists()
    assert listed(studio, "--all")["new"]["state"] == "kept"

    plan = studio.at_terminal("observed", "revert", "--all", typed=YES).json
    assert plan["state"] == "completed"
    assert (project / "lines").read_text() == "".join(LINES)
    assert (project / "old").exists() and not (project / "moved").exists()
    assert listed(studio) == {}
    assert studio.at_terminal("rollback", plan["plan"], typed=f"{plan['plan'][:8]}\n").code == 0
    assert (project / "moved").exists()


def test_one_hunk_goes_back_and_the_others_stay(studio: CommandLine, project: Path) -> None:
    (project / "lines").write_text("".join([*LINES[:5], "one\n", *LINES[6:30], "two\n", *LINES[31:]]))
    (change,) = listed(studio).values()
    dry = studio("observed", "revert", change["observed"], "--hunks", "2", "--dry-run").json
    assert [step["path"] for step in dry["steps"]] == ["lines"]
    said = studio.at_terminal("observed", "revert", change["observed"], "--hunks", "2", typed=YES)
    assert said.code == 0, said
    assert (project / "lines").read_text() == "".join([*LINES[:5], "one\n", *LINES[6:]])
    assert set(listed(studio)) == {"lines"}


def test_a_link_is_shown_by_its_modes(studio: CommandLine, project: Path) -> None:
    (project / "lines").unlink()
    (project / "lines").symlink_to("old")
    (change,) = listed(studio).values()
    assert "old mode 100644\nnew mode 120000\n" in studio("observed", "show", change["observed"]).json["diff"]


HERE = os.uname().nodename
ENDED = 2**31 - 1
"""The number of no process: Linux counts to 4,194,304 at most, macOS to 99,999."""


def _swap(version: bytes, *, is_dirty: bool, process: int = os.getpid()) -> bytes:
    made = (b"b0" + version).ljust(24, b"\0") + process.to_bytes(4, "little") + b"me".ljust(40, b"\0")
    return (made + HERE.encode()).ljust(1007, b"\0") + (b"U" if is_dirty else b"\0") + b"3210" * 700


LOCKS: dict[str, tuple[str, bytes | str, str]] = {
    "vim": (".lines.swp", _swap(b"VIM 9.0", is_dirty=True), "open in vim with unsaved changes. A save"),
    "vim unchanged": (".lines.swo", _swap(b"VIM 9.0", is_dirty=False), "open in vim. A save"),
    "vim that ended": (
        ".lines.swp", _swap(b"VIM 9.0", is_dirty=True, process=ENDED), "left by vim with unsaved changes. A",
    ),
    "nano": (".lines.swp", _swap(b"nano 7.2", is_dirty=True), "open in nano with unsaved changes. A save"),
    "nano that ended": (
        ".lines.swp", _swap(b"nano 7.2", is_dirty=False, process=ENDED), "left by nano. A recovery",
    ),
    "Emacs": (".#lines", f"me@{HERE}.{os.getpid()}:17643", "open in Emacs with unsaved changes. A save"),
    "Emacs elsewhere": (".#lines", f"me@host.example.{ENDED}:17643", "open in Emacs with unsaved changes. A"),
    "Emacs that ended": (".#lines", f"me@{HERE}.{ENDED}:17643", "left by Emacs with unsaved changes. A rec"),
    "joe": (".#lines", "me@host.4711", "open in Emacs or joe with unsaved changes. A save"),
    "LibreOffice": (".~lock.lines#", b",me,host,28.11.2026 02:13,file:/c/4;", "open in LibreOffice. A save"),
    "kate": (".lines.kate-swp", b"\0\0\0\x12Kate Swap File 2.0", "open in kate with unsaved changes. A save"),
}  # fmt: skip


def test_an_editors_lock_is_no_change_and_a_fact_of_a_plan(studio: CommandLine, project: Path) -> None:
    """By its content: whatever else has such a name is listed. So are the probes of vim and auto-saves."""
    folders = {f"{number}": row for number, row in enumerate(LOCKS.values())}
    for folder in folders:
        (project / folder).mkdir()
        (project / folder / "lines").write_text("as it was\n")
    assert listed(studio)
    assert studio.at_terminal("observed", "keep", "--all", typed=YES).code == 0
    locks = {f"{folder}/{lock}" for folder, (lock, _, _) in folders.items()}
    for folder, (lock, content, _) in folders.items():
        if isinstance(content, str):
            (project / folder / lock).symlink_to(content)
        else:
            (project / folder / lock).write_bytes(content)
    (project / "4913").touch()
    (project / ".lines.swx").touch()
    (project / "#lines#").write_text("not saved yet\n")
    assert listed(studio) == {}
    steps = ({"op": "modify", "path": f"{folder}/lines", "content": "x\n"} for folder in folders)
    shown = studio("show", studio.submit(*steps)["plan"], json=False).text
    for folder, (_, _, words) in folders.items():
        assert f"{folder}/lines is {words}" in shown
    others = {*locks, "4913", ".lines.swx", "#other#"}
    for other in others:
        (project / other).unlink(missing_ok=True)
        (project / other).write_text("echo what somebody runs\n")
    assert set(listed(studio)) == others


def test_what_can_not_be_read_is_named(studio: CommandLine, project: Path) -> None:
    (project / "lines").chmod(0)
    with as_anybody():
        said = studio("observed", "list")
    assert said.json == {"observed": []}
    assert "Nothing is told of what can't be read: lines (access to it is denied)." in said.err
    (project / "lines").chmod(0o644)
    assert "can't be read" not in studio("observed", "list").err


def test_only_a_person_keeps_or_takes_back(studio: CommandLine, project: Path) -> None:
    (project / "new").write_bytes(b"new\n")
    (change,) = listed(studio).values()
    for words in (("keep", change["observed"]), ("revert", "--all")):
        piped = studio("observed", *words, stdin=YES.encode())
        assert (piped.code, piped.json["error"]["code"]) == (1, "needs_person")
        assert studio.at_terminal("observed", *words, typed="yes\n").code == 1
    assert set(listed(studio)) == {"new"} and (project / "new").exists()


@pytest.mark.parametrize(
    ("words", "code", "error"),
    [
        (("keep",), 2, "observed.which"),
        (("keep", "--all"), 1, "observed.none"),
        (("show", "abcd"), 4, "observed.not_found"),
        (("revert", "--all", "--hunks", "1"), 1, "observed.none"),
    ],
)
def test_what_is_not_there_is_a_sentence(
    studio: CommandLine, words: tuple[str, ...], code: int, error: str
) -> None:
    said = studio("observed", *words)
    assert (said.code, said.json["error"]["code"]) == (code, error)


def test_a_group_is_named_and_kept_whole(studio: CommandLine, project: Path) -> None:
    (project / "made").mkdir()
    for number in range(40):
        (project / "made" / f"{number}").write_text(f"{number}")
    found = listed(studio)
    assert len({each["group"] for each in found.values()}) == 1
    shown = studio("observed", "list", json=False).text
    assert "more: studio observed list --files" in shown and len(shown.splitlines()) < 30
    kept = studio.at_terminal("observed", "keep", found["made/7"]["observed"], "--group", typed=YES)
    assert len(kept.json["observed"]) == len(found) and listed(studio) == {}


def test_the_stream_tells_changes_and_what_became_of_them(studio: CommandLine, project: Path) -> None:
    """One object per line: what is open at first, then each change, its end, and what is as before again."""
    stream = studio.stream("--json", "watch")
    (project / "new").write_bytes(b"new\n")
    told = json.loads(stream.line())
    assert (told["path"], told["op"], told["state"]) == ("new", "create", "open")
    assert studio.at_terminal("observed", "keep", told["observed"], typed=YES).code == 0
    assert json.loads(stream.line())["state"] == "kept"
    (project / "lines").write_bytes(b"else\n")
    assert json.loads(stream.line())["path"] == "lines"
    (project / "lines").write_text("".join(LINES))
    again = json.loads(stream.line())
    assert again["path"] == "lines" and again["gone"]
    assert stream.end()[0] == 130
