"""The process beside the window in which a command is run in the sandbox: what that takes costs no frame."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from pathlib import Path, PurePath
from typing import Final

from studio.engine.commands import CommandRun, WouldBe
from studio.engine.errors import StudioError
from studio.engine.limits import (
    SANDBOX_OUTPUT_BYTES,
    SANDBOX_SHOWN_BYTES,
    SANDBOX_WATCHED_SECONDS,
    TRIAL_OUTPUT_BYTES,
)
from studio.engine.logins import NO_LOGINS, Logins
from studio.engine.plan import StepDecision
from studio.engine.sandbox import Command, CopySize, Outcome
from studio.engine.trial import Results
from studio.engine.workspace import Workspace
from studio.ui.worker_process import end_with_parent

_TELL_SECONDS: Final = 0.05
"""How often the window is told what was printed: more often nobody could read it."""


@dataclass(frozen=True, slots=True)
class Order:
    """What a person wants run. With a `plan` it runs over what these of its `steps` would leave, by `choices`
    of those that are not decided yet. What it writes is proposed only where it `proposes`."""

    argv: tuple[str, ...]
    network: bool = False
    logins: Logins = NO_LOGINS
    plan: str = ""
    steps: tuple[int, ...] = ()
    choices: Mapping[int, StepDecision] = field(default_factory=dict[int, StepDecision])
    proposes: bool = True


class Look:
    """Asked while it runs: propose what is there so far."""


class Stop:
    """Asked while it runs: end it."""


@dataclass(frozen=True, slots=True)
class Copying:
    """The project is copied first."""

    size: CopySize


@dataclass(frozen=True, slots=True)
class Begun:
    """The command is at work now."""


@dataclass(frozen=True, slots=True)
class Printed:
    """What it printed since the last time; `dropped` bytes before it were too much to show."""

    data: bytes
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Proposed:
    """A look has ended: the id of the plan and its version, "" where nothing was changed."""

    plan: str
    version: int = 0


@dataclass(frozen=True, slots=True)
class Ended:
    """It has ended. `plan` is what it changed, "" for nothing; of a trial, `would_be` is what it ran over."""

    outcome: Outcome
    plan: str
    results: Results | None = None
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class NotDone:
    """Why something was not done, as sentences. `is_over`: nothing more comes."""

    message: str
    hint: str
    is_over: bool


Asked = Look | Stop | None
Said = Copying | Begun | Printed | Proposed | Ended | NotDone


def run_next(connection: Connection, root: Path) -> None:
    """Wait for an order, run what it says, say how it goes, and end with it, or with the window."""
    end_with_parent()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the window's Ctrl-C is the window's
    try:
        # Opened before anybody presses: then a press waits for the sandbox alone.
        with closing(Workspace.open(root)) as workspace:
            order: Order | None = connection.recv()
            if order is not None:
                _Run(connection, workspace, order).run()
    except StudioError as error:
        _tell(connection, NotDone(error.message, error.hint, is_over=True))
    except EOFError:
        return  # the window has gone
    except OSError as error:
        _tell(connection, NotDone(f"The command was not run: {error.strerror}.", "Try again.", is_over=True))


class _Gone(Exception):
    """The window has gone, or closes the project."""


class _Run:
    def __init__(self, connection: Connection, workspace: Workspace, order: Order) -> None:
        self._connection, self._workspace, self._order = connection, workspace, order
        self._lock = threading.Lock()
        self._printed, self._dropped = bytearray(), 0
        self._cancel = threading.Event()

    def run(self) -> None:
        would_be = self._would_be()
        laid = () if would_be is None else would_be.laid
        agent = PurePath(self._order.argv[0]).name
        try:
            with (
                self._workspace.sandbox(lambda size: self._say(Copying(size)), laid) as sandbox,
                CommandRun(
                    self._workspace.proposer,
                    sandbox,
                    self._command(),
                    agent=agent,
                    heard=self._hear,
                    cancel=self._cancel,
                ) as run,
            ):
                self._say(Begun())
                self._follow(run)
                outcome = run.outcome()
                self._tell_printed()
                self._say(self._ended(run, outcome, would_be))
        except _Gone:
            return

    def _would_be(self) -> WouldBe | None:
        if not self._order.plan:
            return None
        return self._workspace.trials.would_be(self._order.plan, self._order.steps, self._order.choices)

    def _command(self) -> Command:
        kept = TRIAL_OUTPUT_BYTES if self._order.plan else SANDBOX_OUTPUT_BYTES
        return Command(
            self._order.argv,
            network=self._order.network,
            logins=self._order.logins.paths,
            login_contents=self._order.logins.contents,
            output_bytes=kept,
            # A person sits before it, and can stop it.
            seconds=SANDBOX_WATCHED_SECONDS,
        )

    def _follow(self, run: CommandRun) -> None:
        while not run.wait(_TELL_SECONDS):
            self._tell_printed()
            if not self._connection.poll():
                continue
            try:
                asked: Asked = self._connection.recv()
            except (EOFError, OSError) as error:
                raise _Gone from error
            if asked is None:
                raise _Gone
            if isinstance(asked, Stop):
                self._cancel.set()
            else:
                self._look(run)

    def _look(self, run: CommandRun) -> None:
        try:
            plan = run.look()
        except StudioError as error:
            self._say(NotDone(error.message, error.hint, is_over=False))
        else:
            self._say(Proposed("") if plan is None else Proposed(plan.id, plan.version))

    def _ended(self, run: CommandRun, outcome: Outcome, would_be: WouldBe | None) -> Ended:
        laid = () if would_be is None else would_be.laid_results
        plan = run.propose(laid) if self._order.proposes else None
        said = "" if plan is None else plan.id
        if would_be is None:
            return Ended(outcome, said)
        return Ended(outcome, said, would_be.results, would_be.tests)

    def _hear(self, data: bytes) -> None:
        """On the thread that waits for the command: nothing of it waits for the window."""
        with self._lock:
            self._printed += data
            over = len(self._printed) - SANDBOX_SHOWN_BYTES
            if over > 0:
                del self._printed[:over]
                self._dropped += over

    def _tell_printed(self) -> None:
        with self._lock:
            data, dropped = bytes(self._printed), self._dropped
            self._printed.clear()
            self._dropped = 0
        if data:
            self._say(Printed(data, dropped))

    def _say(self, said: Said) -> None:
        try:
            self._connection.send(said)
        except OSError as error:
            raise _Gone from error


def _tell(connection: Connection, said: Said) -> None:
    try:
        connection.send(said)
    except OSError:
        os._exit(1)
