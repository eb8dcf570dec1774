"""Esc closes the innermost thing: a sheet within a page takes it before the window's "Back" does."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

_KEYS = (QEvent.Type.ShortcutOverride, QEvent.Type.KeyPress)


class Escape(QObject):
    """Calls back when Esc is pressed in a widget, or in what it holds and takes no such key, while it is
    open."""

    def __init__(self, widget: QWidget, is_open: Callable[[], bool], leave: Callable[[], object]) -> None:
        super().__init__(widget)
        self._is_open, self._leave = is_open, leave
        widget.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() not in _KEYS or not isinstance(event, QKeyEvent):
            return False
        if event.key() != Qt.Key.Key_Escape or not self._is_open():
            return False
        event.accept()
        if event.type() is QEvent.Type.KeyPress:
            self._leave()
        return True
