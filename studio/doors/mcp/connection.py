"""One client's connection: its project, its session, and which plans are its own (design 7)."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from studio.engine.errors import NotFound, Refused, UsageError
from studio.engine.names import show_name

if TYPE_CHECKING:
    from studio.doors.chosen_project import ChosenProject
    from studio.engine.plan import Plan
    from studio.engine.proposer import Proposer, Session
    from studio.engine.workspace import Workspace

DOOR: Final = "mcp"


@dataclass(frozen=True, slots=True)
class Opened:
    """The project that a connection works on, why it is that one, and the session in which it does."""

    workspace: Workspace
    chosen: ChosenProject
    session: Session

    @property
    def proposer(self) -> Proposer:
        return self.workspace.proposer


class ServedClient:
    """What the calls of one client have in common; any thread may use it.

    Project and session are opened by the first call that needs them, and by the next one where that failed:
    so a client that only looks at the list of tools is no session, and one whose project can't be opened is
    told so where its model reads it.
    """

    def __init__(self, open_project: Callable[[], tuple[Workspace, ChosenProject]], agent: str) -> None:
        self._open_project = open_project
        self._agent = agent
        self._lock = threading.Lock()
        self._opened: Opened | None = None
        self._found_again: set[str] = set()

    def enter(self, client: str) -> Opened:
        """The project and the session; `client` is what the client calls itself.

        Raises as `Workspace.open` and `Proposer.open_session`.
        """
        with self._lock:
            if self._opened is None:
                workspace, chosen = self._open_project()
                try:
                    session = workspace.proposer.open_session(self._agent or client or DOOR, DOOR)
                except BaseException:
                    workspace.close()
                    raise
                self._opened = Opened(workspace, chosen, session)
            return self._opened

    def end_call(self) -> None:
        """Close what the calling thread has open: the next call may come on any other."""
        if self._opened is not None:
            self._opened.workspace.close_thread()

    def close(self) -> None:
        """End the session and close the project; what was proposed stays."""
        with self._lock:
            opened, self._opened = self._opened, None
        if opened is None:
            return
        try:
            opened.proposer.close_session(opened.session)
        finally:
            opened.workspace.close()

    def remember(self, plan: Plan) -> None:
        """Let the client ask about a plan that its proposal was answered with, also where another session
        proposed the very same before."""
        with self._lock:
            self._found_again.add(plan.id)

    def plan(self, opened: Opened, prefix: str) -> Plan:
        """One of its own plans, by its id or the beginning of it. Raises NotFound for any other."""
        with suppress(NotFound, UsageError):
            plan = opened.proposer.plan(prefix)
            if plan.session == opened.session.id or plan.id in self._found_again:
                return plan
        raise NotFound(
            "plan.not_found",
            f"No plan that you proposed here begins with {show_name(prefix)}.",
            "Give the whole id that the proposal was answered with.",
        )

    def withdraw(self, opened: Opened, plan: Plan) -> Plan:
        """Withdraw a plan. Raises Refused for one that another session proposed, else as
        `Proposer.withdraw`."""
        if plan.session != opened.session.id:
            raise Refused(
                "plan.not_yours",
                f"“{show_name(plan.title)}” was proposed by another session first.",
                "Leave it to the person who decides it.",
            )
        return opened.proposer.withdraw(plan.id)
