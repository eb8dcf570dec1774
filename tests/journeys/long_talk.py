"""A long talk with an agent in the panel: whatever happens on the way, what was decided is what becomes."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from studio.engine.plan import PersonSource, Plan, PlanState, StepState
from studio.engine.session import CallState, EventKind, SessionState
from studio.ui.actions.action import Action
from studio.workspace import Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import LINES, NAMES, Harbour

SDK_AGENT = Path(__file__).parents[1] / "doors/acp/sdk_agent.py"
COMMAND = (sys.executable, str(SDK_AGENT), "name=qwen-code", "mode=default", "loads=1")
_WRITTEN_AT_ONCE = 500
_LINES_OF_A_TURN = 60
_REASON = "Not this line."


def write_messages(root: Path, count: int) -> None:
    """A session with so many things said and done, whose agent is gone; the panel takes it up."""
    workspace = Workspace.open(root)
    proposer = workspace.proposer
    session = proposer.open_session("qwen-code", "acp", name="session-1")
    began = {"title": "Qwen Code", "version": "1.2", "command": list(COMMAND), "mode": "default"}
    events: list[tuple[EventKind, dict[str, Any]]] = [(EventKind.BEGAN, {**began, "resumed": False})]
    events += [_said(number) for number in range(count)]
    events.append((EventKind.ENDED, {"reason": ""}))
    for start in range(0, len(events), _WRITTEN_AT_ONCE):
        proposer.record(session, events[start : start + _WRITTEN_AT_ONCE])
    proposer.close_session(session)
    workspace.close()


def _said(number: int) -> tuple[EventKind, dict[str, Any]]:
    match number % 10:
        case 0:
            return EventKind.PROMPT, {"text": f"Prompt {number}, and a few more words of a person."}
        case 5:
            title = f"Edit {number}"
            return EventKind.TOOL, {"tool": title, "title": title, "kind": "edit", "status": "done"}
        case 6:
            return EventKind.NOTICE, {"text": f"Notice {number}", "is_bad": False}
        case _:
            return EventKind.MESSAGE, {"text": f"Message {number}: " + "word " * 60}


class LongTalk:
    """A person, the panel and the agent; what is decided is kept beside, to be compared at the end."""

    def __init__(
        self, harbour: Harbour, desktop: Desktop, opened: Callable[[], object] = lambda: None
    ) -> None:
        """`opened` is called before its window is closed, and when another one is open."""
        self._harbour, self._desktop, self._opened = harbour, desktop, opened
        self.person = desktop.open(harbour.root)
        self.person.control.trigger(Action.ASK_AGENT)
        self.number = 0
        self._prompts: list[str] = []
        self._files = {name: "".join(LINES) for name in NAMES}
        self._decided: dict[str, StepState] = {}
        self._calls: list[CallState] = []
        self._turns = (
            self._approved,
            self._rejected,
            self._in_part,
            self._allowed,
            self._denied,
            self._stopped,
            self._stopped_while_it_waits,
            self._killed,
            self._closed_and_opened,
            self._changed_meanwhile,
        )

    def turn(self) -> str:
        """The next turn; what happened in it."""
        happens = self._turns[self.number % len(self._turns)]
        self.number += 1
        happens()
        return happens.__name__.strip("_")

    # What a person does

    def _ask(self, *acts: dict[str, Any]) -> None:
        """Say it to the agent that is there, or to the one that is gone, which goes on then."""
        self._send({"say": f"Turn {self.number} begins."}, *acts, {"say": f"Turn {self.number} ends."})

    def _send(self, *acts: dict[str, Any]) -> None:
        panel = self.person.panes.dock.agents
        told = json.dumps(acts)
        wait_for(lambda: not panel.conversations.why_not(), "an agent that can be asked")
        self.person.click_on(panel.field)
        self.person.type(told)
        self.person.press("Ctrl+Return")
        self._prompts.append(told)
        try:
            wait_for(lambda: not panel.field.toPlainText(), "the prompt to be taken", 60)
        except AssertionError as error:
            focus, left = self.person.focused().objectName(), panel.field.toPlainText()
            raise AssertionError(
                f"focus: {focus}, in the field: {left!r}, {panel.conversations.why_not()}"
            ) from error

    def _read(self, words: str) -> None:
        """Wait until that stands behind the last prompt."""
        prompt = f'"Turn {self.number} begins."'

        def stands_there() -> bool:
            _, found, behind = self._end_of_text().rpartition(prompt)
            return bool(found) and words in behind

        wait_for(stands_there, f"“{words}” in {prompt}")

    def _end_of_text(self) -> str:
        """What a turn may have said; all of it would hold the window up that is measured here."""
        document = self.person.panes.dock.agents.view.document()
        count = document.blockCount()
        numbers = range(max(0, count - _LINES_OF_A_TURN), count)
        return "\n".join(document.findBlockByNumber(number).text() for number in numbers)

    def _until_quiet(self) -> None:
        panel = self.person.panes.dock.agents
        wait_for(
            lambda: panel.conversations.process and not panel.conversations.process.is_in_turn,
            "the end of the turn",
        )

    def _asked_to_change(self, name: str, *lines: int) -> str:
        """The plan that comes of it; each line says the number of the turn."""
        changes = [[f"line {line}\n", f"{self._new(line)}\n"] for line in lines]
        self._ask({"edit": [name, *changes]})
        wait_for(self._undecided, "the plan")
        (plan,) = self._undecided()
        self.person.click_step(plan, 1)
        self.person.wait_for_step(1)
        if self.person.sees("revised-strip"):  # after a plan for the same file that was rejected
            self.person.press("V")
        return plan

    def _undecided(self) -> list[str]:
        return [plan.id for plan in self.person.desk.queue.plans if plan.state is PlanState.PENDING]

    def _new(self, line: int) -> str:
        return f"turn {self.number}, line {line}"

    def _line(self) -> int:
        """A line that no other turn touches."""
        return self.number + 1

    def _expect(self, plan: str, state: StepState, name: str = "", *lines: int) -> None:
        self._decided[plan] = state
        for line in lines:
            self._files[name] = self._files[name].replace(f"line {line}\n", f"{self._new(line)}\n")

    def _approve_and_apply(self) -> None:
        self.person.click("step-approve_step")
        self.person.wait_until_on("apply")
        self.person.click("toolbar-apply")
        wait_for(lambda: not self._undecided() and not self.person.desk.guards.busy, "the plan to be written")

    def _reject(self) -> None:
        self.person.press("R")
        wait_for(lambda: self.person.focused().objectName() == "reason-editor", "the editor of the reason")
        self.person.type(_REASON)
        wait_for(self.person.panes.pages.step.reason.reject.isEnabled, "Reject step to be on")
        self.person.press("Ctrl+Return")
        wait_for(lambda: not self._undecided(), "the plan to be rejected")

    # The turns

    def _approved(self) -> None:
        plan = self._asked_to_change("one.txt", self._line())
        self._approve_and_apply()
        self._expect(plan, StepState.APPLIED, "one.txt", self._line())
        self._read("ends.say: done")

    def _rejected(self) -> None:
        plan = self._asked_to_change("two.txt", self._line())
        self.person.click_on(self.person.panes.pages.step.diff.canvas.viewport())
        self._reject()
        self._expect(plan, StepState.REJECTED)
        self._read(_REASON)
        self._read("ends.say: done")

    def _in_part(self) -> None:
        """The first hunk is left out."""
        second = self._line() + 15
        plan = self._asked_to_change("three.txt", self._line(), second)
        self.person.click_hunk_box(1)
        button = self.person.find("step-approve_step")
        wait_for(lambda: button.text() == "Approve part", "the button's new name")
        self.person.wait_for_step(1)
        self._approve_and_apply()
        self._expect(plan, StepState.APPLIED, "three.txt", second)
        self._read("ends.say: done")

    def _allowed(self) -> None:
        self._ask({"ask": {"kind": "execute", "title": "make", "raw_input": {"command": "make"}}})
        self.person.click("call-allow")
        self._calls.append(CallState.ALLOWED)
        self._read("ask: allow_once")
        self._read("ends.say: done")

    def _denied(self) -> None:
        self._ask({"ask": {"kind": "execute", "title": "rm", "raw_input": {"command": "rm x"}}})
        self.person.click_on(self.person.find("call-reason"))
        self.person.type("No.")
        self.person.click("call-deny")
        self._calls.append(CallState.DENIED)
        self._read("ask: reject_once")
        self._read("ends.say: done")

    def _stopped(self) -> None:
        """The turn, and a prompt that waits behind it."""
        self._ask({"wait": 1})
        self._read("begins.say: done")
        self._send()
        self.person.click("agent-stop")
        self._read("Turn ended: cancelled\nYou: []\nTurn ended: cancelled")

    def _stopped_while_it_waits(self) -> None:
        plan = self._asked_to_change("one.txt", self._line())
        self.person.click("agent-stop")
        self._read("Turn ended: cancelled")
        self._approve_and_apply()
        self._expect(plan, StepState.APPLIED, "one.txt", self._line())

    def _killed(self) -> None:
        self._ask({"die": 1})
        self._read("The agent exited: it ended by signal 9")
        wait_for(lambda: self.person.panes.dock.agents.conversations.process is None, "its process to go")

    def _closed_and_opened(self) -> None:
        """The agent hears nothing any more; its plan waits, and so does what was said."""
        plan = self._asked_to_change("two.txt", self._line())
        self._opened()
        self.person.window.close()
        self.person = self._desktop.open(self._harbour.root)
        self._opened()
        assert self._undecided() == [plan]
        self.person.control.trigger(Action.ASK_AGENT)
        talks = self.person.panes.dock.agents.conversations
        wait_for(lambda: talks.session and talks.session.state is SessionState.GONE, "its end")
        self._read("Plan ")
        self.person.click_step(plan, 1)
        self.person.wait_for_step(1)
        self._approve_and_apply()
        self._expect(plan, StepState.APPLIED, "two.txt", self._line())

    def _changed_meanwhile(self) -> None:
        plan = self._asked_to_change("three.txt", self._line())
        rest = self._files["three.txt"].partition("\n")[2]
        self._files["three.txt"] = f"mine {self.number}\n{rest}"
        self._harbour.write("three.txt", self._files["three.txt"])
        wait_for(lambda: self.person.desk.rebase.staleness is not None, "the stale step looked at")
        self.person.click("strip-discard_stale")
        self._expect(plan, StepState.REJECTED)
        self._read("ends.say: done")

    # The end

    def check(self) -> None:
        """Nothing is lost, and nothing was decided that nobody decided."""
        assert {name: self._harbour.read(name) for name in NAMES} == self._files
        workspace = Workspace.open(self._harbour.root)
        try:
            plans = workspace.proposer.plans()
            assert {plan.id: [step.state for step in plan.steps] for plan in plans} == {
                plan: [state] for plan, state in self._decided.items()
            }
            assert all(_was_clicked(plan) for plan in plans)
            assert [call.state for call in workspace.proposer.calls()] == self._calls
            (session,) = workspace.proposer.sessions()
            prompts, messages = _said_in(workspace, session.id)
        finally:
            workspace.close()
        assert prompts[-len(self._prompts) :] == self._prompts
        for number in range(1, self.number + 1):
            assert messages.count(f"Turn {number} begins.") == 1, number


def _was_clicked(plan: Plan) -> bool:
    """Each decision is one of the person in the window."""
    return all(step.decision is not None and step.decision.seen is PersonSource.WINDOW for step in plan.steps)


def _said_in(workspace: Workspace, session: str) -> tuple[Sequence[str], str]:
    """All prompts, and all that the agent said as one text."""
    prompts: list[str] = []
    messages: list[str] = []
    number = 0
    while events := workspace.proposer.events(session, number):
        number = events[-1].number
        prompts += [event.fields["text"] for event in events if event.kind is EventKind.PROMPT]
        messages += [event.fields["text"] for event in events if event.kind is EventKind.MESSAGE]
    return prompts, "".join(messages)
