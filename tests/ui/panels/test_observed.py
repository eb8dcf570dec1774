"""The dock's observed changes and their page."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.observed_change import GroupKind, ObservedChange, ObservedGroup
from studio.engine.plan import Operation, Step, StepState
from studio.journal.file_image import FileImage, sha256
from studio.ui.actions.action import Action
from studio.ui.history.observed_pane import ObservedPane
from studio.ui.history.observed_panel import ObservedPanel
from studio.ui.look.theme import set_theme
from studio.ui.queue.panel import QueuePanel
from studio.ui.review.observed import ObservedFile, ObservedRow
from studio.ui.review.queue_state import diff_of
from studio.ui.widgets import Button
from tests.ui.panels.conftest import NOW

pytestmark = pytest.mark.usefixtures("qapp")

BEFORE, AFTER = b"".join(b"%d\n" % n for n in range(40)), b"".join(b"%d\n" % n for n in range(40))
AFTER = AFTER.replace(b"3\n", b"three\n", 1).replace(b"30\n", b"thirty\n", 1)


def change(number: int, path: str, op: Operation = Operation.MODIFY, **named: Any) -> ObservedChange:
    before, after = (FileImage(sha256(data), len(data), 0o644) for data in (BEFORE, AFTER))
    return ObservedChange(f"{number:036}", op, path, None, before, after, NOW, **named)


ODD = change(1, "<b>\u202eodd.txt", hints=("claude-code was at work here.",))
MOVED = replace(change(2, "old/name.txt", Operation.MOVE), to="new/name.txt")
BURST = ObservedGroup(7, "12 files changed in vendor/", GroupKind.BURST, NOW, NOW)
MANY = tuple(change(10 + n, f"vendor/{n}.txt", group=BURST) for n in range(12))
ROWS = (ObservedRow(ODD.id, (ODD,)), ObservedRow(MOVED.id, (MOVED,)), ObservedRow("group/7", MANY))


def file_of(shown: ObservedChange) -> ObservedFile:
    step = Step(1, shown.id, shown.op, shown.path, shown.to, StepState.PENDING, shown.before, shown.after)
    return ObservedFile(shown, step, diff_of(BEFORE, AFTER), BEFORE, AFTER)


@pytest.fixture
def laid(qapp: QApplication, desk: Any) -> Any:
    set_theme(qapp, "light")
    desk.observed.rows, desk.observed.count = ROWS, 14
    desk.observed.lines = {ODD.revision: (2, 1)}
    desk.observed.files = {each.id: file_of(each) for each in (ODD, MOVED, *MANY)}
    return desk


@pytest.fixture
def panel(qtbot: QtBot, laid: Any) -> ObservedPanel:
    panel = ObservedPanel(laid, now=lambda: NOW)
    qtbot.addWidget(panel)
    panel.resize(1100, 300)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


@pytest.fixture
def pane(qtbot: QtBot, laid: Any) -> ObservedPane:
    pane = ObservedPane(laid)
    qtbot.addWidget(pane)
    pane.resize(1100, 600)
    pane.show()
    qtbot.waitExposed(pane)
    return pane


def test_each_row_says_what_was_seen_and_claims_nothing(panel: ObservedPanel) -> None:
    rows = panel.view.rows.rows
    assert [[cell.text for cell in row.cells[1:5]] for row in rows] == [
        ["<b>\\u202eodd.txt", "changed", "", "possible cause: claude-code was at work here."],
        ["name.txt", "moved from old/name.txt", "–", ""],
        ["12 files changed in vendor/", "12 files", "–", ""],
    ]
    assert (rows[0].cells[3].added, rows[0].cells[3].removed) == (2, 1)
    assert {row.cells[1].icon for row in rows} == {"observed"}
    assert all(row.accessible_text.startswith("outside change, ") for row in rows)


def test_keys_show_keep_and_revert_the_current_row(panel: ObservedPanel, laid: Any) -> None:
    panel.view.setFocus()
    for key in (Qt.Key.Key_Return, Qt.Key.Key_K, Qt.Key.Key_Delete):
        QTest.keyClick(panel.view, key)
    assert laid.asked[-3:] == [("show", ODD.id), ("keep", (ODD.id,)), ("revert", (ODD.id,))]
    QTest.keyClick(panel.view, Qt.Key.Key_Down)
    assert laid.asked[-1] == ("show", MOVED.id), "what stands in the middle follows the keys"


def test_buttons_say_why_not(panel: ObservedPanel, laid: Any) -> None:
    laid.refusals[Action.KEEP_OBSERVED] = "One moment."
    laid.allowed_changed.emit()
    assert not panel.keep.isEnabled() and panel.keep.accessibleDescription() == "One moment."
    assert panel.revert.isEnabled()


def test_everything_is_kept_only_after_a_question(panel: ObservedPanel, laid: Any) -> None:
    laid.asked.clear()
    QTest.mouseClick(panel.keep_all, Qt.MouseButton.LeftButton)
    assert panel.banner.title.text() == "Keep 14 outside changes?" and not laid.asked
    assert panel.close_innermost() and panel.banner.isHidden() and not panel.close_innermost()
    QTest.mouseClick(panel.keep_all, Qt.MouseButton.LeftButton)
    button = panel.findChild(Button, "observed-keep-all-now")
    assert button is not None
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    assert len(laid.asked[-1][1]) == 14


def test_the_page_counts_the_hunks_that_go_back(pane: ObservedPane, laid: Any) -> None:
    laid.observed.show(ODD.id)
    assert pane.header.title.text() == "<b>\\u202eodd.txt" and pane.table.isHidden()
    assert pane.header.revert.text() == "Revert…" and pane.diff.row_count() > 0
    pane.diff.hunk_toggled.emit(2)
    assert pane.header.revert.text() == "Revert 1 hunk…" and laid.observed.out == {2}
    assert pane.diff.headings.texts() == ("Original", "After reverting 1 hunk")
    assert pane.header.keep.text() == "Keep all", "what is left out is kept with the rest"
    pane.diff.hunk_toggled.emit(2)
    assert pane.diff.headings.texts() == ("Original", "On disk now · outside change")


def test_a_group_has_its_files_and_goes_as_a_whole(pane: ObservedPane, laid: Any) -> None:
    laid.observed.show("group/7")
    assert pane.table.rows.rowCount() == 12 and pane.header.keep.text() == "Keep 12 files"
    pane.diff.hunk_toggled.emit(1)
    assert not laid.observed.out and pane.why_no_hunk()
    assert not pane.diff.canvas.hunk_actions(1)
    laid.observed.show(ODD.id)
    assert [action.id for action in pane.diff.canvas.hunk_actions(1)] == ["toggle_hunk"]


def test_late_bytes_of_another_change_are_not_shown(pane: ObservedPane, laid: Any) -> None:
    waiting: list[Any] = []
    laid.observed.file_of = lambda shown, then: waiting.append((shown, then))
    laid.observed.show(ODD.id)
    laid.observed.show(MOVED.id)
    (_, first), (_, second) = waiting
    first(file_of(ODD))
    assert pane.diff.is_waiting()
    second(replace(file_of(MOVED), is_other=True))
    assert pane.diff.row_count() == 0 and not pane.diff.is_waiting()
    second(file_of(MOVED))
    assert pane.diff.row_count() > 0


def test_the_queue_names_them_apart_from_what_is_proposed(qtbot: QtBot, laid: Any) -> None:
    queue = QueuePanel(laid)
    qtbot.addWidget(queue)
    plans = len(queue.model.plans)
    assert queue.observed.text() == "14 outside changes…" and plans == 4
    with qtbot.waitSignal(queue.observed_wanted):
        queue.observed.click()
    laid.observed.count = 0
    laid.observed.changed.emit()
    assert queue.observed.isHidden()


def test_what_is_opened_elsewhere_is_current_here(panel: ObservedPanel, laid: Any) -> None:
    """K and Delete speak about the row that stands in the middle."""
    row = panel.view.current_row()
    assert row is not None and row.key == ROWS[0].key
    laid.observed.show(ROWS[2].key)
    row = panel.view.current_row()
    assert row is not None and row.key == ROWS[2].key


def test_a_key_on_its_way_keeps_nothing_that_came_in_its_place(panel: ObservedPanel, laid: Any) -> None:
    """A row that goes, or says something else now, under the hand that was about to press K."""
    begun: list[float] = []
    laid.guards.dead_time = SimpleNamespace(begin=begun.append)
    panel.view.setFocus()
    assert panel.view.hasFocus()
    laid.observed.changed.emit()
    assert begun == [], "nothing changed"
    laid.observed.rows = (ObservedRow(ODD.id, (replace(ODD, after=None),)), *ROWS[1:])
    laid.observed.changed.emit()
    assert len(begun) == 1
    laid.observed.rows = ROWS[1:]
    laid.observed.changed.emit()
    assert len(begun) == 2
    laid.observed.rows = ROWS[1:2]
    laid.observed.changed.emit()
    assert len(begun) == 2, "another row went"
