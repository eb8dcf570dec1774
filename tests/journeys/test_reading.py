"""Reading a diff closely: wrapping, a line by its number, the diff as one text."""

from __future__ import annotations

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with


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
