"""Sandbox of a session, shared by its commands and its file tool.

The store stays the truth about what the session proposed: a sandbox is used only as long as its plans are as
its last call left them. After a decision or an apply the next command gets a new one, which has the results
of the plans that are still open.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager

from msgspec.structs import replace

from studio.engine.filesystem import BackedFilesystem
from studio.engine.plan import ACTIVE_PLAN_STATES, Plan, PlanState
from studio.engine.project.context import Context
from studio.engine.propose.session_files import SessionFiles
from studio.engine.propose.session_view import unwritten_steps
from studio.engine.proposer import Proposer
from studio.engine.session import Session
from studio.errors import Refused, StudioError
from studio.extras.commands.messages import outcome_sentence, output_of
from studio.extras.commands.run import changes_of
from studio.extras.commands.trials import Trials
from studio.extras.sandbox import Command, Outcome, Sandbox
from studio.extras.tools.written_changes import write_changes
from studio.system.closing import Closing


class SessionSandbox(Closing):
    """One sandbox for a session's commands and file tool; thread-safe.

    What the one writes the other reads, and all of it is the session's plan. It is created by the first
    command. Between two calls the project is not locked.
    """

    def __init__(self, context: Context, session: Session, create: Callable[[], Sandbox]) -> None:
        self._context, self._session, self._create = context, session, create
        self._proposer = Proposer(context)
        self._lock = threading.RLock()
        self._sandbox: Sandbox | None = None
        self._plans: frozenset[str] = frozenset()
        self._seen: object = None
        self._shown, self._message = "", ""

    @contextmanager
    def files(self) -> Generator[BackedFilesystem | None]:
        """Yield the sandbox's files for one call; None without one.

        Calls of other threads wait meanwhile.
        """
        with self._lock, self._using(creates=False) as sandbox:
            yield None if sandbox is None else sandbox.filesystem

    def write(self, overlay: SessionFiles) -> Plan | None:
        """Write an overlay's changes to the sandbox, and propose them.

        Raises Refused where a part is refused: then nothing is written.
        """
        assert self._sandbox is not None
        steps = overlay.changes()
        for problem in (problem for step in steps for problem in step.problems):
            raise Refused(problem.code, problem.message, problem.hint)
        if not steps:
            return None
        write_changes(self._sandbox.filesystem, steps, backups=(), at_most=sys.maxsize)
        overlay.close()
        overlay.renew()
        return self._propose(self._sandbox, {path for step in steps for path in (step.path, step.to) if path})

    def run(
        self, command: Command, shown: str, cancel: threading.Event | None = None
    ) -> tuple[Outcome, Plan | None]:
        """Run a command, and propose its changes with those of the session.

        `shown` is the command as displayed. Raises as `Workspace.sandbox` and `Sandbox.run`.
        """
        with self._lock, self._using(creates=True) as sandbox:
            assert sandbox is not None
            outcome = sandbox.run(command, cancel=cancel)
            self._shown = shown
            self._message = f"{outcome_sentence(outcome, shown)}\n\n{output_of(outcome)}"
            return outcome, self._propose(sandbox)

    def include_plans(self) -> None:
        """Put what the session proposed otherwise into the sandbox, within `files`."""
        if self._sandbox is not None:
            self._add_plans(self._sandbox)

    def close(self) -> None:
        """Discard the sandbox; the session's plans stay."""
        with self._lock:
            self._discard()

    @contextmanager
    def _using(self, *, creates: bool) -> Generator[Sandbox | None]:
        """Lock the project for one call, and yield the current sandbox."""
        if self._sandbox is not None:
            try:
                is_current = self._sandbox.resume() and self._seen == self._read_plans()
            except StudioError:
                self._discard()
                raise
            if not is_current:
                self._discard()
        if self._sandbox is None and creates:
            self._sandbox = self._open()
        try:
            yield self._sandbox
        finally:
            if self._sandbox is not None:
                self._sandbox.pause()

    def _open(self) -> Sandbox:
        self._proposer.refresh()
        sandbox = self._create()
        try:
            self._add_plans(sandbox)
        except BaseException:
            sandbox.close()
            raise
        return sandbox

    def _add_plans(self, sandbox: Sandbox) -> None:
        plans = self._active_plans()
        sandbox.filesystem.overlay(Trials(self._context).session_files(plans))
        self._plans = frozenset(plan.id for plan in plans)
        self._seen = self._read_plans()

    def _active_plans(self) -> tuple[Plan, ...]:
        return self._context.store.plans.find_by_session(self._session.id, ACTIVE_PLAN_STATES)

    def _propose(self, sandbox: Sandbox, written: set[str] | None = None) -> Plan | None:
        plans = self._active_plans()
        proposed = {path for plan in plans for step in unwritten_steps(plan) for path in step.written_paths}
        found = changes_of(sandbox, self._shown, self._message)
        wanted = frozenset(proposed | (written or set()))
        is_current = self._seen == self._read_plans()
        plan = self._proposer.propose_layer(replace(found, plans=self._plans, wanted=wanted), self._session)
        # After a decision while the command ran, the next call needs a new sandbox.
        self._seen = self._read_plans() if is_current else None
        return plan

    def _read_plans(self) -> object:
        """Return what shows whether anyone changed the session's plans."""
        plans = self._context.store.plans.find_by_session(self._session.id, PlanState)
        return [(plan.id, plan.version, plan.state, [step.state for step in plan.steps]) for plan in plans]

    def _discard(self) -> None:
        sandbox, self._sandbox = self._sandbox, None
        if sandbox is not None:
            sandbox.close()
