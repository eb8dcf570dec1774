"""Event filter that keeps typed text from triggering single-key shortcuts.

A field may lose the focus without the user's doing, and a key may open nothing because its action is off. The
rest of the typed word would then run commands, and A approves.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable

from PySide6.QtCore import QCoreApplication, QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication, QInputMethodQueryEvent, QKeyEvent, QKeySequence, QWindow

from studio.ui.actions.key_positions import letter_at

QUIET = 1.0
"""Seconds without any key after which single keys work again."""

_LONGEST_WAIT_MS = 60_000
_FIELDS = Qt.InputMethodQuery.ImEnabled
_PRESSES = frozenset({QEvent.Type.MouseButtonPress, QEvent.Type.MouseButtonDblClick, QEvent.Type.TouchBegin})
_MOVES = frozenset(
    {
        Qt.Key.Key_Escape,
        Qt.Key.Key_Tab,
        Qt.Key.Key_Backtab,
        Qt.Key.Key_Up,
        Qt.Key.Key_Down,
        Qt.Key.Key_PageUp,
        Qt.Key.Key_PageDown,
        Qt.Key.Key_F6,
    }
)
_ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})
_HELD = frozenset(
    {
        Qt.Key.Key_Shift,
        Qt.Key.Key_Control,
        Qt.Key.Key_Alt,
        Qt.Key.Key_Meta,
        Qt.Key.Key_AltGr,
        Qt.Key.Key_CapsLock,
        Qt.Key.Key_NumLock,
    }
)
"""Keys that do nothing alone: they count neither as input nor as a pause."""
_RUBS_OUT = frozenset({Qt.Key.Key_Backspace, Qt.Key.Key_Delete})
_COMMANDS = (
    Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
)


def _never_at(_letter: str, _event: QKeyEvent) -> bool:
    return False


class KeyGuard(QObject):
    """Event filter of one window that drops single keys while holding.

    It starts to hold when a text field loses the focus other than by the user's own key or click, and when
    `block_keys` is called. It ends with a click, a navigation key, a field that gets the focus, or a second
    without any key.
    """

    dropped = Signal()
    """A single key was dropped."""
    pressed = Signal()
    """A key or mouse button was pressed, whatever it does."""

    def __init__(self, clock: Callable[[], float] = time.monotonic, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self._ends = -math.inf
        self._is_own = False
        self._was_typing = False
        self._answer_off: Callable[[str], bool] = _never
        self._press_at: Callable[[str, QKeyEvent], bool] = _never_at
        self._turn_timer = QTimer(self, singleShot=True, interval=0)
        self._turn_timer.timeout.connect(self._turn_ended)

    @property
    def is_holding(self) -> bool:
        """Whether single keys are dropped now."""
        return self._clock() < self._ends

    @property
    def field(self) -> QObject | None:
        """The object that has the focus, text field or not."""
        return QGuiApplication.focusObject()

    @property
    def is_typing(self) -> bool:
        """Whether typed keys go into a text field."""
        return _takes_text(self.field)

    @property
    def expects_text(self) -> bool:
        """Whether typed keys are meant as text.

        They go into a field, or to where one should have opened and did not.
        """
        return self.is_typing or self.is_holding

    def watch(
        self,
        window: QWindow,
        answer_off: Callable[[str], bool],
        press_at: Callable[[str, QKeyEvent], bool] = _never_at,
    ) -> None:
        """Guard the input of a window.

        `answer_off` is called with each key (in the table's notation) that nothing handled. It reports why
        the key's actions are off, and returns whether there are any. `press_at` runs the action of a letter's
        position, for keys of layouts in which Qt finds no Latin letter, and returns whether there is any.
        """
        self._answer_off = answer_off
        self._press_at = press_at
        self._was_typing = self.is_typing
        window.installEventFilter(self)
        application = QGuiApplication.instance()
        assert isinstance(application, QGuiApplication)
        application.focusObjectChanged.connect(self._focus_moved)

    def block_keys(self) -> None:
        """Drop single keys from now on."""
        self._ends = self._clock() + QUIET

    def release(self) -> None:
        """Let single keys work again."""
        self._ends = -math.inf

    def follows_own_press(self) -> None:
        """Attribute focus changes of this event loop turn to the user."""
        self._is_own = True
        self._turn_timer.start()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        kind = event.type()
        if kind in _PRESSES:
            self.release()
            self.follows_own_press()
            self.pressed.emit()
        elif isinstance(event, QKeyEvent) and kind is not QEvent.Type.KeyRelease:
            return self._key(event, is_asked=kind is QEvent.Type.ShortcutOverride)
        return False

    def _key(self, event: QKeyEvent, *, is_asked: bool) -> bool:
        """Return whether a key is dropped.

        Qt sends each key first as ShortcutOverride, then as key press where it is no shortcut.
        """
        if event.key() in _HELD:
            return False
        if not _is_text(event):
            self.follows_own_press()
        if is_asked:
            self.pressed.emit()
        if self._clock() - _seconds_waited(event) < self._ends:
            self.block_keys()
            if event.key() in _MOVES:
                self.release()
        else:
            self.release()
        if self.is_typing or not _is_single(event):
            return not is_asked and self._is_off(event)
        if self.is_holding:
            if is_asked:
                event.accept()  # so that it is no shortcut
            else:
                self.dropped.emit()
            return True
        return not is_asked and self._is_off(event)

    def _is_off(self, event: QKeyEvent) -> bool:
        if _wants(QGuiApplication.focusObject(), event):
            return False
        letter = "" if self.is_typing or event.modifiers() & _COMMANDS else letter_at(event)
        if letter:
            return self._press_at(letter, event)
        combination = event.keyCombination()
        modifiers = combination.keyboardModifiers() & ~Qt.KeyboardModifier.KeypadModifier
        key = QKeySequence(modifiers | combination.key())
        return self._answer_off(key.toString(QKeySequence.SequenceFormat.PortableText))

    def _focus_moved(self, now: QObject | None) -> None:
        if now is None:
            return  # another program has the focus, and gives it back
        was, self._was_typing = self._was_typing, _takes_text(now)
        if self._was_typing:
            self.release()
        elif was and not self._is_own:
            self.block_keys()

    def _turn_ended(self) -> None:
        self._is_own = False


def _seconds_waited(event: QKeyEvent) -> float:
    """Return seconds since a key was pressed.

    A busy window gets keys late, but a word typed quickly has to count as one. X servers and compositors
    count milliseconds of the monotonic clock, in 32 bits; with another clock the key counts as pressed now.
    """
    waited = (time.monotonic_ns() // 1_000_000 - event.timestamp()) % 2**32
    return waited / 1000 if waited < _LONGEST_WAIT_MS else 0.0


def _takes_text(target: QObject | None) -> bool:
    if target is None:
        return False
    query = QInputMethodQueryEvent(_FIELDS)
    QCoreApplication.sendEvent(target, query)
    return bool(query.value(_FIELDS))


def _wants(target: QObject | None, event: QKeyEvent) -> bool:
    """Return whether the focus object handles this key itself."""
    override = QKeyEvent(QEvent.Type.ShortcutOverride, event.key(), event.modifiers(), event.text())
    override.ignore()
    if target is not None:
        QCoreApplication.sendEvent(target, override)
    return override.isAccepted()


def _is_text(event: QKeyEvent) -> bool:
    """Return whether a key types or erases text.

    Such a key never leaves a field on purpose.
    """
    if event.modifiers() & _COMMANDS or event.key() in _MOVES:
        return False
    return event.key() in _RUBS_OUT or (event.text().isprintable() and bool(event.text()))


def _is_single(event: QKeyEvent) -> bool:
    """Return whether a key may belong to typed text.

    Characters, Enter, and keys that erase.
    """
    if event.key() in _ENTER:
        return not event.modifiers() & (
            Qt.KeyboardModifier.AltModifier | Qt.KeyboardModifier.MetaModifier
        ) and (
            event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            != Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier
        )
    return _is_text(event)


def _never(_key: str) -> bool:
    return False
