"""Long lines beyond the edge of the diff, and white space left out of what is shown as changed."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QCursor, QHelpEvent
from PySide6.QtWidgets import QApplication, QToolTip

from studio.ui.diff.model.cells import LineState

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown

LINES = [f"line {number}" for number in range(1, 41)]


def changed(**lines: str) -> bytes:
    """The usual forty lines: `l3="text"` replaces line 3."""
    texts = [lines.get(f"l{number}", line) for number, line in enumerate(LINES, start=1)]
    return "".join(f"{text}\n" for text in texts).encode()


def test_an_arrow_stands_where_words_are_hidden_and_the_change_comes_into_view(shown: Shown) -> None:
    words = " ".join(f"word{number}" for number in range(200))
    shown.show(changed(l3=words, l30="short"), changed(l3=words.replace("word150", "WORD150"), l30="shore"))
    canvas, bar = shown.view.canvas, shown.view.canvas.horizontalScrollBar()
    pane = canvas.panes()[-1]

    def has_arrow(*, right: bool) -> bool:
        x = pane.code_left + (pane.code_width - 2 if right else 1)
        return shown.is_token(shown.picture().pixelColor(x, shown.row_of("result", 3) + 1), "addWord")

    assert bar.value() == 0 and has_arrow(right=True) and not has_arrow(right=False)
    shown.view.next_change()
    shown.settle()
    assert (shown.view.current_hunk(), bar.value()) == (2, 0), "it is in view already"
    shown.view.previous_change()
    shown.settle()
    assert bar.value() > 500 and not has_arrow(right=True), "the words came into view"
    bar.setValue(bar.maximum())
    assert has_arrow(right=False)
    place = QPoint(pane.code_left + 40, shown.row_of("result", 3) + 1)
    there = canvas.viewport().mapToGlobal(place)
    QCursor.setPos(there)
    QApplication.sendEvent(canvas.viewport(), QHelpEvent(QEvent.Type.ToolTip, place, there))
    assert QToolTip.text().startswith("Changed columns: 1,")
    QToolTip.hideText()
    shown.view.next_change()
    shown.settle()
    assert bar.value() == 0, "the words of the short line"


def test_lines_that_differ_in_white_space_alone_look_unchanged(shown: Shown) -> None:
    """A real change, three of white space alone in one hunk, a letter that became another one."""
    result = changed(l3="three", l16="    line 16", l17="line1 7", l18="l i n e 18 ", l30="line 3O")
    shown.show(changed(), result)
    view = shown.view

    def looks() -> int:
        layout = view.canvas.layout_
        assert layout is not None
        cells = [layout.row(index).right for index in range(layout.rows)]
        return sum(cell is not None and cell.state is not LineState.PLAIN for cell in cells)

    assert looks() == 5
    view.toggle_ignored_space()
    shown.settle()
    assert looks() == 2
    assert view.headings.texts()[1].startswith("Whitespace ignored · After this step")
    view.next_change()
    assert view.current_hunk() == 3, "the next change that shows anything"
    view.previous_change()
    assert view.current_hunk() == 1
    view.set_mode("unified")
    shown.settle()
    assert looks() == 5, "where both versions of a line stand, both are shown"
