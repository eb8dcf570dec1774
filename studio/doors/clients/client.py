"""An agent's client: its files, our entries there (contract 9), and how it is tried in a home of its own."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.agents.script import Call
from studio.doors.clients.hook_program import CLIENT_SECONDS, OWN_SECONDS, guarded
from studio.engine.documents import JsonExtra, Spot
from studio.engine.own_program import own_command

SERVER: Final = "studio"
"""What our server is called in every configuration."""
HOOKS: Final = Spot(("hooks", "PreToolUse"), None)
"""Where most agents have what they ask before a tool is used."""
SYSTEM = Path("/etc")
"""Where clients on Linux read the settings of every user."""
_ON: Final = ("1", "true", "yes", "on")
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
    """What is put into one file of an agent; `meaning` is one sentence. What `is_added` to a file needs one
    that is there. One that the installed version can't have is not `is_wanted`, and is taken out again."""

    path: Path
    spot: Spot
    value: Mapping[str, object]
    meaning: str
    is_added: bool = False
    is_wanted: bool = True


class OffReason(Enum):
    """Why a client asks no hook of ours: the kind of reason, without the setting's name."""

    HOOKS_OFF = "hooks_off"
    MOVED = "settings_moved"
    UNTRUSTED = "folder_untrusted"


@dataclass(frozen=True, slots=True)
class Switch:
    """A setting that turns hooks off, and our gate with them, without a word of its client.

    `turns_off` gets its value, and what our entry starts. A spot without a name is the whole value there.
    """

    spot: Spot
    turns_off: Callable[[object, str], bool]
    reason: OffReason = OffReason.HOOKS_OFF


FileSpot = tuple[Path, Spot]


@dataclass(frozen=True, slots=True)
class Habits:
    """What else an agent reads in a folder in which it is started, beside the user's own files.

    `servers` are the places where it may find a server of our name, from our own entry and that folder.
    `switches` may stand in the file of our first entry, in those `beside` it (patterns), in the `settings` of
    a folder that it is started in, and in the files of the `system`. `user_switches` count in that first file
    alone, `system_switches` in those of the system. `elsewhere` is what the user's own other files say of a
    project.
    """

    servers: Callable[[Entry, Path], Iterator[FileSpot]]
    switches: tuple[Switch, ...] = ()
    settings: tuple[str, ...] = ()
    beside: tuple[str, ...] = ()
    system: Callable[[], Iterable[Path]] = lambda: ()
    user_switches: tuple[Switch, ...] = ()
    system_switches: tuple[Switch, ...] = ()
    elsewhere: Callable[[Entry, Path], Iterable[tuple[Path, Switch]]] = lambda _entry, _project: ()


@dataclass(frozen=True, slots=True)
class Client:
    """One agent: `program` is what it is started as, `hook` our hook program for it, None where nothing could
    have that asked; then `no_gate` says why. `unseen` is what it can still write without being seen, as
    sentences; `seconds` are those after which our hook program gives up. `unwanted` are entries that its
    installed version can't have, `json_extra` is what it reads in its JSON files beside plain JSON."""

    name: str
    title: str
    program: str
    entries: tuple[Entry, ...]
    hook: bytes | None
    habits: Habits
    no_gate: str = ""
    unseen: tuple[str, ...] = ()
    seconds: int = OWN_SECONDS
    unwanted: tuple[Entry, ...] = ()
    json_extra: JsonExtra = JsonExtra.NONE

    @property
    def hook_name(self) -> str:
        """What its hook program is kept as."""
        return hook_name_of(self.name)

    @property
    def is_installed(self) -> bool:
        """Whether its program is found."""
        return shutil.which(self.program) is not None


def moves(*variables: str) -> Iterator[Switch]:
    """Yield switches for entries of the environment that name another place for settings."""
    for name in variables:
        yield Switch(Spot(("env",), name), lambda value, _command: value not in ("", None), OffReason.MOVED)


def starts_without(*variables: str) -> Iterator[Switch]:
    """Yield switches for entries of the environment that start a client without its hooks."""
    for name in variables:
        yield Switch(Spot(("env",), name), lambda value, _command: str(value).lower() in _ON)


def system_file(name: str, variable: str = "") -> Path:
    """Return a file of settings for every user, by the name below its folder, or where a variable says."""
    chosen = os.environ.get(variable) if variable else None
    return Path(chosen).absolute() if chosen else SYSTEM / name


def server_entry() -> dict[str, object]:
    """How any client of MCP starts our server."""
    command, *arguments = own_command()
    return {"command": command, "args": [*arguments, "mcp"]}


def server_in(name: str) -> Callable[[Entry, Path], Iterator[FileSpot]]:
    """Places of an agent that reads this file in the folder in which it is started, or in one around it."""

    def servers(own: Entry, folder: Path) -> Iterator[FileSpot]:
        for each in (folder, *folder.parents):
            if each / name != own.path:
                yield each / name, own.spot

    return servers


def project_server_entry(project: Path, agent: str) -> dict[str, object]:
    """How our server is started for one project and agent, from any folder."""
    entry = server_entry()
    words = cast("list[str]", entry["args"])
    return {**entry, "args": [*words, "--project", str(project), "--agent", agent], "env": passed_on()}


def hook_command(client: Client) -> str:
    """What the client's configuration names as our hook, as it stands there."""
    return next(identity(entry.value)[0] for entry in client.entries if entry.spot == HOOKS)


