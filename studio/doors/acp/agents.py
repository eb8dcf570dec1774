"""Lookup of supported ACP agents by identifier, command or name; installed ones.

Found by running Gemini CLI 0.61.0, Qwen Code 0.24.4, opencode 1.18.33, claude-agent-acp 0.101.0 and codex-acp
2.6.0.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Final

from studio import doors
from studio.doors.clients.client import AcpAgent

UNKNOWN: Final = AcpAgent("", "", "", writes_through_client=False)


@cache
def agents_by_gate() -> Mapping[str, AcpAgent]:
    """Return the agents by gate name, fully gated ones first.

    Of the others, those without modes come first. Their records are loaded at the first call: a window starts
    without them.
    """
    agents = [client.acp for client in doors.CLIENTS_BY_NAME.values() if client.acp is not None]
    agents.sort(key=lambda agent: (not agent.writes_through_client, bool(agent.asking_mode)))
    return {agent.gate: agent for agent in agents}


def installed_agents() -> list[tuple[str, tuple[str, ...]]]:
    """Return title and command of each agent found on the PATH."""
    agents = agents_by_gate().values()
    return [(agent.title, agent.command) for agent in agents if shutil.which(agent.command[0]) is not None]


def agent_of_command(words: Sequence[str]) -> AcpAgent:
    """Return the known agent that a command starts, before it responds."""
    name = words[0].rpartition("/")[2]
    return next((agent for agent in agents_by_gate().values() if agent.command[0] == name), UNKNOWN)


def known_agent(name: str) -> AcpAgent:
    """Return the agent that reports this name, else UNKNOWN."""
    return next((agent for agent in agents_by_gate().values() if agent.reported_name == name), UNKNOWN)
