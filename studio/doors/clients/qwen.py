"""Qwen Code definition: configuration entries, hook tools, test setup and ACP agent.

- It runs a hook by bash, and takes only exit code 2 as a denial, and only where
  a reason is printed.
- It reads a timeout of 1000 or more as milliseconds, a smaller one as seconds.
- Whatever that timeout is, it runs the tool after 60 seconds: its message bus
  waits no longer.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from studio.documents import JsonExtra, Spot
from studio.doors.agents.script import Call
from studio.doors.clients.claude_code import DISABLE_ALL_HOOKS
from studio.doors.clients.client import (
    COMMAND_FILES,
    HOOKS,
    TARGET,
    AcpAgent,
    Entry,
    FileSpot,
    Habits,
    KnownClient,
    OwnSettings,
    Switch,
    TrialClient,
    TrialEnvironment,
    disables_hooks,
    guarded_entries,
    moves,
    server_in,
    shell_killed,
    system_file,
)
from studio.doors.hooks.known_tools import QWEN_TOOLS

HOOK_SECONDS: Final = 54
"""Timeout of our hook program from its start, shorter than Qwen Code's."""
PERSON_SECONDS: Final = 45
"""Seconds to wait for a person.

It is less than that timeout, as this program's start takes time on a busy machine.
"""


def qwen(hook: Path) -> tuple[Entry, ...]:
    """Return our entries for our hook program at `hook`."""
    chosen = os.environ.get("QWEN_HOME")
    settings = (Path(chosen).absolute() if chosen else Path.home() / ".qwen") / "settings.json"
    return guarded_entries(settings, HOOKS, "*", hook)


def _servers(entry: Entry, folder: Path) -> Iterator[FileSpot]:
    for name in (".qwen/settings.json", ".mcp.json"):
        yield from server_in(name)(entry, folder)
    for each in sorted(entry.path.parent.glob("extensions/*/qwen-extension.json")):
        yield each, entry.spot


_FILES: Final = ("QWEN_CODE_SYSTEM_SETTINGS_PATH", "QWEN_CODE_SYSTEM_DEFAULTS_PATH")


def _system() -> Iterator[Path]:
    for name, variable in zip(("settings.json", "system-defaults.json"), _FILES, strict=True):
        yield system_file(f"qwen-code/{name}", variable)


_SANDBOX: Final = Switch(
    Spot(("tools",), "executionSandbox"), lambda value, _command: isinstance(value, dict)
)
"""Its own sandbox for tools, in which no hook runs.

A project can't set that.
"""
HABITS: Final = Habits(
    _servers,
    (
        DISABLE_ALL_HOOKS,
        *moves("QWEN_HOME", *_FILES),
        *disables_hooks("QWEN_CODE_SIMPLE", "QWEN_CODE_SAFE_MODE"),
    ),
    (".qwen/settings.json", ".qwen/.env", ".env"),
    (".env",),
    _system,
    (_SANDBOX,),
    (_SANDBOX,),
)
UNSEEN: Final = (
    "It writes if the shell that runs our hook is killed.",
    COMMAND_FILES,
)


# Test setup, seen by running 0.24.4.

_MODEL: Final = "scripted"


def _edit(project: Path) -> tuple[Call, ...]:
    # It changes no file that it has not read.
    file = str(project / TARGET)
    arguments = {"file_path": file, "old_string": "beta", "new_string": "BETA"}
    return Call("read_file", {"file_path": file}), Call("edit", arguments)


def _set_up_qwen(place: TrialEnvironment, entries: Sequence[Mapping[str, object]]) -> None:
    folder = place.home / ".qwen"
    folder.mkdir()
    settings: dict[str, Any] = {"hooks": {"PreToolUse": entries}}
    (folder / "settings.json").write_text(json.dumps(settings), encoding="utf-8")


def _qwen(url: str) -> Sequence[str]:
    # As arguments, since its settings' model and providers override variables.
    model = ["--model", _MODEL, "--openai-api-key", _MODEL, "--openai-base-url", f"{url}/v1"]
    return ["qwen", "-p", "Go on.", "--auth-type", "openai", *model, "--approval-mode", "yolo"]


def _of_qwen(url: str) -> Mapping[str, str]:
    model = {"OPENAI_API_KEY": _MODEL, "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": _MODEL}
    return {**model, "NO_PROXY": "*", "QWEN_SANDBOX": "false"}


TRIED_QWEN: Final = TrialClient(
    program="qwen",
    scripted_calls=_edit,
    entry=lambda hook: qwen(hook)[0].value,
    set_up=_set_up_qwen,
    command=_qwen,
    variables=_of_qwen,
    killed=shell_killed,
    own=OwnSettings((".qwen/hooks", ".qwen/extensions", ".qwen/skills", ".qwen/agents")),
)


ACP: Final = AcpAgent(
    "Qwen Code",
    "qwen-acp",
    "default",
    writes_through_client=True,
    model_gets_errors=True,
    project_folder=".qwen",
    shell=QWEN_TOOLS.shells["run_shell_command"],
    reported_name="qwen-code",
    command=("qwen", "--acp"),
)


QWEN: Final = KnownClient(
    name="qwen",
    title="Qwen Code",
    program="qwen",
    entries=qwen,
    habits=HABITS,
    unseen=UNSEEN,
    json_extra=JsonExtra.COMMENTS | JsonExtra.MARK,  # seen: 0.24.4 exits on any other settings
    tried=TRIED_QWEN,
    words=("--timeout", str(PERSON_SECONDS)),
    seconds=HOOK_SECONDS,
    tools=QWEN_TOOLS,
    acp=ACP,
    settings_variable="QWEN_HOME",
)
