"""White space left out of what is shown: it is said, the next change goes past it, the step stays whole."""

from __future__ import annotations

from studio.ui.actions.action import Action
from studio.ui.diff.model.cells import Look
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def looks(person: Person) -> list[Look]:
    """How the lines on the right look that do not look unchanged."""
    layout = person.panes.pages.step.diff.canvas.layout_
    assert layout is not None
    cells = [layout.row(index).right for index in range(layout.rows)]
    return [cell.look for cell in cells if cell is not None and cell.look is not Look.PLAIN]


def test_lines_that_differ_in_white_space_alone_look_unchanged_and_are_written(
    harbour: Harbour, desktop: Desktop
) -> None:
    """A real change, three of white space alone in one hunk, a letter that became another one."""
    result = lines_with(l3="three", l16="    line 16", l17="line1 7", l18="l i n e 18 ", l30="line 3O")
    plan = harbour.propose("One", one_txt=result)
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    diff = person.panes.pages.step.diff
    assert looks(person) == [Look.ADDED] * 5
    person.press("Alt+W")
    wait_for(lambda: len(looks(person)) == 2, "white space to look unchanged")
    assert diff.headings.texts()[1].startswith("White space left out of what is shown · After this step")
    person.press("Alt+Down")
    wait_for(lambda: diff.current_hunk() == 3, "the next change that shows anything")
    person.press("Alt+Up")
    wait_for(lambda: diff.current_hunk() == 1, "and back past it")
    person.press("U")
    wait_for(lambda: diff.mode() == "unified", "one column")
    assert len(looks(person)) == 5, "where both versions of a line stand, both are shown"
    assert person.control.actions.reason(Action.IGNORE_SPACE) == "Side by side only."
    person.press("U")
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    assert harbour.read("one.txt") == result, "what is not shown goes in all the same"
    assert harbour.agent.states(plan) == ["applied"]
