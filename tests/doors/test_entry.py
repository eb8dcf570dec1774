"""The program's first look at its words: which of them choose a command."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import studio
from studio.__main__ import main
from studio.doors.cli.parser import command_of
from tests.doors.conftest import CommandLine


@pytest.mark.parametrize(
    ("words", "command"),
    [
        ("plans", "plans"),
        ("--json plans", "plans"),
        ("--project demo plans", "plans"),
        ("--project=demo --json demo", "demo"),
        ("", None),
        ("some/folder", None),
        ("-- plans", None),
        ("--smoke", None),
        ("--project demo", None),
    ],
)
def test_the_command_is_the_first_word_that_is_no_option(words: str, command: str | None) -> None:
    assert command_of(words.split()) == command


@pytest.mark.parametrize("words", ["--version", "-V", "--json --version"])
def test_the_version_opens_no_window(
    words: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["studio", *words.split()])
    assert main() == 0
    assert capsys.readouterr() == (f"studio {studio.__version__}\n", "")


def test_a_project_may_be_called_like_a_command(studio: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "demo").mkdir()
    done = studio("--project", "demo", "plans", json=False, cwd=tmp_path)
    assert (done.code, done.out, done.err) == (0, b"No plans.\n", "")


@pytest.mark.process
def test_a_command_ends_without_a_last_look_for_garbage(tmp_path: Path) -> None:
    """The interpreter passes over what is frozen; an agent waits for a hook until its process has ended."""
    done = subprocess.run(
        [sys.executable, "-c", _ENDED, "--project", str(tmp_path), "plans"],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == "No plans.\nTrue\n"


_ENDED = """
import atexit, gc
atexit.register(lambda: print(len(gc.get_objects()) < gc.get_freeze_count()))
from studio.__main__ import main
raise SystemExit(main())
"""
