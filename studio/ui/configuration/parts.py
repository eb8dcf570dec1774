"""The parts of the page of settings, and which keys stand in which."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import Final

from studio.engine.config.schema import FILE_SYSTEM, SETTINGS, SettingKey
from studio.ui.language import translator

_tr = translator("SettingsParts")


class Part(Enum):
    """In the order in which they are listed."""

    RULES = "rules"
    LIMITS = "limits"
    ENCODINGS = "encodings"
    SOURCES = "sources"
    REVIEW = "review"
    RETENTION = "retention"
    OBSERVE = "observe"
    CONNECT = "connect"
    AGENTS = "agents"
    SANDBOX = "sandbox"
    NOTIFY = "notify"
    LOOK = "look"
    TRUST = "trust"


_TOOLS = frozenset({"max_file_size", "max_files_per_operation"})


def part_of(row: SettingKey) -> Part:
    """The one part in which a key stands."""
    if row.section == FILE_SYSTEM:
        return Part.LIMITS if row.name in _TOOLS else Part.RULES
    first = row.key.partition(".")[0]
    return Part.RULES if first in ("file_rules", "projects") else Part(first)


KEYS: Final[Mapping[Part, tuple[SettingKey, ...]]] = {
    part: tuple(row for row in SETTINGS if part_of(row) is part) for part in Part
}


def heading(part: Part) -> str:
    """What a part is called."""
    return {
        Part.RULES: _tr("Rules for files"),
        Part.LIMITS: _tr("Limits"),
        Part.ENCODINGS: _tr("Encodings"),
        Part.SOURCES: _tr("By format or agent"),
        Part.REVIEW: _tr("Deciding"),
        Part.RETENTION: _tr("Undo"),
        Part.OBSERVE: _tr("Observed changes"),
        Part.CONNECT: _tr("Connect agents"),
        Part.AGENTS: _tr("What agents may do"),
        Part.SANDBOX: _tr("Sandbox"),
        Part.NOTIFY: _tr("Notifications"),
        Part.LOOK: _tr("Keys, fonts and colours"),
        Part.TRUST: _tr("The project's own file"),
    }[part]


def introduction(part: Part) -> str:
    """What is to be known of a whole part, "" for nothing."""
    return {
        Part.RULES: _tr(
            "The first of these decides on a path: outside of the project, locked, denied, allowed, denied "
            "by default. Patterns are as in .gitignore. What agents and git are configured with is locked, "
            "whatever stands here."
        ),
        Part.SOURCES: _tr(
            "What narrows the rules for plans of one format or one agent. An agent names itself, so this is "
            "a convenience; what is narrowed by format holds."
        ),
        Part.CONNECT: _tr(
            "A connected agent asks before it changes a file. What it can still do unasked is listed."
        ),
        Part.LOOK: _tr("These belong to the window and stand in no configuration file."),
        Part.LIMITS: _tr("A project's own file lowers these at once, and never raises yours."),
    }.get(part, "")


def icon(part: Part) -> str:
    """The sign beside its name."""
    return {
        Part.RULES: "denied", Part.LIMITS: "lines", Part.ENCODINGS: "white-space", Part.SOURCES: "filter",
        Part.REVIEW: "approved", Part.RETENTION: "undo", Part.OBSERVE: "observed", Part.CONNECT: "agent",
        Part.AGENTS: "executable", Part.SANDBOX: "terminal", Part.NOTIFY: "info", Part.LOOK: "keyboard",
        Part.TRUST: "look-out",
    }[part]  # fmt: skip
