"""Changed words beyond the edge of a long line: an arrow says so, and going to the change shows them."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QColor, QCursor, QHelpEvent, QImage
from PySide6.QtWidgets import QApplication, QToolTip

from studio.ui.diff.model.cells import Side
from studio.ui.look.theme import color
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

WORDS = " ".join(f"word{number}" for number in range(200))


def edge_height(person: Person, line: int) -> int:
    """Where a line of the result (from 1) begins in the view."""
    canvas = person.panes.pages.step.diff.canvas
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, line - 1)
    assert row is not None
    return layout.top(row) - canvas.view_lines()[0] + 1


def edge_of(person: Person, line: int, *, right: bool) -> QColor:
    """The colour at the edge of the right pane beside a line of the result (from 1)."""
    canvas = person.panes.pages.step.diff.canvas
    pane = canvas.panes()[-1]
    image: QImage = canvas.viewport().grab().toImage()
    x = pane.code_left + pane.code_width - 2 if right else pane.code_left + 1
    return image.pixelColor(x, edge_height(person, line))


def test_an_arrow_stands_where_words_are_hidden_and_the_change_comes_into_view(
    harbour: Harbour, desktop: Desktop
) -> None:
    harbour.write("one.txt", lines_with(l3=WORDS, l30="short"))
    harbour.propose("One", one_txt=lines_with(l3=WORDS.replace("word150", "WORD150"), l30="shore"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    canvas = person.panes.pages.step.diff.canvas
    assert canvas.horizontalScrollBar().value() == 0
    mark = color("addWord")
    wait_for(lambda: edge_of(person, 3, right=True) == mark, "an arrow at the right edge")
    assert edge_of(person, 3, right=False) != mark
    person.press("Alt+Down")
    wait_for(lambda: person.panes.pages.step.diff.current_hunk() == 2, "the second change")
    assert canvas.horizontalScrollBar().value() == 0, "it is in view already"
    person.press("Alt+Up")
    wait_for(lambda: canvas.horizontalScrollBar().value() > 500, "the words to come into view")
    wait_for(lambda: edge_of(person, 3, right=True) != mark, "no arrow any more")
    canvas.horizontalScrollBar().setValue(canvas.horizontalScrollBar().maximum())
    wait_for(lambda: edge_of(person, 3, right=False) == mark, "an arrow at the left edge")
    place = QPoint(canvas.panes()[-1].code_left + 40, edge_height(person, 3))
    person.hover(canvas.viewport(), place)
    there = canvas.viewport().mapToGlobal(place)
    QCursor.setPos(there)
    QApplication.sendEvent(canvas.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, there))
    wait_for(lambda: QToolTip.text().startswith("Changed at columns 1,"), "the place in the line")
    QToolTip.hideText()
    person.press("Alt+Down")
    wait_for(lambda: canvas.horizontalScrollBar().value() == 0, "the short line's words")
    assert harbour.read("two.txt") == lines_with()
