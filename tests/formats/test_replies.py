"""Replies as agents give them, each with what it is written beside it by hand: the plan, or the sentences.

`replies/FORMAT/NAME.txt` is a reply byte for byte, `NAME.json` what it says; `auto` and the name of its
format read it alike.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from studio.engine.draft import CellEdit, DraftStep, PlanDraft, TextEdit
from studio.engine.plan import Problem
from studio.formats import detect

REPLIES = Path(__file__).parent / "replies"
CASES = sorted(path.relative_to(REPLIES).with_suffix("").as_posix() for path in REPLIES.glob("*/*.json"))


def sentence(problem: Problem) -> str:
    where = f"line {problem.line}: " if problem.line is not None else ""
    return f"{where}{problem.message} {problem.hint}".rstrip()


def edit_of(edit: TextEdit) -> dict[str, Any]:
    """An edit as it is written in a case: what is usual is left out."""
    said: dict[str, Any] = {"old": edit.old, "new": edit.new, "after": list(edit.after)}
    said |= {"in_order": edit.in_order, "at_end": edit.at_end, "every": edit.every, "lines": edit.whole_lines}
    found = {key: value for key, value in said.items() if value or key in ("old", "new")}
    lines = {"at_line": edit.at_line, "on_line": edit.on_line}
    return found | {key: line for key, line in lines.items() if line is not None}


def cell_of(edit: CellEdit) -> dict[str, Any]:
    """A change of a notebook's cell as it is written in a case."""
    said = {"change": edit.change.value, "cell_id": edit.cell_id}
    said |= {"source": edit.source, "cell_type": edit.cell_type}
    found = {key: value for key, value in said.items() if value}
    return found if edit.number is None else found | {"number": edit.number}


def step_of(step: DraftStep) -> dict[str, Any]:
    """A step as it is written in a case."""
    said: dict[str, Any] = {
        "op": step.op.value,
        "path": step.path,
        "to": step.to,
        "content": step.content.decode("utf-8") if step.content is not None else None,
        "edits": [edit_of(edit) for edit in step.edits] or None,
        "cells": [cell_of(edit) for edit in step.cells] or None,
        "hunks": sum(len(patch.hunks) for patch in (step.patch, *step.following) if patch is not None)
        if step.patch is not None
        else None,
        "executable": step.executable,
        "may_exist": step.may_exist or None,
        "base_sha256": step.base_sha256,
        "reason": step.reason or None,
        "line": step.line,
        "parts": [step_of(part) for part in step.parts] or None,
        "problems": [sentence(problem) for problem in step.problems] or None,
    }
    return {key: value for key, value in said.items() if value is not None}


def draft_of(draft: PlanDraft) -> dict[str, Any]:
    """A draft as it is written in a case; a title that the format makes up is left out there."""
    said: dict[str, Any] = {
        "format": draft.format,
        "steps": [step_of(step) for step in draft.steps],
        "problems": [sentence(problem) for problem in draft.problems],
        "message": draft.message,
        "remarks": [sentence(problem) for problem in draft.remarks],
    }
    return {key: value for key, value in said.items() if value}


@pytest.mark.parametrize("case", CASES)
def test_a_reply_is_what_was_written_beside_it(case: str) -> None:
    text = (REPLIES / f"{case}.txt").read_bytes()
    expected = json.loads((REPLIES / f"{case}.json").read_text("utf-8"))
    said = draft_of(detect.read(text))
    # A line is compared where the case names one.
    for step, wanted in zip(said.get("steps", ()), expected.get("steps", ()), strict=False):
        if "line" not in wanted:
            step.pop("line", None)
    assert said == expected
    if expected["format"] in detect.FORMATS:
        assert draft_of(detect.read(text, expected["format"])).get("steps") == draft_of(
            detect.read(text)
        ).get("steps")
