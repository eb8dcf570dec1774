"""The changes between two contents of which the hunks are known: only these are compared again."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.diff.compute import Change
from studio.engine.diff.line_runs import line_runs
from studio.engine.plan import HunkRange
from studio.engine.text import Lines


def changes_within(old: Lines, new: Lines, hunks: Sequence[HunkRange]) -> list[Change] | None:
    """As `compute` finds changes, at a fraction of its cost; None where the two differ elsewhere, too."""
    changes: list[Change] = []
    old_at = new_at = 0
    for hunk in hunks:
        old_first = hunk.old_start - 1 if hunk.old_lines else hunk.old_start
        new_first = hunk.new_start - 1 if hunk.new_lines else hunk.new_start
        if old_first < old_at or old_first + hunk.old_lines > len(old) or new_first < new_at:
            return None
        if not _are_alike(old, new, (old_at, old_first), (new_at, new_first)):
            return None
        runs = line_runs(old.block(old_first, hunk.old_lines), new.block(new_first, hunk.new_lines))
        for at in range(0, len(runs), 4):
            old_line, old_count, new_line, new_count = runs[at : at + 4]
            changes.append(Change(old_first + old_line, old_count, new_first + new_line, new_count))
        old_at, new_at = old_first + hunk.old_lines, new_first + hunk.new_lines
    return changes if _are_alike(old, new, (old_at, len(old)), (new_at, len(new))) else None


def _are_alike(old: Lines, new: Lines, in_old: tuple[int, int], in_new: tuple[int, int]) -> bool:
    (old_first, old_end), (new_first, new_end) = in_old, in_new
    count = old_end - old_first
    return count == new_end - new_first and old.block(old_first, count) == new.block(new_first, count)
