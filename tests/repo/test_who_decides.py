"""A person is made in two places only: where a press, or typing at a terminal, was seen."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

SOURCES = Path(__file__).parents[2] / "studio"
PLACES = {"doors/cli/console/person.py", "ui/window/opening.py"}


def _makes_person(source: str) -> bool:
    if "Person" not in source:
        return False
    calls = (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.Call))
    return any(
        (isinstance(call.func, ast.Name) and call.func.id == "Person")
        or (isinstance(call.func, ast.Attribute) and call.func.attr == "Person")
        for call in calls
    )


def test_a_person_is_made_only_where_one_was_seen() -> None:
    found = {
        file.relative_to(SOURCES).as_posix()
        for file in SOURCES.rglob("*.py")
        if _makes_person(file.read_text(encoding="utf-8"))
    }
    assert found == PLACES


@pytest.mark.parametrize("source", ["Person(x, y)", "context.Person(source=x, name=y)"])
def test_it_is_found(source: str) -> None:
    assert _makes_person(source)
