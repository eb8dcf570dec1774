"""How a client is set up in an empty home, and started there to wish for a write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from studio.doors.agents.script import Call

BEFORE: Final = "alpha\nbeta\ngamma\n"
TARGET: Final = "notes.txt"


@dataclass(frozen=True, slots=True)
class Place:
    """Where a client is tried: a home and a project of its own, its environment, and its model's address."""

    home: Path
    project: Path
    environment: Mapping[str, str]
    url: str


@dataclass(frozen=True, slots=True)
class TriedClient:
    """How one client is tried.

    `wish` makes the tool calls that would write the target, `set_up` writes our entry into the home, if any,
    `command` is what is started, and `variables` what it must be told by its environment, from its model's
    address.
    """

    program: str
    wish: Callable[[Path], tuple[Call, ...]]
    set_up: Callable[[Place, Sequence[Mapping[str, object]]], None]
    command: Callable[[str], Sequence[str]]
    variables: Callable[[str], Mapping[str, str]]
