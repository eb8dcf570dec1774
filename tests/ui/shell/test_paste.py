"""A pasted text is shown as it was understood, before anything of it is stored (R189)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QGuiApplication
from PySide6.QtWidgets import QApplication

from studio.ui.actions.action import Action
from studio.ui.desk.desk import Desk

TWO = (
    "--- a/one.txt\n+++ b/one.txt\n@@ -1,2 +1,2 @@\n-line 1\n+first\n line 2\n"
    "--- a/missing.txt\n+++ b/missing.txt\n@@ -1 +1 @@\n-a\n+b\n"
)


def rows(desktop: Any) -> list[tuple[str, ...]]:
    return [tuple(cell.text for cell in row.cells) for row in desktop.panes.paste.table.rows.rows]


def paste(desktop: Any, text: str) -> None:
    QGuiApplication.clipboard().setText(text)
    desktop.click(desktop.find("toolbar-paste"))
    desktop.settle()


def test_every_block_is_shown_with_its_verdict_and_line(desktop: Any) -> None:
    paste(desktop, TWO)
    assert desktop.window.middle.currentWidget() is desktop.panes.paste
    assert rows(desktop) == [
        ("modify", "one.txt", "pending", "1"),
        (
            "modify",
            "missing.txt",
            "missing.txt does not exist. Check the path, or create the file.",
            "7",
        ),
    ]
    assert desktop.panes.paste.detail.text() == "unified · 2 steps · 1 refused · nothing stored yet"
    assert not any("missing.txt" in step.path for plan in desktop.desk.queue.plans for step in plan.steps)
    desktop.click(desktop.find("paste-copy"))
    assert "missing.txt does not exist" in QApplication.clipboard().text()
    desktop.click(desktop.find("paste-propose"))
    desktop.settle()
    assert [step.path for step in desktop.desk.queue.plans[-1].steps] == ["one.txt", "missing.txt"]
    assert desktop.window.middle.currentWidget() is not desktop.panes.paste


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


def test_no_key_decides_behind_the_text(desktop: Any) -> None:
    """9.2: nothing is approved that does not stand on screen."""
    paste(desktop, TWO)
    desktop.bench.clock.now += 5
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    assert desktop.desk.can(Action.APPROVE_STEP) == "Close the pasted text first."
    assert all(step.decision is None for plan in desktop.desk.queue.plans for step in plan.steps)
    assert not desktop.panes.facts.isVisible()


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


def test_a_text_may_be_dropped_on_the_window(desktop: Any) -> None:
    dropped = QMimeData()
    dropped.setText(TWO)
    place, action, button = QPoint(9, 9), Qt.DropAction.CopyAction, Qt.MouseButton.LeftButton
    over = QDragEnterEvent(place, action, dropped, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(desktop.window, over)
    assert over.isAccepted()
    drop = QDropEvent(QPointF(place), action, dropped, button, Qt.KeyboardModifier.NoModifier)
    QApplication.sendEvent(desktop.window, drop)
    desktop.settle()
    assert [row[1] for row in rows(desktop)] == ["one.txt", "missing.txt"]
