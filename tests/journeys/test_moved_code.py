"""Code that a plan moves is shown as moved, says where to, and leads there."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QColor, QCursor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from studio.ui.actions.action import Action
from studio.ui.diff.model.cells import Side
from studio.ui.look.theme import color
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

FUNCTION = "def average(numbers):\n    total = sum(numbers)\n    return total / len(numbers)\n"


def ground_of(person: Person, side: Side, line: int) -> QColor:
    """The colour behind the end of a line (from 1), where no code stands."""
    canvas = person.panes.pages.step.diff.canvas
    pane = canvas.panes()[0 if side is Side.BASE else -1]
    image = canvas.viewport().grab().toImage()
    return image.pixelColor(pane.code_left + pane.code_width - 3, middle_of(person, side, line))


def middle_of(person: Person, side: Side, line: int) -> int:
    canvas = person.panes.pages.step.diff.canvas
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(side, line - 1)
    assert row is not None
    return layout.top(row) - canvas.view_lines()[0] + layout.row_height(row) // 2


def test_both_ends_are_marked_named_and_lead_to_each_other(harbour: Harbour, desktop: Desktop) -> None:
    one, two = lines_with(l3="THREE"), lines_with(l5="FIVE")
    harbour.write("one.txt", one + FUNCTION)
    harbour.write("two.txt", two)
    harbour.propose("Move it", one_txt=one + "new\n", two_txt=FUNCTION.replace("def", "  def") + two)
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    canvas = person.panes.pages.step.diff.canvas
    last = one.count("\n")
    wait_for(lambda: bool(canvas.moved), "what moved to be found")
    assert ground_of(person, Side.BASE, last + 2) == color("infoBg")
    assert ground_of(person, Side.RESULT, last + 1) == color("addBg"), "that line is new"
    place = QPoint(canvas.panes()[0].code_left + 40, middle_of(person, Side.BASE, last + 2))
    person.hover(canvas.viewport(), place)
    QCursor.setPos(canvas.viewport().mapToGlobal(place))
    shown = QHelpEvent(QEvent.Type.ToolTip, place, canvas.viewport().mapToGlobal(place))
    QApplication.sendEvent(canvas.viewport(), shown)
    assert "moved to two.txt:1" in QToolTip.text()
    person.press("M")
    person.wait_for_step(2)
    wait_for(lambda: canvas.place_in_hand() == (Side.RESULT, 0), "the other end")
    assert ground_of(person, Side.RESULT, 3) == color("infoBg")
    person.press("M")
    person.wait_for_step(1)
    wait_for(lambda: canvas.place_in_hand() == (Side.BASE, last), "the end where it was")

    assert not person.desk.can(Action.OTHER_END)
    person.press("E")
    wait_for(lambda: person.sees("result-editor"), "the editor")
    assert person.desk.can(Action.OTHER_END) == "Finish or close the editor first."
    person.press("Ctrl+Home")
    person.type("mine")
    person.press("Ctrl+Return")
    wait_for(lambda: person.desk.edited.current is not None, "the edited result")
    person.wait_for_step(1)
    assert not canvas.moved, "lines of a result that a person wrote stand elsewhere"
    assert person.desk.can(Action.OTHER_END) == "No code in this file is known to have moved."
    person.click("strip-drop_edit")
    wait_for(lambda: bool(canvas.moved), "the marks of the proposal to come back")
