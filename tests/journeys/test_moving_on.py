"""From change to change across files, from plan to plan, and only this hunk or line, by keys and presses."""

from __future__ import annotations

from contextlib import closing

from PySide6.QtCore import QPoint, QRect

from studio.engine.plan import PlanState
from studio.formats import detect
from studio.ui.diff.model.cells import Side
from studio.workspace import Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def stands_on(person: Person, step: int, hunk: int) -> None:
    wait_for(lambda: person.place[1] == step, f"step {step}")
    wait_for(lambda: person.panes.pages.step.diff.current_hunk() == hunk, f"change {hunk} of step {step}")


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


def test_from_change_to_change_and_plan_to_plan_and_only_chosen_lines_are_written(
    harbour: Harbour, desktop: Desktop
) -> None:
    """A refused plan is in a folded group, never gone to by itself, until a person dismisses it."""
    with closing(Workspace.open(harbour.root)) as workspace:
        bad = workspace.proposer.propose(detect.read(b"--- a/two.txt\n+++ b/two.txt\n@@ -x +1 @@\n+a\n")).id
    one = harbour.propose_three("One")
    two = harbour.propose("Two", one_txt=lines_with(l9="nine"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    group = person.panes.queue.closed
    assert group.is_folded and group.header.detail.shown_text() == "1"
    assert [each.id for each in person.panes.queue.model.plans] == [one, two]
    for step, hunk in ((1, 2), (2, 1), (3, 1)):
        person.press("Alt+Down")
        stands_on(person, step, hunk)
        person.wait_for_step(step)
    for step, hunk in ((2, 1), (1, 2), (1, 1)):
        person.click("diff-previous-change")
        stands_on(person, step, hunk)
        person.wait_for_step(step)
    person.press("Alt+Up")
    person.wait_until_said("This is the first change.")
    person.press("A")
    person.wait_for_step(2)
    person.press("Ctrl+Down")
    wait_for(lambda: person.place == (two, 1), "the second plan")
    person.press("Ctrl+Down")
    person.wait_until_said("This is the last plan.")
    person.press("Ctrl+Up")
    wait_for(lambda: person.place == (one, 2), "the first plan, at what is still to decide")
    assert harbour.untouched()

    plan = harbour.propose("Lines", one_txt=lines_with(l3="a", l4="b", l5="c", l6="d", l30="z"))
    wait_for(lambda: person.panes.queue.model.index_of(plan).isValid(), "the third plan")
    person.click_step(plan, 1)
    person.wait_for_step(1)
    current = person.desk.choices
    person.press("L")
    wait_for(lambda: person.panes.pages.step.diff.lines_hunk() == 1, "the lines of the hunk")
    press_line_box(person, 4)
    wait_for(lambda: current.current[1] is not True, "one line left out")
    press_line_box(person, 6, shift=True)
    wait_for(lambda: current.current[1] is True, "all of the range taken in again")
    press_line_box(person, 4, shift=True)
    wait_for(lambda: current.current[1] == frozenset(range(1, 6)), "three lines left out")
    person.press("Shift+X")
    wait_for(lambda: current.current[2] is False, "the other hunk left out")
    only = current.current[1]
    assert isinstance(only, frozenset) and len(only) == 1
    person.press("L")
    person.press("Alt+Down")
    stands_on(person, 1, 2)
    person.press("Shift+X")
    wait_for(lambda: dict(current.current) == {1: False, 2: True}, "the second hunk alone")
    person.press("Shift+X")
    wait_for(lambda: not current.current.named, "all of them")
    person.press("Alt+Up")
    stands_on(person, 1, 1)
    person.press("L")
    wait_for(lambda: person.panes.pages.step.diff.lines_hunk() == 1, "the lines of the hunk")
    press_line_box(person, 4)
    wait_for(lambda: person.find("step-approve_step").text() == "Approve part", "the button's new name")
    person.wait_for_step(1)
    person.click("step-approve_step")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    assert harbour.read("one.txt").splitlines()[2:6] == ["a", "c", "d", "line 7"], "the new line 4 is out"
    assert harbour.agent.states(plan) == ["applied"]

    person.click_on(group.unfold)
    wait_for(lambda: not group.is_folded, "the group unfolded")
    group.view.setCurrentIndex(group.model.index_of(bad))
    assert person.place == (bad, None)
    told = person.find("plan-refused").accessibleDescription()
    assert told.startswith("Line 3: This hunk header can't be read."), told
    person.wait_until_on("dismiss")
    person.click("plan-dismiss")
    person.wait_until_said("Dismissed")
    wait_for(group.isHidden, "no group")
    with closing(Workspace.open(harbour.root)) as workspace:
        shown = workspace.proposer.plan(bad)
    assert shown.state is PlanState.DISMISSED and shown.dismissal is not None
    assert (shown.dismissal.was, shown.dismissal.seen.value) == (PlanState.INVALID, "window")
