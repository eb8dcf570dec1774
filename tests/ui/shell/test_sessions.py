"""Sessions in the window: plans that stand together, who waits, and Apply for all that is decided."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from PySide6.QtCore import Qt

from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import Plan, PlanState
from studio.engine.session import Session
from studio.errors import TimedOut
from studio.ui.queue.arrangement import Arrangement, Order
from studio.workspace import Workspace
from tests.ui.shell.conftest import Bench, Desktop, modified


@pytest.fixture
def session(bench: Bench) -> Session:
    return bench.agent.proposer.open_session("claude-code", "hook")


def propose_waiting(bench: Bench, session: Session, title: str, *steps: DraftStep) -> Plan:
    """A plan of its own, as of a tool use that waits for the person."""
    draft = PlanDraft("plan", steps, title)
    return bench.agent.proposer.propose(draft, session=session, waits=True)


@contextmanager
def waiting(bench: Bench, plan: Plan) -> Iterator[None]:
    """An agent's process waits for that plan."""
    over = Event()

    def wait() -> None:
        other = Workspace.open(bench.root)
        try:
            with pytest.raises(TimedOut):
                other.proposer.wait(plan.id, timeout=30, cancel=over)
        finally:
            other.close()

    with ThreadPoolExecutor(1) as helper:
        waited = helper.submit(wait)
        while not {session_of(plan), plan.id} <= bench.agent.proposer.waiting():
            assert not waited.done(), waited.result()
        try:
            yield
        finally:
            over.set()
            waited.result(20)


def session_of(plan: Plan) -> str:
    assert plan.session is not None
    return plan.session


def titles(desktop: Desktop) -> list[str]:
    return [plan.title for plan in desktop.panes.queue.model.plans]


def press_apply(desktop: Desktop) -> None:
    desktop.click(desktop.window.toolbar.apply)
    desktop.settle()


def approve_all(desktop: Desktop, plan: Plan) -> None:
    desktop.desk.select(plan.id)
    desktop.settle()
    desktop.bench.look(desktop.desk)
    desktop.desk.decisions.approve_undecided()
    desktop.settle()
    desktop.bench.look(desktop.desk)
    desktop.settle()


def test_the_plans_of_a_session_stand_together(
    bench: Bench, session: Session, open_window: Callable[[], Desktop]
) -> None:
    propose_waiting(bench, session, "First", modified("one.txt", l3="a"))
    bench.propose("Another agent's", modified("two.txt", l5="b"), agent="codex")
    desktop = open_window()
    propose_waiting(bench, session, "Second", modified("three.txt", l7="c"))
    bench.propose("Newest of all", modified("two.txt", l9="d"), agent="codex")
    desktop.desk.queue.reload()
    desktop.settle()
    assert titles(desktop) == ["First", "Second", "Another agent's", "Newest of all"]
    model = desktop.panes.queue.model
    spoken = model.index(0, 0).data(Qt.ItemDataRole.AccessibleTextRole)
    assert spoken.endswith("one of 2 plans in its session")
    assert [model.follows_its_session(model.index(row, 0)) for row in range(4)] == [False, True, False, False]
    model.arrange(Arrangement(order=Order.NEWEST_FIRST))
    assert titles(desktop) == ["Newest of all", "Second", "First", "Another agent's"]


def test_no_row_under_the_pointer_moves_for_a_session(
    bench: Bench, session: Session, open_window: Callable[[], Desktop], monkeypatch: pytest.MonkeyPatch
) -> None:
    propose_waiting(bench, session, "First", modified("one.txt", l3="a"))
    bench.propose("Another agent's", modified("two.txt", l5="b"), agent="codex")
    desktop = open_window()
    monkeypatch.setattr(desktop.panes.queue.view, "pointer_is_over", lambda: True)
    propose_waiting(bench, session, "Second", modified("three.txt", l7="c"))
    desktop.desk.queue.reload()
    desktop.settle()
    assert titles(desktop) == ["First", "Another agent's", "Second"]


