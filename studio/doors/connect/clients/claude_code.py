"""Claude Code: its files and our entries in them, as proved by running 2.1.330."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from studio.doors.connect.clients.client import (
    HOOKS,
    SERVER,
    Entry,
    Habits,
    Place,
    Switch,
    moves,
    server_entry,
    server_in,
    starts_without,
    system_file,
)
from studio.doors.connect.hook_program import CLIENT_SECONDS
from studio.engine.documents import Spot


def claude_code(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".claude"
    # With args, even none, it is started directly, without a shell; the model is told the whole command line.
    handler: dict[str, object] = {"type": "command", "command": str(hook), "args": []}
    asks = {"matcher": "*", "hooks": [{**handler, "timeout": CLIENT_SECONDS, "onFailure": "block"}]}
    # Without alwaysLoad the model is not told of the tools before it searches for them.
    server = {"type": "stdio", **server_entry(), "alwaysLoad": True}
    return (
        Entry(folder / "settings.json", HOOKS, asks, "Every tool it uses asks Exacta Studio first."),
        Entry(
            (folder if chosen else Path.home()) / ".claude.json",
            Spot(("mcpServers",), SERVER),
            server,
            "It is offered the tools of Exacta Studio.",
        ),
    )


def _servers(own: Entry, folder: Path) -> Iterator[Place]:
    yield from server_in(".mcp.json")(own, folder)
    for each in (folder, *folder.parents):
        yield own.path, Spot(("projects", str(each), *own.spot.keys), own.spot.name)


def _system() -> Iterator[Path]:
    own = system_file("claude-code/managed-settings.json")
    yield own
    yield from sorted(own.with_name("managed-settings.d").glob("*.json"))


def _is_limited(value: object, _command: str) -> bool:
    return value is True or (isinstance(value, list) and "hooks" in value)


DISABLE_ALL_HOOKS: Final = Switch(Spot((), "disableAllHooks"), lambda value, _command: value is not False)
HABITS: Final = Habits(
    _servers,
    (
        DISABLE_ALL_HOOKS,
        *moves("CLAUDE_CONFIG_DIR"),
        *starts_without("CLAUDE_CODE_SIMPLE", "CLAUDE_CODE_SAFE_MODE"),
    ),
    (".claude/settings.json", ".claude/settings.local.json"),
    system=_system,
    system_switches=(
        Switch(Spot((), "allowManagedHooksOnly"), lambda value, _command: value is True),
        Switch(Spot((), "strictPluginOnlyCustomization"), _is_limited),
    ),
)
"""Of 2.1.332: what its own program names."""
UNSEEN: Final = ("Versions before 2.1.295 write where our hook program is gone or killed.",)
"""2.1.330 was run; what stands of older versions is from its own documents."""
