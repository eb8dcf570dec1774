"""`studio run -- COMMAND`: a command works in the sandbox; what it changed is a plan (contract 9)."""

from __future__ import annotations

import codecs
import os
import shlex
import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from studio.doors import printed
from studio.doors.cli import texts
from studio.doors.cli.answer import DONE, Answer
from studio.doors.cli.commands import submitted_code
from studio.doors.cli.interrupts import held_interrupts
from studio.doors.cli.person import About, require_person
from studio.engine.display import show_lines
from studio.engine.errors import UsageError
from studio.engine.limits import TITLE_CHARACTERS
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.engine.proposer import LayerChanges
from studio.engine.sandbox import Command, CopySize, EndedBy, LayerKind, Outcome, Sandbox
from studio.engine.workspace import Workspace

LOGINS: Final[Mapping[str, Sequence[str]]] = {
    "aider": (".aider.conf.yml",),
    "claude-code": (".claude", ".claude.json"),
    "cline": (".cline",),
    "codex": (".codex",),
    "continue": (".continue",),
    "gemini": (".gemini",),
    "opencode": (".config/opencode", ".local/share/opencode"),
    "qwen": (".qwen",),
}
"""In the home, what an agent keeps its configuration and its login in."""


def run(workspace: Workspace, arguments: Namespace) -> Answer:
    """Run a command over the project, and propose what it changed.

    Raises UsageError without a command, NeedsPerson for a login that nobody allowed, SandboxRefused where
    nothing can be run here.
    """
    if not arguments.words:
        raise UsageError("run.no_command", "No command is named.", "Name it: studio run -- make test")
    for login in arguments.login:
        if login not in workspace.config.sandbox_logins:
            about = [About("is given", f"~/{name}") for name in LOGINS[login]]
            what = f"The command is given the login of {login} to read:"
            require_person(workspace, what=what, word=login, about=about)
    since = time.time_ns()
    with held_interrupts() as control, workspace.sandbox(_announce) as sandbox:
        outcome = sandbox.run(_command(workspace, arguments), heard=_Output(), cancel=control.pause)
        control.pause.clear()
        plan = _proposed(workspace, sandbox, outcome, since)
    return _answer(workspace, plan, outcome)


def _command(workspace: Workspace, arguments: Namespace) -> Command:
    here = Path(os.path.realpath(Path.cwd()))
    is_inside = here.is_relative_to(workspace.root_path)
    return Command(
        tuple(arguments.words),
        folder=here.relative_to(workspace.root_path).as_posix() if is_inside else "",
        network=arguments.network,
        seconds=arguments.timeout,
        logins=tuple(path for login in arguments.login for path in LOGINS[login]),
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


def _proposed(workspace: Workspace, sandbox: Sandbox, outcome: Outcome, since: int) -> Plan | None:
    layer = sandbox.layer
    found = LayerChanges(
        layer.path,
        layer.kind is LayerKind.OVERLAY,
        since,
        f"Changes of {_shown(outcome.argv)}"[:TITLE_CHARACTERS],
        f"{_sentence(outcome)}\n\n{_output(outcome)}",
        frozenset(map(os.fsdecode, layer.left_out)),
    )
    return workspace.proposer.propose_layer(found)


def _output(outcome: Outcome) -> str:
    kept = outcome.output
    if outcome.is_cut:
        between = f"\n[{outcome.left_out_bytes:,} bytes left out]\n".encode()
        kept = kept[: outcome.cut_at] + between + kept[outcome.cut_at :]
    return kept.decode("utf-8", "replace")


def _answer(workspace: Workspace, plan: Plan | None, outcome: Outcome) -> Answer:
    remark = " ".join((_sentence(outcome), *outcome.not_enforced))
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


def _sentence(outcome: Outcome) -> str:
    if outcome.signal is not None:
        how = f"was ended by signal {outcome.signal}"
    elif outcome.exit is not None:
        how = f"ended with {outcome.exit}"
    else:
        how = _ENDED[outcome.ended_by]
    network = "with the network" if outcome.network else "without a network"
    return f"{_shown(outcome.argv)} {how} after {outcome.seconds:.1f} s, in {outcome.way.words}, {network}."


_ENDED: Final[Mapping[EndedBy, str]] = {
    EndedBy.ITSELF: "ended",
    EndedBy.TIME: "was ended when its time was over",
    EndedBy.CANCEL: "was ended by Ctrl-C",
    EndedBy.DISK: "was ended before it filled the disk",
    EndedBy.APPLY: "was ended because a plan is to be written to this project",
    EndedBy.KILLED: "was killed from outside",
}


def _shown(argv: Sequence[str]) -> str:
    return show_name(shlex.join(argv))
