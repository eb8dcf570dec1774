"""Hint texts in policy denials: rule, limit and configuration level to change."""

from __future__ import annotations

from typing import Final

from studio.names import show_name

LOCKED: Final = "Exclude this file; no rule can allow it."
DEFAULT: Final = "Exclude this file, or ask the user to allow it in the user configuration."


def default_hint(folder: str | None) -> str:
    """Return the hint for a built-in rule, with the folder to allow."""
    if folder is None:
        return DEFAULT
    return f"Exclude this file, or ask the user to allow the folder {show_name(folder)}."


def deny_hint(level: str) -> str:
    """Return the hint for a deny rule, which no allow rule overrides."""
    return f"Exclude this file. It is denied until the user removes the rule from {place_of(level)}."


def list_hint(key: str, level: str) -> str:
    """Return the hint for an exclusive list of allowed paths."""
    return f"Exclude this file, or ask the user to add it to {key} in {place_of(level)}."


def limit_hint(key: str, level: str) -> str:
    """Return the hint for an exceeded limit."""
    return f"Exclude this file, or ask the user to raise {key} in {place_of(level)}."


def place_of(level: str) -> str:
    """Return where a level is written, with the section of a source.

    A level of a source looks like "source mcp, project".
    """
    name, _, file = level.partition(", ")
    file_name = "studio.yaml" if "project" in (name, file) else "the user configuration"
    return (
        f"sources: {name.removeprefix('source ')} of {file_name}" if name.startswith("source ") else file_name
    )
