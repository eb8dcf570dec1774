"""Keys can be chosen, and those of one letter switched off; what is shown is what works."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QCoreApplication, QEvent, Qt
from PySide6.QtGui import QKeyEvent

from studio.engine.plan import StepState
from studio.ui.actions.action import Action, ActionEntry
from studio.ui.actions.bindings import Bindings
from studio.ui.actions.table import ACTIONS
from studio.ui.history.row_buttons import plain_key
from studio.ui.settings import Settings
from studio.ui.widgets.painting import key_hint, set_key_hints
from tests.ui.shell.conftest import shares_window

CONTROL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier


def entry(action: str) -> ActionEntry:
    return next(each for each in ACTIONS if each.id == action)


@pytest.fixture(autouse=True)
def usual_hints() -> Iterator[None]:
    yield
    set_key_hints({})


def begin(desktop: Any, command: str) -> None:
    """F1, the command's words, F2."""
    desktop.press(Qt.Key.Key_F1)
    desktop.type(command)
    desktop.press(Qt.Key.Key_F2)


def note(desktop: Any) -> str:
    return desktop.find("keys-list-note").text()


def state(desktop: Any) -> StepState:
    return desktop.desk.queue.plans[0].steps[0].state


def test_a_key_is_chosen_by_keys_shown_and_done_with(desktop: Any) -> None:
    header = desktop.panes.pages.step.header
    wide = header.approve.sizeHint().width()
    begin(desktop, "approve step")
    assert note(desktop).startswith("Press the new key for “Approve step”, Esc to cancel")
    desktop.press(Qt.Key.Key_G, ALT)
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    assert key_hint("A") == "Alt+G" and header.approve.sizeHint().width() > wide
    desktop.press(Qt.Key.Key_A)
    assert state(desktop) is StepState.PENDING, "the usual key does nothing any more"
    desktop.press(Qt.Key.Key_G, ALT)
    assert state(desktop) is StepState.APPROVED
    begin(desktop, "approve step")
    desktop.press(Qt.Key.Key_Delete)
    desktop.press(Qt.Key.Key_Escape)
    assert key_hint("A") == "A" and header.approve.sizeHint().width() == wide


def press_code(desktop: Any, code: int, typed: str) -> None:
    """Press a key as a desktop without Latin letters sends it: by its number and what it types."""
    handle = desktop.window.windowHandle()
    key, no_modifier = Qt.Key(ord(typed.upper())), Qt.KeyboardModifier.NoModifier
    for kind in (QEvent.Type.KeyPress, QEvent.Type.KeyRelease):
        QCoreApplication.sendEvent(handle, QKeyEvent(kind, key, no_modifier, code, 0, 0, typed))
    desktop.settle()


@pytest.mark.skipif(sys.platform != "linux", reason="keys are numbered otherwise")
def test_a_letter_of_another_script_is_the_key_of_its_place(desktop: Any) -> None:
    code_of_a = 38
    for latin in "qø":
        press_code(desktop, code_of_a, latin)
        assert state(desktop) is StepState.PENDING, "Latin layouts have letters where they have them"
    desktop.control.bindings.set_letters(False)
    press_code(desktop, code_of_a, "ф")
    assert state(desktop) is StepState.PENDING
    desktop.control.bindings.set_letters(True)
    press_code(desktop, code_of_a, "ф")
    assert state(desktop) is StepState.APPROVED
    assert [key_hint(key) for key in ("A", "Shift+X", "S")] == ["Ф", "Shift+Ч", "S"], "S differs in Ukraine"
    press_code(desktop, 39, "ы")
    assert key_hint("S") == "Ы"
    desktop.press(Qt.Key.Key_D)
    assert key_hint("A") == "A", "a Latin layout is in hand again"
    key, no_modifier = Qt.Key(ord("\N{CYRILLIC CAPITAL LETTER KA}")), Qt.KeyboardModifier.NoModifier
    pressed = QKeyEvent(QEvent.Type.KeyPress, key, no_modifier, 27, 0, 0, "\N{CYRILLIC SMALL LETTER KA}")
    assert plain_key(pressed) == Qt.Key.Key_R, "and so are the keys of lists"


