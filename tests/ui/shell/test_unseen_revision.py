"""Lines of an earlier revision never stand for the current one: a person decides what they saw."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import Qt

from studio.engine.plan import PersonSource, StepState
from studio.workspace import Person
from tests.ui.shell.conftest import LINES, LaterRunner


@pytest.fixture
def runner(later_runner: LaterRunner) -> LaterRunner:
    return later_runner


@pytest.fixture(autouse=True)
def no_poll(monkeypatch: pytest.MonkeyPatch) -> None:
    """A poll updates the lists by itself; on a loaded machine one came in between."""
    monkeypatch.setattr("studio.ui.review.desk.WINDOW_POLL_SECONDS", 3600)


def test_the_lines_before_do_not_stand_for_a_step_that_another_process_changed(
    bench: Any, open_window: Callable[[], Any], runner: LaterRunner
) -> None:
    """A machine that needs longer for the new lines than the hand is held back."""
    plan = bench.propose_three()
    desktop = open_window()
    runner.run_all()
    desktop.settle()
    shown = desktop.desk.shown
    assert shown.painted_revision == plan.steps[0].revision
    (bench.root / "one.txt").write_text("".join(LINES).replace("line 20\n", "theirs\n"))
    changed = bench.agent.reviewer(Person(PersonSource.WINDOW, "ada")).rebase(plan.id, 1)
    desktop.desk.queue.refresh()
    desktop.settle()
    assert desktop.desk.queue.current_step.revision == changed.steps[0].revision != plan.steps[0].revision
    assert not shown.painted_revision
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.PENDING
    runner.run_all()
    desktop.settle()
    assert shown.painted_revision == changed.steps[0].revision
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.APPROVED


def test_the_lists_are_told_once_the_next_lines_stand_there(
    bench: Any, open_window: Callable[[], Any], runner: LaterRunner
) -> None:
    """In a plan of hundreds they took longer than the next file itself."""
    desktop, told = approved_first(bench, open_window, runner)
    assert desktop.desk.queue.step_number == 2 and not told
    runner.run_all()
    assert told and desktop.desk.queue.plans[0].steps[0].state is StepState.APPROVED


def test_the_lists_are_told_where_the_lines_never_come(
    bench: Any, open_window: Callable[[], Any], runner: LaterRunner
) -> None:
    """What we write ourselves is no news to the next poll."""
    desktop, told = approved_first(bench, open_window, runner)
    assert not told
    desktop.desk.poll()
    assert told


def test_the_lists_are_told_where_the_person_goes_to_the_whole_plan_meanwhile(
    bench: Any, open_window: Callable[[], Any], runner: LaterRunner
) -> None:
    desktop, told = approved_first(bench, open_window, runner)
    desktop.desk.select(desktop.desk.queue.plans[0].id, None)
    assert told


def approved_first(
    bench: Any, open_window: Callable[[], Any], runner: LaterRunner
) -> tuple[Any, list[int | None]]:
    """The window after a press of A, before the next lines come; and what is told of lists from then on."""
    bench.propose_three()
    desktop = open_window()
    while len(runner.waiting) > 1:
        runner.run_one()
    assert runner.waiting, "the next lines, which are read ahead"
    desktop.settle()
    told: list[int | None] = []
    desktop.desk.queue.plans_changed.connect(lambda: told.append(desktop.desk.queue.step_number))
    desktop.press(Qt.Key.Key_A)
    return desktop, told
