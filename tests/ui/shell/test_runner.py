"""The one place that waits: order, threads, errors, the child process, and closing."""

from __future__ import annotations

import asyncio
import gc
import os
import signal
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import qasync
from PySide6.QtCore import QEvent, QObject, Signal
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.errors import InternalError, Refused, StudioError
from studio.ui.runner import Runner

TIMEOUT = 20.0


class Loop:
    """A running event loop for one test: `run(begin)` ends when `done` is called."""

    def __init__(self, loop: Any, runner: Runner) -> None:
        self.loop = loop
        self.runner = runner
        self._ended: Any = loop.create_future()

    def done(self, *_: object) -> None:
        if not self._ended.done():
            self._ended.set_result(None)

    def run(self, begin: Callable[[], object]) -> None:
        self.loop.call_soon(self.runner.start, self.loop)
        self.loop.call_soon(begin)
        watchdog = self.loop.call_later(TIMEOUT, self.done)
        self.loop.run_until_complete(self._ended)
        late = watchdog.when() <= self.loop.time() if hasattr(watchdog, "when") else False
        watchdog.cancel()
        assert not late, "the loop waited in vain"


@pytest.fixture
def loop(qapp: QApplication) -> Iterator[Loop]:
    made = qasync.QEventLoop(qapp)
    runner = Runner()
    with made:
        yield Loop(made, runner)
        runner.close()
    runner.deleteLater()


def test_an_error_of_the_engine_names_the_window_s_way(loop: Loop) -> None:
    def refuse() -> None:
        raise Refused("recovery.blocked", "It can't be finished.", "Fix that, then recover the project.")

    def refuse_otherwise() -> None:
        raise Refused("step.state", "It is approved.", "Undo the decision first.")

    hints: list[str] = []

    def failed(error: StudioError) -> None:
        hints.append(error.hint)
        if len(hints) == 2:
            loop.done()

    def begin() -> None:
        loop.runner.call(refuse, failed=failed)
        loop.runner.call(refuse_otherwise, failed=failed)

    loop.run(begin)
    assert hints == [
        "Fix the problem, then click “Try again” in the banner at the bottom.",
        "Undo the decision first.",
    ]


def _thread_name() -> str:
    return threading.current_thread().name


def _square_and_process(number: int) -> tuple[int, int]:
    return number * number, os.getpid()


def test_calls_run_in_order_on_one_thread_and_answer_on_the_ui_thread(loop: Loop) -> None:
    answers: list[tuple[int, str, str]] = []

    def answered(number: int, thread: str) -> None:
        answers.append((number, thread, _thread_name()))
        if number == 9:
            loop.done()

    def begin() -> None:
        for number in range(10):
            loop.runner.call(_thread_name, then=lambda thread, n=number: answered(n, thread))

    loop.run(begin)
    assert [number for number, _, _ in answers] == list(range(10))
    assert len({thread for _, thread, _ in answers}) == 1
    assert {ui for _, _, ui in answers} == {_thread_name()}
    assert answers[0][1] != _thread_name()


