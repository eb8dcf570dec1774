"""Worker process: runs a sandboxed command, proposes its changes; message types."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection
from pathlib import Path, PurePath
from typing import Final

from msgspec import field

from studio.engine import StepDecision, TrialResults
from studio.errors import StudioError
from studio.extras.agents import NO_LOGINS, Logins
from studio.extras.commands import CommandRun, WouldBe
from studio.extras.sandbox import Command, CopySize, Outcome
from studio.limits import SANDBOX_OUTPUT_BYTES, SANDBOX_WATCHED_SECONDS, TRIAL_OUTPUT_BYTES
from studio.ui.limits import SANDBOX_SHOWN_BYTES
from studio.ui.process_pool import end_with_parent
from studio.values import Value
from studio.workspace import Workspace

_TELL_SECONDS: Final = 0.05
"""Seconds between reports of printed output; more often could not be read."""


class Order(Value):
    """Command to run, optionally on the results of a plan's steps.

    With a `plan`, it runs on the results of some of its `steps`, by `choices` for those that are undecided.
    Its changes are proposed only if `proposes`. `container` is an image or a root folder, "" for none.
    """

    argv: tuple[str, ...]
    network: bool = False
    logins: Logins = NO_LOGINS
    plan: str = ""
    steps: tuple[int, ...] = ()
    choices: Mapping[int, StepDecision] = field(default_factory=dict[int, StepDecision])
    proposes: bool = True
    container: str = ""


class ProposeChanges:
    """Request to propose the changes so far while the command runs."""


class Stop:
    """Request to stop the command."""


class CopyProgress(Value):
    """Report that the project is being copied first."""

    size: CopySize


class CommandStarted(Value):
    """Report that the command has started."""


class CommandOutput(Value):
    """Output since the last report; `dropped` bytes before it were skipped.

    They exceeded what can be shown.
    """

    data: bytes
    dropped: int = 0


class Proposed(Value):
    """Result of a proposal: plan id and version, "" without changes."""

    plan: str
    version: int = 0


class Ended(Value):
    """Outcome of the command; `plan` is the proposed change, "" for none.

    Of a trial, `results` is what it ran on, and `tests` the test files that the plan changes.
    """

    outcome: Outcome
    plan: str
    results: TrialResults | None = None
    tests: tuple[str, ...] = ()


class CommandFailed(Value):
    """Error with message and hint; `is_over`: it is the last report."""

    message: str
    hint: str
    is_over: bool


Asked = ProposeChanges | Stop | None
Said = CopyProgress | CommandStarted | CommandOutput | Proposed | Ended | CommandFailed


def run_next(connection: Connection, root: Path) -> None:
    """Wait for an order, run it, and report its progress.

    The process ends with the command, or with the window.
    """
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is handled by the window's process
    try:
        # Opened in advance, so that a run waits for the sandbox alone.
        with closing(Workspace.open(root)) as workspace:
            order: Order | None = connection.recv()
            if order is not None:
                _Run(connection, workspace, order).run()
    except StudioError as error:
        _send_message(connection, CommandFailed(error.message, error.hint, is_over=True))
    except EOFError:
        return  # the window's process has ended
    except OSError as error:
        _send_message(
            connection,
            CommandFailed(f"The command was not run: {error.strerror}.", "Try again.", is_over=True),
        )


class _Gone(Exception):
    """Raised when the window has gone, or closes the project."""


class _Run:
    def __init__(self, connection: Connection, workspace: Workspace, order: Order) -> None:
        self._connection, self._workspace, self._order = connection, workspace, order
        self._lock = threading.Lock()
        self._printed, self._dropped = bytearray(), 0
        self._cancel = threading.Event()

    def run(self) -> None:
        preview = self._preview_plan()
        overlaid = () if preview is None else preview.overrides
        agent = PurePath(self._order.argv[0]).name
        make = partial(self._workspace.sandbox, lambda size: self._send(CopyProgress(size)))
        try:
            with (
                make(overlaid, container=self._order.container) as sandbox,
                CommandRun(
                    self._workspace.proposer,
                    sandbox,
                    self._command(),
                    agent=agent,
                    heard=self._buffer_output,
                    cancel=self._cancel,
                ) as run,
            ):
                self._send(CommandStarted())
                self._follow(run)
                outcome = run.outcome()
                self._send_printed()
                self._send(self._make_ended(run, outcome, preview))
        except _Gone:
            return

    def _preview_plan(self) -> WouldBe | None:
        if not self._order.plan:
            return None
        return self._workspace.trials.would_be(self._order.plan, self._order.steps, self._order.choices)

    def _command(self) -> Command:
        output_limit = TRIAL_OUTPUT_BYTES if self._order.plan else SANDBOX_OUTPUT_BYTES
        return Command(
            self._order.argv,
            network=self._order.network,
            logins=self._order.logins.paths,
            login_contents=self._order.logins.contents,
            output_bytes=output_limit,
            # A user watches it and can stop it.
            seconds=SANDBOX_WATCHED_SECONDS,
        )

    def _follow(self, run: CommandRun) -> None:
        while not run.wait(_TELL_SECONDS):
            self._send_printed()
            if not self._connection.poll():
                continue
            try:
                request: Asked = self._connection.recv()
            except (EOFError, OSError) as error:
                raise _Gone from error
            if request is None:
                raise _Gone
            if isinstance(request, Stop):
                self._cancel.set()
            else:
                self._preview_result(run)

    def _preview_result(self, run: CommandRun) -> None:
        try:
            plan = run.propose_so_far()
        except StudioError as error:
            self._send(CommandFailed(error.message, error.hint, is_over=False))
        else:
            self._send(Proposed("") if plan is None else Proposed(plan.id, plan.version))

    def _make_ended(self, run: CommandRun, outcome: Outcome, preview: WouldBe | None) -> Ended:
        overlaid = () if preview is None else preview.overlaid_results
        plan = run.propose(overlaid) if self._order.proposes else None
        plan_id = "" if plan is None else plan.id
        if preview is None:
            return Ended(outcome, plan_id)
        return Ended(outcome, plan_id, preview.results, preview.tests)

    def _buffer_output(self, data: bytes) -> None:
        """Buffer output on the command's thread, never waiting for the window."""
        with self._lock:
            self._printed += data
            over = len(self._printed) - SANDBOX_SHOWN_BYTES
            if over > 0:
                del self._printed[:over]
                self._dropped += over

    def _send_printed(self) -> None:
        with self._lock:
            data, dropped = bytes(self._printed), self._dropped
            self._printed.clear()
            self._dropped = 0
        if data:
            self._send(CommandOutput(data, dropped))

    def _send(self, message: Said) -> None:
        try:
            self._connection.send(message)
        except OSError as error:
            raise _Gone from error


def _send_message(connection: Connection, message: Said) -> None:
    try:
        connection.send(message)
    except OSError:
        os._exit(1)
