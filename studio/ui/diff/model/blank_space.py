"""Changes that are white space alone: told apart so that a person can leave them out of what is compared."""

from __future__ import annotations

from dataclasses import replace

from studio.engine.diff import FileDiff
from studio.engine.diff.on_screen import paired
from studio.engine.reading_limits import SPACE_COMPARED_UP_TO
from studio.ui.diff.model.cells import Cell, Look, Row


def without_space(row: Row, diff: FileDiff) -> Row:
    """The row, with the look of unchanged lines where nothing but white space differs."""
    left, right = row.left, row.right
    if row.pair is not None and left is not None and right is not None:
        old, new = row.pair
        if _bare(diff.base_lines[old]) == _bare(diff.result_lines[new]):
            return replace(row, left=_plain(left), right=_plain(right), pair=None)
        return row
    if left is not None and right is None and _is_blank(left, Look.REMOVED, diff):
        return replace(row, left=_plain(left))
    if right is not None and left is None and _is_blank(right, Look.ADDED, diff):
        return replace(row, right=_plain(right))
    return row


def is_only_space(diff: FileDiff, hunk: int) -> bool:
    """Whether a hunk, from 1, changes nothing but white space, blank lines too; of a very large one: no."""
    if diff.hunks[hunk - 1].changed_lines > SPACE_COMPARED_UP_TO:
        return False
    first, behind = diff.hunks.firsts[hunk - 1], diff.hunks.end_of(hunk - 1)
    base, result = diff.base_lines, diff.result_lines
    for index in range(first, behind):
        change = diff.changes[index]
        for part in paired(diff).get(index, (change,)):
            pairs = min(part.old_count, part.new_count)
            for at in range(pairs):
                if _bare(base[part.old_first + at]) != _bare(result[part.new_first + at]):
                    return False
            alone = [base[at] for at in range(part.old_first + pairs, part.old_end)]
            alone += [result[at] for at in range(part.new_first + pairs, part.new_end)]
            if any(map(_bare, alone)):
                return False
    return True


def _bare(line: bytes) -> bytes:
    return b"".join(line.split())


def _is_blank(cell: Cell, look: Look, diff: FileDiff) -> bool:
    lines = diff.base_lines if look is Look.REMOVED else diff.result_lines
    return cell.look is look and not _bare(lines[cell.line])


def _plain(cell: Cell) -> Cell:
    return replace(cell, look=Look.PLAIN)
