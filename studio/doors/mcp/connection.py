"""State of one MCP client: project, agent session, access to own plans."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from msgspec import Struct, field

from studio.doors.outcomes import part_sentence
from studio.errors import NotFound, Refused, UsageError
from studio.names import show_name
from studio.values import Value

if TYPE_CHECKING:
    from studio.doors.chosen_project import ChosenProject
    from studio.engine import Plan, Proposer, Session
    from studio.extras.commands import SessionSandbox
    from studio.workspace import Workspace

DOOR: Final = "mcp"


class Opened(Value):
    """The project of a connection, why it was chosen, and its session."""

    workspace: Workspace
    chosen: ChosenProject
    session: Session
    sandbox: SessionSandbox

    @property
    def proposer(self) -> Proposer:
        return self.workspace.proposer


class ClientWait(Struct):
    """State of a tool call while its client waits.

    `cancel` is set when the client gives up, `news` is what its next progress report says.
    """

    cancel: threading.Event = field(default_factory=threading.Event)
    news: str = "Waiting for the reviewer's decision."

    def report(self, plan: Plan) -> None:
        """Report that a part of a plan was written."""
        self.news = part_sentence(plan)


class ServedClient:
    """State shared by the tool calls of one client; thread-safe.

    Project and session are opened by the first tool call that needs them, and by the next one where that
    failed: so a client that only lists the tools makes no session, and an error in opening the project is
    returned where its model reads it.
    """

    def __init__(self, open_project: Callable[[], tuple[Workspace, ChosenProject]], agent: str) -> None:
        self._open_project = open_project
        self._agent = agent
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._remembered_plans: set[str] = set()

    def enter(self, client: str) -> Opened:
        """Return the project and the session, opening them if needed.

        `client` is the client's name for itself. Raises as `Workspace.open` and `Proposer.open_session`.
        """
        with self._lock:
            if self._opened is None:
                workspace, chosen = self._open_project()
                try:
                    session = workspace.proposer.open_session(self._agent or client or DOOR, DOOR)
                except BaseException:
                    workspace.close()
                    raise
                self._opened = Opened(workspace, chosen, session, workspace.session_sandbox(session))
            return self._opened

    def close_call(self) -> None:
        """Close the calling thread's handles; another may serve the next call."""
        if self._opened is not None:
            self._opened.workspace.close_thread()

    def close(self) -> None:
        """End the session and close the project; its plans stay."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is None:
            return
        try:
            opened.sandbox.close()
            opened.proposer.close_session(opened.session)
        finally:
            opened.workspace.close()

    def remember(self, plan: Plan) -> None:
        """Allow the client to ask about a plan that its proposal returned.

        Another session may have proposed the very same before.
        """
        with self._lock:
            self._remembered_plans.add(plan.id)

    def plan(self, opened: Opened, prefix: str) -> Plan:
        """Return one of the client's own plans by id or prefix.

        One that an earlier server proposed for this agent is its session's from now on. Raises NotFound for
        any other.
        """
        with suppress(NotFound, UsageError):
            plan = opened.proposer.plan(prefix)
            if plan.session == opened.session.id or plan.id in self._remembered_plans:
                return plan
            earlier = opened.proposer.adopt(plan.id, opened.session)
            if earlier is not None:
                return earlier
        raise NotFound(
            "plan.not_found",
            f"None of your plans has an id that starts with {show_name(prefix)}.",
            "Use the full id from the response to your proposal.",
        )

    def withdraw(self, opened: Opened, plan: Plan) -> Plan:
        """Withdraw a plan.

        Raises Refused for one that another session proposed, else as `Proposer.withdraw`.
        """
        if plan.session != opened.session.id:
            raise Refused(
                "plan.not_yours",
                f"“{show_name(plan.title)}” was proposed by another session first.",
                "Leave it to the reviewer.",
            )
        return opened.proposer.withdraw(plan.id)
