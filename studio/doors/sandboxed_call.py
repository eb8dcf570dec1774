"""A shell command of an agent, run in the sandbox in its place: what came of it is told as a no (contract 8).

An agent's client takes a yes or a no, and no result of a tool that somebody else has run. So the first
sentence of the no says that the command was run; else a model would only run it again.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.engine.commands import changes_of, outcome_sentence, output_of
from studio.engine.display import show_lines
from studio.engine.errors import Refused
from studio.engine.limits import (
    AGENT_COMMAND_BYTES,
    NAMED_FILES_UP_TO,
    OUTCOME_CHARACTERS,
    SANDBOX_END_SECONDS,
    SANDBOX_SECONDS,
)
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.engine.proposer import Session
from studio.engine.sandbox import Command, EndedBy, Outcome
from studio.engine.workspace import Workspace, failure

_SHELL: Final = "/bin/sh"
_EACH: Final = 'shell=$1; shift; for each; do "$shell" -c "$each"; done'


@dataclass(frozen=True, slots=True)
class SandboxedCall:
    """What came of a call, and what it changed as a plan; None where that is nothing, or nobody asks for it
    any more."""

    outcome: Outcome
    plan: Plan | None


def run_call(
    workspace: Workspace,
    session: Session,
    shell: Sequence[str],
    cwd: str,
    *,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
) -> SandboxedCall:
    """Run what a shell is given, one after the other, without a network, and propose what it changed.

    It ends before `seconds` are over. Raises SandboxRefused where nothing can be run here, Refused for a
    folder that is none of the project's, or another StudioError.
    """
    command = Command(
        _words(shell),
        folder=_folder(workspace, cwd),
        seconds=_time_for(seconds),
        output_bytes=AGENT_COMMAND_BYTES,
    )
    try:
        with workspace.sandbox() as sandbox:
            outcome = sandbox.run(command, cancel=cancel)
            if outcome.ended_by is EndedBy.CANCEL:
                return SandboxedCall(outcome, None)
            shown = show_name("; ".join(shell))
            message = f"{outcome_sentence(outcome, shown)}\n\n{output_of(outcome)}"
            found = changes_of(sandbox, shown, message)
            return SandboxedCall(outcome, workspace.proposer.propose_layer(found, session, alone=True))
    except OSError as error:
        raise failure(error, "The command can't be run in the sandbox") from error


def told_of_call(outcome: Outcome, about_plan: str, waiting: Sequence[Plan]) -> str:
    """What the agent is told. `about_plan` is said of its changes, "" for none; `waiting` are plans of its
    own that the command could not see."""
    head = "This command was run, in a sandbox, as the user's settings say"
    again = ": do not run it again" if outcome.ended_by is EndedBy.ITSELF else ""
    parts = [f"{head}{again}. {outcome_sentence(outcome, 'It')}"]
    if waiting:
        named = ", ".join(plan.short_id for plan in waiting[:NAMED_FILES_UP_TO])
        parts.append(
            "It saw the project as it is on the disk, without what you proposed and what still waits for a"
            f" person: {named}{', …' if len(waiting) > NAMED_FILES_UP_TO else ''}."
        )
    parts.append(about_plan.rstrip("\n") or "It changed nothing in the project that can be proposed.")
    printed = show_lines(output_of(outcome).replace("\r\n", "\n")).strip("\n")
    parts.append(f"It printed:\n\n{printed[:OUTCOME_CHARACTERS]}" if printed else "It printed nothing.")
    return "\n\n".join(parts) + "\n"


def _words(shell: Sequence[str]) -> tuple[str, ...]:
    program = shutil.which("bash") or _SHELL
    return (program, "-c", shell[0]) if len(shell) == 1 else (_SHELL, "-c", _EACH, _SHELL, program, *shell)


def _folder(workspace: Workspace, cwd: str) -> str:
    root, folder = workspace.root_path, Path(cwd).resolve()
    if not folder.is_relative_to(root) or not folder.is_dir():
        raise Refused(
            "sandbox.folder",
            f"Nothing was run: {show_name(cwd)} is no folder of the project, and agents run commands in a"
            " sandbox of that alone here (agents: shell: sandbox).",
            "Run it in a folder of the project.",
        )
    return folder.relative_to(root).as_posix()


def _time_for(patience: float | None) -> float:
    """How long the command may run, so that its end and its plan come in time, too."""
    if patience is None:
        return SANDBOX_SECONDS
    return min(SANDBOX_SECONDS, max(patience - SANDBOX_END_SECONDS, patience / 2))
