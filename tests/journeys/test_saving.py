"""While a decision is saved the next step is on screen, and can only be looked at (54)."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import closing
from typing import Any

import pytest
from msgspec.structs import replace

from studio.engine import DraftStep, Operation, Person as Reviewing, PersonSource, PlanDraft
from studio.engine.reviewer import PlanReviewer
from studio.ui.actions.action import Action
from studio.ui.review.walk import StepPrefetch
from studio.workspace import Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import PROCESS_SECONDS, Person
from tests.tools.inside import context_of

DECIDING = (Action.APPROVE_STEP, Action.REJECT_STEP, Action.APPROVE_UNDECIDED, Action.REJECT_PLAN)


class Gap:
    """The time between a press and the store's answer, as long as a test wants it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.over = threading.Event()
        self.before: Callable[[], object] = lambda: None
        self.approvals = 0
        approve = PlanReviewer.approve

        def approve_later(reviewer: PlanReviewer, *arguments: Any, **named: Any) -> Any:
            self.approvals += 1
            assert self.over.wait(30)
            self.before()
            return approve(reviewer, *arguments, **named)

        monkeypatch.setattr(PlanReviewer, "approve", approve_later)


@pytest.fixture
def gap(monkeypatch: pytest.MonkeyPatch) -> Gap:
    return Gap(monkeypatch)


def approve_and_look_on(person: Person) -> None:
    """Press A at the first step; the second one is painted while the store has not answered."""
    person.wait_for_step(1)
    shown, plan = person.desk.shown, person.desk.queue.plans[0]
    wait_for(lambda: shown.prefetch.of(plan.steps[1]), "the next step to be read ahead")
    person.press("A")
    wait_for(lambda: person.place[1] == 2 and shown.painted_revision, "the next step on screen")
    assert person.desk.guards.deciding
    wait_for(lambda: not any(map(enabled(person), DECIDING)), "all that decides is off")
    assert "Saving" in person.desk.can(Action.APPROVE_STEP)


def enabled(person: Person) -> Callable[[Action], bool]:
    return lambda action: person.control.actions[action].isEnabled()


def test_keys_pressed_before_the_answer_decide_nothing(harbour: Harbour, desktop: Desktop, gap: Gap) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    approve_and_look_on(person)
    for key in ("A", "A", "Ctrl+Shift+A", "A"):
        person.press(key)
    person.is_free_to_press()  # what is left of the dead time is over
    person.press("A")
    assert harbour.agent.states(plan) == ["pending"] * 3
    gap.over.set()
    person.wait_for_step(2)
    assert gap.approvals == 1
    assert harbour.agent.states(plan) == ["approved", "pending", "pending"]
    wait_for(lambda: person.desk.queue.plans[0].steps[0].state.value == "approved", "the queue to follow")
    person.press("A")
    person.wait_for_step(3)
    assert harbour.agent.states(plan) == ["approved", "approved", "pending"]


def fill_store(workspace: Workspace) -> None:
    """The store can't grow by one page; of the thread that calls."""
    connection = context_of(workspace).store.database.connection
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    connection.execute(f"PRAGMA max_page_count = {pages}")


def test_a_decision_made_elsewhere_in_that_moment_stays(harbour: Harbour, desktop: Desktop, gap: Gap) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    approve_and_look_on(person)
    with closing(Workspace.open(harbour.root)) as workspace:
        workspace.reviewer(Reviewing(PersonSource.TERMINAL, "other")).reject(plan, [1], reason="no")
    gap.over.set()
    person.wait_until_said("Step 1 is rejected")
    wait_for(lambda: person.place[1] == 1, "the step that was meant")
    assert harbour.agent.states(plan) == ["rejected", "pending", "pending"]
    wait_for(lambda: person.desk.queue.plans[0].steps[0].state.value == "rejected", "what the store says")


def test_a_round_of_the_agent_in_that_moment_is_looked_at_first(
    harbour: Harbour, desktop: Desktop, gap: Gap
) -> None:
    with closing(Workspace.open(harbour.root)) as workspace:
        session = workspace.proposer.open_session("claude-code", "mcp")
        for name in ("one.txt", "two.txt"):
            plan = workspace.proposer.propose(draft(name, "first\n"), session=session)
        person = desktop.open(harbour.root)
        approve_and_look_on(person)
        raised = workspace.proposer.propose(draft("one.txt", "second\n"), session=session)
    assert (raised.id, raised.version) == (plan.id, plan.version + 1)
    gap.over.set()
    person.wait_until_said("no decision was saved")
    wait_for(lambda: person.place[1] == 1, "the step that was meant")
    assert harbour.agent.states(plan.id) == ["pending"] * 2
    person.wait_for_step(1)
    assert person.desk.shown.proposed == b"second\n"


