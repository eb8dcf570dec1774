"""Dataclasses of agent definitions: configuration entries, hook switches, test setup, ACP."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any, Final, cast

from msgspec import field

from studio.documents import JsonExtra, Spot
from studio.doors.agents.script import Call
from studio.doors.clients.hook_program import CLIENT_SECONDS, OWN_SECONDS, guarded
from studio.doors.hooks.tools import HookTools
from studio.doors.shell_tools import ShellTool
from studio.program.own_program import own_command
from studio.values import Value

SERVER: Final = "studio"
"""The name of our server in every configuration."""
HOOKS: Final = Spot(("hooks", "PreToolUse"), None)
"""Where most agents configure what to ask before a tool is used."""
SYSTEM = Path("/etc")
"""Where clients on Linux read machine-wide settings."""
_ON: Final = ("1", "true", "yes", "on")
PASSED_ON: Final = (
    "STUDIO_STATE_DIR",
    "STUDIO_CONFIG_DIR",
    "XDG_STATE_HOME",
    "XDG_CONFIG_HOME",
    "XDG_RUNTIME_DIR",
)
"""Variables that locate our folders.

An agent may start us without them: Codex passes only HOME and PATH on.
"""


class Entry(Value):
    """Our entry in one file of an agent.

    `meaning` is one sentence. An entry that `needs_file` needs an existing file. An entry that the installed
    version can't have is not `is_wanted`, and is removed.
    """

    path: Path
    spot: Spot
    value: Mapping[str, object]
    meaning: str
    needs_file: bool = False
    is_wanted: bool = True


class OffReason(Enum):
    """Why a client does not call our hook, without the setting's name."""

    HOOKS_OFF = "hooks_off"
    MOVED = "settings_moved"
    UNTRUSTED = "folder_untrusted"


class Switch(Value):
    """A setting that silently turns a client's hooks off.

    Our gate is off with them. `turns_off` gets its value, and the command of our entry. A spot without a name
    is the whole value there.
    """

    spot: Spot
    turns_off: Callable[[object, str], bool]
    reason: OffReason = OffReason.HOOKS_OFF


FileSpot = tuple[Path, Spot]


class Habits(Value):
    """Settings that an agent reads beside the user's own files.

    `servers` yields the places where it may find a server of our name, from our own entry and the folder in
    which it is started. `switches` may be in the file of our first entry, in those `beside` it (patterns), in
    the `settings` of a folder in which it is started, and in the files of the `system`. `user_switches` apply
    in that first file only, `system_switches` in those of the system. `external_switches` yields switches in
    the user's other files that concern a project.
    """

    servers: Callable[[Entry, Path], Iterator[FileSpot]]
    switches: tuple[Switch, ...] = ()
    settings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    system: Callable[[], Iterable[Path]] = lambda: ()
    user_switches: tuple[Switch, ...] = ()
    system_switches: tuple[Switch, ...] = ()
    external_switches: Callable[[Entry, Path], Iterable[tuple[Path, Switch]]] = lambda _entry, _project: ()


class Client(Value):
    """One agent as it can be connected here.

    `program` is its command, `hook` our hook program for it, None where it would not be called; then
    `no_gate` says why. `unseen` are sentences on what it can still write unseen; `seconds` is the timeout of
    our hook program. `obsolete_entries` are entries that its installed version can't have, `json_extra` is
    the syntax that its JSON files allow beyond JSON.
    """

    name: str
    title: str
    program: str
    entries: tuple[Entry, ...]
    hook: bytes | None
    habits: Habits
    no_gate: str = ""
    unseen: tuple[str, ...] = ()
    seconds: int = OWN_SECONDS
    obsolete_entries: tuple[Entry, ...] = ()
    json_extra: JsonExtra = JsonExtra.NONE

    @property
    def hook_name(self) -> str:
        """The stored name of its hook program."""
        return hook_name_of(self.name)

    @property
    def is_installed(self) -> bool:
        """Whether its program is on the PATH."""
        return shutil.which(self.program) is not None


def moves(*variables: str) -> Iterator[Switch]:
    """Yield switches for environment variables that relocate settings."""
    for name in variables:
        yield Switch(Spot(("env",), name), lambda value, _command: value not in ("", None), OffReason.MOVED)


def disables_hooks(*variables: str) -> Iterator[Switch]:
    """Yield switches for environment variables that disable a client's hooks."""
    for name in variables:
        yield Switch(Spot(("env",), name), lambda value, _command: str(value).lower() in _ON)


