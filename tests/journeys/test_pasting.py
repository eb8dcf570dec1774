"""The Paste page by hand: a text, who proposed it, and the format it is to be read in."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QMimeData, QUrl
from PySide6.QtGui import QGuiApplication

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.ui.shell.test_paste import COPY, drop

TWO_FORMATS = """--- a/one.txt
+++ b/one.txt
@@ -1,2 +1,2 @@
-line 1
+first
 line 2

two.txt
<<<<<<< SEARCH
line 5
=======
fifth
>>>>>>> REPLACE
"""


def found(person: Person) -> str:
    return person.find("paste-found").text()


def test_a_text_is_typed_named_and_read_in_the_format_that_is_chosen(
    harbour: Harbour, desktop: Desktop, tmp_path: Path
) -> None:
    """From an empty clipboard to bytes on disk; what fits no format says why, by line."""
    person = desktop.open(harbour.root)
    QGuiApplication.clipboard().clear()
    person.click_on(person.panes.pages.empty.paste)
    assert person.find("paste-text").hasFocus(), "there is nothing to look at yet"
    assert not person.sees("paste-steps"), "an empty table"
    person.type("Please")
    wait_for(
        lambda: "Could not be parsed as unified: Line 1: This line belongs to no" in found(person),
        "why it is no diff",
    )
    assert "Could not be parsed as search-replace: Line 1: The text has no " in found(person)
    assert not person.find("paste-propose").isEnabled()

    file = tmp_path / "two.txt"
    file.write_text(TWO_FORMATS)
    dropped = QMimeData()
    dropped.setUrls([QUrl.fromLocalFile(str(file))])
    drop(person.window, dropped, COPY)
    wait_for(lambda: "several formats" in found(person), "that it could be either")
    assert not person.desk.queue.plans, "a dropped file is only shown"
    assert person.find("paste-text").toPlainText() == TWO_FORMATS

    choice = person.find("paste-format")
    choice.setFocus()
    while choice.currentText() != "search-replace":
        person.press("Down")
    person.click_on(person.find("paste-agent"))
    person.type("cod")
    person.press("End")
    person.click_on(person.find("paste-title"))
    person.type("The fifth")
    person.press("Escape")
    assert person.sees("paste-pane"), "Esc leaves the field first"
    wait_for(lambda: found(person) == "Parsed as search-replace.", "the chosen format")
    person.click("paste-propose")
    person.wait_for_step(1)
    plan = person.desk.queue.plans[0]
    assert (plan.title, plan.agent, plan.format) == ("The fifth", "codex", "search-replace")
    assert [step.path for step in plan.steps] == ["two.txt"]
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file")
    assert harbour.read("two.txt") == lines_with(l5="fifth")
