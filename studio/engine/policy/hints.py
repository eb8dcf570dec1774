"""Hint texts in policy denials: rule, limit and configuration level to change."""

from __future__ import annotations

import shlex
from typing import Final

from studio.names import show_name

LOCKED: Final = "No rule can allow it. Leave this file out."
DEFAULT: Final = "Leave this file out, or ask the user to allow it in the user configuration."


def default_hint(folder: str | None) -> str:
    """Return the hint for a built-in rule, with the folder to allow."""
    if folder is None:
        return DEFAULT
    command = f"studio config allow {shlex.quote(show_name(folder))}"
    return f"Leave this file out, or ask the user to allow the folder in a terminal: {command}"


def deny_hint(level: str) -> str:
    """Return the hint for a deny rule, which no allow rule overrides."""
    return f"Leave this file out. It is denied until the user removes the rule from {place_of(level)}."


def list_hint(key: str, level: str) -> str:
    """Return the hint for an exclusive list of allowed paths."""
    return f"Leave this file out, or ask the user to add to {key} in {place_of(level)}."


def limit_hint(key: str, level: str) -> str:
    """Return the hint for an exceeded limit."""
    return f"Leave this file out, or ask the user to raise {key} in {place_of(level)}."


def place_of(level: str) -> str:
    """Return where a level is written, with the section of a source.

    A level of a source looks like "source mcp, project".
    """
    name, _, file = level.partition(", ")
    file_name = "studio.yaml" if "project" in (name, file) else "the user configuration"
    return (
        f"sources: {name.removeprefix('source ')} of {file_name}" if name.startswith("source ") else file_name
    )
