"""opencode definition: configuration entries, plugin, hook tools, test setup, ACP agent.

- It loads every file of its plugin folder, and calls each before it uses a
  tool, those of subagents and of any server too. With a plugin, it downloads
  its own plugin package at its first start.
- It offers its model a tool as its server's name, an underscore and the tool's
  own name.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from studio.documents import WHOLE, JsonExtra, Spot
from studio.doors.agents.script import Call
from studio.doors.clients.client import (
    SERVER,
    TARGET,
    AcpAgent,
    Client,
    Entry,
    FileSpot,
    Habits,
    KnownClient,
    Override,
    OwnSettings,
    SettingsEntry,
    TrialClient,
    TrialEnvironment,
    inherited_variables,
    server_in,
    system_file,
)
from studio.doors.clients.opencode_plugin import loaded_name, opencode_plugin
from studio.doors.hooks.known_tools import OPENCODE_TOOLS
from studio.doors.limits import TRIAL_SECONDS
from studio.extras.home_files import read_stored_file, remove_stored_file
from studio.program.own_program import own_command
from studio.program.work_folder import WorkFolder

PLUGIN: Final = "plugins/exacta-studio.js"
_SETTINGS: Final = ("opencode.json", "opencode.jsonc")


def opencode(hook: Path) -> tuple[Entry, ...]:
    """Return our entries for our hook program at `hook`."""
    chosen = os.environ.get("XDG_CONFIG_HOME")
    folder = (Path(chosen).absolute() if chosen else Path.home() / ".config") / "opencode"
    files = [folder / name for name in _SETTINGS]
    words = [*own_command(), "mcp"]
    server: dict[str, object] = {"type": "local", "command": words, "enabled": True}
    if variables := inherited_variables():
        server["environment"] = variables
    return (
        Entry(
            folder / PLUGIN,
            WHOLE,
            {"content": opencode_plugin(hook)},
            "Each tool call asks Exacta Studio first.",
        ),
        Entry(
            next((file for file in files if file.exists()), files[0]),
            Spot(("mcp",), SERVER),
            server,
            "Adds the tools of Exacta Studio.",
        ),
    )


def _servers(entry: Entry, folder: Path) -> Iterator[FileSpot]:
    for name in _SETTINGS:
        yield from server_in(name)(entry, folder)
        yield from server_in(f".opencode/{name}")(entry, folder)
        if entry.path.name != name:
            yield entry.path.with_name(name), entry.spot


HABITS: Final = Habits(_servers)
UNSEEN: Final = (
    "It silently skips a plugin that can't be loaded.",
    "Shell commands in a command file run without asking when you type its name.",
    "Other plugins and custom tools, yours and those of a project, run without asking.",
)


# Test setup, seen by running 1.18.33.

# Whether opencode loads our plugin in its user's setup: a plugin that is skipped is no gate.

QUIET: Final = {
    "OPENCODE_DISABLE_AUTOUPDATE": "1",
    "OPENCODE_DISABLE_LSP_DOWNLOAD": "1",
    "OPENCODE_DISABLE_MODELS_FETCH": "1",
}
"""Settings that stop all network access but to its model."""
_SECONDS: Final = 2 * TRIAL_SECONDS
"""Twice the usual time, as it may try a download first.

