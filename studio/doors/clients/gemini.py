"""Gemini CLI definition: configuration entries, hook tools, test setup and ACP agent.

- It runs a hook by bash, and takes exit codes from 2 on as a denial where
  anything is printed: a code alone, and a killed hook, allow the tool.
- Its timeouts are in milliseconds.
- In a folder that its user does not trust it runs no hook at all, the user's
  own neither: it asks its user.
- It merges the settings of all levels: a value other than an object for all
  hooks replaces every hook before it. A list for one event is appended.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, cast

from studio import documents
from studio.documents import JsonExtra, Spot
from studio.doors.agents.script import Call
from studio.doors.clients.client import (
    COMMAND_FILES,
    TARGET,
    AcpAgent,
    Entry,
    FileSpot,
    Habits,
    KnownClient,
    OffReason,
    Override,
    OwnSettings,
    Switch,
    TrialClient,
    TrialEnvironment,
    guarded_entries,
    moves,
    server_in,
    shell_killed,
    system_file,
)
from studio.doors.hooks.known_tools import GEMINI_TOOLS

HOOKS: Final = Spot(("hooks", "BeforeTool"), None)


def gemini(hook: Path) -> tuple[Entry, ...]:
    """Return our entries for our hook program at `hook`."""
    chosen = os.environ.get("GEMINI_CLI_HOME")
    settings = (Path(chosen).absolute() if chosen else Path.home()) / ".gemini/settings.json"
    return guarded_entries(settings, HOOKS, ".*", hook)


def _servers(entry: Entry, folder: Path) -> Iterator[FileSpot]:
    yield from server_in(".gemini/settings.json")(entry, folder)
    for each in sorted(entry.path.parent.glob("extensions/*/gemini-extension.json")):
        yield each, entry.spot


_TRUSTED: Final = "GEMINI_CLI_TRUSTED_FOLDERS_PATH"
_FILES: Final = ("GEMINI_CLI_SYSTEM_SETTINGS_PATH", "GEMINI_CLI_SYSTEM_DEFAULTS_PATH")


def _system() -> Iterator[Path]:
    for name, variable in zip(("settings.json", "system-defaults.json"), _FILES, strict=True):
        yield system_file(f"gemini-cli/{name}", variable)


def _trust(entry: Entry, project: Path) -> Iterator[tuple[Path, Switch]]:
    chosen = os.environ.get(_TRUSTED)
    path = Path(chosen).absolute() if chosen else entry.path.with_name("trustedFolders.json")

    def is_untrusted(trust_levels: object, _command: str) -> bool:
        """Return whether the nearest folder around, or one below, is untrusted."""
        folders = cast("dict[str, object]", trust_levels) if isinstance(trust_levels, dict) else {}
        around = next((str(each) for each in (project, *project.parents) if str(each) in folders), "")
        below = (folder for folder in folders if project in Path(folder).parents)
        return any(folders.get(folder) == "DO_NOT_TRUST" for folder in (around, *below))

    yield path, Switch(Spot((), None), is_untrusted, OffReason.UNTRUSTED)


def _restricts(**variables: str) -> Iterator[Switch]:
    """Yield switches for variables by which no folder is trusted."""
    for name, word in variables.items():
        turns_off = partial(_is_word, word)
        yield Switch(Spot(("env",), name), turns_off, OffReason.UNTRUSTED)


def _is_word(word: str, value: object, _command: str) -> bool:
    return value == word


def _is_named(value: object, command: str) -> bool:
    return not isinstance(value, list) or command in cast("list[object]", value)


HABITS: Final = Habits(
    _servers,
    (
        Switch(
            Spot(("hooksConfig",), "enabled"),
            lambda value, _command: value is not True,
        ),
        Switch(Spot(("hooksConfig",), "disabled"), _is_named),
        Switch(Spot((), HOOKS.keys[0]), lambda value, _command: not isinstance(value, dict)),
        *_restricts(GEMINI_RESTRICTED_MODE="true", GEMINI_CLI_TRUST_WORKSPACE="false"),
        *moves("GEMINI_CLI_HOME", _TRUSTED, *_FILES),
    ),
    (".gemini/settings.json", ".gemini/.env", ".env"),
    (".env",),
    _system,
    external_switches=_trust,
)
UNSEEN: Final = (
    "It writes if the shell that runs our hook is killed.",
    "In a folder that it does not trust, it asks you, not the hook.",
    COMMAND_FILES,
)


# Test setup, seen by running 0.61.0.

_CLEARED_VARIABLES: Final = """
    GOOGLE_GENAI_USE_GCA GOOGLE_GENAI_USE_VERTEXAI ALL_PROXY HTTP_PROXY HTTPS_PROXY http_proxy https_proxy
