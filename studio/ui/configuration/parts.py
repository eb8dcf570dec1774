"""Section assignment and display texts of configuration keys on the settings page."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Final

from PySide6.QtCore import QCoreApplication

from studio.engine import SETTINGS, Setting, SettingKey, SettingKind
from studio.names import show_name
from studio.ui.language import translator
from studio.ui.look.words import count_text, say, size

_tr = translator("SettingsParts")


class Part(Enum):
    """Sections of the settings page, in display order."""

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


def part_of(row: SettingKey) -> Part:
    """Return the section of a key."""
    first = row.key.partition(".")[0]
    return Part.RULES if first in ("file_rules", "projects", "tools") else Part(first)


KEYS: Final[Mapping[Part, tuple[SettingKey, ...]]] = {
    part: tuple(row for row in SETTINGS if part_of(row) is part) for part in Part
}


def heading(part: Part) -> str:
    """Return a section's heading."""
    return {
        Part.RULES: _tr("File rules"),
        Part.LIMITS: _tr("Limits"),
        Part.ENCODINGS: _tr("Encodings"),
        Part.SOURCES: _tr("Per format or agent"),
        Part.REVIEW: _tr("Review"),
        Part.RETENTION: _tr("Undo"),
        Part.OBSERVE: _tr("Outside changes"),
        Part.CONNECT: _tr("Connect agents"),
        Part.AGENTS: _tr("Agent permissions"),
        Part.SANDBOX: _tr("Sandbox"),
        Part.NOTIFY: _tr("Notifications"),
        Part.LOOK: _tr("Shortcuts, fonts and colours"),
        Part.TRUST: _tr("Project file (studio.yaml)"),
    }[part]


def introduction(part: Part) -> str:
    """Return a section's introduction, "" for none."""
    return {
        Part.RULES: _tr(
            "For each path, the first match applies, in this order: outside the project, "
            "locked, denied, allowed, denied by default. Patterns use .gitignore syntax, "
            "and agent and Git configuration files are always locked."
        ),
        Part.SOURCES: _tr(
            "Stricter rules for plans in one format or from one agent. Agents choose "
            "their own names, so only per-format rules are reliably enforced."
        ),
        Part.CONNECT: _tr(
            "Connected agents ask before they change files. Exceptions are listed for each agent."
        ),
        Part.LOOK: _tr("These user interface settings are not stored in a configuration file."),
        Part.LIMITS: _tr("A project's studio.yaml can lower these limits, but never raise them."),
    }.get(part, "")


def icon(part: Part) -> str:
    """Return the icon beside a section's heading."""
    return {
        Part.RULES: "denied", Part.LIMITS: "lines", Part.ENCODINGS: "white-space", Part.SOURCES: "filter",
        Part.REVIEW: "approved", Part.RETENTION: "undo", Part.OBSERVE: "observed", Part.CONNECT: "agent",
        Part.AGENTS: "executable", Part.SANDBOX: "terminal", Part.NOTIFY: "info", Part.LOOK: "keyboard",
        Part.TRUST: "look-out",
    }[part]  # fmt: skip


# Names and values of settings as displayed.

_word_tr = translator("Settings")

_YES = "yes"


def title(row: SettingKey) -> str:
    """Return a key's title in the user's language."""
    return QCoreApplication.translate("Settings", row.title)


def title_of(key: str) -> str:
    """Return a dotted key's title; an unknown key is its own."""
    row = SettingKey.find(key)
    return title(row) if row is not None else show_name(key)


def meaning(row: SettingKey) -> str:
    """Return a key's description in the user's language."""
    return QCoreApplication.translate("Settings", row.means)


def source_of(setting: Setting) -> str:
    """Return a value's source: "default", "config.yaml, line 3"."""
    if setting.file is None:
        return _word_tr("default")
    name = show_name(Path(setting.file).name)
    if setting.line is None:
        return name
    return say(_word_tr("{file}, line {line}"), file=name, line=str(setting.line))


def value(row: SettingKey, shown: object) -> str:
    """Return a value for display: "10,485,760 (10.0 MiB)", "on"."""
    if isinstance(shown, bool):
        return _word_tr("on") if shown else _word_tr("off")
    if isinstance(shown, int):
        words = count_text(shown)
        return f"{words} ({size(shown)})" if is_size(row) and shown >= 1024 else words
    if isinstance(shown, tuple):
        first, second = map(str, shown)
        return _pair(row, first, second)
    return show_name(str(shown))


def _pair(row: SettingKey, first: str, second: str) -> str:
    first = show_name(first)
    if row.kind is SettingKind.PROJECT_FOLDERS:
        return say(_word_tr("{folder} in {project}"), folder=show_name(second), project=first)
    if row.kind is SettingKind.ANSWERS:
        return say(_word_tr("{name}: {value}"), name=first, value=answer(second == _YES))
    return say(_word_tr("{name}: {value}"), name=first, value=show_name(second))


def answer(yes: bool) -> str:
    """Return "yes" or "no" in the user's language."""
    return _word_tr("yes") if yes else _word_tr("no")


def is_size(row: SettingKey) -> bool:
    """Return whether the number counts bytes of contents."""
    return row.kind is SettingKind.NUMBER and row.name in ("file_bytes", "bytes")


def hard_limits(row: SettingKey) -> str:
    """Return the limits that no file can change."""
    low, high = value(row, row.smallest), value(row, row.largest)
    return say(_word_tr("Allowed range: {low} to {high}"), low=low, high=high)
