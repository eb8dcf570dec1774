"""The agents that can be connected: their files, our entries in them, and what each entry does (contract 9).

What is written here was proved with the real clients: Claude Code 2.1.330, Codex 0.169.0.
"""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from studio.doors.connect.entry import Spot
from studio.doors.connect.hook_program import CLIENT_SECONDS, hook_program
from studio.engine.errors import UsageError
from studio.engine.home_files import kept_path

CLAUDE_CODE, CODEX = "claude-code", "codex"
CLIENTS: Final = (CLAUDE_CODE, CODEX)

_SERVER: Final = "studio"
PASSED_ON: Final = (
    "STUDIO_STATE_DIR",
    "STUDIO_CONFIG_DIR",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
)
"""What says where our folders are. An agent may start us without them: Codex hands on HOME and PATH alone."""


@dataclass(frozen=True, slots=True)
class Entry:
    """What is put into one file of an agent; `meaning` is one sentence."""

    path: Path
    spot: Spot
    value: Mapping[str, object]
    meaning: str


@dataclass(frozen=True, slots=True)
class Client:
    """One agent: `program` is what it is started as, `hook` our hook program for it."""

    name: str
    title: str
    program: str
    entries: tuple[Entry, ...]
    hook: bytes

    @property
    def hook_name(self) -> str:
        """What its hook program is kept as."""
        return _hook_name(self.name)

    @property
    def is_installed(self) -> bool:
        """Whether its program is found."""
        return shutil.which(self.program) is not None


def client_of(name: str) -> Client:
    """The client of that name, by the variables of this process. Raises UsageError."""
    hook = kept_path(_hook_name(name))
    program = hook_program(name, [*own_command(), "hook", name], hook.parent, _variables())
    if name == CLAUDE_CODE:
        return Client(name, "Claude Code", "claude", _of_claude_code(hook), program)
    if name == CODEX:
        return Client(name, "Codex", "codex", _of_codex(hook), program)
    raise UsageError(
        "connect.unknown", f"No agent called {name} is known.", f"Known are {', '.join(CLIENTS)}, and mcp."
    )


def server_entry() -> dict[str, object]:
    """How any client of MCP starts our server."""
    command, *arguments = own_command()
    return {"command": command, "args": [*arguments, "mcp"]}


def own_command() -> tuple[str, ...]:
    """How this very program is started again, from any folder and whatever that holds."""
    if getattr(sys, "frozen", False):
        return (sys.executable,)
    script = Path(sys.executable).with_name("studio")
    # -I: an agent starts it in the project, whose own studio.py must not be taken for ours.
    return (str(script),) if script.is_file() else (sys.executable, "-I", "-m", "studio")


def hook_command(client: Client) -> str:
    """What the client's configuration names as our hook, as it stands there."""
    return next(identity(entry.value)[0] for entry in client.entries if entry.spot == _HOOKS)


def identity(value: object) -> tuple[str, ...]:
    """By what an entry is known to be ours, whatever else was changed in it: what it starts."""
    members = _members(value)
    handlers = members.get("hooks")
    if isinstance(handlers, list):
        return tuple(str(_members(each).get("command")) for each in cast("list[object]", handlers))
    arguments = members.get("args")
    listed = cast("list[object]", arguments) if isinstance(arguments, list) else []
    return (str(members.get("command")), *map(str, listed))


def _of_claude_code(hook: Path) -> tuple[Entry, ...]:
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".claude"
    # With args, even none, it is started directly, without a shell; the model is told the whole command line.
    handler: dict[str, object] = {"type": "command", "command": str(hook), "args": []}
    asks = {"matcher": "*", "hooks": [{**handler, "timeout": CLIENT_SECONDS, "onFailure": "block"}]}
    # Without alwaysLoad the model is not told of the tools before it searches for them.
    server = {"type": "stdio", **server_entry(), "alwaysLoad": True}
    return (
        Entry(folder / "settings.json", _HOOKS, asks, "Every tool it uses asks Exacta Studio first."),
        Entry(
            (folder if chosen else Path.home()) / ".claude.json",
            Spot(("mcpServers",), _SERVER),
            server,
            "It is offered the tools of Exacta Studio.",
        ),
    )


def _of_codex(hook: Path) -> tuple[Entry, ...]:
    chosen = os.environ.get("CODEX_HOME")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".codex"
    # The user's login shell runs it, and some stay in between: the hook would wait for that one's end.
    handler = {"type": "command", "command": f"exec {shlex.quote(str(hook))}", "timeout": CLIENT_SECONDS}
    server: dict[str, object] = {**server_entry(), "default_tools_approval_mode": "approve"}
    if variables := _variables():
        server["env"] = variables
    return (
        Entry(
            folder / "hooks.json",
            _HOOKS,
            {"matcher": ".*", "hooks": [handler]},
            "Every tool it uses asks Exacta Studio first.",
        ),
        Entry(
            folder / "config.toml",
            Spot(("mcp_servers",), _SERVER),
            server,
            "It is offered the tools of Exacta Studio, and uses them unasked.",
        ),
    )


_HOOKS: Final = Spot(("hooks", "PreToolUse"), None)


def _hook_name(client: str) -> str:
    return f"hooks/{client}"


def _variables() -> dict[str, str]:
    return {name: os.environ[name] for name in PASSED_ON if os.environ.get(name)}


def _members(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}