def test_a_refusal_names_its_step_after_the_reviewer_moved_on(
    harbour: Harbour, desktop: Desktop, gap: Gap
) -> None:
    with closing(Workspace.open(harbour.root)) as workspace:
        session = workspace.proposer.open_session("claude-code", "mcp")
        for name in ("one.txt", "two.txt", "three.txt"):
            workspace.proposer.propose(draft(name, "first\n"), session=session)
        person = desktop.open(harbour.root)
        approve_and_look_on(person)
        person.press("J")
        wait_for(lambda: person.place[1] == 3, "the third step")
        workspace.proposer.propose(draft("one.txt", "second\n"), session=session)
    gap.over.set()
    person.wait_until_said("one.txt just changed")
    assert person.place[1] == 3


def test_a_discarded_step_takes_the_window_past_what_goes_with_it(harbour: Harbour, desktop: Desktop) -> None:
    """The second step belongs to the discarded one: it is rejected with it."""
    steps = [
        DraftStep(Operation.MODIFY, name, content=b"new\n") for name in ("one.txt", "two.txt", "three.txt")
    ]
    steps[:2] = [replace(step, unit="u") for step in steps[:2]]
    with closing(Workspace.open(harbour.root)) as workspace:
        plan = workspace.proposer.propose(PlanDraft("plan", tuple(steps), "Units")).id
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    harbour.write("one.txt", "something else\n")
    person.wait_until_on("discard_stale")
    places: list[int | None] = []
    person.desk.queue.current_changed.connect(lambda: places.append(person.place[1]))
    person.click("strip-discard_stale")
    person.wait_for_step(3)
    assert harbour.agent.states(plan) == ["rejected", "rejected", "pending"]
    assert places == [3]


def test_a_refusal_leaves_the_window_where_somebody_types(
    harbour: Harbour, desktop: Desktop, gap: Gap
) -> None:
    """A note on the next step is begun before the answer; going back would put its end into another note."""
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    approve_and_look_on(person)
    person.press("N")
    wait_for(lambda: person.focused().objectName() == "note-text", "the note")
    person.type("check the ")
    with closing(Workspace.open(harbour.root)) as workspace:
        workspace.reviewer(Reviewing(PersonSource.TERMINAL, "other")).reject(plan, [1], reason="no")
    gap.over.set()
    person.wait_until_said("Step 1 is rejected")
    person.type("order")
    unsent, queue = person.desk.project.unsent, person.desk.queue
    wait_for(lambda: unsent.text(queue.draft_key("note")) == "check the order", "the whole note")
    assert person.place[1] == 2


def test_nothing_is_marked_as_viewed_that_was_not_read(
    harbour: Harbour, desktop: Desktop, gap: Gap, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Space at a step whose lines wait behind the decision went on from step to step, marking each."""
    monkeypatch.setattr(StepPrefetch, "of", lambda *_: None)
    harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    wait_for(lambda: person.place[1] == 2, "the next step")
    person.press("Space")
    person.press("Space")
    gap.over.set()
    person.wait_for_step(2)
    plan, viewed = person.desk.queue.plans[0], person.desk.viewed
    wait_for(lambda: viewed.has(plan, plan.steps[0]), "the mark of what was decided")
    assert not viewed.has(plan, plan.steps[1]) and not viewed.has(plan, plan.steps[2])


def draft(name: str, content: str) -> PlanDraft:
    return PlanDraft("plan", (DraftStep(Operation.MODIFY, name, content=content.encode()),), "Rounds")


def test_a_decision_that_can_not_be_stored_is_taken_back_on_screen(
    harbour: Harbour, desktop: Desktop, gap: Gap
) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    desk = person.desk
    desk.project.unsent.store(desk.queue.draft_key("note"), b"n" * 9000)  # more than a page
    wait_for(desk.project.unsent.is_stored, "the note")
    gap.before = lambda: fill_store(desk.project.workspace)
    approve_and_look_on(person)
    gap.over.set()
    person.wait_until_said("full")
    wait_for(lambda: person.place[1] == 1, "the step that is still to decide")
    assert harbour.agent.states(plan) == ["pending"] * 3
    assert len(desk.project.unsent.text(desk.queue.draft_key("note"))) == 9000


def test_a_window_killed_before_the_answer_has_decided_nothing(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose_three()
    killed = subprocess.Popen([sys.executable, "-c", _KILLED, str(harbour.root)], env=os.environ)
    wait_for(lambda: killed.poll() is not None, "the process to be killed", PROCESS_SECONDS)
    assert killed.returncode == -signal.SIGKILL
    assert harbour.agent.states(plan) == ["pending"] * 3
    desktop.open(harbour.root).wait_for_step(1)


_KILLED = """
import os, signal, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
import asyncio, pytest, qasync
from tests.journeys import test_saving as story
from tests.journeys.desktop import Desktop
app = QApplication([])
loop = qasync.QEventLoop(app)
asyncio.set_event_loop(loop)
story.Gap(pytest.MonkeyPatch())
story.approve_and_look_on(Desktop(app, loop).open(Path(sys.argv[1])))
os.kill(os.getpid(), signal.SIGKILL)
"""
