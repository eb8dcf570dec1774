"""Claude Code: its files and our entries in them, as proved by running 2.1.332."""

from __future__ import annotations

import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
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

SKILL_HOOKS: Final = Spot(("hooks", "PreSkillShellCommand"), None)
_SKILL_HOOKS_SINCE: Final = (2, 1, 332)
"""An older version that finds this event in its settings opens a dialog as it starts."""


def claude_code(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    chosen = os.environ.get("CLAUDE_CONFIG_DIR")
    folder = Path(chosen).absolute() if chosen else Path.home() / ".claude"
    # With args, even none, it is started directly, without a shell; the model is told the whole command line.
    handler: dict[str, object] = {"type": "command", "command": str(hook), "args": []}
    asks = {"matcher": "*", "hooks": [{**handler, "timeout": CLIENT_SECONDS, "onFailure": "block"}]}
    # Without alwaysLoad the model is not told of the tools before it searches for them.
    server = {"type": "stdio", **server_entry(), "alwaysLoad": True}
    settings = folder / "settings.json"
    return (
        Entry(settings, HOOKS, asks, "Every tool it uses asks Exacta Studio first."),
        Entry(
            (folder if chosen else Path.home()) / ".claude.json",
            Spot(("mcpServers",), SERVER),
            server,
            "It is offered the tools of Exacta Studio.",
        ),
        Entry(
            settings,
            SKILL_HOOKS,
            asks,
            "Shell commands in its skills and command files ask it too.",
            is_wanted=_installed_version() >= _SKILL_HOOKS_SINCE,
        ),
    )


def _installed_version() -> tuple[int, ...]:
    """Return the version that its program's place names, () for none.

    Its own installer and Homebrew name a file or folder by it, npm has a package.json. Starting it would take
    half a second each time that a gate is checked.
    """
    program = Path(shutil.which("claude") or "").resolve()
    names = [program.name, program.parent.name]
    for folder in program.parents[:2]:
        with suppress(OSError, ValueError, TypeError, KeyError):
            package = json.loads((folder / "package.json").read_bytes())
            if "/claude-code" in package["name"]:
                names.append(package["version"])
    found = next((name for name in names if re.fullmatch(r"\d+\.\d+\.\d+", name)), "")
    return tuple(map(int, found.split("."))) if found else ()


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
UNSEEN: Final = (
    "Versions before 2.1.295 write where our hook program is gone or killed.",
    "Shell commands in skills and command files ask nobody before 2.1.332; from then on connect it again.",
)
"""2.1.332 was run; what stands of older versions is from its own documents."""
