"""Words of the window that were wrong or stale: each row and header says what is so now."""

from __future__ import annotations

import errno
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt

from studio.engine import disk
from studio.engine.diff import second_reader
from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PersonSource, PlanState, StepDecision, StepState
from studio.errors import Refused
from studio.ui.actions.action import Action
from studio.ui.app.faults import Faults
from studio.ui.queue.arrangement import Arrangement
from studio.ui.review.apply import RecoveryNeed
from studio.ui.review.project import Project
from studio.ui.review.queue_state import read_queue_state, refresh_and_read
from studio.ui.runner import is_disk_full
from studio.workspace import Person, Reviewer
from tests.ui.shell.conftest import LINES as OLD, modified

SPOKEN = Qt.ItemDataRole.AccessibleTextRole
TIP = Qt.ItemDataRole.ToolTipRole


@pytest.fixture
def terminal(bench: Any) -> Reviewer:
    """Another process in which a person decides."""
    return bench.agent.reviewer(Person(PersonSource.TERMINAL, "other"))


def queue_row(desktop: Any, plan: str, step: int | None, role: Qt.ItemDataRole = SPOKEN) -> str:
    index = desktop.panes.queue.model.index_of(plan, step)
    return index.data(role) if index.isValid() else "not listed"


def test_an_edited_step_is_called_so_with_the_lines_it_writes(desktop: Any) -> None:
    """One line for one was proposed; the person made it one for one, and two more."""
    plan = desktop.desk.queue.plans[0]
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    desktop.desk.editor.begin()
    text = desktop.desk.editor.part.text
    desktop.desk.editor.finish(text.replace("changed 5\n", "mine 5\nmine 6\nmine 7\n"))
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert "two.txt, modify, approved as edited, 3 added, 1 removed" in queue_row(desktop, plan.id, 2)
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    assert desktop.find("step-verdict").text() == "Approved as edited"
    assert desktop.find("step-icon").accessibleName() == "approved as edited"
    desktop.desk.decisions.take_back()
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    for number in (1, 3):
        desktop.desk.select(plan.id, number)
        desktop.settle()
        desktop.press(Qt.Key.Key_A)
        desktop.settle()
    desktop.control.actions.trigger(Action.APPLY)
    desktop.settle()
    (row,) = desktop.panes.dock.history.view.rows.rows
    assert "6 added, 4 removed" in row.accessible_text
    assert row.cells[2].text == "applied · 1 file edited by you"


def test_a_step_in_part_shows_the_lines_that_are_written(desktop: Any) -> None:
    plan = desktop.desk.queue.plans[0]
    desktop.press(Qt.Key.Key_X)
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert "one.txt, modify, approved in part, 1 added, 1 removed" in queue_row(desktop, plan.id, 1)


def test_every_row_of_the_history_says_something_true(
    bench: Any, terminal: Reviewer, open_window: Callable[[], Any]
) -> None:
    (bench.root / "logo.bin").write_bytes(b"\0\1\2")
    (bench.root / "run.sh").write_bytes(b"echo\n")
    for title, step in {
        "moves": DraftStep(Operation.MOVE, "one.txt", "uno.txt"),
        "copies": DraftStep(Operation.COPY, "two.txt", "dos.txt"),
        "modes": DraftStep(Operation.MODE, "run.sh", executable=True),
        "non-text": DraftStep(Operation.MODIFY, "logo.bin", exact=b"\0\2\3\4"),
        "empty": DraftStep(Operation.CREATE, "empty.txt", content=b""),
        "folder": DraftStep(Operation.MKDIR, "new"),
        "lines": modified("three.txt", l3="x"),
    }.items():
        plan = bench.propose(title, step)
        assert plan.state is PlanState.PENDING, plan.steps[0].problems
        terminal.approve(plan.id)
        terminal.apply(plan.id)
    desktop = open_window()
    rows = desktop.panes.dock.history.view.rows.rows
    said = {row.cells[1].text: (row.cells[4].text, row.cells[5].text) for row in rows}
    assert said == {
        "moves": ("1 file", "moved"),
        "copies": ("1 file", "copied"),
        "modes": ("1 file", "mode changed"),
        "non-text": ("1 file", "non-text"),
        "empty": ("1 file", "empty"),
        "folder": ("1 folder", "folders"),
        "lines": ("1 file", ""),
    }
    assert "1 added, 1 removed" in rows[0].accessible_text
    plan = rows[-1].key
    desktop.desk.rollback.show(plan)
    desktop.settle()
    assert desktop.panes.pages.rollback.table.rows.rows[0].cells[1].text == "–"


