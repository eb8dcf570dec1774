"""Commands in the sandbox as the command line runs them: their output as it comes, and looks by hand."""

from __future__ import annotations

import codecs
import os
import select
import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import Any, Final

from studio.doors.cli.interrupts import held_interrupts
from studio.doors.cli.person import About, require_person
from studio.doors.logins import login_paths, logins_of
from studio.engine.commands import CommandRun
from studio.engine.display import show_lines
from studio.engine.errors import StudioError, UsageError
from studio.engine.limits import SANDBOX_OUTPUT_BYTES
from studio.engine.logins import Logins
from studio.engine.sandbox import Command, CopySize, LaidFile, Outcome
from studio.engine.workspace import Workspace

_WAIT_SECONDS: Final = 0.1
_READ_BYTES: Final = 4096


def command_of(
    workspace: Workspace,
    arguments: Namespace,
    output_bytes: int = SANDBOX_OUTPUT_BYTES,
) -> Command:
    """The command that stands behind `--`, in the folder it was called from. Raises UsageError for none."""
    words = tuple(arguments.words)
    if not words:
        name = arguments.command
        example = "studio run -- make test" if name == "run" else "studio try PLAN -- make test"
        raise UsageError(f"{name}.no_command", "No command is named.", f"Name it: {example}")
    here = Path(os.path.realpath(Path.cwd()))
    is_inside = here.is_relative_to(workspace.root_path)
    return Command(
        words,
        folder=here.relative_to(workspace.root_path).as_posix() if is_inside else "",
        network=has_network(workspace, arguments),
        seconds=arguments.timeout,
        output_bytes=output_bytes,
    )


def has_network(workspace: Workspace, arguments: Namespace) -> bool:
    """Whether the network is given: as it was said, or else as the user's settings say."""
    if arguments.network is None:
        return bool(workspace.config.sandbox_network(tuple(arguments.words)))
    return bool(arguments.network)


def allowed_logins(workspace: Workspace, names: Sequence[str]) -> Logins:
    """The logins of these agents, where the user's settings or a person allow each. Raises NeedsPerson."""
    for login in names:
        if login not in workspace.sandbox_logins:
            about = [About("is given", f"~/{name}") for name in login_paths(login)]
            what = f"The command is given the login of {login}:"
            require_person(workspace, what=what, word=login, about=about)
    return logins_of(names)


@contextmanager
def running(workspace: Workspace, command: Command, laid: tuple[LaidFile, ...] = ()) -> Generator[CommandRun]:
    """The command at work; Ctrl-C ends it, and what it has done until then counts."""
    agent = PurePath(command.argv[0]).name
    with (
        held_interrupts() as control,
        workspace.sandbox(announce, laid) as sandbox,
        CommandRun(
            workspace.proposer, sandbox, command, agent=agent, heard=_Output(), cancel=control.pause
        ) as run,
    ):
        yield run
        control.pause.clear()


def wait_for(run: CommandRun, look: Callable[[], str]) -> Outcome:
    """Wait for the command's end. Enter at the terminal looks at what it has done so far, and says so."""
    with _typed_lines() as typed:
        while not run.wait(_WAIT_SECONDS):
            if typed():
                try:
                    said = look()
                except StudioError as error:
                    said = f"{error.message} {error.hint}"
                sys.stderr.write(f"studio: {said}\n")
                sys.stderr.flush()
    return run.outcome()


def command_json(outcome: Outcome) -> dict[str, Any]:
    """What came of a command (contract 9)."""
    return {
        "argv": list(outcome.argv),
        "exit": outcome.exit,
        "signal": outcome.signal,
        "seconds": round(outcome.seconds, 3),
        "way": outcome.way.value,
        "network": outcome.network,
        "ended_by": outcome.ended_by.value,
        "not_enforced": list(outcome.not_enforced),
    }


@contextmanager
def _typed_lines() -> Generator[Callable[[], bool]]:
    """Whether Enter was pressed since the last time that was asked; never where nobody sits before it."""
    terminal = -1
    if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty():
        terminal = os.dup(sys.stdin.fileno())
    waiting = select.poll()
    if terminal >= 0:
        waiting.register(terminal, select.POLLIN)

    def typed() -> bool:
        # In the background a read would stop this process.
        if terminal < 0 or os.tcgetpgrp(terminal) != os.getpgrp() or not waiting.poll(0):
            return False
        return bool(os.read(terminal, _READ_BYTES))

    try:
        yield typed
    finally:
        if terminal >= 0:
            os.close(terminal)


def announce(size: CopySize) -> None:
    """Say that the project is copied first."""
    sys.stderr.write(f"studio: copying the project first: {size.files:,} files, {size.bytes:,} bytes.\n")


class _Output:
    """What the command prints goes where no document is expected. At a terminal none of it is a command to
    that: it could say what a person never typed."""

    def __init__(self) -> None:
        self._text = codecs.getincrementaldecoder("utf-8")("replace")

    def __call__(self, data: bytes) -> None:
        with suppress(OSError):
            if sys.stderr.isatty():
                sys.stderr.write(show_lines(self._text.decode(data).replace("\r\n", "\n")))
                sys.stderr.flush()
            else:
                sys.stderr.buffer.write(data)
                sys.stderr.buffer.flush()
