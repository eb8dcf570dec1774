"""A pasted text is shown as it was understood, before anything of it is stored."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QWidget

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation
from studio.ui.actions.action import Action
from studio.ui.limits import SHOWN_REPLY_CHARACTERS
from studio.ui.look.theme import set_theme
from studio.ui.review.desk import Desk
from studio.ui.review.state import Pasting
from studio.ui.runner import Runner
from studio.ui.settings import Settings
from studio.ui.widgets import Label
from studio.ui.window.control import WindowControl
from tests.tools.idle import run_until_idle
from tests.ui.shell.conftest import shares_window

TWO = (
    "--- a/one.txt\n+++ b/one.txt\n@@ -1,2 +1,2 @@\n-line 1\n+first\n line 2\n"
    "--- a/missing.txt\n+++ b/missing.txt\n@@ -1 +1 @@\n-a\n+b\n"
)

QUOTED = "".join(f"> {line}" for line in TWO.splitlines(keepends=True)[:6])
BLANKS = "--- a/blanks.txt\n+++ b/blanks.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three\n"
BLANKS_ARE_LOST = "blanks at the ends of lines, at line 1 of the file"


def rows(desktop: Any) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row.cells) for row in desktop.panes.pages.paste.table.rows.rows]


def paste(desktop: Any, words: str) -> None:
    QGuiApplication.clipboard().setText(words)
    desktop.control.trigger(Action.PASTE)
    desktop.settle()


RENAMED = "If it was renamed or copied, make the diff with git diff -M -C, which says so."


def test_every_block_is_shown_with_its_verdict_and_line(desktop: Any) -> None:
    paste(desktop, TWO)
    assert desktop.window.middle.currentWidget() is desktop.panes.pages.paste
    assert rows(desktop) == [
        ("modify", "one.txt", "pending", "1"),
        (
            "modify",
            "missing.txt",
            f"missing.txt does not exist. Check the path. {RENAMED}",
            "7",
        ),
    ]
    assert desktop.panes.pages.paste.detail.text() == "unified · 2 steps · 1 refused · nothing stored yet"
    assert not any("missing.txt" in step.path for plan in desktop.desk.queue.plans for step in plan.steps)
    desktop.click(desktop.find("paste-copy"))
    assert "missing.txt does not exist" in QApplication.clipboard().text()
    desktop.click(desktop.find("paste-propose"))
    desktop.settle()
    assert [step.path for step in desktop.desk.queue.plans[-1].steps] == ["one.txt", "missing.txt"]
    assert desktop.window.middle.currentWidget() is not desktop.panes.pages.paste


@shares_window
def test_escape_and_going_elsewhere_store_nothing(desktop: Any) -> None:
    plans = desktop.desk.queue.plans
    paste(desktop, TWO)
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    assert desktop.desk.submission.pasted is None
    paste(desktop, TWO)
    desktop.desk.select(plans[0].id, 2)
    assert desktop.desk.submission.pasted is None
    assert desktop.desk.queue.plans == plans


@shares_window
def test_no_key_decides_behind_the_text(desktop: Any) -> None:
    """9.2: nothing is approved that does not stand on screen."""
    paste(desktop, TWO)
    desktop.bench.clock.now += 5
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.can(Action.APPROVE_STEP) == "Close the pasted text first."
    assert all(step.decision is None for plan in desktop.desk.queue.plans for step in plan.steps)
    assert desktop.desk.can(Action.MARK_VIEWED) == "Close the pasted text first."
    assert desktop.desk.can(Action.NOTE) == "Close the pasted text first."
    assert not desktop.panes.facts.isVisible()


def test_a_rollback_preview_makes_room_for_the_text(desktop: Any) -> None:
    desk = desktop.desk
    for _ in desk.queue.current_plan.steps:
        desktop.bench.look(desk)
        desk.decisions.approve_step()
    desktop.bench.look(desk)
    desk.apply.start()
    desktop.settle()
    another = desktop.bench.propose("Another", DraftStep(Operation.CREATE, "new.txt", content=b"1\n"))
    desk.queue.reload()
    desk.select(another.id, 1)
    desk.rollback.show(desk.queue.history[0].plan.id)
    desktop.settle()
    assert desktop.window.middle.currentWidget() is desktop.panes.pages.rollback
    assert desktop.desk.can(Action.MARK_VIEWED) == "Close the rollback preview first."
    paste(desktop, TWO)
    assert desktop.window.middle.currentWidget() is desktop.panes.pages.paste
    assert desktop.desk.rollback.preview is None


@shares_window
def test_a_long_answer_is_shown_in_part_and_copied_whole(desktop: Any) -> None:
    one = "--- a/missing-{n}.txt\n+++ b/missing-{n}.txt\n@@ -1 +1 @@\n-a\n+b\n"
    paste(desktop, "".join(one.replace("{n}", str(number)) for number in range(300)))
    label = desktop.find("paste-answer").widget().findChild(Label)
    assert len(label.text()) < SHOWN_REPLY_CHARACTERS + 100
    assert label.text().endswith("\nThe text is truncated here. Click Copy to get the full reply.")
    desktop.click(desktop.find("paste-copy"))
    assert "missing-299.txt does not exist" in QApplication.clipboard().text()


def test_what_changes_meanwhile_is_checked_again(bench: Any, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.submission.paste(TWO)
    (bench.root / "one.txt").write_text("another file\n")
    desk.submission.propose()
    assert all(step.problems for step in desk.queue.plans[-1].steps)


def test_a_text_that_is_in_the_queue_already_says_so(bench: Any, make_desk: Callable[..., Desk]) -> None:
    desk = make_desk()
    desk.submission.paste(TWO)
    desk.submission.propose()
    desk.submission.paste(TWO)
    assert desk.submission.pasted is not None
    assert desk.submission.pasted.preview.twin == desk.queue.plans[0]


COPY, MOVE = Qt.DropAction.CopyAction, Qt.DropAction.MoveAction


def drop(window: QWidget, dropped: QMimeData, actions: Qt.DropAction, *, shift: bool = False) -> QDropEvent:
    """Drag something over the window and let it go; with Shift held it is to be moved."""
    keys = Qt.KeyboardModifier.ShiftModifier if shift else Qt.KeyboardModifier.NoModifier
    place, button = QPoint(9, 9), Qt.MouseButton.LeftButton
    over = QDragEnterEvent(place, actions, dropped, button, keys)
    over.ignore()
    QApplication.sendEvent(window, over)
    let_go = QDropEvent(QPointF(place), actions, dropped, button, keys)
    let_go.ignore()
    if over.isAccepted():
        QApplication.sendEvent(window, let_go)
    return let_go


def text(words: str) -> QMimeData:
    dropped = QMimeData()
    dropped.setText(words)
    return dropped


@shares_window
def test_a_text_may_be_dropped_on_the_window(desktop: Any) -> None:
    """It is copied, whatever was proposed: of what is moved, the program it comes from deletes its own."""
    for shift in (False, True):
        let_go = drop(desktop.window, text(TWO), COPY | MOVE, shift=shift)
        assert let_go.isAccepted() and let_go.dropAction() is COPY
        desktop.settle()
        assert [row[1] for row in rows(desktop)] == ["one.txt", "missing.txt"]
        desktop.press(Qt.Key.Key_Escape)
    assert not drop(desktop.window, text(TWO), MOVE).isAccepted()
    assert desktop.desk.submission.pasted is None


@shares_window
def test_what_is_dropped_and_can_not_be_taken_in_is_told(desktop: Any, tmp_path: Path) -> None:
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(tmp_path / "gone.diff"))])
    drop(desktop.window, dropped, COPY)
    desktop.settle()
    assert "gone.diff" in desktop.said()


def test_the_start_page_says_that_nothing_was_taken_in(qapp: QApplication, runner: Runner) -> None:
    set_theme(qapp, "light")
    control = WindowControl(runner, Settings(None))
    control.finish_startup()
    control.show_start_page()
    control.window.show()
    drop(control.window, text(TWO), COPY)
    assert control.window.status.sentence.text().startswith("No project is open, so nothing was imported.")
    control.window.close()
    control.window.deleteLater()
    control.deleteLater()
    run_until_idle()


def test_what_one_repair_makes_fit_is_repaired_on_a_press(desktop: Any) -> None:
    """A fact per repair, never by itself; nothing is stored before it is put into the queue."""
    (desktop.bench.root / "blanks.txt").write_text("one  \ntwo\nthree\n")
    plans = desktop.desk.queue.plans
    paste(desktop, BLANKS + TWO)
    assert rows(desktop)[0][2].startswith(
        f"Can be applied after one repair: {BLANKS_ARE_LOST}. Hunk 1 does not match"
    )
    button = desktop.find("paste-repair")
    assert BLANKS_ARE_LOST in button.accessibleDescription()
    desktop.click(button)
    desktop.settle()
    repaired = f"The change did not match blanks.txt and was repaired: {BLANKS_ARE_LOST}."
    assert [row[2] for row in rows(desktop)][:2] == [f"pending · repaired: {BLANKS_ARE_LOST}", "pending"]
    assert (
        desktop.panes.pages.paste.detail.text()
        == "unified · 3 steps · 1 refused · 1 repaired · nothing stored yet"
    )
    assert repaired in desktop.find("paste-answer").widget().findChild(Label).text()
    assert desktop.desk.can(Action.REPAIR) == "This text was repaired. Review it again."
    assert desktop.desk.queue.plans == plans
    desktop.click(desktop.find("paste-propose"))
    desktop.settle()
    step = desktop.desk.queue.plans[-1].steps[0]
    assert [fact.message for fact in step.facts if fact.kind == "repaired"] == [repaired]
    contents = desktop.bench.agent.proposer.contents(desktop.desk.queue.plans[-1].id, 1)
    assert contents.result == b"one  \n2\nthree\n"


@shares_window
def test_a_second_space_does_not_put_the_repaired_text_into_the_queue(desktop: Any) -> None:
    plans = desktop.desk.queue.plans
    paste(desktop, QUOTED)
    assert desktop.desk.can(Action.REPAIR) == ""
    desktop.find("paste-repair").setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_Space):
        desktop.press(key)
    desktop.settle()
    verdict = "pending · repaired: the mark “>” before every line"
    assert [row[1:3] for row in rows(desktop)] == [("one.txt", verdict)]
    assert desktop.desk.queue.plans == plans


@shares_window
def test_what_nothing_makes_fit_says_so_at_the_button(desktop: Any) -> None:
    assert desktop.desk.can(Action.REPAIR) == "Paste some text first."
    paste(desktop, TWO)
    button = desktop.find("paste-repair")
    assert not button.isEnabled()
    assert button.accessibleDescription() == "No single repair would fix the refused steps."
    paste(desktop, TWO.partition("--- a/missing")[0])
    assert desktop.find("paste-repair").accessibleDescription() == "Nothing in this text was refused."


def test_a_repair_is_found_again_where_the_file_changed(bench: Any, make_desk: Callable[..., Desk]) -> None:
    """It is read on the file as it is when the button is pressed."""
    (bench.root / "blanks.txt").write_text("one  \ntwo\nthree\n")
    desk = make_desk()
    desk.submission.paste(BLANKS)
    (bench.root / "blanks.txt").write_text("another\n")
    desk.submission.repair()
    assert desk.submission.pasted is not None
    assert all(step.problems for step in desk.submission.pasted.preview.plan.steps)


def test_a_file_that_one_repair_makes_fit_is_shown_first(
    bench: Any, make_desk: Callable[..., Desk], tmp_path: Path
) -> None:
    file = tmp_path / "change.diff"
    file.write_text(QUOTED)
    desk = make_desk()
    desk.submission.submit_files([file])
    assert (desk.submission.status, desk.queue.plans) == (Pasting.REPAIRABLE, ())
    desk.submission.repair()
    desk.submission.propose()
    assert [(plan.title, plan.steps[0].problems) for plan in desk.queue.plans] == [("Change one.txt", ())]


@shares_window
def test_why_a_text_can_not_be_read_is_said_once(desktop: Any) -> None:
    paste(desktop, TWO.replace("-1,2 +1,2", "-1,5 +1,5"))
    said = desktop.find("paste-answer").widget().findChild(Label).text()
    assert said.count("The hunk header declares 5 old and 5 new lines") == 1
    assert " can't be read; nothing was proposed." in said
