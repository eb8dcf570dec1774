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
    passed_on,
)
from studio.doors.connect.hook_program import OWN_SECONDS, hook_program
from studio.engine.documents import JsonExtra
from studio.engine.errors import UsageError
from studio.engine.home_files import kept_path
from studio.engine.own_program import own_command

CLAUDE_CODE, CODEX, OPENCODE = "claude-code", "codex", "opencode"
JSON_EXTRAS: Final[Mapping[str, JsonExtra]] = {
    CLAUDE_CODE: JsonExtra.MARK,  # run: 2.1.332 drops other settings whole, without a word
    "cline": JsonExtra.NONE,  # its source: 3.0.65 parses its MCP settings by JSON.parse
    CODEX: JsonExtra.NONE,  # run: 0.171.0 skips other hooks.json with a warning
    "continue": JsonExtra.NONE,  # 1.5.47 has YAML alone
    "gemini": JsonExtra.COMMENTS,  # run: 0.61.0 ends at other settings
    OPENCODE: JsonExtra.COMMENTS | JsonExtra.LAST_COMMAS | JsonExtra.MARK,  # run: 1.18.33
    "qwen": JsonExtra.COMMENTS | JsonExtra.MARK,  # run: 0.24.4 ends at other settings
}
"""What each client reads in its JSON files beside plain JSON."""


@dataclass(frozen=True, slots=True)
class _Known:
    """What it is called, what it is started as, how its entries come from our hook program's place, what
    else it reads, and what of its own writes is never seen. One that waits for no day has `words` for our
    command, and ends the program sooner."""

    title: str
    program: str
    entries: Callable[[Path], tuple[Entry, ...]]
    habits: Habits
    unseen: tuple[str, ...]
    words: tuple[str, ...] = ()
    seconds: int = OWN_SECONDS
    no_gate: str = ""


_KNOWN: Final[Mapping[str, _Known]] = {
    CLAUDE_CODE: _Known(
        "Claude Code", "claude", claude_code.claude_code, claude_code.HABITS, claude_code.UNSEEN
    ),
    "cline": _Known(
        "Cline",
        "cline",
        cline.cline,
        cline.HABITS,
        cline.UNSEEN,
        words=("--timeout", str(cline.PERSON_SECONDS)),
        seconds=cline.HOOK_SECONDS,
    ),
    CODEX: _Known("Codex", "codex", codex.codex, codex.HABITS, codex.UNSEEN),
    "continue": _Known(
        "Continue",
        "cn",
        continue_cli.continue_cli,
        continue_cli.HABITS,
        continue_cli.UNSEEN,
        no_gate=continue_cli.NO_GATE,
    ),
    "gemini": _Known("Gemini CLI", "gemini", gemini.gemini, gemini.HABITS, gemini.UNSEEN),
    OPENCODE: _Known("opencode", "opencode", opencode.opencode, opencode.HABITS, opencode.UNSEEN),
    "qwen": _Known(
        "Qwen Code",
        "qwen",
        qwen.qwen,
        qwen.HABITS,
        qwen.UNSEEN,
        words=("--timeout", str(qwen.PERSON_SECONDS)),
        seconds=qwen.HOOK_SECONDS,
    ),
}
CLIENTS: Final = tuple(_KNOWN)
_UNSEEN_OF_ALL: Final = (
    "A command or another tool that you allow writes what it likes: you see its words, not its changes.",
    "With agents: {shell: client} in your configuration shell commands don't wait for you at all.",
    "Servers and hooks that its own configuration starts are programs beside it, which ask nobody.",
    (
        "Options at its start, variables of its terminal and settings sent by an organization can switch"
        " its hooks off unseen."
    ),
    "Settings of a folder outside of the open projects, or far down in one of many folders, are not read.",
)
"""Of every agent that asks: it asks before it uses a tool, and of nothing else that it starts."""


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
    entries = known.entries(hook)
    program = hook_program(name, words, hook.parent, passed_on(), seconds=known.seconds)
    return Client(
        name,
        known.title,
        known.program,
        tuple(entry for entry in entries if entry.is_wanted),
        None if known.no_gate else program,
        known.habits,
        known.no_gate,
        known.unseen if known.no_gate else (*known.unseen, *_UNSEEN_OF_ALL),
        known.seconds,
        tuple(entry for entry in entries if not entry.is_wanted),
    )
