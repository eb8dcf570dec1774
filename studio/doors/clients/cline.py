"""Cline CLI definition: configuration entries, hook tools and test setup.

- Its hook is a file of its own, whose first line names its interpreter. Any
  output that is no complete answer, and any exit code, allows the tool.
- It waits two minutes for the hook, whatever is configured, and then runs the tool.
- Its runtime (Bun) reads `.env`, `.env.local` and the files for a kind of
  environment, in the folder in which it is started.
- It offers its model a tool as its server's name, two underscores and the
  tool's own name, exactly. A project brings it no server.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from studio.documents import WHOLE, JsonExtra, Spot
from studio.doors.agents.script import Call
from studio.doors.clients.client import (
    SERVER,
    TARGET,
    Entry,
    Habits,
    KnownClient,
    OwnSettings,
    SettingsEntry,
    TrialClient,
    TrialEnvironment,
    file_killed,
    inherited_variables,
    moves,
    server_entry,
)
from studio.doors.clients.hook_program import cline_hook
from studio.doors.hooks.known_tools import CLINE_TOOLS

HOOK_SECONDS: Final = 90
"""Timeout of our hook program, shorter than Cline's."""
PERSON_SECONDS: Final = 80
"""Seconds to wait for a person.

A later decision is still carried out here, but Cline has ended by then.
"""
_SERVER_SECONDS: Final = 3600
"""The longest that it waits for a server's tool."""


def cline(hook: Path) -> tuple[Entry, ...]:
    """Return our entries for our hook program at `hook`."""
    folder = _chosen("CLINE_DIR") or Path.home() / ".cline"
    settings = (_chosen("CLINE_DATA_DIR") or folder / "data") / "settings/cline_mcp_settings.json"
    server: dict[str, object] = {**server_entry(), "timeout": _SERVER_SECONDS}
    if variables := inherited_variables():
        server["env"] = variables
    return (
        Entry(
            folder / "hooks/PreToolUse",
            WHOLE,
            {"content": cline_hook(hook).decode(), "executable": True},
            "Each tool call asks Exacta Studio first.",
        ),
        Entry(
            _chosen("CLINE_MCP_SETTINGS_PATH") or settings,
            Spot(("mcpServers",), SERVER),
            server,
            "Adds the tools of Exacta Studio.",
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
UNSEEN: Final = ("It writes if our hook file is missing or killed.",)


# Test setup, seen by running 3.0.65.

_PROVIDER: Final = "openai-compatible"
_READ: Final = (
    *(
        f".cline/{name}"
        for name in "agents data/settings/global-settings.json hooks/* plugins rules skills workflows".split()
    ),
    *(f"Documents/Cline/{name}" for name in "Hooks Plugins Rules Workflows".split()),
)


def _edit(project: Path) -> tuple[Call, ...]:
    return (Call("editor", {"path": str(project / TARGET), "old_text": "beta", "new_text": "BETA"}),)


def _choose_model(place: TrialEnvironment, _entries: Sequence[SettingsEntry]) -> None:
    """Write its providers file, with the keys and addresses of its models."""
    providers = place.home / ".cline/data/settings/providers.json"
    providers.parent.mkdir(parents=True, exist_ok=True)
    providers.write_text(json.dumps(model_settings(place.url)), encoding="utf-8")


def _set_up_cline(place: TrialEnvironment, entries: Sequence[SettingsEntry]) -> None:
    _choose_model(place, entries)
    for entry in entries:
        file = place.home / ".cline/hooks/PreToolUse"
        file.parent.mkdir()
        file.write_text(str(entry["content"]), encoding="utf-8")
        file.chmod(0o700)


def model_settings(url: str) -> dict[str, object]:
    """Return its providers file for a model at that address."""
    settings = {"provider": _PROVIDER, "apiKey": "scripted", "model": "scripted", "baseUrl": f"{url}/v1"}
    provider = {"settings": settings, "updatedAt": "2026-11-22T00:00:00.000Z", "tokenSource": "manual"}
    return {"version": 1, "lastUsedProvider": _PROVIDER, "modes": {}, "providers": {_PROVIDER: provider}}


def _cline(_url: str) -> Sequence[str]:
    return ["cline", "--json", "-P", "openai", "Go on."]


def _of_cline(_url: str) -> Mapping[str, str]:
    # Else it leaves a server of its own running, or works in the user's.
    alone = {"CLINE_SESSION_BACKEND_MODE": "local"}
    return {**alone, "CLINE_TELEMETRY_DISABLED": "1", "CLINE_NO_AUTO_UPDATE": "1"}


TRIED_CLINE: Final = TrialClient(
    program="cline",
    scripted_calls=_edit,
    entry=lambda hook: cline(hook)[0].value,
    set_up=_set_up_cline,
    command=_cline,
    variables=_of_cline,
    killed=file_killed,
    own=OwnSettings(_READ, prepare=_choose_model),
)


CLINE: Final = KnownClient(
    name="cline",
    title="Cline",
    program="cline",
    entries=cline,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.NONE,  # from its source: 3.0.65 parses its MCP settings with JSON.parse
    tried=TRIED_CLINE,
    words=("--timeout", str(PERSON_SECONDS)),
    seconds=HOOK_SECONDS,
    tools=CLINE_TOOLS,
)
