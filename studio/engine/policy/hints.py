"""What to do about a refused path: it depends on which rule refused it, and on who wrote that."""

from __future__ import annotations

import shlex
from typing import Final

from studio.engine.names import show_name

LOCKED: Final = "No rule can allow it. Leave this file out."
DEFAULT: Final = "Leave this file out, or ask the user to allow it in the user configuration."


def of_default(folder: str | None) -> str:
    """For a rule that is built in, with the folder that a person can allow."""
    if folder is None:
        return DEFAULT
    command = f"studio config allow {shlex.quote(show_name(folder))}"
    return f"Leave this file out, or ask the user to allow the folder in a terminal: {command}"


def of_deny(level: str) -> str:
    """For a rule that denies: an allow does not open it."""
    return f"Leave this file out. It is denied until the user removes the rule from {place_of(level)}."


def of_list(key: str, level: str) -> str:
    """For a list that lets nothing else through."""
    return f"Leave this file out, or ask the user to add to {key} in {place_of(level)}."


def of_limit(key: str, level: str) -> str:
    """For a number that is too small."""
    return f"Leave this file out, or ask the user to raise {key} in {place_of(level)}."


def place_of(level: str) -> str:
    """Return where a level is written, with the section of a source: "source mcp, project"."""
    name, _, file = level.partition(", ")
    where = "studio.yaml" if "project" in (name, file) else "the user configuration"
    return f"sources: {name.removeprefix('source ')} of {where}" if name.startswith("source ") else where
