"""What a person works out on a step, in the real window: edits, comments, notes, the reply to the agent."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

from PySide6.QtWidgets import QApplication

from studio.ui.diff.model.cells import Side
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import PROCESS_SECONDS, Person


def open_editor(person: Person) -> None:
    person.wait_until_on("edit")
    person.press("E")
    wait_for(lambda: person.focused().objectName() == "result-text", "the editor")


def comment_on(person: Person, line: int, text: str) -> None:
    """Press a line of the result, C, and type."""
    person.click_line(Side.RESULT, line)
    person.press("C")
    wait_for(lambda: person.focused().objectName() == "comment-editor", "the comment's editor")
    person.type(text)
    person.press("Ctrl+Return")
    wait_for(lambda: not person.sees("comment-strip"), "the comment's banner to close")


def test_the_reply_says_what_was_left_out_and_why_and_is_pasted_as_a_plan_like_any_other(
    harbour: Harbour, desktop: Desktop
) -> None:
    """N, X, A, Y: note and left-out hunk come back to the agent as text with a diff that applies."""
    harbour.propose("Two places", one_txt=lines_with(l3="changed 3", l30="changed 30"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Alt+Down")
    person.press("X")
    person.press("N")
    wait_for(lambda: person.focused().objectName() == "note-text", "the note")
    person.type("line 30 stays")
    person.press("Ctrl+Return")
    wait_for(lambda: person.focused().objectName() != "note-text", "the keyboard back in the diff")
    person.wait_for_step(1)
    person.press("A")
    person.wait_until_on("apply")
    person.press("Y")
    person.wait_until_said("Copied the reply for claude-code.")
    reply = QApplication.clipboard().text()
    assert "Step 1, one.txt: approved in part.\nNote: line 30 stays\nHunk 2 of 2 excluded.\n" in reply
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 1 file")
    assert harbour.read("one.txt") == lines_with(l3="changed 3")
    diff = reply[reply.index("diff --git") :]
    subprocess.run(["git", "apply", "--check", "-"], input=diff, cwd=harbour.root, text=True, check=True)

    plans = len(harbour.agent.json("plans")["plans"])
    QApplication.clipboard().setText(diff)
    person.press("Ctrl+Shift+V")
    wait_for(lambda: person.sees("paste-pane"), "what was understood")
    assert len(harbour.agent.json("plans")["plans"]) == plans, "nothing is stored before the person says so"
    person.click("paste-propose")
    person.wait_for_step(1)
    person.click("step-approve_step")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    wait_for(lambda: len(person.history_states()) == 2, "the pasted plan in the history")
    assert harbour.read("one.txt") == lines_with(l3="changed 3", l30="changed 30")


_KILLED = """
import os, signal, sys
from pathlib import Path
from PySide6.QtWidgets import QApplication
import asyncio, qasync
from tests.journeys import test_working as story
from tests.journeys.desktop import Desktop
app = QApplication([])
loop = qasync.QEventLoop(app)
asyncio.set_event_loop(loop)
person = Desktop(app, loop).open(Path(sys.argv[1]))
story.work_half(person)
os.kill(os.getpid(), signal.SIGKILL)
"""


def work_half(person: Person) -> None:
    """Everything a person can have begun on two steps."""
    person.wait_for_step(1)
    comment_on(person, 3, "Why twice?")
    person.press("X")
    person.press("V")
    person.press("N")
    wait_for(lambda: person.focused().objectName() == "note-text", "the note")
    person.type("a note")
    person.press("Ctrl+Return")
    wait_for(lambda: person.focused().objectName() != "note-text", "the keyboard back in the diff")
    person.press("R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the reason")
    person.type("half a rea")
    wait_for(person.panes.pages.step.reason.is_stored, "the pause after typing")
    person.press("Escape")
    person.press("J")
    person.wait_for_step(2)
    open_editor(person)
    person.press("Ctrl+Home")
    person.type("begun ")
    wait_for(person.panes.pages.step.editor.is_stored, "the pause after typing")
    wait_for(person.desk.project.unsent.is_stored, "the store")


def test_a_kill_loses_nothing_that_was_begun(harbour: Harbour, desktop: Desktop) -> None:
    """Step, reason, note, comment, choice, edit and viewed mark are there again after SIGKILL."""
    plan = harbour.propose_three()
    killed = subprocess.Popen([sys.executable, "-c", _KILLED, str(harbour.root)], env=os.environ)
    wait_for(lambda: killed.poll() is not None, "the process to be killed", PROCESS_SECONDS)
    assert killed.returncode == -signal.SIGKILL

    person = desktop.open(harbour.root)
    person.wait_for_step(2)
    person.press("K")
    person.wait_for_step(1)
    desk = person.desk
    assert [comment.text for comment in desk.comments.current] == ["Why twice?"]
    assert desk.choices.current == {1: False, 2: True}
    assert desk.project.unsent.text(desk.queue.draft_key("note")) == "a note"
    assert person.panes.facts.note.edit.toPlainText() == "a note"
    assert desk.viewed.has(desk.queue.plans[0], desk.queue.plans[0].steps[0])
    person.press("R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the reason")
    assert person.panes.pages.step.reason.editor.toPlainText() == "half a rea"
    person.press("Escape")
    person.press("J")
    person.wait_for_step(2)
    open_editor(person)
    assert person.panes.pages.step.editor.field.text().startswith("begun line 1\n")
    assert harbour.agent.states(plan) == ["pending"] * 3