def test_counts_that_nobody_can_know_any_more_are_not_made_up(
    bench: Any, terminal: Reviewer, open_window: Callable[[], Any]
) -> None:
    """The bytes of an edited result are gone: the agent's counts would be wrong, and 40 added lines, too."""
    plan = bench.propose("Edited", modified("one.txt", l3="x"))
    terminal.approve(plan.id, [StepDecision(1, edited="".join(OLD[:-1]).encode())])
    terminal.apply(plan.id)
    terminal.discard_undo(plan.id)
    desktop = open_window()
    (row,) = desktop.panes.dock.history.view.rows.rows
    assert row.cells[5].text == "unknown"


def test_redo_is_the_rollback_of_a_rollback(
    bench: Any, terminal: Reviewer, open_window: Callable[[], Any]
) -> None:
    plan = bench.propose("Dates", modified("one.txt", l3="x"))
    terminal.approve(plan.id)
    terminal.apply(plan.id)
    back = terminal.rollback(plan.id)
    desktop = open_window()
    assert desktop.window.toolbar.undo.accessibleName() == "Redo “Dates” (1 file)"
    desktop.panes.show_history()
    assert desktop.find("history-roll-back").text() == "Redo…"
    desktop.desk.rollback.show(back.id)
    desktop.settle()
    assert desktop.find("rollback-title").text() == "Redo “Dates”"
    assert desktop.find("rollback-write").text() == "Redo 1 file"
    desktop.click(desktop.find("rollback-write"))
    desktop.settle()
    titles = [row.cells[1].text for row in desktop.panes.dock.history.view.rows.rows]
    assert titles == ["Redo “Dates”", "Roll back “Dates”", "Dates"]
    assert "x\n" in bench.read("one.txt")


def test_a_filter_never_hides_the_step_that_a_key_would_decide(desktop: Any) -> None:
    plan = desktop.desk.queue.plans[0]
    queue = desktop.panes.queue
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    other = desktop.bench.propose("Other", modified("two.txt", l9="x"), agent="codex")
    desktop.desk.queue.reload()
    desktop.settle()
    queue.tools.changed.emit(Arrangement(words="is:approved"))
    desktop.settle()
    assert desktop.desk.queue.current_step.number == 2
    assert [queue_row(desktop, plan.id, number) == "not listed" for number in (1, 2, 3)] == [
        False,
        False,
        True,
    ]
    assert queue.view.currentIndex() == queue.model.index_of(plan.id, 2)
    assert (
        queue.view.currentIndex().data(TIP).startswith("<span>two.txt · This row does not match the filter.")
    )
    assert "hidden by the filter" in queue_row(desktop, plan.id, 2)
    assert queue.model.index_of(plan.id, 1).data(TIP) == "<span>one.txt</span>"
    assert queue.header.detail.text().startswith("2 hidden · 1 new")

    desktop.desk.select(other.id, 1)
    desktop.settle()
    assert queue_row(desktop, plan.id, 2) == "not listed", "it is current no more"
    assert "hidden by the filter" in queue_row(desktop, other.id, 1)
    assert queue.view.isExpanded(queue.model.index_of(other.id))
    desktop.desk.select(plan.id, 1)
    desktop.settle()
    assert queue_row(desktop, other.id, None) == "not listed", "neither is its plan"
    assert desktop.desk.queue.current_step.number == 1
    queue.tools.changed.emit(Arrangement())
    assert not queue.model.hidden and "filter" not in queue_row(desktop, plan.id, 2)


