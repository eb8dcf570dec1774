"""`studio run -- COMMAND`: a command works in the sandbox; what it changed is a plan (contract 9)."""

from __future__ import annotations

import codecs
import os
import sys
import time
from argparse import Namespace
from contextlib import suppress
from pathlib import Path
from typing import Any

from studio.doors import printed
from studio.doors.cli import texts
from studio.doors.cli.answer import DONE, Answer
from studio.doors.cli.commands import submitted_code
from studio.doors.cli.interrupts import held_interrupts
from studio.doors.cli.person import About, require_person
from studio.doors.logins import login_paths, logins_of
from studio.doors.sandboxed import propose_outcome, sentence_of
from studio.engine.display import show_lines
from studio.engine.errors import UsageError
from studio.engine.plan import Plan
from studio.engine.sandbox import Command, CopySize, Outcome
from studio.engine.workspace import Workspace


def run(workspace: Workspace, arguments: Namespace) -> Answer:
    """Run a command over the project, and propose what it changed.

    Raises UsageError without a command, NeedsPerson for a login that nobody allowed, SandboxRefused where
    nothing can be run here.
    """
    if not arguments.words:
        raise UsageError("run.no_command", "No command is named.", "Name it: studio run -- make test")
    for login in arguments.login:
        if login not in workspace.sandbox_logins:
            about = [About("is given", f"~/{name}") for name in login_paths(login)]
            what = f"The command is given the login of {login}:"
            require_person(workspace, what=what, word=login, about=about)
    since = time.time_ns()
    with held_interrupts() as control, workspace.sandbox(_announce) as sandbox:
        outcome = sandbox.run(_command(workspace, arguments), heard=_Output(), cancel=control.pause)
        control.pause.clear()
        plan = propose_outcome(workspace, sandbox, outcome, since)
    return _answer(workspace, plan, outcome)


def _command(workspace: Workspace, arguments: Namespace) -> Command:
    here = Path(os.path.realpath(Path.cwd()))
    logins = logins_of(arguments.login)
    is_inside = here.is_relative_to(workspace.root_path)
    return Command(
        tuple(arguments.words),
        folder=here.relative_to(workspace.root_path).as_posix() if is_inside else "",
        network=arguments.network,
        seconds=arguments.timeout,
        logins=logins.paths,
        login_contents=logins.contents,
    )


def _announce(size: CopySize) -> None:
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


def _answer(workspace: Workspace, plan: Plan | None, outcome: Outcome) -> Answer:
    remark = " ".join((sentence_of(outcome), *outcome.not_enforced))
    if plan is None:
        document: dict[str, Any] = {"plan": None, "command": _command_json(outcome)}
        return Answer(document, "The command changed nothing that can be proposed.", DONE, remark)
    conflicts = workspace.proposer.path_conflicts(plan.id)
    document = {**printed.plan_json(plan, conflicts), "command": _command_json(outcome)}
    return Answer(document, texts.plan_text(plan, conflicts), submitted_code(plan), remark)


def _command_json(outcome: Outcome) -> dict[str, Any]:
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
