"""`--help` of every command: lines that fit a terminal, and examples that can be typed."""

from __future__ import annotations

import shlex
from pathlib import Path

import pytest

from studio.doors.cli.arguments import WAYS
from studio.doors.cli.command_table import TABLE
from studio.doors.cli.commands.fs import OPERATIONS
from studio.doors.cli.examples import EXAMPLES
from studio.doors.cli.parser import build_window_parser, command_of, parse
from tests.doors.conftest import CommandLine

COLUMNS = 80


def calls(line: str) -> list[list[str]]:
    """The words behind each `studio` of a line that a shell reads."""
    found: list[list[str]] = []
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    words = list(reader)
    for start in (number for number, word in enumerate(words) if word == "studio"):
        ends = [at for at in range(start, len(words)) if set(words[at]) <= set("|&;<>")]
        found.append(words[start + 1 : min(ends, default=len(words))])
    return found


def test_every_command_has_examples() -> None:
    assert set(EXAMPLES) == {"", *TABLE, *(f"fs {word}" for word in OPERATIONS)}
    assert all(EXAMPLES.values())


@pytest.mark.parametrize("words", EXAMPLES)
def test_its_help_fits_and_shows_them(
    words: str, monkeypatch: pytest.MonkeyPatch, studio: CommandLine
) -> None:
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    said = studio(*words.split(), "--help", json=False)
    lines = said.text.splitlines()
    assert (said.code, said.err) == (0, "")
    assert [line for line in lines if len(line) > COLUMNS] == []
    assert [line.strip() for line in lines[-len(EXAMPLES[words]) :]] == list(EXAMPLES[words])
    assert "%(" not in said.text and "==SUPPRESS==" not in said.text


@pytest.mark.parametrize("words", EXAMPLES)
def test_the_real_parser_takes_each_of_them(words: str) -> None:
    for line in EXAMPLES[words]:
        for call in calls(line):
            command = command_of(call)
            if "--help" in call:
                continue
            found = parse(call) if command is not None else build_window_parser().parse_args(call)
            assert (getattr(found, "command", None) or "") == (command or ""), line
    assert any(" ".join(call).startswith(words) for line in EXAMPLES[words] for call in calls(line))


@pytest.mark.parametrize("words", [f"{word} {way}" for word, ways in WAYS.items() for way in ways])
def test_the_help_of_each_way_of_a_command_is_printed(
    words: str, monkeypatch: pytest.MonkeyPatch, studio: CommandLine
) -> None:
    """It ended as an internal error, because examples stand by commands alone."""
    monkeypatch.setenv("COLUMNS", str(COLUMNS))
    said = studio(*words.split(), "--help", json=False)
    assert (said.code, said.err) == (0, "")
    shown = [line.strip() for line in said.text.splitlines()]
    examples = EXAMPLES[words.partition(" ")[0]]
    own = [line for line in examples if line.startswith(f"studio {words}")] or list(examples)
    assert shown[-len(own) :] == own
    assert [line for line in said.text.splitlines() if len(line) > COLUMNS] == []


def test_the_window_lists_every_command(studio: CommandLine) -> None:
    text = studio("--help", json=False).text
    for name, command in TABLE.items():
        assert f"  {name:<11} {command.summary}" in text


def test_examples_for_files_do_what_they_say(studio: CommandLine, project: Path) -> None:
    """Each as it stands, on a project that has what they name."""
    for name in (
        "README.md",
        "notes.md",
        "a.txt",
        "b.txt",
        "old.py",
        "src/app.py",
        "docs/more.md",
        "build/x.o",
    ):
        (project / name).parent.mkdir(exist_ok=True)
        (project / name).write_text("def main\n")
    for word in OPERATIONS:
        call = calls(EXAMPLES[f"fs {word}"][-1])[-1]
        stdin = b'[{"operation": "file_exists", "path": "a.txt"}]' if word == "bulk" else b"made = 1\n"
        said = studio(*call, stdin=stdin, json=False)
        assert said.code == 0, (call, said)


def test_examples_for_plans_do_what_they_say(studio: CommandLine, project: Path, allow_review: None) -> None:
    """Their plan is called 1a2b; here it is called as the one that was proposed."""
    (project / "reply.md").write_text('{"title": "A", "steps": [{"op": "mkdir", "path": "new"}]}')
    (call,) = calls(EXAMPLES["submit"][0])
    plan = studio("--json", *call, json=False).json["plan"]
    for words in (
        "plans",
        "show",
        "approve",
        "rollback",
        "history",
        "journal",
        "check",
        "sessions",
        "calls",
        "config",
    ):
        (call,) = calls(EXAMPLES[words][0]) if words != "journal" else calls(EXAMPLES[words][1])
        said = studio(*(plan if word == "1a2b" else word for word in call), json=False)
        assert said.code in (0, 1 if words == "check" else 0), (call, said)
    assert (project / "new").is_dir()