def test_a_decision_on_what_the_filter_hides_shows_what_comes_next(desktop: Any) -> None:
    plan, queue = desktop.desk.queue.plans[0], desktop.panes.queue
    queue.tools.changed.emit(Arrangement(words="is:stale"))
    desktop.settle()
    for number in (1, 2):
        assert queue.view.currentIndex() == queue.model.index_of(plan.id, number)
        desktop.press(Qt.Key.Key_A)
        desktop.settle()
    states = [step.state for step in desktop.desk.queue.plans[0].steps]
    assert states == [StepState.APPROVED, StepState.APPROVED, StepState.PENDING]
    assert queue.view.currentIndex() == queue.model.index_of(plan.id, 3)
    assert queue_row(desktop, plan.id, 2) == "not listed"


@pytest.mark.parametrize("decided", [False, True])
def test_the_steps_of_a_withdrawn_plan_do_not_look_pending(desktop: Any, decided: bool) -> None:
    if decided:
        desktop.press(Qt.Key.Key_A)
        desktop.settle()
    plan = desktop.desk.queue.plans[0]
    desktop.bench.agent.proposer.withdraw(plan.id)
    desktop.desk.queue.reload()
    desktop.settle()
    queue, closed = desktop.panes.queue, desktop.panes.queue.closed
    looked_at = queue.model.index_of(plan.id, 1).data(SPOKEN)
    desktop.desk.select(None)
    desktop.settle()
    closed.toggle()
    for spoken in (looked_at, closed.model.index_of(plan.id, 1).data(SPOKEN)):
        assert "withdrawn" in spoken and "pending" not in spoken and "approved" not in spoken
        assert "not viewed" not in spoken
    assert closed.model.index_of(plan.id).data(SPOKEN) == "Three files, claude-code, withdrawn"
    desktop.desk.select(plan.id, 2)
    desktop.settle()
    assert desktop.find("step-icon").accessibleName() == "withdrawn"


def test_what_waits_is_said_while_an_apply_is_to_be_settled(open_window: Callable[[], Any]) -> None:
    desktop = open_window()
    queue, page = desktop.panes.queue, desktop.panes.pages.empty
    assert queue.header.detail.text() == "nothing pending"
    assert page.accessibleName() == "Nothing to review"
    need = RecoveryNeed(True, (), "Not everything was restored: the disk is full.", "Free some space.")
    recovery = desktop.desk.recovery
    recovery.show(need)
    desktop.settle()
    assert queue.header.detail.text() == "apply interrupted"
    assert page.accessibleName() == "An apply was interrupted"
    assert not page.settle.isVisible(), "the banner says it"
    desktop.click(desktop.find("recovery-later"))
    desktop.settle()
    assert queue.header.detail.text() == "apply interrupted", "later is not done"
    desktop.click(page.settle)
    desktop.settle()
    assert desktop.find("recovery").isVisible()
    recovery.show(replace(need, is_same_folder=False))
    assert queue.header.detail.text() == "folder not confirmed"
    assert page.accessibleName() == "Confirm this folder"
    recovery.show(None)
    assert page.accessibleName() == "Nothing to review"


def test_every_new_plan_that_nobody_looked_at_is_counted(desktop: Any) -> None:
    numbers = count()
    for arrived, waiting in ((1, "1 new plan"), (2, "3 new plans"), (1, "3 new plans")):
        for _ in range(arrived):
            number = next(numbers)
            desktop.bench.propose(f"New {number}", modified("two.txt", l9=f"x{number}"))
        desktop.desk.queue.reload()
        desktop.settle()
        assert desktop.said() == f"{waiting} received."
        if waiting == "3 new plans":
            desktop.desk.select(desktop.desk.queue.plans[-1].id, 1)
            desktop.settle()