Without a network it tries to get its own package for more than a minute.
"""


def is_plugin_loaded(client: Client) -> bool:
    """Return whether opencode loads our plugin when run in an empty folder.

    Raises OSError where it can't be started, or FileError.
    """
    beacon = loaded_name(client.hook_name)
    remove_stored_file(beacon)
    with WorkFolder("doctor") as folder, suppress(subprocess.TimeoutExpired):
        subprocess.run(
            [client.program, "debug", "config"],
            cwd=folder,
            env={**os.environ, **QUIET},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=_SECONDS,
            check=False,
        )
    return read_stored_file(beacon) is not None


_MODEL: Final = "m"
_PACKAGE: Final = "@opencode-ai/plugin"
_MANAGED: Final = Override(
    lambda: [system_file(f"opencode/{name}") for name in ("opencode.json", "opencode.jsonc")],
    (Spot((), "enabled_providers"), Spot((), "disabled_providers")),
)
_READ: Final = (
    ".opencode/*",
    *(
        f".config/opencode/{name}"
        for name in """agents bun.lock commands mode modes node_modules package.json package-lock.json
        plugin/* plugins/* skill skills tool tools""".split()
    ),
)


def _edit(project: Path) -> tuple[Call, ...]:
    arguments = {"filePath": str(project / TARGET), "oldString": "beta", "newString": "BETA"}
    return (Call("edit", arguments),)


def _set_up_opencode(place: TrialEnvironment, entries: Sequence[SettingsEntry]) -> None:
    folder = _folder(place)
    folder.mkdir(parents=True)
    for entry in entries:
        write_plugin(folder, str(entry["content"]))


def _add_package(place: TrialEnvironment, _entries: Sequence[SettingsEntry]) -> None:
    if not (_folder(place) / "node_modules").exists():
        mark_package_installed(_folder(place))


def _folder(place: TrialEnvironment) -> Path:
    return Path(place.environment["XDG_CONFIG_HOME"], "opencode")


def model_settings(url: str) -> dict[str, Any]:
    """Return the content of `opencode.json` for a model at that address."""
    model = {"name": _MODEL, "tool_call": True, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/anthropic",
        "name": "scripted",
        "options": {"baseURL": f"{url}/v1", "apiKey": "scripted"},
        "models": {_MODEL: model},
    }
    named = f"scripted/{_MODEL}"
    return {"model": named, "small_model": named, "provider": {"scripted": provider}}


def write_plugin(folder: Path, content: str) -> None:
    """Write our plugin to an empty settings folder."""
    plugin = folder / PLUGIN
    plugin.parent.mkdir()
    plugin.write_text(content, encoding="utf-8")
    mark_package_installed(folder)


def mark_package_installed(folder: Path) -> None:
    """Mark opencode's own plugin package as installed.

    Ours does not need it, and without a network opencode would try to download it for more than a minute.
    """
    (folder / "node_modules").mkdir()
    lock = {"packages": {"": {"dependencies": {_PACKAGE: "*"}}}}
    (folder / "package-lock.json").write_text(json.dumps(lock), encoding="utf-8")


def _opencode(_url: str) -> Sequence[str]:
    return ["opencode", "run", "--model", f"scripted/{_MODEL}", "--auto", "Go on."]


def _of_opencode(url: str) -> Mapping[str, str]:
    # It overrides every file of the user; only the system's override it.
    allowed = {"enabled_providers": ["scripted"], "disabled_providers": []}
    return {**QUIET, "OPENCODE_CONFIG_CONTENT": json.dumps({**model_settings(url), **allowed})}


TRIED_OPENCODE: Final = TrialClient(
    program="opencode",
    scripted_calls=_edit,
    entry=lambda hook: opencode(hook)[0].value,
    set_up=_set_up_opencode,
    command=_opencode,
    variables=_of_opencode,
    is_loaded=is_plugin_loaded,
    own=OwnSettings(_READ, (_MANAGED,), prepare=_add_package),
)


ACP: Final = AcpAgent(
    "opencode",
    "opencode-acp",
    "",
    writes_through_client=False,
    writes_whole_file=True,
    denial_ends_turn=True,
    instead="studio agent opencode",
    shell=OPENCODE_TOOLS.shells["bash"],
    reported_name="OpenCode",
    command=("opencode", "acp"),
)


OPENCODE: Final = KnownClient(
    name="opencode",
    title="opencode",
    program="opencode",
    entries=opencode,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.COMMENTS | JsonExtra.LAST_COMMAS | JsonExtra.MARK,  # seen with 1.18.33
    tried=TRIED_OPENCODE,
    tools=OPENCODE_TOOLS,
    acp=ACP,
)
