"""Reading a diff closely: single lines, wrapping, a line by its number, the diff as one text."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def click_line_box(person: Person, side: str, line: int) -> None:
    """Press the check box of a changed line (from 1) while lines are chosen."""
    from studio.ui.diff.model.cells import Side

    canvas = person.panes.pages.step.diff.canvas
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side(side), line - 1)
    assert row is not None
    pane = canvas.panes()[1 if side == "result" else 0].with_boxes()
    box = pane.choice_box(layout.top(row) - canvas.view_lines()[0], canvas.painter_metrics().line_height)
    person.click_on(canvas.viewport(), box.center())


def test_a_single_line_left_out_by_its_box_is_not_written(harbour: Harbour, desktop: Desktop) -> None:
    """L, the box of one line, Approve part, Apply: the file holds the other lines and the old one."""
    plan = harbour.propose("Two lines", one_txt=lines_with(l3="changed 3", l4="changed 4"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    canvas = person.panes.pages.step.diff.canvas
    person.click_on(canvas.viewport(), QPoint(120, 60))
    person.press("L")
    wait_for(lambda: canvas.lines_hunk == 1, "the check boxes")
    click_line_box(person, "result", 4)
    wait_for(lambda: person.find("step-approve_step").text() == "Approve part", "the button's new name")
    click_line_box(person, "base", 4)
    person.wait_for_step(1)
    person.click("step-approve_step")
    person.wait_until_on("apply")
    shown = harbour.agent.json("show", plan)["steps"][0]["hunks"]
    assert [hunk["chosen"] for hunk in shown] == [[1, 3]]
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file of “Two lines”.")
    assert harbour.read("one.txt") == lines_with(l3="changed 3")
    person.click("status-undo")
    person.wait_until_said("Rolled back 1 file of “Two lines”.")
    assert harbour.untouched()


def test_lines_are_chosen_by_keys_alone(harbour: Harbour, desktop: Desktop) -> None:
    """Enter, L, down, X: an added line stays out."""
    harbour.propose("One more line", one_txt=lines_with(l3="line 3\nmore 1\nmore 2"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Return")
    person.press("L")
    canvas = person.panes.pages.step.diff.canvas
    wait_for(lambda: canvas.lines_hunk == 1, "the check boxes")
    person.press("Down")
    person.press("X")
    wait_for(lambda: person.find("step-approve_step").text() == "Approve part", "the button's new name")
    person.press("L")
    wait_for(lambda: canvas.lines_hunk == 0, "the boxes to go")
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file of “One more line”.")
    assert harbour.read("one.txt") == lines_with(l3="line 3\nmore 1")


def test_a_long_file_is_read_by_keys_and_decided_nowhere(harbour: Harbour, desktop: Desktop) -> None:
    """Wrap, go to a line, read it as text, come back to the same place; nothing is decided by any of it."""
    long = " ".join(f"word{number}" for number in range(200))
    plan = harbour.propose("Long lines", one_txt=lines_with(l3=long, l30="changed 30"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Return")
    diff = person.panes.pages.step.diff
    person.press("Alt+Z")
    wait_for(diff.wrap, "wrapped lines")
    person.press("Ctrl+G")
    wait_for(lambda: person.focused().objectName() == "go-field", "the field for the number")
    person.type("30")
    person.press("Return")
    wait_for(lambda: not person.sees("go-bar"), "the strip to close")
    person.press("F7")
    wait_for(lambda: person.focused().objectName() == "diff-text", "the text")
    person.press("Alt+Down")
    wait_for(lambda: diff.current_hunk() == 2, "the second change")
    assert diff.text.textCursor().block().text() == "-    30 line 30"
    person.press("Down")
    assert diff.text.textCursor().block().text() == "+    30 changed 30"
    person.press("Escape")
    wait_for(lambda: not diff.is_text(), "rows again")
    assert diff.current_hunk() == 2
    assert harbour.agent.states(plan) == ["pending"]
    assert harbour.untouched()
