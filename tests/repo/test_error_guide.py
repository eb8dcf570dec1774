"""docs/errors.md is made from the sources, whose hints name no command and no key of the window."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from studio.doors.cli.console.answer import COMMANDS
from studio.ui.runner import WINDOW_HINTS
from tests.tools import error_codes, error_document

ROOT = Path(__file__).parents[2]
ENGINE = ("studio/doors/", "studio/ui/", "studio/__main__", "studio/open_window")
"""Where those who ask are known, and hints may name their ways."""


def test_each_code_has_its_sentence() -> None:
    found = error_document.sentences()
    missing = [
        f"{code} ({place})"
        for code, place in sorted(error_codes.codes().items())
        if not found.get(code) and code not in error_document.OTHERS
    ]
    assert not missing, f"tests/tools/error_document.py finds no message for: {missing}"
    assert len(error_codes.codes()) > 500
    needless = [code for code in error_document.OTHERS if code not in error_codes.codes()]
    assert not needless, needless


def test_no_hint_of_the_engine_names_a_command_or_a_way_of_the_window() -> None:
    """The doors add their own, by code."""
    found = error_document.sentences(but=ENGINE)
    named = [
        (code, each.hint)
        for code, sentences in found.items()
        for each in sentences
        if re.search(r"\bstudio [a-z-]|\s--(?:approved|step|project)\b|\bthe window\b|\bPress\b", each.hint)
    ]
    assert named == []
    assert len(found) > 400


@pytest.mark.parametrize("table", [COMMANDS, WINDOW_HINTS], ids=["command line", "window"])
def test_ways_of_a_door_are_for_codes_there_are(table: dict[str, str]) -> None:
    codes = [code for each in table.values() for code in each.split()]
    assert [code for code in codes if code not in error_codes.codes()] == []
    assert len(codes) == len(set(codes))


def test_what_is_no_code_is_still_there() -> None:
    """An exception that nothing needs any more would hide a code of that name."""
    words = "\n".join(file.read_text(encoding="utf-8") for file in (ROOT / "studio").rglob("*.py"))
    assert [word for word in error_codes.OTHER_WORDS if f'"{word}"' not in words] == []


@pytest.mark.parametrize(
    "code", ["disk.full", "plan.not_found", "run.no_command", "needs_person", "call.prefix"]
)
def test_codes_are_found_however_they_are_made(code: str) -> None:
    assert code in error_codes.codes()
