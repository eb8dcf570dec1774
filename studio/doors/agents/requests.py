"""Approval of an agent's file changes and tool calls in a conversation.

A request becomes a plan or a tool call. The agent itself never writes: what a person approved is written
here. What its model could not be sent at once is sent with the next prompt.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from studio.doors import gate
from studio.doors.gate import ConversationGate, GateAnswer, PendingMessages
from studio.doors.shell_tools import Request
from studio.doors.tool_draft import PathConverter
from studio.engine import PlanDraft, Session
from studio.errors import StudioError
from studio.program.log_file import LOGGER, log_file
from studio.workspace import Workspace

Write = Callable[[str], None]
"""Shows a piece of output of the agent; it is not escaped."""


class TurnEnd(Enum):
    """How a turn ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Conversation(Protocol):
    """A conversation with one agent in a project.

    Each method raises AgentFailed where the agent fails.
    """

    def begin(self) -> None:
        """Start it behind the gate."""
        ...

    def turn(self, prompt: str) -> TurnEnd:
        """Send a prompt and answer the agent's requests until it is done."""
        ...


class AgentRequests:
    """Requests of one agent, named `title`, in a project.

    `called_off` ends each wait for a person.
    """

    def __init__(
        self, workspace: Workspace, session: Session, write: Write, title: str, called_off: threading.Event
    ) -> None:
        self.untold = PendingMessages()
        self.workspace = workspace
        self.session = session
        self.write = write
        self._title = title
        self._gate = ConversationGate(workspace, session, lambda text: write(f"{text}\n"), called_off)
        self.plans = self._gate.plans
        """The ids of all plans that the agent proposed."""
        root = workspace.root_path
        self.places = PathConverter((root, root.resolve()), str(root))

    def change(self, draft: PlanDraft) -> str:
        """Propose a file change, wait, and return the report for the model.

        The report is "" where no one decided.
        """
        plan = self._gate.change(draft)
        if plan.state.is_decided:
            return gate.plan_report(self.workspace, plan)
        self.untold.add_plan(plan)
        notice = f"{self._title} gets the decision with the next prompt."
        self.write(f"Plan {plan.short_id} is still waiting for review; {notice}\n")
        return ""

    def answer_request(self, request: Request) -> GateAnswer:
        """Return the verdict on a tool call, queueing any plan's report.

        The verdict is a person's, or follows from the user's settings.
        """
        asks = f"{self._title} asks for approval of {request.tool}: {request.command}"
        word = self._gate.answer_request(request, asks)
        if word.plan is not None:
            self.untold.add_plan(word.plan)
        return word

    def take_messages(self) -> list[str]:
        """Return the queued messages for the model."""
        return self.untold.take_messages(self.workspace)

    def error_message(self, error: Exception) -> str:
        """Return the text for the model where its request failed.

        The request must then have no effect.
        """
        if isinstance(error, StudioError):
            return f"Exacta Studio stopped this: {error.message} {error.hint}"
        LOGGER.error("a request of %s failed", self._title, exc_info=error)
        return f"Exacta Studio stopped this: Something went wrong. The details are in {log_file()}."
