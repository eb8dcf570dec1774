"""What every conversation with an agent does about its wishes: a plan or a call, and what its model is told.

A change is never the agent's to make: what a person approved was written here. What its model could not be
told at once it is told with the next prompt.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from enum import Enum
from typing import Protocol

from studio.doors import gate
from studio.doors.gate import Request, TalkGate, Word
from studio.doors.places import Places
from studio.doors.untold import Untold
from studio.engine.draft import PlanDraft
from studio.engine.errors import StudioError
from studio.engine.plan import DECIDED_STATES
from studio.engine.proposer import Session
from studio.engine.workspace import LOGGER, Workspace, log_file

Write = Callable[[str], None]
"""Shows a piece of text as it comes: what the agent says, and what it does; it is not escaped."""


class TurnEnd(Enum):
    """How a turn ended."""

    COMPLETED = "completed"
    FAILED = "failed"
    INTERRUPTED = "interrupted"


class Conversation(Protocol):
    """A talk with one agent in a project; each method raises AgentFailed where that ends."""

    def begin(self) -> None:
        """Start it behind the gate."""
        ...

    def turn(self, prompt: str) -> TurnEnd:
        """Give the agent a prompt, and answer what it asks until it is done."""
        ...


class Wishes:
    """What one agent, called `title`, wants in a project; `called_off` ends each wait for a person."""

    def __init__(
        self, workspace: Workspace, session: Session, write: Write, title: str, called_off: threading.Event
    ) -> None:
        self.untold = Untold()
        self.workspace = workspace
        self.session = session
        self.write = write
        self._title = title
        self._gate = TalkGate(workspace, session, lambda text: write(f"{text}\n"), called_off)
        self.plans = self._gate.plans
        """The ids of all plans that it proposed."""
        root = workspace.root_path
        self.places = Places((root, root.resolve()), str(root))

    def change(self, draft: PlanDraft) -> str:
        """A change of files, waited for: what the model is told of it, "" where nobody decided it."""
        plan = self._gate.change(draft)
        if plan.state in DECIDED_STATES:
            return gate.told_of(self.workspace, plan)
        self.untold.add_plan(plan)
        told = f"{self._title} is told with the next prompt."
        self.write(f"Plan {plan.short_id} still waits for a person; {told}\n")
        return ""

    def word(self, request: Request) -> Word:
        """A person's word, or what the user's settings say; of a plan that comes of it its model hears."""
        asks = f"{self._title} asks a person for {request.tool}: {request.command}"
        word = self._gate.word(request, asks)
        if word.plan is not None:
            self.untold.add_plan(word.plan)
        return word

    def news(self) -> list[str]:
        """What the model was not told yet."""
        return self.untold.take(self.workspace)

    def why_not(self, error: Exception) -> str:
        """What the model is told where its wish could not be met: nothing may be done because of it."""
        if isinstance(error, StudioError):
            return f"Exacta Studio stopped this: {error.message} {error.hint}"
        LOGGER.error("a request of %s failed", self._title, exc_info=error)
        return f"Exacta Studio stopped this: Something went wrong. The details are in {log_file()}."
