"""What assistive technology gets of our widgets beside what Qt gives it."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import cast

from PySide6.QtCore import QObject, QPoint, QRect
from PySide6.QtGui import (
    QAccessible,
    QAccessibleInterface,
    QAccessibleTextCursorEvent,
    QAccessibleTextInterface,
)
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget, QApplication, QWidget
from shiboken6 import VoidPtr

from studio.ui.diff.bars.accessible_text import WINDOW_ROWS, row_words
from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.model.layout import Layout

_SPOKEN_ROWS = 200
"""Rows of a hunk that describe the diff at most."""

_NULL = cast("int", VoidPtr(0))
"""A null pointer; PySide 6.11.3 makes none of None, and crashes."""

_PLAIN = QAccessible.Role.Client
"""The role that Qt gives widgets without one of their own."""


class FocusedAlone(QAccessibleWidget):
    """Widget that is focused only while none inside it is.

    Qt gives the state to each widget whose focus proxy has the focus: a pane beside its list.
    """

    def state(self) -> QAccessible.State:
        state = super().state()
        state.focused = int(QApplication.focusWidget() is self.object())
        return state


class DiffText(QAccessibleTextInterface):
    """Text of a painted diff, with the caret at the current line.

    A larger diff is a window of rows around that line. Offsets count UTF-16 units, as Qt's do.
    """

    def __init__(self, canvas: DiffCanvas) -> None:
        super().__init__()
        self._canvas = canvas
        self._layout: Layout | None = None
        self._units = b""
        self._first = 0
        self._starts = [0]

    def text(self, start: int, end: int) -> str:
        self._update()
        return self._units[2 * start : 2 * end].decode("utf-16-le", "replace")

    def characterCount(self) -> int:
        self._update()
        return len(self._units) // 2

    def cursorPosition(self) -> int:
        self._update()
        return self._starts[min(max(0, self._current_row() - self._first), len(self._starts) - 1)]

    def setCursorPosition(self, position: int) -> None:
        layout, row = self._canvas.layout_, self._row_of(position)
        if layout is not None and row < layout.rows:
            cell = layout.row(row).right or layout.row(row).left
            if cell is not None:
                self._canvas.go_to_line(*cell.line_key)

    def characterRect(self, offset: int) -> QRect:
        """Return the place of the character's whole row."""
        layout, row = self._canvas.layout_, self._row_of(offset)
        if layout is None or row >= layout.rows:
            return QRect()
        view = self._canvas.viewport()
        top = layout.top(row) - self._canvas.view_lines()[0]
        corner = view.mapToGlobal(QPoint(0, top))
        return QRect(corner.x(), corner.y(), view.width(), layout.row_height(row))

    def offsetAtPoint(self, point: QPoint) -> int:
        layout, view = self._canvas.layout_, self._canvas.viewport()
        self._update()
        if layout is None or not layout.rows:
            return -1
        inside = view.mapFromGlobal(point)
        row = layout.row_at(inside.y() + self._canvas.view_lines()[0]) - self._first
        return self._starts[row] if 0 <= row < len(self._starts) else -1

    def selectionCount(self) -> int:
        return 0

    def addSelection(self, start: int, end: int) -> None:
        """Select nothing: lines are selected by mouse and keys."""

    def removeSelection(self, index: int) -> None:
        """See `addSelection`."""

    def setSelection(self, index: int, start: int, end: int) -> None:
        """See `addSelection`."""

    def scrollToSubstring(self, start: int, end: int) -> None:
        self.setCursorPosition(start)

    def _row_of(self, offset: int) -> int:
        self._update()
        return self._first + bisect_right(self._starts, offset) - 1

    def _current_row(self) -> int:
        place = self._canvas.current_line()
        return self._layout.row_near(*place) if self._layout is not None and place is not None else 0

    def _update(self) -> None:
        """Make the text of the present layout, around the current line."""
        layout, document = self._canvas.layout_, self._canvas.document
        is_same, self._layout = layout is self._layout, layout
        row = self._current_row()
        if is_same and self._first <= row < self._first + len(self._starts):
            return
        words: list[bytes] = []
        if layout is not None and document is not None:
            self._first = max(0, min(row - WINDOW_ROWS // 2, layout.rows - WINDOW_ROWS))
            rows = range(self._first, min(layout.rows, self._first + WINDOW_ROWS))
            words = [f"{row_words(layout, document, row)}\n".encode("utf-16-le") for row in rows]
        self._units = b"".join(words)
        self._starts = list(accumulate((len(line) // 2 for line in words[:-1]), initial=0))


class AccessibleDiff(FocusedAlone):
    """The painted diff as a text, described by its current hunk."""

    def __init__(self, canvas: DiffCanvas) -> None:
        super().__init__(canvas, QAccessible.Role.EditableText, "")
        self._canvas = canvas
        self._text = DiffText(canvas)
        canvas.current_changed.connect(self._report_caret)

    def interface_cast(self, kind: QAccessible.InterfaceType) -> int:
        if kind is QAccessible.InterfaceType.TextInterface:
            return cast("int", self._text)  # PySide passes a wrapper's pointer
        found = cast("int | None", super().interface_cast(kind))
        return _NULL if found is None else found

    def state(self) -> QAccessible.State:
        state = super().state()
        state.readOnly = state.multiLine = 1
        return state

    def text(self, kind: QAccessible.Text) -> str:
        words = super().text(kind)
        return f"{words}\n{self._hunk_words()}" if kind is QAccessible.Text.Description else words

    def _report_caret(self) -> None:
        if QAccessible.isActive():
            event = QAccessibleTextCursorEvent(self._canvas, self._text.cursorPosition())
            QAccessible.updateAccessibility(event)

    def _hunk_words(self) -> str:
        layout, document = self._canvas.layout_, self._canvas.document
        if layout is None or document is None or not layout.hunks:
            return ""
        first, end = layout.hunk_rows(self._canvas.current_hunk)
        rows = range(first, min(end, first + _SPOKEN_ROWS))
        return "\n".join(row_words(layout, document, row) for row in rows)


def _make(class_name: str, target: QObject) -> QAccessibleInterface | None:
    """Return the interface of a widget, chosen by its class.

    Of our own classes alone: Qt also asks for widgets under construction, whose class it does not know yet.
    PySide would take a scroll bar for a plain widget as long as anything here refers to it.
    """
    if not type(target).__module__.startswith("studio."):
        return None
    if class_name == "DiffCanvas":
        return AccessibleDiff(cast("DiffCanvas", target))
    return FocusedAlone(cast("QWidget", target), _PLAIN, "") if class_name == "QWidget" else None


def _leave_viewport(_old: QWidget | None, new: QWidget | None) -> None:
    """Take the focus from a scroll area's viewport, its proxy."""
    if QAccessible.isActive() and isinstance(new, QAbstractScrollArea):
        new.viewport().setFocusProxy(cast("QWidget", None))  # a null pointer to Qt


def describe_widgets(application: QApplication) -> None:
    """Describe widgets to assistive technology from now on."""
    QAccessible.installFactory(_make)
    application.focusChanged.connect(_leave_viewport)
