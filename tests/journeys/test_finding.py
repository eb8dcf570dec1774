"""Ctrl+F on whatever page, while agents go on: what is typed next is looked for, and nothing else."""

from __future__ import annotations

import json

from studio.engine.plan import StepState
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with


def test_what_is_typed_into_the_find_field_is_no_command(harbour: Harbour, desktop: Desktop) -> None:
    """The page of a mode has no lines; "a" approved it, and the rest of the word ran as commands."""
    file = harbour.texts / "mode.json"
    file.write_text(
        json.dumps({"title": "M", "steps": [{"op": "mode", "path": "one.txt", "executable": True}]})
    )
    plan = harbour.agent.submit(file, "Mode")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Ctrl+F")
    field = person.find("find-field")
    wait_for(lambda: person.focused() is field, "the cursor in the field")
    bars = person.panes.bars
    wait_for(lambda: bars.find_bar.count.text() == "Nothing to search on this page", "the sentence")
    person.type("a v")
    second = harbour.propose("Lines", two_txt=lines_with(l5="changed 5"))
    person.wait_until_said("1 new plan arrived.")
    person.type(" r y x")
    assert person.focused() is field
    assert field.text() == "a v r y x"
    assert person.desk.queue.plans[0].steps[0].state is StepState.PENDING
    assert not person.desk.viewed.marks
    person.press("Escape")
    wait_for(lambda: not person.sees("find-bar"), "the bar to close")
    person.click_step(second, 1)
    person.wait_for_step(1)
    person.press("Ctrl+F")
    person.type("changed")
    wait_for(lambda: bars.find_bar.count.text() == "1 of 1", "the place")
    person.press("Escape")
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file of “Lines”.")
    assert harbour.read("two.txt") == lines_with(l5="changed 5")
    assert harbour.agent.states(plan) == ["pending"]
