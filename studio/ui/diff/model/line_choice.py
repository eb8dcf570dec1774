"""Lookup and navigation of a hunk's changed lines for line-by-line inclusion."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from studio.engine import FileDiff, HunkChoice
from studio.ui.diff.model.cells import Cell, LineState, Mode, Row, Side
from studio.ui.diff.model.layout import Layout
from studio.ui.limits import LAID_OUT_LINES_UP_TO
from studio.values import Value

LinePlace = tuple[Side, int]


class ChoosableLine(Value):
    """Changed line on screen: row, pane (0 left, 1 right) and cell."""

    row: int
    pane: int
    cell: Cell

    @property
    def is_included(self) -> bool:
        return self.cell.state is not LineState.LEFT_OUT


def choosable_cells(row: Row, mode: Mode) -> Iterator[tuple[int, Cell]]:
    """Yield the changed lines of a row and their panes."""
    if mode is Mode.SIDE_BY_SIDE:
        cells = (row.left, row.right)
    elif row.left is not None and row.right is not None and not row.right.choice:
        # In unified mode an excluded removal is shown as the line that stays.
        cells = (row.left,)
    else:
        cells = (row.right or row.left,)
    for pane, cell in enumerate(cells):
        if cell is not None and cell.choice:
            yield pane, cell


def line_from(layout: Layout, hunk: int, current: LinePlace | None, by: int) -> ChoosableLine | None:
    """Return the hunk's next (1), previous (-1) or current (0) changed line.

    At the ends of the hunk it is the current line, without a current line the first one of the hunk.
    """
    first, end = layout.hunk_rows(hunk)
    row = layout.row_of(*current) if current is not None else None
    if row is None or not first <= row < end:
        return next(_lines_in(layout, range(first, end)), None)
    here = list(_lines_in(layout, range(row, row + 1)))
    position = next((index for index, line in enumerate(here) if line.cell.line_key == current), None)
    if position is None:
        return next(_lines_in(layout, range(first, end)), None)
    if 0 <= position + by < len(here):
        return here[position + by]
    if by > 0:
        return next(_lines_in(layout, range(row + 1, end)), here[position])
    return next(_lines_in(layout, range(row - 1, first - 1, -1), last_first=True), here[position])


def line_by_line(choices: Mapping[int, HunkChoice], hunk: int, diff: FileDiff) -> Mapping[int, HunkChoice]:
    """Return the choices with a hunk's lines (0 for none) listed singly.

    So no row moves under the mouse pointer when one line is excluded.
    """
    if not hunk or not isinstance(choices.get(hunk, True), bool):
        return choices
    lines = range(1, diff.hunks[hunk - 1].changed_lines + 1)
    if len(lines) > LAID_OUT_LINES_UP_TO:
        return choices
    return {**choices, hunk: frozenset(lines if choices.get(hunk, True) else ())}


def lines_in(layout: Layout, hunk: int, rows: range) -> list[ChoosableLine]:
    """Return the changed lines of a hunk within some rows."""
    first, end = layout.hunk_rows(hunk)
    return list(_lines_in(layout, range(max(first, rows.start), min(end, rows.stop))))


def _lines_in(layout: Layout, rows: range, *, last_first: bool = False) -> Iterator[ChoosableLine]:
    for index in rows:
        found = [
            ChoosableLine(index, pane, cell) for pane, cell in choosable_cells(layout.row(index), layout.mode)
        ]
        yield from reversed(found) if last_first else found
