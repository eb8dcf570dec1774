"""A result is edited in the lines of the aligned diff: what is typed stands beside what was."""

from __future__ import annotations

from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QInputMethodEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.canvas.inline_editor import Typing
from studio.ui.diff.model.cells import LineState, Side
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def opened(desktop: Desktop, harbour: Harbour) -> tuple[Person, DiffCanvas]:
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.wait_until_on("edit")
    return person, person.panes.pages.step.diff.canvas


def typing_of(person: Person) -> Typing:
    return person.panes.pages.step.editor.typing


def go_to(person: Person, plan: str) -> None:
    """Go to the first step of a plan that came, and wait until it can be edited."""
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.wait_until_on("edit")


def right_line(canvas: DiffCanvas, line: int) -> str:
    """What the right side shows at a line (from 1), "" where it has no such line yet."""
    layout = canvas.layout_
    assert layout is not None
    lines = layout.diff.result_lines
    return lines[line - 1].decode(errors="replace") if line <= len(lines) else ""


def wait_for_line(canvas: DiffCanvas, line: int, text: str) -> None:
    wait_for(lambda: right_line(canvas, line) == text, f"line {line} to be {text!r}")


def point_at(canvas: DiffCanvas, line: int, character: int) -> QPoint:
    """The left edge of a character of a line of the result (from 1)."""
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, line - 1)
    assert row is not None
    cell = layout.row(row).right
    assert cell is not None
    drawn = canvas.drawn_line(cell, layout.row(row).pair)
    x = canvas.panes()[-1].code_left + round(drawn.position_of(drawn.shown.column_of(character))[0])
    return QPoint(x + 1, layout.top(row) - canvas.view_lines()[0] + layout.row_height(row) // 2)


def press_twice(person: Person, canvas: DiffCanvas, line: int, character: int) -> None:
    handle = person.window.windowHandle()
    assert handle is not None
    place = canvas.viewport().mapTo(person.window, point_at(canvas, line, character))
    QTest.mouseDClick(handle, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, place)


def test_what_is_typed_after_a_double_click_is_written_also_beside_wide_letters_and_in_one_column(
    harbour: Harbour, desktop: Desktop
) -> None:
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person, canvas = opened(desktop, harbour)
    press_twice(person, canvas, 5, 7)
    wait_for(lambda: person.focused() is typing_of(person).field, "the keyboard in the lines")
    assert typing_of(person).field.textCursor().positionInBlock() == 7
    person.press("End")
    person.type(" by me")
    wait_for_line(canvas, 5, "changed 5 by me\n")
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, 4)
    assert row is not None
    shown = layout.row(row)
    assert shown.left is not None and shown.left.line == 4 and shown.left.state is LineState.REMOVED, (
        "aligned"
    )
    assert canvas.own == ((4, 1),), "marked as a person's"
    person.press("Return")
    person.type("and one more")
    wait_for_line(canvas, 6, "and one more\n")
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, 6)
    assert row is not None and layout.row(row).left == layout.row(row).left
    left = layout.row(row).left
    assert left is not None and left.line == 5, "the lines below stand beside their own again"
    person.press("Ctrl+Return")
    wait_for(lambda: person.find("step-approve_step").text() == "Approve as edited", "the button's new name")
    person.wait_for_step(1)
    assert canvas.own == ((4, 2),)
    person.click("step-approve_step")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file")
    assert harbour.read("two.txt") == lines_with(l5="changed 5 by me\nand one more")
    assert harbour.agent.json("show", plan)["steps"][0]["decision"]["edited"] is True

    long = " ".join(f"word{number}" for number in range(120))
    harbour.write("one.txt", lines_with(l4="\N{GRINNING FACE} smile", l6=long))
    wide = harbour.propose("Wide", one_txt=lines_with(l4="\N{GRINNING FACE} smiles", l6=long))
    go_to(person, wide)
    typing = typing_of(person)
    person.press("E")
    wait_for(lambda: typing.is_open, "the editor")
    person.click_on(canvas.viewport(), point_at(canvas, 4, 2))
    person.type("big ")
    wait_for_line(canvas, 4, "\N{GRINNING FACE} big smiles\n")
    person.press("Down")
    person.press("Down")
    person.press("End")
    wait_for(lambda: canvas.wraps, "wrapped lines")
    caret = typing.caret_rect()
    assert caret is not None and canvas.viewport().rect().contains(caret)
    person.type("!")
    wait_for_line(canvas, 6, long + "!\n")
    person.panes.pages.step.diff.set_mode("unified")
    person.type("?")
    wait_for_line(canvas, 6, long + "!?\n")
    caret = typing.caret_rect()
    assert caret is not None and canvas.viewport().rect().contains(caret)