""".split()
MODEL: Final = "gemini-2.5-flash"
"""Explicit, else the CLI asks a model which one to use.

It repeats that until it gets an answer.
"""


def _replace(project: Path) -> tuple[Call, ...]:
    arguments = {"file_path": str(project / TARGET), "old_string": "beta", "new_string": "BETA"}
    return (Call("replace", {**arguments, "instruction": "Make it louder."}),)


def _set_up_gemini(place: TrialEnvironment, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".gemini"
    folder.mkdir()
    settings = {"hooks": {"BeforeTool": entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")
    _choose_login(place, entries)


def _choose_login(place: TrialEnvironment, _entries: Sequence[Mapping[str, object]]) -> None:
    """Set the login to an API key in its settings.

    With an address and no such setting it would use a gateway.
    """
    file, spot = place.home / ".gemini/settings.json", Spot(("security",), "auth")
    data, login = file.read_bytes(), {"selectedType": "gemini-api-key"}
    if documents.find(file.name, data, spot):
        data = documents.change(file.name, data, spot, "auth", login)
    else:
        data, _ = documents.put(file.name, data, spot, login)
    file.write_bytes(data)


def _gemini(_url: str) -> Sequence[str]:
    return ["gemini", "-p", "Go on.", "-m", MODEL, "--approval-mode", "yolo"]


def _of_gemini(url: str) -> Mapping[str, str]:
    # In an untrusted folder it would not start, and would run no hook. Variables that are set here its own
    # `.env` file does not set: a login, a proxy, a container.
    return {
        **dict.fromkeys(_CLEARED_VARIABLES, ""),
        "GEMINI_API_KEY": "scripted",
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
        "GEMINI_CLI_NO_RELAUNCH": "1",
        "GEMINI_SANDBOX": "false",
    }


TRIED_GEMINI: Final = TrialClient(
    program="gemini",
    scripted_calls=_replace,
    entry=lambda hook: gemini(hook)[0].value,
    set_up=_set_up_gemini,
    command=_gemini,
    variables=_of_gemini,
    killed=shell_killed,
    own=OwnSettings(
        (".gemini/hooks", ".gemini/extensions", ".gemini/skills", ".gemini/agents"),
        (Override(lambda: [system_file("gemini-cli/settings.json")], (Spot(("security",), "auth"),)),),
        prepare=_choose_login,
    ),
)


ACP: Final = AcpAgent(
    "Gemini CLI",
    "gemini-acp",
    "default",
    writes_through_client=True,
    model_gets_missing=False,
    own_folder=".gemini",
    project_folder=".gemini",
    shell=GEMINI_TOOLS.shells["run_shell_command"],
    reported_name="gemini-cli",
    command=("gemini", "--acp"),
)


GEMINI: Final = KnownClient(
    name="gemini",
    title="Gemini CLI",
    program="gemini",
    entries=gemini,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.COMMENTS,  # seen: 0.61.0 exits on any other settings
    tried=TRIED_GEMINI,
    tools=GEMINI_TOOLS,
    acp=ACP,
    settings_variable="GEMINI_CLI_HOME",
)
