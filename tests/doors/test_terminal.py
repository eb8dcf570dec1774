"""What only a terminal gets: one line of progress, and colours."""

from __future__ import annotations

import re
import threading
from pathlib import Path
from typing import Any

import pytest

from studio.doors.cli.console import terminal
from studio.engine.proposer import Proposer
from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine

_ERASED = b"\r\x1b[K"
_COLOUR = re.compile(rb"\x1b\[[0-9]+m")


@pytest.fixture(autouse=True)
def usual_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.delenv("NO_COLOR", raising=False)


@pytest.fixture
def other(tmp_path: Path) -> Path:
    folder = tmp_path / "other"
    folder.mkdir()
    (folder / "a.txt").write_text("a\n")
    return folder


@pytest.fixture
def goes_on(monkeypatch: pytest.MonkeyPatch) -> threading.Event:
    """The comparison of a folder goes on once this is set; what takes long is shown at once."""
    told = threading.Event()
    propose = Proposer.propose_tree

    def propose_when_told(*arguments: Any, **named: Any) -> Any:
        assert told.wait(TIMEOUT_SECONDS)
        return propose(*arguments, **named)

    monkeypatch.setattr(terminal, "PROGRESS_AFTER_SECONDS", 0)
    monkeypatch.setattr(Proposer, "propose_tree", propose_when_told)
    return told


def test_what_takes_long_is_told_and_the_line_erased(
    studio: CommandLine, other: Path, goes_on: threading.Event
) -> None:
    def seen(shown: bytes) -> None:
        if b"Comparing the folder with the project" in shown:
            goes_on.set()

    shown = studio.printed_at_terminal("submit", "--tree", other, of="stderr", seen=seen)
    assert shown.startswith(_ERASED) and shown.endswith(_ERASED), shown
    assert b"\n" not in shown and b" 0 s" in shown


def test_nothing_is_told_where_nobody_could_erase_it(
    studio: CommandLine, other: Path, goes_on: threading.Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A document for a pipe, a pipe, and a dumb terminal."""
    goes_on.set()
    tree = ("submit", "--tree", other)
    assert studio.printed_at_terminal("--json", *tree, of="stderr") == b""
    said = studio(*tree, json=False)
    assert (said.code, said.err) == (0, "") and "\x1b" not in said.text
    monkeypatch.setenv("TERM", "dumb")
    assert studio.printed_at_terminal(*tree, of="stderr") == b""


def test_a_diff_and_states_have_colours_that_no_file_can_forge(
    studio: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.txt").write_text("one\n-- two\n")
    content = "one\n\x1b[31mred\x1b[0m\n@@ three\n"
    plan = studio.submit({"op": "modify", "path": "a.txt", "content": content})["plan"]
    shown = studio.printed_at_terminal("show", plan, "--diff")
    for part in (
        b"\x1b[33mpending\x1b[0m",
        b"\x1b[1m--- a/a.txt\x1b[0m",
        b"\x1b[36m@@ -1,2 +1,3 @@\x1b[0m",
        b"\x1b[31m--- two\x1b[0m",
        b"\x1b[32m+@@ three\x1b[0m",
        b" one",
    ):
        assert part in shown, (part, shown)
    plain = studio("show", plan, "--diff", json=False).out
    assert b"+\x1b[31mred" in plain, "a pipe gets the bytes"
    assert b"\x1b" not in _COLOUR.sub(b"", shown) and b"\x1b[31mred" not in shown

    for name, value, has_colours in (
        ("NO_COLOR", "", True),
        ("NO_COLOR", "0", False),
        ("TERM", "dumb", False),
    ):
        with monkeypatch.context() as changed:
            changed.setenv(name, value)
            shown = studio.printed_at_terminal("show", plan, "--diff")
        assert (b"\x1b" in shown) is has_colours, (name, value)