def test_typing_by_caret_clipboard_input_method_and_find_follows_chosen_lines_and_the_file(
    harbour: Harbour, desktop: Desktop
) -> None:
    """The keyboard in the lines of a plan with one changed line; then two that are left out above the line
    that is pressed, which are not in the text."""
    harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person, canvas = opened(desktop, harbour)
    person.press("E")
    typing, strip = typing_of(person), person.panes.pages.step.editor
    wait_for(lambda: typing.is_open and typing.caret_rect() is not None, "the caret")
    caret = typing.caret_rect()
    assert caret is not None
    place = caret.adjusted(3, 0, 40, 0)
    before = canvas.viewport().grab(place).toImage()
    QApplication.sendEvent(typing.field, QInputMethodEvent("\u306b\u307b", []))
    wait_for(lambda: canvas.viewport().grab(place).toImage() != before, "the letters")
    assert right_line(canvas, 5) == "changed 5\n", "they are seen before they are text"
    done = QInputMethodEvent()
    done.setCommitString("\u65e5\u672c")
    QApplication.sendEvent(typing.field, done)
    wait_for_line(canvas, 5, "\u65e5\u672cchanged 5\n")
    person.press("Home")
    person.type("arxz")
    wait_for_line(canvas, 5, "arxz\u65e5\u672cchanged 5\n")
    assert person.desk.queue.plans[0].steps[0].decision is None
    person.press("Ctrl+F")
    person.type("arxz")
    count = person.panes.bars.find_bar.count
    wait_for(lambda: count.text() == "1 of 1", "what was typed to be found")
    person.press("Escape")
    wait_for(lambda: person.focused() is typing.field, "the keyboard to come back")
    person.click_on(canvas.viewport(), point_at(canvas, 8, 3))
    cursor = typing.field.textCursor()
    assert (cursor.blockNumber(), cursor.positionInBlock()) == (7, 3)
    caret = typing.caret_rect()
    assert caret is not None and abs(caret.left() + 1 - point_at(canvas, 8, 3).x()) <= 1
    assert caret.contains(QPoint(caret.left(), point_at(canvas, 8, 3).y()))
    press_twice(person, canvas, 8, 1)
    assert typing.field.textCursor().selectedText() == "line"
    person.press("Ctrl+C")
    assert QGuiApplication.clipboard().text() == "line"
    person.press("Ctrl+Shift+F")
    search = person.panes.dock.search
    wait_for(lambda: search.field.text() == "line", "the words that are selected")
    typing.field.setFocus()
    person.type("row")
    wait_for_line(canvas, 8, "row 8\n")
    person.press("Ctrl+Z")
    wait_for_line(canvas, 8, "line 8\n")
    person.press("Ctrl+Home")
    assert typing.field.line_and_character(typing.field.textCursor().position()) == (0, 0)
    person.press("PageDown")
    line, _ = typing.field.line_and_character(typing.field.textCursor().position())
    assert 5 < line < 40
    caret = typing.caret_rect()
    assert caret is not None and canvas.viewport().rect().contains(caret)
    person.press("Ctrl+End")
    person.type("last")
    wait_for_line(canvas, 41, "last")
    caret = typing.caret_rect()
    assert caret is not None and canvas.viewport().rect().contains(caret)
    person.press("Escape")
    wait_for(lambda: not person.sees("result-editor"), "the editor to close")
    person.wait_for_step(1)
    layout = canvas.layout_
    assert layout is not None and layout.diff.result.decode() == lines_with(l5="changed 5"), "the proposal"
    assert canvas.own == ()
    assert harbour.untouched()

    go_to(person, harbour.propose("Two places", two_txt=lines_with(l3="line 3\none\ntwo", l30="thirty")))
    (harbour.root / "old.txt").write_bytes("gr\u00fcn\n".encode("windows-1252"))
    old = harbour.propose("Old", old_txt="gr\u00fcner\n")
    person.press("X")
    wait_for(lambda: person.desk.choices.current.named == {1: False}, "the first hunk left out")
    person.wait_until_on("edit")
    canvas.go_to_line(Side.RESULT, 31)
    press_twice(person, canvas, 32, 2)
    wait_for(lambda: typing.is_open, "the editor")
    cursor = typing.field.textCursor()
    assert (cursor.block().text(), cursor.positionInBlock()) == ("thirty", 2)
    person.press("End")
    person.type(" mine")
    wait_for_line(canvas, 30, "thirty mine\n")
    harbour.write("two.txt", lines_with(l20="theirs"))
    wait_for(lambda: strip.done.toolTip().startswith("The file changed"), "it is told")
    person.type(" still")
    wait_for_line(canvas, 30, "thirty mine still\n")
    person.press("Escape")
    plan = person.desk.queue.current_plan
    assert plan is not None and plan.title == "Two places"
    wait_for(lambda: person.desk.edit_drafts.has(plan, plan.steps[0]), "what was typed to be kept")

    go_to(person, old)
    person.press("E")
    wait_for(lambda: typing.is_open, "the editor")
    typing.field.insertPlainText("\u2192")
    wait_for(lambda: "does not exist in windows-1252" in strip.says(), "the sentence")
    wait_for(lambda: right_line(canvas, 1).startswith("?"), "a mark in its place")