def system_file(name: str, variable: str = "") -> Path:
    """Return the path of a machine-wide settings file.

    `name` is relative to the system folder; `variable` may override the path.
    """
    chosen = os.environ.get(variable) if variable else None
    return Path(chosen).absolute() if chosen else SYSTEM / name


def server_entry() -> dict[str, object]:
    """Return the entry by which any MCP client starts our server."""
    command, *arguments = own_command()
    return {"command": command, "args": [*arguments, "mcp"]}


def server_entry_text() -> str:
    """Return that entry as JSON, to be put into a client's configuration."""
    return json.dumps({"mcpServers": {SERVER: server_entry()}}, indent=2, ensure_ascii=False)


def server_in(name: str) -> Callable[[Entry, Path], Iterator[FileSpot]]:
    """Return a finder of servers in a folder's and its parents' files."""

    def servers(entry: Entry, folder: Path) -> Iterator[FileSpot]:
        for each in (folder, *folder.parents):
            if each / name != entry.path:
                yield each / name, entry.spot

    return servers


def project_server_entry(project: Path, agent: str) -> dict[str, object]:
    """Return the entry that starts our server for one project and agent.

    It works from any folder.
    """
    entry = server_entry()
    words = cast("list[str]", entry["args"])
    return {
        **entry,
        "args": [*words, "--project", str(project), "--agent", agent],
        "env": inherited_variables(),
    }


def hook_command(client: Client) -> str:
    """Return the hook command as written in the client's configuration."""
    return next(identity(entry.value)[0] for entry in client.entries if entry.spot == HOOKS)


def identity(value: object) -> tuple[str, ...]:
    """Return what identifies an entry as ours: the commands it starts.

    Anything else in it may have been changed.
    """
    members = _members(value)
    handlers = members.get("hooks")
    if isinstance(handlers, list):
        return tuple(str(_members(each).get("command")) for each in cast("list[object]", handlers))
    arguments = members.get("args")
    listed = cast("list[object]", arguments) if isinstance(arguments, list) else []
    return (str(members.get("command")), *map(str, listed))


def is_group(value: object) -> bool:
    """Return whether an entry may have other handlers beside ours."""
    return isinstance(_members(value).get("hooks"), list)


def hook_name_of(client: str) -> str:
    """Return the stored name of a client's hook program."""
    return f"hooks/{client}"


def inherited_variables() -> dict[str, str]:
    """Return the variables of PASSED_ON that are set."""
    return {name: os.environ[name] for name in PASSED_ON if os.environ.get(name)}


