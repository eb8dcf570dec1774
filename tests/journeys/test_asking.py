"""An agent that is asked from the window: what it says is read there, what it writes is decided there."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from studio.engine.session import SessionState
from studio.ui.widgets import Label
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.tools.sandboxed import opened, python_words

SDK_AGENT = Path(__file__).parents[1] / "doors/acp/sdk_agent.py"


def ask(person: Person, *acts: dict[str, Any], words: str = "") -> None:
    """Say it in the panel: to a new agent by its command, or to the one that is there."""
    panel = person.panes.dock.agents
    if not panel.isVisible():
        person.press("Alt+4")
    if words:
        line = panel.choice.lineEdit()
        assert line is not None
        person.click_on(line)
        person.press("Ctrl+A")
        person.type(words)
    person.click_on(panel.field)
    person.type(json.dumps(acts))
    if words:
        person.click("agent-ask")
    else:
        person.press("Ctrl+Return")
    wait_for(lambda: not panel.field.toPlainText(), "the prompt to be taken")


def wait_until_read(person: Person, words: str) -> None:
    view = person.panes.dock.agents.view
    wait_for(lambda: words in view.toPlainText(), f"“{words}” in what was said")


def test_an_agent_in_the_sandbox_works_unasked_and_goes_on_after_an_apply(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing of it reaches the disk before a person says so, and what it did is one plan."""
    opened(harbour.root).close()
    words = shlex.join([*python_words(monkeypatch), str(SDK_AGENT), "name=qwen-code", "mode=yolo"])
    person = desktop.open(harbour.root)
    ask(person, {"say": "x"}, words="/nowhere/agent")
    person.wait_until_said("it can't be started")
    panel = person.panes.dock.agents
    wait_for(lambda: panel.field.toPlainText() == json.dumps([{"say": "x"}]), "the words to come back")
    panel.field.clear()
    assert not panel.network.isEnabled() and not panel.login.isEnabled()
    person.click("agent-sandbox")
    assert panel.network.isEnabled() and panel.login.isEnabled()
    put = {"put": ["one.txt", lines_with(l5="five")]}
    ask(person, put, {"ask": {"kind": "execute", "title": "Run it"}}, words=words)
    wait_until_read(person, "Run it: allowed in the sandbox")
    wait_until_read(person, "(version 1) has the agent's changes so far")
    state = panel.findChild(Label, "agent-state")
    assert state is not None
    wait_for(
        lambda: "Protected. It runs in the sandbox; its changes do not reach the project." in state.text(),
        f"the worth of its gate, not {state.text()}",
    )
    ask(person, {"put": ["new.txt", "new\n"]})
    wait_until_read(person, "(version 2) has the agent's changes so far")
    wait_for(lambda: person.desk.queue.plans[0].version == 2, "the next version in the queue")
    [plan] = person.desk.queue.plans
    assert harbour.untouched() and {step.path for step in plan.steps} == {"one.txt", "new.txt"}
    person.click_step(plan.id)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 2 files")
    assert harbour.read("one.txt") == lines_with(l5="five")
    wait_until_read(person, "The agent was stopped because a plan is being applied to this project.")
    ask(person, {"see": "new.txt"})
    wait_until_read(person, "see: new")
    assert panel.view.toPlainText().count(" started.") == 2, "in the same conversation"
    person.window.close()
    person = desktop.open(harbour.root)
    person.press("Alt+4")
    panel = person.panes.dock.agents
    line = panel.choice.lineEdit()
    assert line is not None
    person.click_on(line)
    person.press("Ctrl+A")
    person.type(words)
    wait_for(panel.sandbox.isChecked, "the place that this program worked in")
    wait_for(
        lambda: panel.conversations.session and panel.conversations.session.state is SessionState.GONE,
        "its end",
    )
    ask(person, {"see": "one.txt"})
    anew = "does not know the earlier conversation"
    wait_for(lambda: panel.view.toPlainText().count(anew) == 2, "another start")
    wait_for(lambda: "see: line 1" in panel.view.toPlainText(), "what it sees")
