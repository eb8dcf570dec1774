"""Diffs that tools wrote themselves: read to the byte, or refused with what to do."""

from __future__ import annotations

import pytest

from tests.diffs.outcomes import WRONG, Outcome, outcomes
from tests.diffs.page import FILE, text
from tests.diffs.tools import TOOLS


@pytest.fixture(scope="module")
def found() -> list[Outcome]:
    return list(outcomes())


def test_no_diff_leaves_another_tree_than_its_tool_meant(found: list[Outcome]) -> None:
    assert [(each.tool, each.form, each.change) for each in found if each.judged == WRONG] == []


def test_every_form_of_every_tool_was_tried(found: list[Outcome]) -> None:
    forms = {(tool.name, form) for tool in TOOLS for form in tool.forms}
    assert {(each.tool, each.form) for each in found} == forms and len(found) > 5000


def test_a_refusal_names_what_the_text_is_and_what_to_do(found: list[Outcome]) -> None:
    problems = {problem for each in found for problem in each.problems}
    assert "format.unknown" not in {problem.code for problem in problems}
    assert all(problem.message and problem.hint for problem in problems)


def test_the_page_of_the_documentation_is_current(found: list[Outcome]) -> None:
    """`python -m tests.diffs.page` writes it anew."""
    assert FILE.read_text(encoding="utf-8") == text(found)
