"""The sentences of the protocol's errors: every gap is filled where one is made."""

from __future__ import annotations

import ast
from pathlib import Path
from string import Formatter

import pytest

from studio.engine.filesystem import refusals
from studio.engine.filesystem.refusals import Refusal
from studio.errors import FileMissing

FOLDER = Path(refusals.__file__).parent
ROWS = {name: row for name, row in vars(refusals).items() if isinstance(row, Refusal)}


def gaps(row: Refusal[FileMissing]) -> set[str]:
    return {gap for text in (row.sentence, row.hint) for _, gap, _, _ in Formatter().parse(text) if gap}


@pytest.fixture(scope="module")
def all_calls() -> list[tuple[str, set[str]]]:
    """What is called in the package, and the words that each call gives."""
    return [
        (ast.unparse(node.func), {keyword.arg or "**" for keyword in node.keywords})
        for file in FOLDER.glob("*.py")
        for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call)
    ]


@pytest.mark.parametrize("name", sorted(ROWS))
def test_every_call_fills_the_gaps(name: str, all_calls: list[tuple[str, set[str]]]) -> None:
    made = [words for called, words in all_calls if called in (f"refusals.{name}", name)]
    assert made, "nobody makes this error"
    assert all(words == gaps(ROWS[name]) - {"path"} for words in made)


def test_a_name_is_shown_and_never_read_as_a_gap() -> None:
    """A path with braces, or with characters that can't be seen, is only shown."""
    error = refusals.no_folder("{folder}/a\u202e.txt", folder="{path}")
    assert isinstance(error, FileMissing)
    assert error.message == "{folder}/a\\u202e.txt can't be created: the folder {path} does not exist."