def test_a_diff_that_was_checked_once_says_what_to_do(desktop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(second_reader, "SECOND_READER_BYTES", 10)
    desktop.desk.submission.paste("--- a/two.txt\n+++ b/two.txt\n@@ -1,2 +1,2 @@\n-line 1\n+one\n line 2\n")
    desktop.desk.submission.propose()
    desktop.settle()
    desktop.desk.select(desktop.desk.queue.plans[-1].id, 1)
    desktop.settle()
    (told,) = (block for block in desktop.panes.facts.facts_view.warnings if "checked" in block.title)
    assert told.title == "This diff was checked once, not twice"
    assert told.words.endswith("check that every file the agent mentions is there.")
    assert "reader" not in told.words


def _no_room(*_args: object, **_options: object) -> None:
    raise Refused("state.full", "Nothing was stored: the disk that holds /x is full.", "Free some space.")


def _no_quota(*_args: object, **_options: object) -> None:
    raise OSError(errno.EDQUOT, "Disk quota exceeded")


@pytest.mark.parametrize("what", ["apply", "decision", "snapshot", "slot"])
def test_a_full_disk_is_one_sentence_whatever_was_being_done(
    desktop: Any, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    """It was another sentence each time, and a banner about a fault of the program with its traceback."""
    faults = Faults(lambda _fault: pytest.fail("a full disk is no fault of the program"))
    faults.disk_filled.connect(desktop.desk.project.report)
    if what == "apply":
        monkeypatch.setattr(disk, "free_space", lambda *_: (0, 0))
        for _ in range(3):
            desktop.press(Qt.Key.Key_A)
            desktop.settle()
        desktop.control.actions.trigger(Action.APPLY)
    elif what == "decision":
        monkeypatch.setattr(Reviewer, "approve", _no_room)
        desktop.press(Qt.Key.Key_A)
    elif what == "snapshot":
        desktop.desk.project.runner.call(_no_quota, failed=desktop.desk.project.report)
    else:
        try:
            _no_quota()
        except OSError as error:
            faults.report(error)
    desktop.settle()
    notice = desktop.find("notice")
    assert notice.title.text() == (
        "The disk is full or over quota. No files were left partially written, and stored data is intact."
    )
    assert notice.words.text() == "Leave this window open, free some space and try again."
    assert desktop.bench.read("one.txt").startswith("line 1\n")


def test_what_could_not_be_put_back_is_not_called_safe() -> None:
    error = Refused("apply.put_back", "Not everything was restored: the disk is full.", "")
    error.__cause__ = OSError(errno.ENOSPC, "No space left on device")
    assert not is_disk_full(error) and is_disk_full(error.__cause__)


def test_nothing_is_called_empty_before_it_was_read(
    open_window: Callable[[], Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The store of a large project takes its time."""
    read: list[Callable[[], None]] = []
    ask = Project.ask

    def hold(project: Project, function: Any, *args: Any, then: Any = None, **others: Any) -> None:
        if function in (read_queue_state, refresh_and_read):
            ask(project, function, *args, then=lambda state: read.append(lambda: then(state)), **others)
        else:
            ask(project, function, *args, then=then, **others)

    monkeypatch.setattr(Project, "ask", hold)
    desktop = open_window()
    desktop.panes.show_history()
    desktop.settle()

    def said() -> list[str]:
        panes = desktop.panes
        return [
            desktop.find("apply-sentence").text(),
            panes.pages.empty.accessibleName(),
            panes.queue.header.detail.text(),
            panes.queue.view.empty_text,
            panes.dock.history.view.empty_text,
        ]

    assert said() == ["Loading plans…", "Loading…", "loading…", "", "Loading…"]
    for each in read:
        each()
    desktop.settle()
    *words, queue, dock = said()
    assert words == ["There is no plan to review.", "Nothing to review", "nothing pending"]
    assert queue.startswith("Plans appear here when") and dock.startswith("Snapshots and applied plans")
