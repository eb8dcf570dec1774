"""The hands of a person: presses at places of the screen, through Qt's own input or through an X server."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from typing import Protocol

from PySide6.QtCore import QEventLoop, QPoint, Qt, QTimer
from PySide6.QtGui import QGuiApplication, QWindow
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

_HEARTBEAT_MS = 5
_WAY_THROUGH_THE_SERVER = 0.05
_X_NAMES = {"Comma": "comma", "Space": "space", "Backspace": "BackSpace", "PageDown": "Next"}
"""Keys that X calls otherwise than Qt."""
_MODIFIERS = {
    "Ctrl": Qt.KeyboardModifier.ControlModifier,
    "Shift": Qt.KeyboardModifier.ShiftModifier,
    "Alt": Qt.KeyboardModifier.AltModifier,
}


def wait_for(condition: Callable[[], object], what: str, seconds: float = 20.0) -> None:
    """Let the program run until the condition holds; fails, naming `what`, when it never does."""
    app = QApplication.instance()
    assert app is not None
    heartbeat = QTimer()
    heartbeat.start(_HEARTBEAT_MS)
    deadline = time.monotonic() + seconds
    try:
        while not condition():
            assert time.monotonic() < deadline, f"waited {seconds:.0f} s in vain: {what}"
            app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents)
    finally:
        heartbeat.stop()


def let_pass(seconds: float) -> None:
    """Let the program run for a while in which nothing is expected to happen."""
    end = time.monotonic() + seconds
    wait_for(lambda: time.monotonic() >= end, "the clock", seconds + 20.0)


class Hands(Protocol):
    """`place` is in logical pixels of the window, `keys` are written as in "Ctrl+Shift+Return"."""

    def move(self, window: QWindow, place: QPoint) -> None: ...

    def click(self, window: QWindow, place: QPoint, *, held: str = "") -> None: ...

    def click_right(self, window: QWindow, place: QPoint) -> None: ...

    def press(self, window: QWindow, keys: str) -> None: ...

    def type(self, window: QWindow, text: str) -> None: ...


class QtHands:
    """Input as the platform plugin would hand it to Qt: the window, not a widget, receives it."""

    def __init__(self) -> None:
        self._let_go = "", 0.0
        """The last key, and when it was let go."""

    def move(self, window: QWindow, place: QPoint) -> None:
        QTest.mouseMove(window, place)

    def click(self, window: QWindow, place: QPoint, *, held: str = "") -> None:
        keys = _MODIFIERS[held] if held else Qt.KeyboardModifier.NoModifier
        QTest.mouseClick(window, Qt.MouseButton.LeftButton, keys, place)

    def click_right(self, window: QWindow, place: QPoint) -> None:
        QTest.mouseClick(window, Qt.MouseButton.RightButton, Qt.KeyboardModifier.NoModifier, place)

    def press(self, window: QWindow, keys: str) -> None:
        *modifiers, key = keys.split("+")
        held = Qt.KeyboardModifier.NoModifier
        for modifier in modifiers:
            held |= _MODIFIERS[modifier]
        last, at = self._let_go
        if last == key:  # no hand presses it again within 10 ms: the window takes that for one that is held
            time.sleep(max(0.0, at + 0.02 - time.monotonic()))
        QTest.keyClick(window, Qt.Key[f"Key_{key}"], held)
        self._let_go = key, time.monotonic()

    def type(self, window: QWindow, text: str) -> None:
        for sign in text:
            QTest.keyClick(window, ord(sign))


class XHands:
    """Input that travels through the X server and the window manager, as a mouse and a keyboard make it."""

    def move(self, window: QWindow, place: QPoint) -> None:
        self._xdotool("mousemove", *_on_screen(window, place))

    def click(self, window: QWindow, place: QPoint, *, held: str = "") -> None:
        down, up = (("keydown", held.lower()), ("keyup", held.lower())) if held else ((), ())
        self._xdotool("mousemove", *_on_screen(window, place), *down, "click", "1", *up)

    def click_right(self, window: QWindow, place: QPoint) -> None:
        self._xdotool("mousemove", *_on_screen(window, place), "click", "3")

    def press(self, window: QWindow, keys: str) -> None:
        *modifiers, key = keys.split("+")
        name = key.lower() if len(key) == 1 else _X_NAMES.get(key, key)
        self._xdotool("key", "+".join([*map(str.lower, modifiers), name]))

    def type(self, window: QWindow, text: str) -> None:
        self._xdotool("type", "--delay", "15", text)

    def hold(self, key: str, seconds: float) -> None:
        """Keep a key down; the X server repeats it meanwhile."""
        self._xdotool("keydown", key)
        let_pass(seconds)
        self._xdotool("keyup", key)

    def _xdotool(self, *words: str) -> None:
        done = subprocess.run(["xdotool", *words], capture_output=True, text=True, timeout=20, check=True)
        # A key it does not know is a remark to xdotool, and no press to the window.
        assert not done.stderr, done.stderr
        QGuiApplication.sync()
        # A click first goes to the window manager, which hands it on.
        let_pass(_WAY_THROUGH_THE_SERVER)


def hands_of_this_display() -> Hands:
    return XHands() if QGuiApplication.platformName() == "xcb" else QtHands()


def _on_screen(window: QWindow, place: QPoint) -> tuple[str, str]:
    there = window.mapToGlobal(place) * window.devicePixelRatio()
    return str(there.x()), str(there.y())
