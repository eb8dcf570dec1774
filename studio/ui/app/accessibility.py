"""What assistive technology gets of our widgets beside what Qt gives it."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QObject
from PySide6.QtGui import QAccessible, QAccessibleInterface
from PySide6.QtWidgets import QAbstractScrollArea, QAccessibleWidget, QApplication, QWidget

from studio.ui.diff.bars.accessible_text import row_words
from studio.ui.diff.canvas.canvas import DiffCanvas

_SPOKEN_ROWS = 200
"""Rows of a hunk that are given to assistive technology at most."""

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


class AccessibleDiff(FocusedAlone):
    """The painted diff as a text, described by its current hunk.

    F7 shows a text with a caret. No text interface: PySide 6.11.3 crashes where a client asks Python for one.
    """

    def __init__(self, canvas: DiffCanvas) -> None:
        super().__init__(canvas, QAccessible.Role.EditableText, "")
        self._canvas = canvas

    def state(self) -> QAccessible.State:
        state = super().state()
        state.readOnly = state.multiLine = 1
        return state

    def text(self, kind: QAccessible.Text) -> str:
        words = super().text(kind)
        return f"{words}\n{self._hunk_words()}" if kind is QAccessible.Text.Description else words

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
