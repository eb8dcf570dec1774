"""What the diff of a step marks or leaves out of view: where moved code went, and white space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtGui import QColor, QCursor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation
from studio.ui.actions.action import Action
from studio.ui.diff.model.cells import Side
from studio.ui.look.theme import color
from tests.ui.shell.conftest import LINES, modified

FUNCTION = "def average(numbers):\n    total = sum(numbers)\n    return total / len(numbers)\n"


def middle_of(canvas: Any, side: Side, line: int) -> int:
    """Where a line (from 1) is in the view."""
    layout = canvas.layout_
    row = layout.row_of(side, line - 1)
    return int(layout.top(row) - canvas.view_lines()[0] + layout.row_height(row) // 2)


def ground_of(canvas: Any, side: Side, line: int) -> QColor:
    """The colour behind the end of a line (from 1), where no code stands."""
    pane = canvas.panes()[0 if side is Side.BASE else -1]
    image = canvas.viewport().grab().toImage()
    return image.pixelColor(pane.code_left + pane.code_width - 3, middle_of(canvas, side, line))


def test_both_ends_of_moved_code_are_marked_named_and_lead_to_each_other(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    one, two = "".join(LINES), "".join(LINES).replace("line 5\n", "FIVE\n")
    (bench.root / "one.txt").write_text(one + FUNCTION)
    (bench.root / "two.txt").write_text(two)
    moved = FUNCTION.replace("def", "  def") + two
    bench.propose(
        "Move it",
        DraftStep(Operation.MODIFY, "one.txt", content=(one + "new\n").encode()),
        DraftStep(Operation.MODIFY, "two.txt", content=moved.encode()),
    )
    desktop = open_window()
    canvas, desk = desktop.panes.pages.step.diff.canvas, desktop.desk
    last = len(LINES)
    assert canvas.moved
    assert ground_of(canvas, Side.BASE, last + 2) == color("infoBg")
    assert ground_of(canvas, Side.RESULT, last + 1) == color("addBg"), "that line is new"
    place = QPoint(canvas.panes()[0].code_left + 40, middle_of(canvas, Side.BASE, last + 2))
    there = canvas.viewport().mapToGlobal(place)
    QCursor.setPos(there)
    QApplication.sendEvent(canvas.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, there))
    assert "moved to two.txt:1" in QToolTip.text()
    QToolTip.hideText()
    desktop.press(Qt.Key.Key_M)
    desktop.settle()
    assert desk.queue.current_step.number == 2 and canvas.clicked_line() == (Side.RESULT, 0)
    assert ground_of(canvas, Side.RESULT, 3) == color("infoBg")
    desktop.press(Qt.Key.Key_M)
    desktop.settle()
    assert desk.queue.current_step.number == 1 and canvas.clicked_line() == (Side.BASE, last)

    desktop.press(Qt.Key.Key_E)
    assert desk.can(Action.OTHER_END) == "Finish editing or close the editor first."
    desktop.type("mine")
    desktop.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier)
    desktop.settle()
    assert desk.edited.current is not None
    assert not canvas.moved, "lines of a result that a person wrote stand elsewhere"
    assert desk.can(Action.OTHER_END) == "There is no moved code in this file."
    desktop.click(desktop.find("strip-drop_edit"))
    desktop.settle()
    assert canvas.moved, "the marks of the proposal come back"


def test_white_space_that_is_left_out_of_view_is_written(bench: Any, open_window: Callable[[], Any]) -> None:
    bench.propose("Spaces", modified("one.txt", l3="three", l16="    line 16"))
    desktop = open_window()
    desktop.control.trigger(Action.IGNORE_SPACE)
    assert "Whitespace ignored" in desktop.panes.pages.step.diff.headings.texts()[1]
    desktop.press(Qt.Key.Key_U)
    assert desktop.control.actions.reason(Action.IGNORE_SPACE) == "Available only in the side-by-side view."
    desktop.press(Qt.Key.Key_U)
    desktop.settle()
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    desktop.press(Qt.Key.Key_Return, Qt.KeyboardModifier.ControlModifier | Qt.KeyboardModifier.ShiftModifier)
    assert bench.read("one.txt").splitlines()[15] == "    line 16"
