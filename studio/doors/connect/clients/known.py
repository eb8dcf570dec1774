"""The agents that can be connected, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.doors.connect.clients import claude_code, codex, gemini, qwen
from studio.doors.connect.clients.client import (
    Client,
    Entry,
    Habits,
    hook_name_of,
    own_command,
    passed_on,
)
from studio.doors.connect.hook_program import hook_program
from studio.engine.errors import UsageError
from studio.engine.home_files import kept_path

CLAUDE_CODE, CODEX = "claude-code", "codex"


@dataclass(frozen=True, slots=True)
class _Known:
    """What it is called, what it is started as, how its entries come from our hook program's place, and what
    else it reads."""

    title: str
    program: str
    entries: Callable[[Path], tuple[Entry, ...]]
    habits: Habits


_KNOWN: Final[Mapping[str, _Known]] = {
    CLAUDE_CODE: _Known("Claude Code", "claude", claude_code.claude_code, claude_code.HABITS),
    CODEX: _Known("Codex", "codex", codex.codex, codex.HABITS),
    "gemini": _Known("Gemini CLI", "gemini", gemini.gemini, gemini.HABITS),
    "qwen": _Known("Qwen Code", "qwen", qwen.qwen, qwen.HABITS),
}
CLIENTS: Final = tuple(_KNOWN)


def client_of(name: str) -> Client:
    """The client of that name, by the variables of this process. Raises UsageError."""
    known = _KNOWN.get(name)
    if known is None:
        raise UsageError(
            "connect.unknown",
            f"No agent called {name} is known.",
            f"Known are {', '.join(CLIENTS)}, and mcp.",
        )
    hook = kept_path(hook_name_of(name))
    program = hook_program(name, [*own_command(), "hook", name], hook.parent, passed_on())
    return Client(name, known.title, known.program, known.entries(hook), program, known.habits)
