"""The difference a step makes, as its numbered hunks and counts of lines (contract 3)."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.diff import compute
from studio.engine.plan import HunkRange, Step
from studio.engine.text import NotText, describe


def with_diff(step: Step, base: bytes | None, result: bytes | None) -> Step:
    """The step with the hunks and counts between these bytes (None: no file); none for binary content."""
    before, after = base or b"", result or b""
    if any(isinstance(describe(side), NotText) for side in (before, after)):
        return replace(step, hunks=(), added=0, removed=0)
    diff = compute(before, after)
    hunks = tuple(
        HunkRange(hunk.number, hunk.old_start, hunk.old_lines, hunk.new_start, hunk.new_lines)
        for hunk in diff.hunks
    )
    return replace(step, hunks=hunks, added=diff.added, removed=diff.removed)
