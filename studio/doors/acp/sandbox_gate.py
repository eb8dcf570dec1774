"""Gate of a sandboxed agent: it allows everything and collects changes.

What the agent does reaches its layer and nothing else. So allowing it is harmless, and its changes are
proposed.
"""

from __future__ import annotations

import threading
from typing import Final, NoReturn

from studio.doors.acp.session_gate import Asked, Permission
from studio.doors.acp.transcript import Transcript
from studio.doors.untold import PendingMessages
from studio.engine.commands import RunningCommand
from studio.engine.errors import Refused, StudioError
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.engine.proposer import Session
from studio.engine.workspace import Workspace

STAYS_IN_FILES: Final = (
    "You work in a sandbox, on a layer over the project: what was not written is still in your files. Change"
    " it there, or take it back."
)
"""Sent to its model with each of its decided plans."""


class SandboxGate:
    """The gate of one sandboxed session, which proposes its layer's changes."""

    def __init__(
        self,
        workspace: Workspace,
        session: Session,
        run: RunningCommand,
        transcript: Transcript,
        untold: PendingMessages,
    ) -> None:
        self.called_off = threading.Event()
        """Set when the turn is stopped."""
        self.plans: list[str] = []
        """The ids of all plans that it proposed."""
        self._workspace, self._session, self._run = workspace, session, run
        self._transcript, self._untold = transcript, untold

    def ask(self, asked: Asked) -> Permission:
        """Allow it once."""
        title = show_name(asked.title or asked.kind)
        self._transcript.notice(f"{title}: allowed, because it is done in the sandbox")
        return Permission.ONCE

    def read(self, *_: object) -> NoReturn:
        """Refuse: the agent sees its own files. Raises Refused."""
        raise _own_files()

    def write(self, *_: object) -> NoReturn:
        """Refuse: the agent writes its own files. Raises Refused."""
        raise _own_files()

    def why_not(self, error: StudioError) -> str:
        """Return the answer to the agent."""
        return f"{error.message} {error.hint}".rstrip()

    def refuse(self, error: StudioError) -> Permission:
        """Report an error to the user and deny the request."""
        self._transcript.notice(self.why_not(error), is_bad=True)
        return Permission.REFUSED

    def propose_current_changes(self) -> None:
        """Propose the agent's changes so far, and report a new plan."""
        self._propose(is_over=False)

    def propose_final_changes(self) -> None:
        """Propose the agent's changes after its end."""
        self._propose(is_over=True)

    def _propose(self, *, is_over: bool) -> None:
        try:
            changes = self._run.changes() if is_over else self._run.changes_so_far()
            plan = self._workspace.proposer.propose_layer(changes, self._session)
        except StudioError as error:
            message = f"What it changed can't be proposed: {self.why_not(error)}"
            self._transcript.notice(message, is_bad=True)
            return
        if plan is not None and not plan.duplicate:
            self._report_plan(plan)

    def _report_plan(self, plan: Plan) -> None:
        if plan.id not in self.plans:
            self.plans.append(plan.id)
        self._untold.add_plan(plan)
        self._transcript.notice(f"Plan {plan.short_id} (version {plan.version}) has what it changed so far.")


def _own_files() -> Refused:
    message = "In the sandbox an agent reads and writes files itself."
    return Refused("acp.own_files", message, "Use your own tools.")
