"""Comments as a list: what was said about a plan's files, round by round, and the way to each line."""

from __future__ import annotations

import json

from studio.ui.actions.action import Action
from studio.ui.diff.model.cells import Side
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_working import comment_on


def listed(person: Person) -> list[tuple[str, ...]]:
    """The rows of the list: where, round, who and what."""
    return [
        tuple(f"{cell.text} {cell.second}".strip() for cell in row.cells)
        for row in person.panes.pages.plan.comments.view.rows.rows
    ]


def test_drafts_and_earlier_rounds_are_threads_that_lead_to_their_lines(
    harbour: Harbour, desktop: Desktop
) -> None:
    first = harbour.propose("Numbers", one_txt=lines_with(l3="three", l30="thirty"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    assert listed(person) == []
    comment_on(person, 3, "Why twice?")
    comment_on(person, 30, "Keep this.")
    wait_for(lambda: len(listed(person)) == 2, "both drafts in the list")
    assert listed(person)[0] == ("one.txt line 3", "1", "You (unsent draft)", "Why twice?")
    assert listed(person)[1] == ("line 30", "1", "You (unsent draft)", "Keep this.")
    person.press("R")
    person.type("See my comments")
    wait_for(person.panes.pages.step.reason.reject.isEnabled, "Reject step to be on")
    person.press("Ctrl+Return")
    wait_for(lambda: harbour.agent.states(first) == ["rejected"], "the rejection")
    steps = [
        {
            "op": "modify",
            "path": "one.txt",
            "content": lines_with(l3="3", l30="line 30"),
            "reason": "Once now.",
        }
    ]
    file = harbour.texts / "second.json"
    file.write_text(json.dumps({"title": "Numbers", "steps": steps}))
    second = harbour.agent.submit(file, "Numbers")
    person.wait_until_said("1 new plan received.")
    person.click_step(second, 1)
    person.wait_for_step(1)
    comment_on(person, 3, "Better.")
    wait_for(lambda: len(listed(person)) == 5, "the thread")
    assert listed(person) == [
        ("one.txt line 3", "1", "You", "Why twice?"),
        ("line 30", "1", "You", "Keep this."),
        ("whole step", "1", "You", "See my comments"),
        ("whole step", "2", "claude-code (reply)", "Once now."),
        ("line 3", "2", "You (unsent draft)", "Better."),
    ]
    person.control.trigger(Action.COMMENTS)
    view = person.panes.pages.plan.comments.view
    wait_for(lambda: person.focused() is view, "the keyboard in the list")
    person.press("End")
    person.press("Return")
    canvas = person.panes.pages.step.diff.canvas
    wait_for(lambda: canvas.clicked_line() == (Side.RESULT, 2), "the line of the draft")
    person.control.trigger(Action.COMMENTS)
    wait_for(view.isVisible, "the list again")
    person.click_row(view, view.rows.index(1, 0))
    past = person.panes.pages.past_plan
    wait_for(lambda: past.isVisible() and past.diff.canvas.clicked_line() == (Side.RESULT, 29), "round 1")
    assert person.desk.queue.current_plan is not None and person.desk.queue.current_plan.id == second
    person.press("Escape")
    wait_for(lambda: person.place == (second, None) and view.isVisible(), "the plan with its comments")