@shares_window
@pytest.mark.parametrize(
    ("command", "key", "modifier", "said"),
    [
        ("approve step", Qt.Key.Key_R, Qt.KeyboardModifier.NoModifier, "R is already used by “Reject…”."),
        ("approve step", Qt.Key.Key_Return, Qt.KeyboardModifier.NoModifier, "can't be bound to a command"),
        ("wrap long", Qt.Key.Key_G, Qt.KeyboardModifier.NoModifier, "Choose a key with Ctrl or Alt"),
        ("approve step", Qt.Key.Key_V, CONTROL, "Ctrl+V is reserved for text fields."),
        ("approve step", Qt.Key.Key_Down, Qt.KeyboardModifier.NoModifier, "can't be bound to a command"),
        ("apply plan", Qt.Key.Key_F5, Qt.KeyboardModifier.NoModifier, "must include Ctrl or Alt"),
    ],
)
def test_a_key_that_can_not_be_taken_says_why(
    desktop: Any, command: str, key: Qt.Key, modifier: Qt.KeyboardModifier, said: str
) -> None:
    begin(desktop, command)
    desktop.press(key, modifier)
    assert said in note(desktop)
    assert key_hint("A") == "A"
    desktop.press(Qt.Key.Key_Escape)
    assert desktop.find("keys-list").isVisible(), "Esc first leaves the choosing"
    assert state(desktop) is StepState.PENDING


@shares_window
@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("use this result", "This key is fixed because banners and messages refer to it."),
        ("approve undecided", "Commands that approve or reject whole plans can't have keys."),
    ],
)
def test_some_keys_can_not_be_chosen(desktop: Any, command: str, said: str) -> None:
    begin(desktop, command)
    assert note(desktop) == said
    desktop.press(Qt.Key.Key_G, ALT)
    desktop.press(Qt.Key.Key_Escape)
    assert all(desktop.control.bindings.keys(each) == each.keys for each in ACTIONS)


def test_keys_of_one_letter_can_be_switched_off(desktop: Any) -> None:
    """A person who dictates types letters unawares."""
    desktop.control.actions.trigger(Action.LETTERS)
    for key in (Qt.Key.Key_A, Qt.Key.Key_R, Qt.Key.Key_X, Qt.Key.Key_J):
        desktop.press(key)
    desktop.settle()
    assert state(desktop) is StepState.PENDING and desktop.desk.queue.current_step.number == 1
    assert not desktop.panes.pages.step.reason.isVisible()
    assert key_hint("A") == "" and key_hint("Ctrl+P") == "Ctrl+P"
    desktop.press(Qt.Key.Key_Down, ALT)
    assert desktop.control.actions["next_change"].isEnabled()
    desktop.control.actions.trigger(Action.LETTERS)
    desktop.press(Qt.Key.Key_A)
    assert state(desktop) is StepState.APPROVED


def test_what_was_chosen_is_there_after_the_next_start_and_nonsense_is_not() -> None:
    settings = Settings(None)
    first = Bindings(settings)
    first.choose(entry("approve_step"), "Q")
    first.set_letters(False)
    again = Bindings(settings)
    assert again.keys(entry("approve_step")) == ()
    again.set_letters(True)
    assert again.keys(entry("approve_step")) == ("Q",)
    for kept in ("[]", "{", json.dumps({"approve_step": "Return", "edit": 5, "wrap": "X", "no such": "Q"})):
        settings.store_text("keys", kept)
        assert all(Bindings(settings).keys(each) == each.keys for each in ACTIONS)


def test_the_usual_key_comes_back_from_whoever_took_it() -> None:
    bindings = Bindings(Settings(None))
    bindings.choose(entry("approve_step"), "Q")
    bindings.choose(entry("note"), "A")
    assert bindings.keys(entry("note")) == ("A",)
    bindings.reset_keys(entry("approve_step"))
    assert bindings.keys(entry("approve_step")) == ("A",)
    assert bindings.keys(entry("note")) == ("N",)
