"""What only a terminal gets: one line of progress, and colours (contract 9, R190)."""

from __future__ import annotations

import os
import pty
import re
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from tests.doors.conftest import TIMEOUT_SECONDS, CommandLine
from tests.doors.test_fs import printed_at_terminal

# `studio` whose comparison of a folder goes on until a byte comes, and which shows at once what takes long.
_SLOW = """
import sys
from studio.doors.cli import terminal
from studio.engine.proposer import Proposer
terminal.PROGRESS_AFTER_SECONDS = 0
propose = Proposer.propose_tree

def propose_when_told(*arguments, **named):
    sys.stdin.buffer.read(1)
    return propose(*arguments, **named)

Proposer.propose_tree = propose_when_told
from studio.__main__ import main
sys.exit(main())
"""
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


def compared(project: Path, other: Path, *options: str, waits_for: bytes = b"") -> tuple[bytes, int]:
    """What standard error got that is a terminal, and the exit code; it goes on once `waits_for` was seen."""
    master, slave = pty.openpty()
    with subprocess.Popen(
        [sys.executable, "-c", _SLOW, *options, "submit", "--tree", str(other)],
        cwd=project, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=slave, start_new_session=True,
    ) as running:  # fmt: skip
        os.close(slave)
        assert running.stdin is not None
        shown = b""
        with suppress(OSError):  # how Linux says that the other side is closed
            while waits_for not in shown:
                shown += os.read(master, 4096)
            running.communicate(b"x", timeout=TIMEOUT_SECONDS)
            while part := os.read(master, 4096):
                shown += part
    os.close(master)
    return shown, running.returncode


@pytest.mark.process
def test_what_takes_long_is_told_and_the_line_erased(project: Path, other: Path) -> None:
    shown, code = compared(project, other, waits_for=b"Comparing the folder with the project")
    assert code == 0 and shown.startswith(_ERASED) and shown.endswith(_ERASED), shown
    assert b"\n" not in shown and b" 0 s" in shown


@pytest.mark.parametrize("case", ["a dumb terminal", "a document for a pipe"])
@pytest.mark.process
def test_nothing_is_told_where_nobody_could_erase_it(
    project: Path, other: Path, monkeypatch: pytest.MonkeyPatch, case: str
) -> None:
    if case == "a dumb terminal":
        monkeypatch.setenv("TERM", "dumb")
    assert compared(project, other, *(["--json"] if "document" in case else [])) == (b"", 0)


@pytest.mark.process
def test_a_pipe_is_told_nothing(project: Path, other: Path) -> None:
    command = [sys.executable, "-c", _SLOW, "submit", "--tree", str(other)]
    done = subprocess.run(command, cwd=project, input=b"x", capture_output=True, check=True)
    assert done.stderr == b"" and b"\x1b" not in done.stdout


@pytest.mark.process
def test_a_diff_and_states_have_colours_that_no_file_can_forge(
    studio: CommandLine, project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (project / "a.txt").write_text("one\n-- two\n")
    content = "one\n\x1b[31mred\x1b[0m\n@@ three\n"
    plan = studio.submit({"op": "modify", "path": "a.txt", "content": content})["plan"]
    command = [sys.executable, "-m", "studio", "show", plan, "--diff"]
    shown = printed_at_terminal(command, project)
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
            assert (b"\x1b" in printed_at_terminal(command, project)) is has_colours, (name, value)
