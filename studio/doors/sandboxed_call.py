"""Sandboxed execution of an agent's shell command; its changes become a plan.

An agent's client accepts a yes or a no, not a result of its tool from another process. So the call is denied,
and the first sentence of the denial says that the command was run; otherwise a model would run it again.
"""

from __future__ import annotations

import shutil
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from studio.doors.limits import AGENT_COMMAND_BYTES, OUTCOME_CHARACTERS
from studio.engine import Plan, Session
from studio.errors import Refused, TimedOut, show_lines
from studio.extras.commands import changes_of, outcome_sentence, output_of
from studio.extras.sandbox import Command, EndedBy, Outcome
from studio.limits import NAMED_FILES_UP_TO, SANDBOX_END_SECONDS, SANDBOX_SECONDS
from studio.names import show_name
from studio.system.os_errors import failure
from studio.values import Value
from studio.workspace import Workspace

_SHELL: Final = "/bin/sh"
_EACH: Final = 'shell=$1; shift; for each; do "$shell" -c "$each"; done'


class SandboxedCall(Value):
    """The outcome of a sandboxed tool call, and its plan.

    `plan` is None where nothing changed, or the client no longer waits.
    """

    outcome: Outcome
    plan: Plan | None


def run_sandboxed(
    workspace: Workspace,
    session: Session,
    shell: Sequence[str],
    cwd: str,
    *,
    seconds: float | None = None,
    cancel: threading.Event | None = None,
) -> SandboxedCall:
    """Run shell commands in order, without network, and propose their changes.

    Ends before `seconds` are over. Raises SandboxRefused where no sandbox is available, Refused for a folder
    outside of the project, or another StudioError.
    """
    command = shell_command(workspace, shell, cwd, _time_for(seconds))
    try:
        with workspace.sandbox() as sandbox:
            outcome = sandbox.run(command, cancel=cancel)
            if outcome.ended_by is EndedBy.CANCEL:
                return SandboxedCall(outcome, None)
            shown = show_name("; ".join(shell))
            message = f"{outcome_sentence(outcome, shown)}\n\n{output_of(outcome)}"
            found = changes_of(sandbox, shown, message)
            return SandboxedCall(outcome, workspace.proposer.propose_layer(found, session, alone=True))
    except TimedOut:
        raise
    except OSError as error:
        raise failure(error, "The command can't be run in the sandbox") from error


def shell_command(workspace: Workspace, shell: Sequence[str], cwd: str, seconds: float) -> Command:
    """Return the command that runs shell commands in order.

    Raises Refused for a folder outside of the project.
    """
    folder = _folder(workspace, cwd)
    return Command(_words(shell), folder=folder, seconds=seconds, output_bytes=AGENT_COMMAND_BYTES)


def denial_text(outcome: Outcome, about_plan: str, waiting: Sequence[Plan]) -> str:
    """Return the denial text for the agent.

    `about_plan` describes the changes ("" for none); `waiting` are the agent's open plans that the command
    did not see.
    """
    head = "This command was run in a sandbox, as the user's settings require"
    again = ": do not run it again" if outcome.ended_by is EndedBy.ITSELF else ""
    parts = [f"{head}{again}. {outcome_sentence(outcome, 'It')}"]
    if waiting:
        named = ", ".join(plan.short_id for plan in waiting[:NAMED_FILES_UP_TO])
        parts.append(
            "It saw the project as it is on disk, without your plans that are waiting for review: "
            f"{named}{(', …' if len(waiting) > NAMED_FILES_UP_TO else '')}."
        )
    parts.append(about_plan.rstrip("\n") or "It made no changes that can be proposed.")
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
            (
                f"Nothing was run: {show_name(cwd)} is not a folder of the project, and the "
                "sandbox contains only the project (agents: shell: sandbox)."
            ),
            "Run it in a folder of the project.",
        )
    return folder.relative_to(root).as_posix()


def _time_for(patience: float | None) -> float:
    """Return the command's time limit, leaving time to propose its plan."""
    if patience is None:
        return SANDBOX_SECONDS
    return min(SANDBOX_SECONDS, max(patience - SANDBOX_END_SECONDS, patience / 2))
