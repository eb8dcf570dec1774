"""The agents that are talked with, and write by us alone: what is started of each to try that."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from studio.doors.acp.agents import KNOWN_AGENTS, KnownAgent
from studio.doors.clients.client import TriedClient
from studio.doors.clients.gemini import MODEL, TRIED_GEMINI
from studio.doors.clients.qwen import TRIED_QWEN


@dataclass(frozen=True, slots=True)
class TalkedAgent:
    """One agent: `client` is its program, its home and its wish; `words` have it talk with us, and in
    `free_mode` it asks nobody."""

    known: KnownAgent
    client: TriedClient
    words: tuple[str, ...]
    free_mode: str


TALKED_AGENTS: Final[Mapping[str, TalkedAgent]] = {
    each.known.gate: each
    for each in (
        TalkedAgent(KNOWN_AGENTS["gemini-cli"], TRIED_GEMINI, ("--acp", "-m", MODEL), "yolo"),
        TalkedAgent(KNOWN_AGENTS["qwen-code"], TRIED_QWEN, ("--acp", "--auth-type", "openai"), "yolo"),
    )
}
"""By the name of its gate."""
