"""Cline's command line: its files and our entries in them, as proved by running 3.0.65.

- Its hook is a file of its own, whose first line says what runs it. Whatever it prints that is no whole
  answer, and any code, is a yes.
- It waits two minutes for it, whatever anybody says, and does what it asked for then.
- Its runtime (Bun) takes the entries of `.env`, `.env.local` and the files for a kind of environment, in the
  folder that it is started in.
- It offers its model a tool as its server's name, two underscores and the tool's own name, exactly. A project
  brings it no server.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Final

from studio.doors.connect.clients.client import SERVER, Entry, Habits, moves, passed_on, server_entry
from studio.doors.connect.hook_program import cline_hook
from studio.engine.documents import WHOLE, Spot

HOOK_SECONDS: Final = 90
"""When our hook program gives up, before Cline does."""
PERSON_SECONDS: Final = 80
"""How long a person is waited for: what is decided later is written here, but Cline has ended by then."""
_SERVER_SECONDS: Final = 3600
"""As long as it waits for a tool of a server at most."""


def cline(hook: Path) -> tuple[Entry, ...]:
    """Our entries, `hook` being our hook program for it."""
    folder = _chosen("CLINE_DIR") or Path.home() / ".cline"
    settings = (_chosen("CLINE_DATA_DIR") or folder / "data") / "settings/cline_mcp_settings.json"
    server: dict[str, object] = {**server_entry(), "timeout": _SERVER_SECONDS}
    if variables := passed_on():
        server["env"] = variables
    return (
        Entry(
            folder / "hooks/PreToolUse",
            WHOLE,
            {"content": cline_hook(hook).decode(), "executable": True},
            "Every tool it uses asks Exacta Studio first.",
        ),
        Entry(
            _chosen("CLINE_MCP_SETTINGS_PATH") or settings,
            Spot(("mcpServers",), SERVER),
            server,
            "It is offered the tools of Exacta Studio.",
        ),
    )


def _chosen(variable: str) -> Path | None:
    value = os.environ.get(variable, "").strip()
    return Path(value).absolute() if value else None


_KINDS: Final = ("", ".development", ".production", ".test")
HABITS: Final = Habits(
    lambda _own, _folder: iter(()),
    tuple(moves("CLINE_DIR", "CLINE_HOOKS_DIR")),
    tuple(f".env{kind}{local}" for kind in _KINDS for local in ("", ".local")),
)
UNSEEN: Final = ("It writes where our hook file is gone or killed: it takes that for a yes.",)
