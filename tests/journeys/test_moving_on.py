"""From change to change across files, from plan to plan, and only this hunk or line, by keys and presses."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect

from studio.ui.diff.model.cells import Side
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def stands_on(person: Person, step: int, hunk: int) -> None:
    wait_for(lambda: person.place[1] == step, f"step {step}")
    wait_for(lambda: person.panes.pages.step.diff.current_hunk() == hunk, f"change {hunk} of step {step}")


def test_the_next_change_after_the_last_is_in_the_next_file(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    for key, step, hunk in (("Alt+Down", 1, 2), ("Alt+Down", 2, 1), ("Alt+Down", 3, 1)):
        person.press(key)
        stands_on(person, step, hunk)
        person.wait_for_step(step)
    person.press("Alt+Down")
    person.wait_until_said("This is the last change.")
    for step, hunk in ((2, 1), (1, 2), (1, 1)):
        person.click("diff-previous-change")
        stands_on(person, step, hunk)
        person.wait_for_step(step)
    person.press("Alt+Up")
    person.wait_until_said("This is the first change.")
    assert harbour.untouched()


def test_from_plan_to_plan_the_first_step_to_decide_comes(harbour: Harbour, desktop: Desktop) -> None:
    one = harbour.propose_three("One")
    two = harbour.propose("Two", one_txt=lines_with(l9="nine"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_for_step(2)
    person.press("Ctrl+Down")
    wait_for(lambda: person.place == (two, 1), "the second plan")
    person.press("Ctrl+Down")
    person.wait_until_said("That was the last plan.")
    person.press("Ctrl+Up")
    wait_for(lambda: person.place == (one, 2), "the first plan, at what is still to decide")


def test_only_this_hunk_goes_in_and_all_come_back(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose("One", one_txt=lines_with(l3="a", l15="b", l30="c"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Alt+Down")
    stands_on(person, 1, 2)
    person.press("Shift+X")
    wait_for(lambda: dict(person.desk.choices.current) == {1: False, 2: True, 3: False}, "the second alone")
    person.press("Shift+X")
    wait_for(lambda: not person.desk.choices.current.named, "all of them")
    person.press("Shift+X")
    wait_for(lambda: person.desk.choices.current.named, "the second alone")
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    assert harbour.read("one.txt") == lines_with(l15="b")
    assert harbour.agent.states(plan) == ["applied"]


def press_line_box(person: Person, line: int, *, shift: bool = False) -> None:
    """Press the box of an added line (from 1)."""
    canvas = person.panes.pages.step.diff.canvas
    layout = canvas.layout_
    assert layout is not None
    row = layout.row_of(Side.RESULT, line - 1)
    assert row is not None
    top = layout.top(row) - canvas.view_lines()[0]
    box: QRect = canvas.panes()[-1].with_boxes().choice_box(top, layout.row_height(row))
    place = canvas.viewport().mapTo(person.window, QPoint(box.center()))
    handle = person.window.windowHandle()
    assert handle is not None
    person.hands.click(handle, place, held="Shift" if shift else "")


def test_a_range_of_lines_is_taken_by_shift_and_a_line_alone_by_keys(
    harbour: Harbour, desktop: Desktop
) -> None:
    harbour.propose("One", one_txt=lines_with(l3="a", l4="b", l5="c", l6="d", l30="z"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("L")
    wait_for(lambda: person.panes.pages.step.diff.lines_hunk() == 1, "the lines of the hunk")
    press_line_box(person, 4)
    wait_for(lambda: person.desk.choices.current[1] is not True, "one line left out")
    press_line_box(person, 6, shift=True)
    wait_for(lambda: person.desk.choices.current[1] is True, "all of the range taken in again")
    press_line_box(person, 4, shift=True)
    wait_for(lambda: person.desk.choices.current[1] == frozenset(range(1, 6)), "three lines left out")
    person.press("Shift+X")
    wait_for(lambda: person.desk.choices.current[2] is False, "the other hunk left out")
    only = person.desk.choices.current[1]
    assert isinstance(only, frozenset) and len(only) == 1
