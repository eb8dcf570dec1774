"""What is read ahead stands on screen in the frame in which its step becomes current."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PersonSource, StepState
from studio.engine.proposer import Proposer
from studio.workspace import Person
from tests.ui.shell.conftest import LINES, LaterRunner, modified


@pytest.fixture
def runner(later_runner: LaterRunner) -> LaterRunner:
    return later_runner


@pytest.fixture
def desktop(bench: Any, open_window: Callable[[], Any], runner: LaterRunner) -> Any:
    """The first of three steps, and the second read ahead."""
    bench.propose_three()
    made = open_window()
    runner.run_all()
    made.settle()
    assert made.desk.shown.diff is not None and not runner.waiting
    return made


def test_the_next_lines_stand_there_in_the_turn_of_the_decision(desktop: Any, runner: LaterRunner) -> None:
    shown: Any = desktop.desk.shown
    desktop.press(Qt.Key.Key_A)
    assert desktop.desk.queue.step_number == 2
    assert b"changed 5" in shown.contents.result and shown.diff.hunks
    desktop.settle()
    assert shown.painted_revision == desktop.desk.queue.current_step.revision
    desktop.press(Qt.Key.Key_A)
    runner.run_all()
    desktop.settle()
    states = [step.state for step in desktop.desk.queue.plans[0].steps]
    assert states == [StepState.APPROVED, StepState.APPROVED, StepState.PENDING]


def test_what_another_process_changed_meanwhile_is_read_anew(
    desktop: Any, bench: Any, runner: LaterRunner
) -> None:
    plan = desktop.desk.queue.plans[0]
    (bench.root / "two.txt").write_text("".join(LINES).replace("line 20\n", "theirs\n"))
    bench.agent.reviewer(Person(PersonSource.WINDOW, "ada")).rebase(plan.id, 2)
    desktop.desk.queue.refresh()
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    assert desktop.desk.queue.step_number == 2 and desktop.desk.shown.contents is None
    runner.run_all()
    desktop.settle()
    sides: Any = desktop.desk.shown.contents
    assert b"theirs" in sides.base and b"theirs" in sides.result


def test_an_encoding_that_is_another_one_by_now_is_what_is_shown(
    desktop: Any, runner: LaterRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is no part of the step, so its revision does not tell."""
    contents = Proposer.contents
    monkeypatch.setattr(
        Proposer,
        "contents",
        lambda self, plan, number: replace(contents(self, plan, number), setting="windows-1252"),
    )
    shown, diff = desktop.desk.shown, desktop.panes.pages.step.diff
    desktop.press(Qt.Key.Key_A)
    stood_there = diff.canvas.layout_
    assert desktop.desk.queue.step_number == 2 and stood_there is not None
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert not shown.painted_revision, "lines of the encoding before stand there, and decide nothing"
    assert desktop.desk.queue.plans[0].steps[1].state is StepState.PENDING
    runner.run_all()
    sides: Any = shown.contents
    assert sides.setting == "windows-1252" and diff.canvas.layout_ is not stood_there
    desktop.settle()
    assert shown.painted_revision == desktop.desk.queue.current_step.revision


def test_a_large_file_is_read_once_it_is_wanted(
    bench: Any, open_window: Callable[[], Any], runner: LaterRunner, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    contents = Proposer.contents

    def noted(self: Proposer, plan: str, number: int) -> Any:
        asked.append(number)
        return contents(self, plan, number)

    monkeypatch.setattr(Proposer, "contents", noted)
    large = DraftStep(Operation.CREATE, "large.txt", content=b"a line\n" * 150_000)
    bench.propose("A large one", modified("one.txt", l3="changed"), large)
    desktop = open_window()
    runner.run_all()
    desktop.settle()
    assert asked == [1]
    desktop.press(Qt.Key.Key_A)
    assert asked == [1, 2]


def test_a_result_that_the_person_wrote_is_not_hidden_by_the_proposal(
    desktop: Any, runner: LaterRunner
) -> None:
    queue, desk = desktop.desk.queue, desktop.desk
    plan = queue.plans[0]
    desk.edited.store(plan, plan.step(2), b"my own\n")
    desktop.press(Qt.Key.Key_A)
    assert queue.step_number == 2 and desk.shown.contents is None
    runner.run_all()
    sides: Any = desk.shown.contents
    assert sides.result == b"my own\n"
