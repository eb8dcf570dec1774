"""The format `unified`: a unified diff, one step for each of its files (contract 2, C48)."""

from __future__ import annotations

import re
from typing import Final

from studio.engine.diff import DiffRefused, FilePatch, parse_unified
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.limits import TITLE_PATH_CHARACTERS
from studio.engine.names import show_name
from studio.engine.policy import PolicyLimits
from studio.formats.amounts import USUAL_LIMITS, check_diff
from studio.formats.folding import fold
from studio.formats.reply_text import ReplyText, Span, line_behind

NAME: Final = "unified"

_EXECUTABLE = 0o100755
_WORDS = ("diff --git ", "\n+++ ", "@@ -", "Binary files ", "GIT binary patch")
_MARK = re.compile(r"^(?:diff --git |--- .*\n\+\+\+ |@@ -[0-9]|Binary files |GIT binary patch)", re.MULTILINE)


def read_unified_diff(data: bytes, limits: PolicyLimits = USUAL_LIMITS) -> PlanDraft:
    """Read a diff from its bytes; never raises for bad content, `problems` says what is wrong.

    Raises Refused for more hunks or files than `limits`, before it is read, or read to its end. Lines and
    columns are 1-based and count bytes of the diff. A diff has no title of its own, so the plan is named
    after what it touches.
    """
    check_diff(data, limits)
    try:
        patches = parse_unified(data, files_up_to=limits.steps)
    except DiffRefused as error:
        return PlanDraft(NAME, (), problems=error.problems)
    steps = fold([_step(patch) for patch in patches])
    return PlanDraft(NAME, steps, title=title_for(steps))


def find(reply: ReplyText) -> list[Span]:
    """The lines that only a diff has."""
    # Most replies hold none of these words, and each is looked for a hundred times faster than a line.
    if not any(word in reply.text for word in _WORDS):
        return []
    return [Span(mark.start(), line_behind(reply.text, mark.start())) for mark in _MARK.finditer(reply.text)]


def title_for(steps: tuple[DraftStep, ...]) -> str:
    """What a plan without a title is called: its one file, or how many files it has."""
    if len(steps) != 1:
        return f"Change {len(steps)} files"
    # A name may be as long as the text; most of what its escapes would be is cut off again.
    shown = show_name((steps[0].to or steps[0].path)[-TITLE_PATH_CHARACTERS - 1 :])
    return f"Change {shown if len(shown) <= TITLE_PATH_CHARACTERS else f'…{shown[-TITLE_PATH_CHARACTERS:]}'}"


def _step(patch: FilePatch) -> DraftStep:
    return DraftStep(
        op=patch.operation,
        path=patch.path,
        to=patch.to,
        patch=patch,
        executable=_executable(patch),
        problems=patch.problems,
        line=patch.line,
    )


def _executable(patch: FilePatch) -> bool | None:
    """What the diff says about execution: a new file's mode, or a mode that changes; else nothing."""
    if patch.new_mode is None or patch.new_mode == patch.old_mode:
        return None
    return patch.new_mode == _EXECUTABLE
