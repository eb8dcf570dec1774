"""What an agent asks that is no file change is answered in the window, by a person's own press."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QAbstractSlider, QApplication

from studio.engine.plan import PersonSource
from studio.engine.session import CallState, ToolCall
from studio.errors import Refused
from studio.ui.actions.action import Action
from studio.workspace import Person, Reviewer

COMMAND = "make -C build \\\n  install\n" + "\n".join(f"echo {number}" for number in range(20))


@pytest.fixture
def ask(bench: Any) -> Callable[..., ToolCall]:
    def ask(command: str = "make", agent: str = "claude-code") -> ToolCall:
        proposer = bench.agent.proposer
        session = proposer.open_session(agent, "hook", name=agent)
        return proposer.ask(session, "Bash", command=command, cwd=str(bench.root))

    return ask


def poll(desktop: Any) -> None:
    desktop.desk.poll()
    desktop.settle()


def state_of(bench: Any, call: ToolCall) -> Any:
    return bench.agent.proposer.call(call.id)


def test_a_call_is_shown_whole_and_allowed_by_a_click(bench: Any, open_window: Any, ask: Any) -> None:
    desktop = open_window()
    assert desktop.desk.can(Action.ALLOW_CALL) == "No tool call is waiting."
    call = ask(COMMAND)
    poll(desktop)
    strip = desktop.find("call-strip")
    assert strip.title.text() == "claude-code wants to use Bash and is waiting."
    assert f"The call in {bench.root} " in strip.words.text()
    assert desktop.find("call-command").toPlainText() == COMMAND
    desktop.find("call-command").setFocus()
    desktop.press(Qt.Key.Key_End)
    desktop.settle()
    desktop.find("call-reason").setFocus()
    desktop.type("Once.")
    desktop.click(desktop.find("call-allow"))
    decided = state_of(bench, call)
    assert decided.state is CallState.ALLOWED
    assert decided.decision.text == "Once." and decided.decision.seen.value == "window"
    poll(desktop)
    assert desktop.panes.calls.isHidden()
    assert desktop.said() == "Allowed a tool call by claude-code."


def by_keys(desktop: Any, text: Any) -> None:
    text.setFocus()
    for _ in range(5):
        desktop.press(Qt.Key.Key_PageDown)


def by_wheel(desktop: Any, text: Any) -> None:
    at = QPointF(text.viewport().rect().center())
    for _ in range(20):
        turn = QWheelEvent(
            at, text.viewport().mapToGlobal(at), QPoint(), QPoint(0, -240), Qt.MouseButton.NoButton,
            Qt.KeyboardModifier.NoModifier, Qt.ScrollPhase.NoScrollPhase, False,
        )  # fmt: skip
        QApplication.sendEvent(text.viewport(), turn)


def by_scroll_bar(desktop: Any, text: Any) -> None:
    text.verticalScrollBar().triggerAction(QAbstractSlider.SliderAction.SliderToMaximum)


def test_a_long_call_is_allowed_once_its_end_was_on_screen(bench: Any, open_window: Any, ask: Any) -> None:
    """Also where it is one line that is wrapped into many rows, and after a call that was scrolled."""
    desktop = open_window()
    one_line = f"make {'--project=packages/harbour ' * 120}; make clean"
    for scroll, command in product((by_keys, by_wheel, by_scroll_bar), (COMMAND, one_line)):
        call = ask(command)
        poll(desktop)
        allow = desktop.find("call-allow")
        assert not allow.isEnabled() and "Scroll to the end" in allow.toolTip(), (scroll, command)
        assert "Scroll to the end" in desktop.desk.can(Action.ALLOW_CALL)
        desktop.control.actions.trigger(Action.ALLOW_CALL)
        assert state_of(bench, call).state is CallState.WAITING
        scroll(desktop, desktop.find("call-command"))
        desktop.settle()
        assert allow.isEnabled(), (scroll, command)
        desktop.click(allow)
        assert state_of(bench, call).state is CallState.ALLOWED
        poll(desktop)


def test_a_call_of_few_rows_is_shown_whole(bench: Any, open_window: Any, ask: Any) -> None:
    """Rows that are wrapped count: one line may take several."""
    ask(f"make {'--project=packages/harbour ' * 12}; make clean")
    desktop = open_window()
    poll(desktop)
    text = desktop.find("call-command")
    assert text.document().size().height() > 1 and text.verticalScrollBar().maximum() == 0
    assert desktop.find("call-allow").isEnabled()


def test_a_denial_needs_a_word_and_gives_it_to_the_agent(bench: Any, open_window: Any, ask: Any) -> None:
    call, desktop = ask(), open_window()
    poll(desktop)
    desktop.click(desktop.find("call-deny"))
    assert state_of(bench, call).state is CallState.WAITING
    assert desktop.focused().objectName() == "call-reason"
    desktop.type("Not now.")
    desktop.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    decided = state_of(bench, call)
    assert (decided.state, decided.decision.text) == (CallState.DENIED, "Not now.")


def test_no_press_for_one_call_answers_the_next_one(bench: Any, open_window: Any, ask: Any) -> None:
    """The first one's agent goes while the hand is on its way; what was typed goes to nobody else."""
    first, second, desktop = ask("make one"), ask("make two", agent="codex"), open_window()
    poll(desktop)
    assert "1 more call is waiting." in desktop.find("call-strip").words.text()
    desktop.find("call-reason").setFocus()
    desktop.type("Fine.")
    allow = desktop.find("call-allow")
    allow.setFocus()
    bench.agent.proposer.leave_call(first.id)
    desktop.desk.poll()
    assert desktop.find("call-command").toPlainText() == "make two"
    assert desktop.find("call-reason").toPlainText() == ""
    assert desktop.focused().objectName() == "call-command", "not on the next button of the window"
    desktop.press(Qt.Key.Key_Space)
    desktop.click(allow)
    assert state_of(bench, second).state is CallState.WAITING, "it came under the hand"
    desktop.settle()
    desktop.click(allow)
    assert state_of(bench, second).state is CallState.ALLOWED
    assert state_of(bench, second).decision.text == ""


