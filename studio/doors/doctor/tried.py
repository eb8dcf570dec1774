"""How a client is set up in an empty home, and started there to wish for a write."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.agents.script import Call
from studio.doors.connect import Client
from studio.engine.documents import Spot

BEFORE: Final = "alpha\nbeta\ngamma\n"
TARGET: Final = "notes.txt"
DIES: Final = "kill -9 $$"
"""What a shell that is killed does, in its own words."""

Value = Mapping[str, object]
"""What our entry says, as `connect` writes it."""


@dataclass(frozen=True, slots=True)
class Place:
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
    prepare: Callable[[Place, Sequence[Value]], None] = lambda _place, _entries: None


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
    set_up: Callable[[Place, Sequence[Value]], None]
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
