"""ACP agents that write only through us, with their test setup."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from studio.doors.acp.agents import KNOWN_AGENTS, KnownAgent
from studio.doors.clients.client import TrialClient
from studio.doors.clients.gemini import MODEL, TRIED_GEMINI
from studio.doors.clients.qwen import TRIED_QWEN


@dataclass(frozen=True, slots=True)
class TestedAcpAgent:
    """One agent of a conversation and its test setup.

    `client` has its program, home and wish; `words` are the arguments that make it speak ACP, and in
    `unguarded_mode` it asks no one.
    """

    known: KnownAgent
    client: TrialClient
    words: tuple[str, ...]
    unguarded_mode: str


ACP_TEST_AGENTS: Final[Mapping[str, TestedAcpAgent]] = {
    each.known.gate: each
    for each in (
        TestedAcpAgent(KNOWN_AGENTS["gemini-cli"], TRIED_GEMINI, ("--acp", "-m", MODEL), "yolo"),
        TestedAcpAgent(KNOWN_AGENTS["qwen-code"], TRIED_QWEN, ("--acp", "--auth-type", "openai"), "yolo"),
    )
}
"""By gate name."""