def identity(value: object) -> tuple[str, ...]:
    """By what an entry is known to be ours, whatever else was changed in it: what it starts."""
    members = _members(value)
    handlers = members.get("hooks")
    if isinstance(handlers, list):
        return tuple(str(_members(each).get("command")) for each in cast("list[object]", handlers))
    arguments = members.get("args")
    listed = cast("list[object]", arguments) if isinstance(arguments, list) else []
    return (str(members.get("command")), *map(str, listed))


def is_group(value: object) -> bool:
    """Whether an entry may have handlers of others beside ours."""
    return isinstance(_members(value).get("hooks"), list)


def hook_name_of(client: str) -> str:
    """What the hook program of a client is kept as."""
    return f"hooks/{client}"


def passed_on() -> dict[str, str]:
    """Those of them that are set."""
    return {name: os.environ[name] for name in PASSED_ON if os.environ.get(name)}


def _members(value: object) -> dict[str, object]:
    return cast("dict[str, object]", value) if isinstance(value, dict) else {}


BEFORE: Final = "alpha\nbeta\ngamma\n"
TARGET: Final = "notes.txt"
DIES: Final = "kill -9 $$"
"""What a shell that is killed does, in its own words."""

Value = Mapping[str, object]
"""What our entry says, as `connect` writes it."""


@dataclass(frozen=True, slots=True)
class TrialPlace:
    """Where a client is tried: a home and a project of its own, its environment, and its model's address."""

    home: Path
    project: Path
    environment: Mapping[str, str]
    url: str


@dataclass(frozen=True, slots=True)
class Override:
    """Settings that choose a client's model over its words and variables.

    Any at these `spots` of the `files` does; where there are no spots, any such file.
    """

    files: Callable[[], Iterable[Path]]
    spots: tuple[Spot, ...] = ()


@dataclass(frozen=True, slots=True)
class OwnSettings:
    """How a client is tried as its user has it set up.

    `beside` is what it reads in the home beside the files of its login, from the home on, as patterns.
    `accounts` are members of such files that say whose login it is: they are left out. `prepare` is done in
    the home before it is started.
    """

    beside: tuple[str, ...]
    overrides: tuple[Override, ...] = ()
    accounts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    prepare: Callable[[TrialPlace, Sequence[Value]], None] = lambda _place, _entries: None


@dataclass(frozen=True, slots=True)
class TriedClient:
    """How one client is tried.

    `wish` makes the tool calls that would write the target, `entry` is ours for a hook program at a path,
    `set_up` writes that into the home, if any, `command` is what is started, and `variables` what it must be
    told by its environment, from its model's address.

    `killed` makes the entry of a hook of which nothing lives on to say no: where something stands between
    the client and our hook program, that is killed. `is_loaded` is for a client that may pass our entry over
    as its user has it. `others` are how further entries of ours are tried, by their spot, where the client
    was given them.
    """

    program: str
    wish: Callable[[Path], tuple[Call, ...]]
    entry: Callable[[Path], Value]
    set_up: Callable[[TrialPlace, Sequence[Value]], None]
    command: Callable[[str], Sequence[str]]
    variables: Callable[[str], Mapping[str, str]]
    own: OwnSettings
    killed: Callable[[Value], Value] = lambda entry: entry
    is_loaded: Callable[[Client], bool] = lambda _client: True
    others: Mapping[Spot, TriedClient] = field(default_factory=dict[Spot, "TriedClient"])


def shell_killed(entry: Value) -> Value:
    """The entry of a client that has a shell run its hooks."""
    handlers = cast("Sequence[dict[str, Any]]", entry["hooks"])
    return {**entry, "hooks": [{**handler, "command": DIES} for handler in handlers]}


def file_killed(entry: Value) -> Value:
    """The entry of a client whose hook is a file of its own."""
    return {**entry, "content": f"#!/bin/sh\n{DIES}\n"}


# What Gemini CLI and Qwen Code are given: both have a shell run their hook, with our words around it.

COMMAND_FILES: Final = (
    "Shell commands in a command file ask you or its rules as you type its name, and no hook."
)
"""Run: Gemini CLI 0.61.0, Qwen Code 0.24.4."""


def guarded_entries(settings: Path, spot: Spot, matcher: str, hook: Path) -> tuple[Entry, ...]:
    """The hook at this spot for the tools that match, and our server, in one file. Its times are
    milliseconds."""
    handler = {"type": "command", "command": guarded(hook), "timeout": CLIENT_SECONDS * 1000}
    server: dict[str, object] = {**server_entry(), "trust": True}
    if variables := passed_on():
        server["env"] = variables
    return (
        Entry(
            settings,
            spot,
            {"matcher": matcher, "hooks": [handler]},
            "Every tool it uses asks Exacta Studio first.",
        ),
        Entry(
            settings,
            Spot(("mcpServers",), SERVER),
            server,
            "It is offered the tools of Exacta Studio, and uses them unasked.",
        ),
    )


@dataclass(frozen=True, slots=True)
class KnownClient:
    """What is known of one agent, whatever this process' variables say.

    `entries` come from our hook program's place. `json_extra` is what it reads in its JSON files beside plain
    JSON. One that waits for no day has `words` for our command, and ends the program after fewer `seconds`.
    `tried` is how its gate is proved, None without one; then `no_gate` says why.
    """

    name: str
    title: str
    program: str
    entries: Callable[[Path], tuple[Entry, ...]]
    habits: Habits
    unseen: tuple[str, ...]
    json_extra: JsonExtra
    tried: TriedClient | None = None
    words: tuple[str, ...] = ()
    seconds: int = OWN_SECONDS
    no_gate: str = ""
