"""An agent revises what somebody reads: said, marked, compared, and never approved unseen."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QToolTip

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Operation, PersonSource, Plan, StepState
from studio.ui.actions.action import Action
from studio.workspace import Person as Reviewing, Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_deciding import strip_words


class Codex:
    """An agent whose calls join the open plan of its session."""

    def __init__(self, workspace: Workspace) -> None:
        self.workspace = workspace
        self.session = workspace.proposer.open_session("codex", "mcp")

    def propose(self, **results: str) -> Plan:
        steps = [
            DraftStep(Operation.MODIFY, name.replace("_", "."), content=text.encode())
            for name, text in results.items()
        ]
        return self.workspace.proposer.propose(PlanDraft("plan", tuple(steps), ""), session=self.session)


@pytest.fixture
def codex(harbour: Harbour) -> Iterator[Codex]:
    with closing(Workspace.open(harbour.root)) as workspace:
        yield Codex(workspace)


def rows_revised(person: Person) -> list[str]:
    """The files whose row in the queue is marked, as it is read aloud."""
    model = person.panes.queue.model
    plans = [model.index(row, 0) for row in range(model.rowCount())]
    rows = [model.index(row, 0, plan) for plan in plans for row in range(model.rowCount(plan))]
    spoken = [str(row.data(Qt.ItemDataRole.AccessibleTextRole)) for row in rows]
    return [words.partition(",")[0] for words in spoken if ", revised" in words]


def wait_for_revision(person: Person, name: str) -> None:
    wait_for(lambda: name in rows_revised(person), f"the mark of {name}")


def changed_lines(person: Person) -> list[tuple[int, int]]:
    """First line, from 0, and count of the changes of the open comparison."""
    comparison = person.desk.rounds.comparison
    assert comparison is not None and comparison.diff is not None
    return [(change.new_first, change.new_count) for change in comparison.diff.changes]


def approve(person: Person) -> None:
    person.wait_until_on("approve_step")
    person.click("step-approve_step")


def test_what_an_agent_revises_is_approved_only_after_the_difference_or_seen(
    harbour: Harbour, desktop: Desktop, codex: Codex
) -> None:
    """Two files that were read are revised, one of them on screen, while another process rejects a third."""
    codex.propose(one_txt=lines_with(l3="first 3"), two_txt=lines_with(l5="first 5"))
    plan = codex.propose(three_txt=lines_with(l7="first 7"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("J")
    person.wait_for_step(2)
    person.press("K")
    person.wait_for_step(1)
    assert not person.sees("revised-strip")
    assert person.queue_titles() == ["Modify one.txt and 2 more"]

    codex.propose(one_txt=lines_with(l3="first 3", l30="second 30"))
    raised = codex.propose(two_txt=lines_with(l5="second 5"), three_txt=lines_with(l7="second 7"))
    assert raised.id == plan.id
    wait_for_revision(person, "two.txt")
    person.wait_for_step(1)
    assert rows_revised(person) == ["one.txt", "two.txt"], "nobody read three.txt"
    said = strip_words(person, "revised-strip")
    last = codex.workspace.proposer.sessions()[0].last.astimezone()
    assert f"codex revised this file at {last:%H:%M}." in said
    person.click_on(person.find("step-approve_step"))
    person.press("A")
    assert person.desk.reasons.of(Action.APPROVE_STEP).startswith(
        "This file was revised after you viewed it."
    )
    person.click_step(plan.id, 3)
    person.wait_for_step(3)
    person.press("K")
    person.wait_for_step(2)
    assert person.sees("revised-strip")
    person.press("K")
    person.wait_for_step(1)
    assert person.sees("revised-strip"), "a move is no answer"

    person.click_step(plan.id)
    person.click("plan-approve_undecided")
    left = strip_words(person, "plan-confirm")
    assert "2 steps were revised after you viewed them and will stay undecided." in left
    person.click("plan-cancel")

    person.click_step(plan.id, 1)
    person.wait_for_step(1)
    person.click("revised-compare_round")
    wait_for(lambda: person.desk.rounds.comparison is not None, "the difference")
    assert changed_lines(person) == [(29, 1)], "only what changed since it was viewed"
    other = codex.workspace.reviewer(Reviewing(PersonSource.TERMINAL, "other"))
    other.reject(plan.id, [3], reason="no")
    wait_for(lambda: person.desk.queue.plans[0].steps[2].state is StepState.REJECTED, "what the other did")
    assert changed_lines(person) == [(29, 1)]
    person.press("Escape")
    person.wait_for_step(1)
    assert not person.sees("revised-strip") and rows_revised(person) == ["two.txt"]
    person.press("D")
    wait_for(lambda: person.desk.rounds.comparison is not None, "the same difference by its key")
    assert changed_lines(person) == [(29, 1)]
    person.press("D")
    person.wait_for_step(1)
    person.find("step-approve_step").setFocus()
    person.press("Return")
    wait_for(lambda: QToolTip.text() == "Press Space instead of Enter.", "why Enter does nothing")
    assert harbour.agent.states(plan.id) == ["pending", "pending", "rejected"]
    approve(person)
    person.wait_for_step(2)
    person.find("revised-mark_viewed").setFocus()
    person.press("Return")
    wait_for(lambda: not rows_revised(person), "no mark")
    approve(person)
    person.wait_until_said("Approved two.txt")
    assert harbour.agent.states(plan.id) == ["approved", "approved", "rejected"]


def test_what_was_read_is_known_after_a_restart_and_in_the_next_plan_of_the_agent(
    harbour: Harbour, desktop: Desktop, codex: Codex
) -> None:
    """The agent revises while no window is open, then proposes again what was sent back."""
    codex.propose(one_txt=lines_with(l3="first 3"))
    codex.propose(two_txt=lines_with(l5="first 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.window.close()
    revised = codex.propose(one_txt=lines_with(l3="second 3")).steps[0].revised
    assert revised is not None
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    assert rows_revised(person) == ["one.txt"]
    assert f"codex revised this file at {revised.astimezone():%H:%M}." in strip_words(person, "revised-strip")
    person.press("V")
    wait_for(lambda: not person.sees("revised-strip"), "no banner")
    person.press("Shift+R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the reason")
    person.type("other words")
    person.press("Ctrl+Return")
    person.wait_until_said("Requested changes")
    person.window.close()

    again = codex.propose(one_txt=lines_with(l3="second 3", l30="third 30"), two_txt=lines_with(l5="first 5"))
    person = desktop.open(harbour.root)
    wait_for(lambda: person.place == (again.id, 1), "the new plan")
    person.wait_for_step(1)
    assert rows_revised(person) == ["one.txt"]
    at = f"{again.created.astimezone():%H:%M}"
    assert f"codex revised this file at {at}." in strip_words(person, "revised-strip")
    person.press("D")
    wait_for(lambda: person.desk.rounds.comparison is not None, "the difference")
    assert changed_lines(person) == [(29, 1)], "to what was viewed, not to what was proposed first"
    person.press("D")
    approve(person)
    person.wait_for_step(2)
    assert not person.sees("revised-strip")


def test_a_revised_plan_leaves_the_queue_to_its_next_round(
    harbour: Harbour, desktop: Desktop, codex: Codex
) -> None:
    """It stays while it is on the page, and says why nothing waits there any more."""
    first = codex.propose(one_txt=lines_with(l3="first 3"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Shift+R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the reason")
    person.type("other words")
    person.press("Ctrl+Return")
    person.wait_until_said("Requested changes")
    assert [plan.id for plan in person.desk.queue.plans] == [first.id], "one click undoes it"
    again = codex.propose(one_txt=lines_with(l3="second 3"))
    wait_for(lambda: person.desk.queue.closed_plan is not None, "the end of the first round")
    closed = person.desk.queue.closed_plan
    assert closed is not None and closed.sentence == "codex revised this plan."
    person.press("G")
    wait_for(lambda: person.place == (again.id, 1), "the new round")
    wait_for(lambda: [plan.id for plan in person.desk.queue.plans] == [again.id], "it alone")
    person.wait_for_step(1)
    person.press("V")
    wait_for(lambda: not person.sees("revised-strip"), "no banner")
    approve(person)
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    wait_for(lambda: not person.desk.queue.plans and person.desk.queue.history, "no round that waits")
