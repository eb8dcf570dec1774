"""The preview of a rollback: what is checked is what is written."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.history import DiskStatus, RollbackEffect, RollbackFile, RollbackPreview
from studio.engine.plan import Operation, Step, StepState
from studio.engine.project.rollback_titles import Turn
from studio.journal.file_image import FileImage, sha256
from studio.ui.history.rollback_pane import RollbackPane, preview_of
from studio.ui.look.theme import color, set_theme

pytestmark = pytest.mark.usefixtures("qapp")

NOW = b"".join(b"line %d\n" % number for number in range(40))
AFTER = NOW.replace(b"line 20\n", b"")


def file(step: int, path: str, *, drifted: bool = False) -> RollbackFile:
    if drifted:
        standing, sentence = DiskStatus.CHANGED, "stays: changed since it was applied"
        return RollbackFile(step, path, RollbackEffect.STAY, standing, sentence)
    base, result = (FileImage(sha256(data), len(data), 0o644) for data in (NOW, AFTER))
    does = Step(1, "inverse", Operation.MODIFY, path, None, StepState.APPROVED, base, result, removed=1)
    effect, sentence = RollbackEffect.RESTORE, "is restored to its old bytes"
    return RollbackFile(step, path, effect, DiskStatus.AS_WRITTEN, sentence, does=does, now=NOW, after=AFTER)


@pytest.fixture
def preview(samples: SimpleNamespace) -> RollbackPreview:
    plan = replace(samples.logo(), title="Fix date parsing")
    files = (file(1, "src/dates.py"), file(2, "tests/test_dates.py"), file(3, "src/cli.py", drifted=True))
    return RollbackPreview(plan, files, Turn(plan.title, is_redo=False))


@pytest.fixture
def pane(qtbot: QtBot, qapp: QApplication, desk: Any, preview: RollbackPreview) -> RollbackPane:
    set_theme(qapp, "light")

    def choose(step: int, chosen: bool) -> None:
        desk.rollback.chosen = desk.rollback.chosen | {step} if chosen else desk.rollback.chosen - {step}
        desk.rollback.changed.emit()

    desk.rollback.choose = choose
    pane = RollbackPane(desk)
    qtbot.addWidget(pane)
    pane.resize(900, 600)
    pane.show()
    qtbot.waitExposed(pane)
    desk.rollback.preview, desk.rollback.chosen = preview, frozenset({1, 2})
    desk.rollback.changed.emit()
    return pane


def click_row(pane: RollbackPane, number: int, x: int) -> None:
    table = pane.table
    middle = table.visualRect(table.rows.index(number, 0)).center().y()
    where = table.viewport().mapTo(pane, QPoint(x, middle))
    QTest.mouseClick(pane.windowHandle(), Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, where)


def test_the_preview_says_what_happens_to_each_file(pane: RollbackPane) -> None:
    assert pane.header.title.text() == "Roll back “Fix date parsing”"
    rows = pane.table.rows.rows
    assert [(row.cells[0].text, row.checked, row.checkable) for row in rows] == [
        ("cli.py", False, False),
        ("dates.py", True, True),
        ("test_dates.py", True, True),
    ]
    assert rows[0].cells[2].text == "stays: changed since it was applied"
    assert rows[0].cells[0].icon == "look-out"
    assert pane.header.roll_back.text() == "Roll back 2 files"
    assert pane.diff.row_count() > 0, "the first file that goes back is shown"


def test_in_a_low_pane_the_table_gives_way_to_the_diff(pane: RollbackPane) -> None:
    pane.resize(900, pane.minimumSizeHint().height())
    assert pane.minimumSizeHint().height() < pane.sizeHint().height()
    assert not pane.table.geometry().intersects(pane.diff.geometry())
    assert pane.table.viewport().height() == 2 * pane.table.row_height, "two rows of three"


def test_check_boxes_choose_what_is_written(pane: RollbackPane, desk: Any) -> None:
    click_row(pane, 2, 20)
    assert desk.rollback.chosen == {1}
    assert pane.header.roll_back.text() == "Roll back 1 file"
    click_row(pane, 0, 20)
    assert desk.rollback.chosen == {1}, "a drifted file stays"
    pane.table.setFocus()
    pane.table.setCurrentIndex(pane.table.rows.index(1, 0))
    QTest.keyClick(pane.table, Qt.Key.Key_Space)
    assert desk.rollback.chosen == frozenset()
    pane.header.roll_back.click()
    assert desk.asked[-1] == ("roll_back",)


def test_a_click_beside_the_box_only_shows_the_file(pane: RollbackPane, desk: Any) -> None:
    click_row(pane, 2, 120)
    row = pane.table.current_row()
    assert row is not None and row.key == "2"
    assert desk.rollback.chosen == {1, 2}


def test_only_the_writing_button_is_filled_and_it_says_why_not(pane: RollbackPane, desk: Any) -> None:
    button = pane.header.roll_back
    face = button.grab().toImage()
    assert face.pixelColor(button.width() // 2, button.height() - 6) == color("accentFill")
    desk.refusals["roll_back"] = "No file is selected."
    desk.guards.allowed_changed.emit()
    assert not button.isEnabled() and button.toolTip() == "No file is selected."
    assert button.accessibleDescription() == "No file is selected."


def test_enter_writes_nothing_and_cancel_closes(pane: RollbackPane, desk: Any) -> None:
    pane.table.setFocus()
    QTest.keyClick(pane.table, Qt.Key.Key_Return)
    assert not any(asked[0] == "roll_back" for asked in desk.asked)
    pane.header.cancel.click()
    assert desk.asked[-1] == ("cancel_rollback",)
    desk.rollback.preview = None
    desk.rollback.changed.emit()
    assert pane.table.rows.rowCount() == 0


def test_a_late_diff_of_another_preview_is_dropped(
    pane: RollbackPane, desk: Any, preview: RollbackPreview
) -> None:
    waiting: list[Any] = []
    desk.project.compute = lambda function, *arguments, then: waiting.append((function, arguments, then))
    pane.table.setCurrentIndex(pane.table.rows.index(2, 0))
    other = RollbackPreview(replace(preview.plan, title="Other"), (file(1, "x.py"),), preview.turn)
    desk.rollback.preview = other
    desk.rollback.changed.emit()
    function, arguments, then = waiting[0]
    then(function(*arguments))
    assert pane.diff.row_count() == 0


def test_the_step_that_is_shown_is_the_one_that_is_written(preview: RollbackPreview) -> None:
    """Its number is that of the step it takes back, and a file that stays has none."""
    shown = [preview_of(preview.plan, file) for file in preview.files]
    assert [each and (each.step.number, each.step.path) for each in shown] == [
        (1, "src/dates.py"),
        (2, "tests/test_dates.py"),
        None,
    ]
    for file, each in zip(preview.files[:2], shown, strict=False):
        assert file.does is not None and each is not None
        assert (each.step.op, each.step.base, each.step.result) == (
            file.does.op,
            file.does.base,
            file.does.result,
        )
        assert each.step.state is StepState.PENDING and (each.now, each.after) == (NOW, AFTER)


def test_what_takes_the_keyboard_has_a_name(pane: RollbackPane, nameless: Any) -> None:
    assert nameless(pane) == []
