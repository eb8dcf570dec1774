"""`studio acp -- AGENT…`: an agent that speaks the Agent Client Protocol, talked with here (contract 9)."""

from __future__ import annotations

import sys
from argparse import Namespace
from typing import TYPE_CHECKING

from studio.doors.cli.answer import Answer
from studio.engine.errors import NotFound, Refused, UsageError
from studio.engine.names import show_name

if TYPE_CHECKING:
    from studio.engine.proposer import Session
    from studio.engine.workspace import Workspace

_PACKAGES = frozenset({"acp", "pydantic"})
_DOOR = "acp"


def acp(workspace: Workspace, arguments: Namespace) -> Answer:
    """Talk until there are no more prompts, or the agent ends.

    Raises Refused where the SDK is not installed and for an agent that can't be talked with, NotFound for a
    session that there is not, UsageError without an agent.
    """
    if not arguments.words:
        raise UsageError("acp.no_agent", "No agent is named.", "Name its command: studio acp -- gemini --acp")
    if sys.stdin is None:
        raise Refused("acp.no_streams", "Standard input is closed, where prompts are read.", "Leave it open.")
    try:
        from studio.doors.cli.talk import talk
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise Refused(
            "acp.not_installed",
            "The package agent-client-protocol is not installed, by which agents are talked with.",
            "Install it: pip install 'exacta-studio[acp]'",
        ) from error
    resumed = _session(workspace, arguments.resume) if arguments.resume else None
    return talk(workspace, arguments.words, resumed, as_json=arguments.json)


def _session(workspace: Workspace, prefix: str) -> Session:
    """The session of this door that an agent can be asked to take up."""
    sessions = [each for each in workspace.proposer.sessions() if each.door == _DOOR]
    found = [each for each in sessions if each.id.startswith(prefix)]
    if len(found) != 1 or not found[0].name:
        raise NotFound(
            "acp.no_session",
            f"No session that was talked in begins with {show_name(prefix)}.",
            "List them: studio sessions",
        )
    return found[0]
