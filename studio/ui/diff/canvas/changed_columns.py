"""Changed columns of lines that are wider than their pane."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QCoreApplication

from studio.ui.diff.canvas.painting import RowPainter
from studio.ui.diff.model.cells import Cell, Look
from studio.ui.diff.model.layout import Layout
from studio.ui.look.words import say

_TOLD = 12
"""Most column ranges listed for one line; an ellipsis replaces the others."""


def first_columns(layout: Layout, painter: RowPainter, hunk: int) -> tuple[int, int] | None:
    """Return the first columns that a hunk (from 1) changes, else None."""
    if not 1 <= hunk <= layout.hunks:
        return None
    for index in range(*layout.hunk_rows(hunk)):
        row = layout.row(index)
        cells = [cell for cell in (row.right, row.left) if cell is not None and _is_changed(cell)]
        if cells:
            spans = [spans for cell in cells if (spans := painter.changed_columns(cell, row.pair))]
            return spans[0][0] if spans else (0, 1)
    return None


def _is_changed(cell: Cell) -> bool:
    return bool(cell.choice) and cell.look is not Look.PLAIN


def changed_columns_words(spans: Sequence[tuple[int, int]]) -> str:
    """Return a sentence listing the changed columns, or "" for none."""
    if not spans:
        return ""
    shown = ", ".join(f"{start + 1:,}–{end:,}" for start, end in spans[:_TOLD])
    more = "…" if len(spans) > _TOLD else ""
    template = QCoreApplication.translate("DiffView", "Changed at columns {places}")
    return say(template, places=shown + more)
