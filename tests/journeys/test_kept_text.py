"""A text that was begun in an editor and left with Esc: shown, asked about, and never lost or overlooked."""

from __future__ import annotations

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def type_in_editor(person: Person, words: str) -> None:
    """E, and typing at the beginning of the file."""
    person.wait_until_on("edit")
    person.press("E")
    wait_for(lambda: person.focused().objectName() == "result-text", "the editor")
    person.press("Ctrl+Home")
    person.type(words)


def apply(person: Person) -> None:
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file")


def test_it_outlives_the_window_and_is_put_on_a_file_that_moved_on(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Typed, the window closed at once; the file changes; the step is rebased; then the text is used."""
    harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    type_in_editor(person, "mine ")
    person.window.close()
    again = desktop.open(harbour.root)
    again.wait_for_step(1)
    assert again.sees("strip-use_text")
    harbour.write("two.txt", lines_with(l30="theirs"))
    wait_for(lambda: again.sees("strip-rebase"), "the stale step")
    assert "The text you began for it is kept." in again.panes.pages.step.strip.words.text()
    again.click("strip-rebase")
    wait_for(lambda: again.sees("strip-use_text"), "the strip about the kept text")
    assert "put on it as it is now" in again.panes.pages.step.strip.words.text()
    again.click("strip-use_text")
    wait_for(lambda: again.find("step-approve_step").text() == "Approve edited", "the text in use")
    again.wait_for_step(1)
    again.press("A")
    apply(again)
    assert harbour.read("two.txt") == "mine " + lines_with(l5="changed 5", l30="theirs")