def test_what_is_typed_stays_with_its_call(bench: Any, open_window: Any, ask: Any) -> None:
    for command, agent in (("make one", "claude-code"), ("make two", "codex")):
        ask(command, agent)
    desktop = open_window()
    poll(desktop)
    desktop.find("call-reason").setFocus()
    desktop.type("About one.")
    desktop.click(desktop.find("call-next"))
    assert desktop.find("call-reason").toPlainText() == ""
    desktop.settle()
    desktop.click(desktop.find("call-next"))
    assert desktop.find("call-reason").toPlainText() == "About one."


def test_a_call_moves_no_plan_and_no_letter_decides_it(bench: Any, open_window: Any, ask: Any) -> None:
    bench.propose_three()
    desktop = open_window()
    desktop.settle()
    step = desktop.desk.queue.step_number
    call = ask()
    poll(desktop)
    assert (desktop.desk.queue.step_number, desktop.focused().objectName()) == (step, "queue-list")
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Y):
        desktop.press(key)
        desktop.settle()
    assert state_of(bench, call).state is CallState.WAITING and bench.is_untouched()


def test_hidden_characters_of_a_command_are_shown(bench: Any, open_window: Any, ask: Any) -> None:
    ask("echo \u202egnp.x\x1b[2J")
    desktop = open_window()
    poll(desktop)
    shown = desktop.find("call-command").toPlainText()
    assert "\u202e" not in shown and "\x1b" not in shown and "202" in shown


def test_one_that_was_decided_elsewhere_says_so(bench: Any, open_window: Any, ask: Any) -> None:
    call, desktop = ask(), open_window()
    poll(desktop)
    at_terminal = bench.agent.reviewer(Person(PersonSource.TERMINAL, "ada"))
    at_terminal.deny(call.id, reason="At the terminal.")
    desktop.click(desktop.find("call-allow"))
    assert state_of(bench, call).decision.text == "At the terminal."
    assert f"Call {call.short_id} was denied already" in desktop.window.notice.title.text()


def test_one_whose_answer_is_not_stored_is_asked_about_again(
    bench: Any, open_window: Any, ask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Bad input: the store is locked while the person answers; the agent still waits, so the banner stays."""
    call, desktop = ask(), open_window()
    poll(desktop)
    desktop.find("call-reason").setFocus()
    desktop.type("Once.")

    def locked(*_arguments: object, **_words: object) -> ToolCall:
        raise Refused("store.locked", "Locked.", "Wait.")

    with monkeypatch.context() as patch:
        patch.setattr(Reviewer, "allow", locked)
        desktop.click(desktop.find("call-allow"))
    poll(desktop)
    assert "Locked." in desktop.window.notice.title.text()
    assert not desktop.panes.calls.isHidden() and desktop.find("call-reason").toPlainText() == "Once."
    assert state_of(bench, call).state is CallState.WAITING
    desktop.click(desktop.find("call-allow"))
    assert state_of(bench, call).state is CallState.ALLOWED


def test_the_keyboard_reaches_it_and_goes_on_to_the_middle(bench: Any, open_window: Any, ask: Any) -> None:
    call = ask()
    desktop = open_window()
    poll(desktop)
    desktop.control.actions.trigger(Action.DENY_CALL)
    desktop.type("No.")
    desktop.control.actions.trigger(Action.DENY_CALL)
    poll(desktop)
    assert state_of(bench, call).state is CallState.DENIED
    assert desktop.focused() is not desktop.panes.calls.reason