def _members(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


BEFORE: Final = "alpha\nbeta\ngamma\n"
TARGET: Final = "notes.txt"
DIES: Final = "kill -9 $$"
"""Makes a shell kill itself."""

SettingsEntry = Mapping[str, object]
"""Our entry as `connect` writes it."""


class TrialEnvironment(Value):
    """The folders and environment of a client's test run.

    These are a home and a project of its own, its environment variables, and its model's address.
    """

    home: Path
    project: Path
    environment: Mapping[str, str]
    url: str


class Override(Value):
    """Settings that choose a client's model over its arguments and variables.

    Any value at these `spots` of the `files` does; without spots, any such file.
    """

    files: Callable[[], Iterable[Path]]
    spots: tuple[Spot, ...] = ()


class OwnSettings(Value):
    """Test setup of a client with its user's own settings.

    `beside` are patterns of what it reads beside its login files, relative to the home folder. `accounts` are
    keys in such files that identify the login: they are removed. `prepare` runs in the home folder before the
    start.
    """

    beside: tuple[str, ...]
    overrides: tuple[Override, ...] = ()
    accounts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    prepare: Callable[[TrialEnvironment, Sequence[SettingsEntry]], None] = lambda _place, _entries: None


class TrialClient(Value):
    """Test setup of one client.

    `scripted_calls` returns the tool calls that would write the target, `entry` is ours for a hook program at
    a path, `set_up` writes that into the home, if any, `command` is what is started, and `variables` what its
    environment needs, both from its model's address.

    `killed` returns an entry whose hook is killed as a whole: where a shell runs our hook program, that shell
    is. `is_loaded` is for a client that may skip our entry in its user's setup. `others` are the tests of
    further entries, by their spot, where the client has them.
    """

    program: str
    scripted_calls: Callable[[Path], tuple[Call, ...]]
    entry: Callable[[Path], SettingsEntry]
    set_up: Callable[[TrialEnvironment, Sequence[SettingsEntry]], None]
    command: Callable[[str], Sequence[str]]
    variables: Callable[[str], Mapping[str, str]]
    own: OwnSettings
    killed: Callable[[SettingsEntry], SettingsEntry] = lambda entry: entry
    is_loaded: Callable[[Client], bool] = lambda _client: True
    others: Mapping[Spot, TrialClient] = field(default_factory=dict[Spot, "TrialClient"])


def shell_killed(entry: SettingsEntry) -> SettingsEntry:
    """Return the entry with its shell commands replaced by a kill."""
    handlers = cast("Sequence[dict[str, Any]]", entry["hooks"])
    return {**entry, "hooks": [{**handler, "command": DIES} for handler in handlers]}


def file_killed(entry: SettingsEntry) -> SettingsEntry:
    """Return the entry with its hook file replaced by a kill."""
    return {**entry, "content": f"#!/bin/sh\n{DIES}\n"}


# Shared by Gemini CLI and Qwen Code: both have a shell run their hook, with our command line around it.

COMMAND_FILES: Final = (
    "Shell commands in a command file ask you or follow its rules when you type its name, without the hook."
)
"""Seen in Gemini CLI 0.61.0, Qwen Code 0.24.4."""


def guarded_entries(settings: Path, spot: Spot, matcher: str, hook: Path) -> tuple[Entry, ...]:
    """Return entries for a hook and our server, in one file.

    The hook is at `spot`, for the tools that `matcher` selects. The client's timeouts are in milliseconds.
    """
    handler = {"type": "command", "command": guarded(hook), "timeout": CLIENT_SECONDS * 1000}
    server: dict[str, object] = {**server_entry(), "trust": True}
    if variables := inherited_variables():
        server["env"] = variables
    return (
        Entry(
            settings,
            spot,
            {"matcher": matcher, "hooks": [handler]},
            "Each tool call asks Exacta Studio first.",
        ),
        Entry(
            settings,
            Spot(("mcpServers",), SERVER),
            server,
            "Adds the tools of Exacta Studio, allowed without asking.",
        ),
    )


class AcpAgent(Value):
    """Behaviour of one agent of the Agent Client Protocol.

    The protocol guarantees none of it.

    `title` is for display, `gate` names its gate here; `asking_mode` is the mode in which it asks before each
    change, "" where it has no modes. `writes_through_client`: each change arrives as a file write, after it
    asked, and in no other way; other agents write by themselves once allowed, or ignore the answer.
    `model_gets_errors`: the reason why a write was refused reaches its model. `model_gets_missing`: a missing
    file is reported to its model. `writes_whole_file`: once allowed it writes the whole file as computed
    before the question; others apply their edit to the current file, also to one that has the edit already.
    `denial_ends_turn`: a denied change ends its turn. `own_folder` is a folder in the user's home in which it
    always writes by itself, `project_folder` a project's folder with its settings. `shell` has the argument
    names of its shell tool, None where unknown. `reported_name` is in its first response, `command` starts
    it. `instead` is our command that stops an agent without `writes_through_client` from writing.
    """

    title: str
    gate: str
    asking_mode: str
    writes_through_client: bool
    model_gets_errors: bool = False
    model_gets_missing: bool = True
    writes_whole_file: bool = False
    denial_ends_turn: bool = False
    own_folder: str = ""
    project_folder: str = ""
    instead: str = ""
    shell: ShellTool | None = None
    reported_name: str = ""
    command: tuple[str, ...] = ()

    @property
    def warning(self) -> str:
        """A warning for the user, "" where all changes come here first."""
        if self.writes_through_client:
            return ""
        if not self.title:
            return "This agent is unknown and may write without asking. Check its changes."
        return (
            f"{self.title} writes without asking where its settings allow it; only what it asks for "
            f"waits here. With “{self.instead}” every change waits."
        )


class KnownClient(Value):
    """Definition of one agent, independent of environment variables.

    `entries` are made from our hook program's path. `json_extra` is the syntax that its JSON files allow
    beyond JSON. An agent that does not wait for a day has `words`, arguments for our command, and a shorter
    timeout in `seconds`. `tried` is its test setup, None without one; then `no_gate` says why. `tools` is for
    our hook, `acp` for its conversations. `settings_variable` is the environment variable that moves its
    settings, "" for none.
    """

    name: str
    title: str
    program: str
    entries: Callable[[Path], tuple[Entry, ...]]
    habits: Habits
    unseen: tuple[str, ...]
    json_extra: JsonExtra
    tried: TrialClient | None = None
    words: tuple[str, ...] = ()
    seconds: int = OWN_SECONDS
    no_gate: str = ""
    tools: HookTools | None = None
    acp: AcpAgent | None = None
    settings_variable: str = ""