def test_answers_that_are_told_in_another_order_come_in_their_own(
    loop: Loop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """qasync tells of what is done by timers, and Qt may run the later one first."""
    answers: list[int] = []
    asked: list[Any] = []

    def run_in_executor(_executor: object, _job: Callable[[], object]) -> Any:
        asked.append(loop.loop.create_future())
        if len(asked) == 3:
            for number in (1, 0, 2):
                asked[number].set_result(number)
        return asked[-1]

    def answered(number: int) -> None:
        answers.append(number)
        if len(answers) == 3:
            loop.done()

    def begin() -> None:
        for _ in range(3):
            loop.runner.call(int, then=answered)

    monkeypatch.setattr(loop.loop, "run_in_executor", run_in_executor)
    loop.run(begin)
    assert answers == [0, 1, 2]


def test_what_is_asked_before_the_loop_runs_is_answered(loop: Loop) -> None:
    answers: list[str] = []
    loop.runner.call(lambda: "early", then=lambda text: (answers.append(text), loop.done()))
    assert answers == []
    loop.run(lambda: None)
    assert answers == ["early"]


def test_a_typed_error_goes_to_the_one_who_asked(loop: Loop) -> None:
    def refuse() -> None:
        raise Refused("some.rule", "It is refused.", "Do something else.")

    errors: list[StudioError] = []
    loop.run(lambda: loop.runner.call(refuse, failed=lambda error: (errors.append(error), loop.done())))
    assert [error.code for error in errors] == ["some.rule"]


@pytest.mark.expects_log("A job of the window failed")
def test_any_other_error_is_logged_and_said_once(loop: Loop) -> None:
    said: list[StudioError] = []
    loop.runner.unexpected_error.connect(lambda error: (said.append(error), loop.done()))
    loop.run(lambda: loop.runner.call(lambda: 1 // 0))
    assert [type(error) for error in said] == [InternalError]


@pytest.mark.expects_log("A job of the window failed")
def test_an_error_in_a_callback_is_said_and_does_not_stop_the_next(loop: Loop) -> None:
    said: list[StudioError] = []
    answers: list[int] = []
    loop.runner.unexpected_error.connect(said.append)

    def begin() -> None:
        loop.runner.call(lambda: 0, then=lambda zero: 1 // zero)
        loop.runner.call(lambda: 1, then=lambda one: (answers.append(one), loop.done()))

    loop.run(begin)
    assert len(said) == 1
    assert answers == [1]


def test_pure_python_work_runs_in_a_child_process(loop: Loop) -> None:
    answers: list[tuple[int, int]] = []
    loop.run(
        lambda: loop.runner.compute_apart(
            _square_and_process, 12, then=lambda answer: (answers.append(answer), loop.done())
        )
    )
    assert answers[0][0] == 144
    assert answers[0][1] != os.getpid()
    loop.runner.close()


def test_other_threads_reach_the_ui_thread_by_posting(loop: Loop) -> None:
    posted: list[str] = []

    def arrived(text: str) -> None:
        posted.append(f"{text} on {_thread_name()}")
        loop.done()

    def begin() -> None:
        loop.runner.compute(lambda: loop.runner.post(arrived, "hello"))

    loop.run(begin)
    assert posted == [f"hello on {_thread_name()}"]


def test_what_a_closed_window_asked_for_is_answered_to_nobody(loop: Loop) -> None:
    owner = Asker()
    answers: list[int] = []

    def begin() -> None:
        loop.runner.call(lambda: 1, then=owner.answer)
        owner.deleteLater()
        QApplication.sendPostedEvents(owner, QEvent.Type.DeferredDelete)
        loop.runner.call(lambda: 2, then=lambda two: (answers.append(two), loop.done()))

    loop.run(begin)
    assert answers == [2]


class Asker(QObject):
    answered = Signal(int)

    def answer(self, number: int) -> None:
        self.answered.emit(number)


def test_closing_finishes_the_engine_call_and_answers_nothing_more(loop: Loop) -> None:
    release, finished = threading.Event(), threading.Event()
    answers: list[object] = []

    def slow() -> None:
        release.wait(TIMEOUT)
        finished.set()

    def begin() -> None:
        loop.runner.call(slow, then=answers.append)
        loop.runner.call(lambda: None, then=answers.append)
        loop.done()

    loop.run(begin)
    release.set()
    closed_on: list[str] = []
    loop.runner.close(lambda: closed_on.append(_thread_name()))
    assert finished.is_set()
    assert closed_on
    assert closed_on[0].startswith("engine")
    assert answers == []


class PendingMessages(asyncio.Future[None]):
    """A future as a loop leaves it that ended before it told of it."""

    def add_done_callback(self, fn: object, *, context: object = None) -> None: ...


def test_an_error_that_comes_while_the_window_closes_is_logged_by_nobody(
    loop: Loop, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    """asyncio logs an error that nobody asked for once its future is collected."""

    def begun(*_: object) -> PendingMessages:
        untold = PendingMessages(loop=loop.loop)
        untold.set_exception(Refused("store_newer", "It is only read.", "Update."))
        return untold

    def begin() -> None:
        loop.runner.call(lambda: None)
        loop.loop.call_later(0.1, loop.done)

    monkeypatch.setattr(loop.loop, "run_in_executor", begun)
    loop.run(begin)
    loop.runner.close()
    gc.collect()
    assert not caplog.records


@pytest.mark.parametrize("begin", ["call", "compute", "next_turn"])
def test_what_a_turn_starts_begins_behind_the_frame_it_asks_for(loop: Loop, begin: str, qtbot: QtBot) -> None:
    happened: list[str] = []
    painted = type("Painted", (QWidget,), {"paintEvent": lambda _self, _event: happened.append("frame")})
    shown: QWidget = painted()
    shown.show()
    qtbot.waitUntil(lambda: bool(happened))

    def work() -> None:
        happened.append("work")

    def ask() -> None:
        happened.clear()
        shown.update()
        if begin == "next_turn":
            loop.runner.next_turn(work)
            loop.runner.next_turn(loop.done)
        else:
            getattr(loop.runner, begin)(work, then=loop.done)
        happened.append("asked")

    loop.run(lambda: loop.loop.call_later(0.05, ask))
    shown.close()
    shown.deleteLater()
    assert happened == ["asked", "frame", "work"]


def test_what_was_asked_for_in_the_last_turn_is_done_before_closing(loop: Loop) -> None:
    written: list[int] = []

    def ask_and_close() -> None:
        loop.runner.call(written.append, 1)
        loop.runner.close()
        loop.done()

    loop.run(lambda: loop.loop.call_later(0.05, ask_and_close))
    assert written == [1]


def test_what_fails_holds_up_nothing_behind_it(loop: Loop) -> None:
    def fail() -> None:
        raise ValueError("broken")

    loop.loop.set_exception_handler(lambda _loop, _context: None)

    def ask() -> None:
        loop.runner.next_turn(fail)
        loop.runner.next_turn(loop.done)

    loop.run(ask)


@pytest.mark.expects_log("A job of the window failed")
def test_what_runs_alone_holds_up_neither_the_others_nor_the_end(loop: Loop) -> None:
    """As a look at a disk that does not answer; its answer goes to nobody then."""
    go_on, answers = threading.Event(), list[object]()

    def begin() -> None:
        loop.runner.compute_alone(go_on.wait, then=answers.append)
        loop.runner.compute_alone(int, "no number", failed=answers.append)
        loop.runner.compute_alone(_thread_name, then=lambda name: (answers.append(name), loop.done()))

    loop.run(begin)
    loop.runner.close()
    go_on.set()
    for thread in threading.enumerate():
        if thread.name == "alone":
            thread.join()
    QApplication.processEvents()
    assert [type(answer) for answer in answers] == [InternalError, str] and answers[1] == "alone"


def test_a_child_that_died_while_nobody_needed_it_is_replaced(loop: Loop) -> None:
    """A killed worker took the first job of the next one with it, which said that something failed."""
    answers: list[int] = []
    faults: list[object] = []

    def answered(process: int) -> None:
        answers.append(process)
        if len(answers) == 2:
            loop.done()
            return
        os.kill(process, signal.SIGKILL)
        loop.loop.call_later(0.5, ask)

    def failed(error: object) -> None:
        faults.append(error)
        loop.done()

    def ask() -> None:
        loop.runner.compute_apart(os.getpid, then=answered, failed=failed)

    loop.run(ask)
    assert not faults
    assert len(set(answers)) == 2
