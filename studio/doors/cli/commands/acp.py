"""`studio acp -- AGENT...`: run an agent over the Agent Client Protocol."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from studio import doors
from studio.doors.cli.commands.sandboxed import allowed_logins, announce, has_network
from studio.errors import NotFound, Refused, UsageError
from studio.extras.agents import NO_LOGINS
from studio.names import show_name

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.doors.acp.sandboxed_process import InSandbox
    from studio.doors.cli.console.answer import Answer
    from studio.engine import Session
    from studio.workspace import Workspace

_PACKAGES = frozenset({"acp", "pydantic"})
_DOOR = "acp"


def acp(workspace: Workspace, arguments: Namespace) -> Answer:
    """Converse until there are no more prompts, or the agent ends.

    Raises Refused where the SDK is not installed and where the agent fails, NotFound for an unknown session,
    UsageError without an agent.
    """
    if not arguments.words:
        raise UsageError(
            "acp.no_agent", "No agent command specified.", "Specify one: studio acp -- gemini --acp"
        )
    if not arguments.sandbox and (arguments.network is not None or arguments.login or arguments.container):
        message = "--network, --login and --container apply only in the sandbox."
        raise UsageError("acp.not_in_sandbox", message, "Add --sandbox, or omit them.")
    if sys.stdin is None:
        raise Refused(
            "acp.no_streams", "Standard input is closed, so prompts can't be read.", "Keep it open."
        )
    try:
        from studio.doors.acp.talk import lines_of
        from studio.doors.cli.commands.acp_output import talk
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise Refused(
            "acp.not_installed",
            "The package agent-client-protocol is not installed.",
            "Install it: pip install 'exacta-studio[acp]'",
        ) from error
    resumed = _session(workspace, arguments) if arguments.resume else None
    lines = lines_of(sys.stdin.fileno())
    sandbox = _in_sandbox(workspace, arguments, lines) if arguments.sandbox else None
    return talk(workspace, arguments.words, resumed, lines, sandbox, as_json=arguments.json)


def _in_sandbox(workspace: Workspace, arguments: Namespace, lines: Iterator[bytes]) -> InSandbox:
    """Return the resources of an agent in the sandbox.

    Raises NeedsPerson for a login that no one allowed, Refused.
    """
    from studio.doors.acp.sandboxed_process import InSandbox

    names = tuple(arguments.login)
    if not names:
        logins = NO_LOGINS
    elif arguments.login_files:
        logins = doors.logins.read_logins(names, next(lines, b""))
    else:
        logins = allowed_logins(workspace, names)
    return InSandbox(has_network(workspace, arguments), names, logins, announce, arguments.container)


def _session(workspace: Workspace, arguments: Namespace) -> Session:
    """Return the ACP session that an agent can resume."""
    from studio.doors.acp.conversation import SANDBOXED

    prefix = arguments.resume
    sessions = [each for each in workspace.proposer.sessions() if each.door == _DOOR]
    found = [each for each in sessions if each.id.startswith(prefix)]
    if len(found) != 1 or not found[0].name:
        raise NotFound(
            "acp.no_session",
            f"No ACP session has an id that starts with {show_name(prefix)}.",
            "List sessions with: studio sessions",
        )
    if found[0].name.startswith(SANDBOXED) != arguments.sandbox:
        raise Refused(
            "acp.other_place",
            f"This session ran {('outside of' if arguments.sandbox else 'in')} the sandbox.",
            f"Resume it {('without' if arguments.sandbox else 'with')} --sandbox.",
        )
    return found[0]
