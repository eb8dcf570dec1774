"""Pages of docs/, run as they stand: each command in its order, its answer line by line, and the example
of docs/agents.md."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.tools.forked import ForkServer, command_of

DOCS = Path(__file__).parents[2] / "docs"
PAGES = {"agents": 30, "command_line": 15, "doctor": 4}
"""The pages with commands that can be tried, and how many of them at least."""

_BLOCK = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_END = "--- that was all, with "
_COMPLAINTS = ("studio: ", "ls: ")
"""How lines of standard error begin on the page."""


@dataclass(frozen=True, slots=True)
class Shown:
    """One command of the page, and what it shows of its answer."""

    command: str
    answer: str


def blocks(page: str, kind: str) -> list[str]:
    text = (DOCS / f"{page}.md").read_text(encoding="utf-8")
    return [body for found, body in _BLOCK.findall(text) if found == kind]


def commands(page: str) -> Iterator[Shown]:
    for block in blocks(page, "console"):
        for part in re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]:
            lines = part.splitlines()
            more = next((at for at, line in enumerate(lines) if at and not line.startswith("> ")), len(lines))
            command = [lines[0], *(line[2:] for line in lines[1:more])]
            yield Shown("\n".join(command), "\n".join(lines[more:]))


@pytest.fixture
def place(
    project: Path, private_folders: Path, forks: ForkServer | None, monkeypatch: pytest.MonkeyPatch
) -> Path:
    """The project that the pages speak of, and its person's configuration."""
    inbox = private_folders / "inbox"
    inbox.mkdir(mode=0o700)
    for each in project.iterdir():
        each.unlink()
    (project / "notes.txt").write_text("alpha\nbeta\ngamma\n")
    (project / ".git").mkdir()
    configuration = Path(os.environ["STUDIO_CONFIG_DIR"])
    configuration.mkdir(parents=True, exist_ok=True)
    said = f"schema_version: 1\nreview: {{command_line: allow}}\nagents: {{inbox: {inbox}}}\n"
    (configuration / "config.yaml").write_text(said)
    program = private_folders / "programs/studio"
    program.parent.mkdir()
    command, _ = command_of(forks)
    program.write_text(f'#!/bin/sh\nexec {shlex.join(command)} "$@"\n')
    program.chmod(0o700)
    monkeypatch.setenv("PATH", f"{program.parent}:{Path(sys.executable).parent}:/usr/bin:/bin")
    monkeypatch.setenv("INBOX", str(inbox))
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    return project


def fits(shown: str, said: str) -> bool:
    """`…` stands for anything in its line; a line that is nothing else for any number of lines."""
    lines = (
        "(?:.*\n)*.*" if line == "…" else ".*".join(map(re.escape, line.split("…")))
        for line in shown.split("\n")
    )
    return re.fullmatch("\n".join(lines), said) is not None


@pytest.mark.parametrize("page", PAGES)
@pytest.mark.process
def test_each_command_answers_as_the_page_shows(page: str, place: Path, forks: ForkServer | None) -> None:
    told = list(commands(page))
    assert len(told) >= PAGES[page]
    script = "".join(f"{each.command}\nset -- $?; echo '{_END}'$1; (exit $1)\n" for each in told)
    done = subprocess.run(
        ["sh"], input=script, cwd=place, capture_output=True, check=False, text=True, timeout=100,
        pass_fds=command_of(forks)[1],
        env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
    )  # fmt: skip
    assert done.stdout.count(_END) == len(told), done
    answers = re.split(rf"^{_END}\d+\n", done.stdout, flags=re.MULTILINE)
    errors = done.stderr.splitlines()
    for each, answer in zip(told, answers, strict=False):
        shown = each.answer.splitlines()
        complaints = [line for line in shown if line.startswith(_COMPLAINTS)]
        said = [line for line in shown if line not in complaints]
        assert fits("\n".join(said), answer.rstrip("\n")), (each, answer)
        for line in complaints:
            assert any(fits(line, error) for error in errors), (line, errors)


@pytest.mark.process
def test_the_example_prints_what_the_page_says(place: Path, private_folders: Path) -> None:
    pytest.importorskip("mcp")
    program = private_folders / "programs/studio"  # its client lets it inherit no handle
    program.write_text(f'#!/bin/sh\nexec {sys.executable} -m studio "$@"\n')
    (example,), (printed,) = blocks("agents", "python"), blocks("agents", "text")
    (place / "louder.diff").write_text("")
    done = subprocess.run(
        [sys.executable, "-c", example], cwd=place, capture_output=True, check=False, text=True, timeout=60,
        env={**os.environ, "PYTHONPATH": str(DOCS.parent)},
    )  # fmt: skip
    assert done.stdout == printed, done


def test_every_page_with_commands_is_tried() -> None:
    shown = {file.stem for file in DOCS.glob("*.md") if "```console" in file.read_text(encoding="utf-8")}
    assert shown == {*PAGES}