def test_who_waits_is_told_beside_apply_until_it_is_written(
    bench: Bench, session: Session, open_window: Callable[[], Desktop]
) -> None:
    """An approval alone leaves the agent waiting."""
    plan = propose_waiting(bench, session, "Waited for", modified("one.txt", l3="a"))
    desktop = open_window()
    toolbar = desktop.window.toolbar
    with waiting(bench, plan):
        desktop.desk.poll()
        desktop.settle()
        assert "waits" not in toolbar.sentence.text()
        approve_all(desktop, plan)
        assert toolbar.sentence.text() == "claude-code is waiting · 1 step approved"
        assert toolbar.apply.text() == "Apply 1 file"
    desktop.desk.poll()
    desktop.settle()
    assert toolbar.sentence.text().startswith("“Waited for”"), "nobody waits any more"


def test_a_newer_version_after_a_decision_names_the_plan_it_waits_for(
    bench: Bench, session: Session, open_window: Callable[[], Desktop]
) -> None:
    """Nothing changed on disk: the agent wrote the file again once a step of its plan was decided."""
    files = bench.agent.overlay(session)
    for name in ("one.txt", "two.txt"):
        files.write(name, "first\n")
    first = bench.agent.proposer.propose_changes(files, session)
    assert first is not None
    desktop = open_window()
    bench.look(desktop.desk)
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    files = bench.agent.overlay(session)
    files.write("two.txt", "second\n")
    second = bench.agent.proposer.propose_changes(files, session)
    assert second is not None and second.id != first.id
    desktop.desk.queue.reload()
    desktop.desk.select(second.id, 1)
    desktop.settle()
    banner = desktop.panes.pages.step.banner
    assert banner.title.text().startswith(f"two.txt waits for plan {first.short_id}, “{first.title}”")
    assert banner.words.text() == "Apply that plan first, or rebase or reject this step."
    (older,) = (plan for plan in desktop.desk.queue.plans if plan.id == first.id)
    said = [fact.message for fact in older.steps[1].facts if fact.kind == "conflict"]
    assert said and said[0].startswith("Another plan proposes a newer version of this file")


def test_apply_writes_every_decided_plan_of_the_session_in_view_in_order(
    bench: Bench, session: Session, open_window: Callable[[], Desktop]
) -> None:
    first = propose_waiting(bench, session, "First", modified("one.txt", l3="a"))
    second = propose_waiting(bench, session, "Second", modified("two.txt", l5="b"))
    open_one = propose_waiting(bench, session, "Open", modified("three.txt", l7="c"))
    other = bench.propose("Another agent's", modified("three.txt", l9="d"), agent="codex")
    desktop = open_window()
    for plan in (other, first, second):
        approve_all(desktop, plan)
    assert desktop.window.toolbar.apply.text() == "Apply 2 files"
    assert "2 plans in this session · 2 steps approved" in desktop.window.toolbar.sentence.text()
    press_apply(desktop)
    assert desktop.said() == "Applied 2 files from 2 plans in this session, ending with “Second”."
    states = {plan.title: plan.state for plan in bench.agent.proposer.plans()}
    assert states == {
        "First": PlanState.COMPLETED,
        "Second": PlanState.COMPLETED,
        "Open": PlanState.PENDING,
        "Another agent's": PlanState.APPROVED,
    }
    assert [entry.plan.title for entry in bench.agent.proposer.history()] == ["Second", "First"]
    assert "a\n" in bench.read("one.txt") and "b\n" in bench.read("two.txt")
    assert bench.read("three.txt").count("line") == 40
    assert open_one.title == "Open"


def test_what_fails_holds_up_the_plans_behind_it(
    bench: Bench, session: Session, open_window: Callable[[], Desktop]
) -> None:
    first = propose_waiting(bench, session, "First", modified("one.txt", l3="a"))
    second = propose_waiting(bench, session, "Second", modified("two.txt", l5="b"))
    desktop = open_window()
    for plan in (second, first):
        approve_all(desktop, plan)
    (bench.root / "one.txt").write_bytes(b"somebody else's\n")
    press_apply(desktop)
    assert bench.agent.proposer.plan(first.id).state is not PlanState.COMPLETED
    assert bench.agent.proposer.plan(second.id).state is PlanState.APPROVED
    assert bench.read("two.txt").count("line") == 40
