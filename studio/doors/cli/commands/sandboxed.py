"""Shared functions of `run`, `try` and `acp`: sandbox options and output.

Pressing Enter scans for changes.
"""

from __future__ import annotations

import codecs
import os
import select
import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, Final

from studio.doors.cli.console.interrupts import defer_interrupts
from studio.doors.cli.console.person import About, require_person
from studio.doors.logins import login_paths, logins_of
from studio.errors import StudioError, UsageError, show_lines
from studio.extras.commands import CommandRun
from studio.extras.sandbox import Command
from studio.limits import SANDBOX_OUTPUT_BYTES

if TYPE_CHECKING:
    from studio.extras.agents import Logins
    from studio.extras.sandbox import CopySize, Outcome, OverriddenFile
    from studio.workspace import Workspace

_WAIT_SECONDS: Final = 0.1
_READ_BYTES: Final = 4096


def command_of(
    workspace: Workspace,
    arguments: Namespace,
    output_bytes: int = SANDBOX_OUTPUT_BYTES,
) -> Command:
    """Return the command after `--`, in the current folder.

    Raises UsageError without one.
    """
    words = tuple(arguments.words)
    if not words:
        name = arguments.command
        example = "studio run -- make test" if name == "run" else "studio try PLAN -- make test"
        raise UsageError(f"{name}.no_command", "No command given.", f"Give one: {example}")
    current = Path(os.path.realpath(Path.cwd()))
    is_inside = current.is_relative_to(workspace.root_path)
    return Command(
        words,
        folder=current.relative_to(workspace.root_path).as_posix() if is_inside else "",
        network=has_network(workspace, arguments),
        seconds=arguments.timeout,
        output_bytes=output_bytes,
    )


def has_network(workspace: Workspace, arguments: Namespace) -> bool:
    """Return whether the sandbox has network: the option, or the user's setting."""
    if arguments.network is None:
        return bool(workspace.config.sandbox_network(tuple(arguments.words)))
    return bool(arguments.network)


def allowed_logins(workspace: Workspace, names: Sequence[str]) -> Logins:
    """Return the logins of these agents if allowed.

    The user's settings or a person must allow each. Raises NeedsPerson.
    """
    for login in names:
        if login not in workspace.sandbox_logins:
            about = [About("copies", f"~/{name}") for name in login_paths(login)]
            what = f"Give the command a copy of the login of {login}?"
            require_person(workspace, what=what, word=login, about=about)
    return logins_of(names)


@contextmanager
def running(
    workspace: Workspace, command: Command, container: str, overrides: tuple[OverriddenFile, ...] = ()
) -> Generator[CommandRun]:
    """Run the command in this block; Ctrl-C ends it.

    `container` is an image or a root folder, "" for none. Its changes until then are kept.
    """
    agent = PurePath(command.argv[0]).name
    with (
        defer_interrupts() as control,
        workspace.sandbox(announce, overrides, container=container) as sandbox,
        CommandRun(
            workspace.proposer, sandbox, command, agent=agent, heard=_Output(), cancel=control.pause
        ) as run,
    ):
        yield run
        control.pause.clear()


def wait_for(run: CommandRun, scan: Callable[[], str]) -> Outcome:
    """Wait for the command's end; on Enter, scan and report its changes."""
    with _typed_lines() as typed:
        while not run.wait(_WAIT_SECONDS):
            if typed():
                try:
                    message = scan()
                except StudioError as error:
                    message = f"{error.message} {error.hint}"
                sys.stderr.write(f"studio: {message}\n")
                sys.stderr.flush()
    return run.outcome()


def command_json(outcome: Outcome) -> dict[str, Any]:
    """Return the JSON form of a command's outcome."""
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
    """Yield a function that returns whether Enter was pressed since.

    Always false without a terminal.
    """
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
    """Print that the project is copied first."""
    sys.stderr.write(f"studio: Copying the project first: {size.files:,} files, {size.bytes:,} bytes.\n")


class _Output:
    """Writer of the command's output to stderr, as stdout has the document.

    At a terminal it is escaped: control sequences could fake what a person never typed.
    """

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
