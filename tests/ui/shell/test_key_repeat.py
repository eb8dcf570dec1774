"""Held keys are told from pressed ones, also where Qt does not tell."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QFocusEvent, QKeyEvent
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.actions.actions import KeyRepeat

PRESS, RELEASE, ASKED = QEvent.Type.KeyPress, QEvent.Type.KeyRelease, QEvent.Type.ShortcutOverride
A, B = Qt.Key.Key_A, Qt.Key.Key_B


@pytest.fixture
def keys(qapp: QApplication) -> Iterator[KeyRepeat]:
    window = QWidget()
    yield KeyRepeat(window)
    window.deleteLater()


def send(keys: KeyRepeat, kind: QEvent.Type, key: Qt.Key, at: int, *, told: bool = False) -> None:
    event = QKeyEvent(kind, key, Qt.KeyboardModifier.NoModifier, "", told)
    event.setTimestamp(at)
    window = keys.parent()
    assert isinstance(window, QWidget)
    QCoreApplication.sendEvent(window.windowHandle(), event)


@pytest.mark.parametrize(
    ("key", "pressed_at", "told", "repeat"),
    [
        (A, 1000, False, True),  # as X11 repeats
        (A, 1000, True, True),
        (A, 1080, False, False),  # as quick as a hand can be
        (A, 1080, True, True),
        (B, 1000, False, False),
    ],
)
@pytest.mark.parametrize("kind", [PRESS, ASKED])
def test_a_key_that_was_never_let_go_is_a_repeat(
    keys: KeyRepeat, kind: QEvent.Type, key: Qt.Key, pressed_at: int, *, told: bool, repeat: bool
) -> None:
    send(keys, PRESS, A, 400)
    assert not keys.is_repeat
    send(keys, RELEASE, A, 1000)
    send(keys, kind, key, pressed_at, told=told)
    assert keys.is_repeat is repeat


def test_a_repeat_ends_when_the_key_or_the_window_is_left(keys: KeyRepeat) -> None:
    for leave in (QKeyEvent(RELEASE, A, Qt.KeyboardModifier.NoModifier), QFocusEvent(QEvent.Type.FocusOut)):
        send(keys, PRESS, A, 400, told=True)
        assert keys.is_repeat
        window = keys.parent()
        assert isinstance(window, QWidget)
        QCoreApplication.sendEvent(window.windowHandle(), leave)
        assert not keys.is_repeat
