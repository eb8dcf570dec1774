"""The agents that can be connected, by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.doors.connect.clients import claude_code, cline, codex, continue_cli, gemini, opencode, qwen
from studio.doors.connect.clients.client import (
    Client,
    Entry,
    Habits,
    hook_name_of,
    own_command,
    passed_on,
)
from studio.doors.connect.hook_program import OWN_SECONDS, hook_program
from studio.engine.errors import UsageError
from studio.engine.home_files import kept_path

CLAUDE_CODE, CODEX, OPENCODE = "claude-code", "codex", "opencode"


@dataclass(frozen=True, slots=True)
class _Known:
    """What it is called, what it is started as, how its entries come from our hook program's place, and what
    else it reads. One that waits for no day has `words` for our command, and ends the program sooner."""

    title: str
    program: str
    entries: Callable[[Path], tuple[Entry, ...]]
    habits: Habits
    words: tuple[str, ...] = ()
    seconds: int = OWN_SECONDS
    no_gate: str = ""


_KNOWN: Final[Mapping[str, _Known]] = {
    CLAUDE_CODE: _Known("Claude Code", "claude", claude_code.claude_code, claude_code.HABITS),
    "cline": _Known(
        "Cline",
        "cline",
        cline.cline,
        cline.HABITS,
        words=("--timeout", str(cline.PERSON_SECONDS)),
        seconds=cline.HOOK_SECONDS,
    ),
    CODEX: _Known("Codex", "codex", codex.codex, codex.HABITS),
    "continue": _Known(
        "Continue", "cn", continue_cli.continue_cli, continue_cli.HABITS, no_gate=continue_cli.NO_GATE
    ),
    "gemini": _Known("Gemini CLI", "gemini", gemini.gemini, gemini.HABITS),
    OPENCODE: _Known("opencode", "opencode", opencode.opencode, opencode.HABITS),
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
    words = [*own_command(), "hook", name, *known.words]
    program = hook_program(name, words, hook.parent, passed_on(), seconds=known.seconds)
    return Client(
        name,
        known.title,
        known.program,
        known.entries(hook),
        None if known.no_gate else program,
        known.habits,
        known.no_gate,
    )
