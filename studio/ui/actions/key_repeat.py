"""Whether a key is held down: repeats of a key decide nothing (look.md 9.1)."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

_NO_HAND_IS_SO_QUICK_MS = 10


class KeyRepeat(QObject):
    """Watches the keys of one window.

    X11 tells of a held key as release and press at one moment. Qt looks for the press in what has already
    arrived, and takes it for a new one when it comes a little later; so the times are compared here.
    """

    def __init__(self, window: QWidget) -> None:
        super().__init__(window)
        self.is_repeat = False
        self._released, self._released_at = 0, 0
        window.winId()  # the window of the system may not exist before it is shown
        handle = window.windowHandle()
        assert handle is not None
        handle.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind is QEvent.Type.FocusOut:
            self.is_repeat = False
        elif isinstance(event, QKeyEvent):
            if kind is QEvent.Type.KeyRelease:
                self._released, self._released_at = event.key(), event.timestamp()
                self.is_repeat = False
            else:
                self.is_repeat = event.isAutoRepeat() or self._never_let_go(event)
        return False

    def _never_let_go(self, event: QKeyEvent) -> bool:
        if event.key() != self._released or not self._released_at:
            return False
        return event.timestamp() - self._released_at <= _NO_HAND_IS_SO_QUICK_MS
