"""What narrows the rules for the plans of one format or one agent: `sources` (contract 8, Q7, C10).

An agent names itself, so what is narrowed by agent is a convenience; what is narrowed by format holds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from studio.engine.config.levels import Setting, smaller

DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {"file-action": (".md",)}
"""The kinds of files that a source may touch unless the user's configuration names others (C10)."""

_FORMATS_BETWEEN: Final = "+"
"""Stands between the formats of a plan that was made of several texts."""


def source_names(format_name: str, agent: str) -> tuple[str, ...]:
    """The names under which `sources` may speak of a plan: its formats, and its agent as such names are
    written: small letters, digits, hyphens and underscores."""
    by_agent = re.sub("[^a-z0-9_-]+", "-", agent.casefold()).strip("-")
    return tuple(dict.fromkeys(filter(None, (*format_name.split(_FORMATS_BETWEEN), by_agent))))


def known_sources(settings: Sequence[Setting]) -> frozenset[str]:
    """Every source of which the configuration, or its defaults, say something."""
    named = (setting.key.split(".")[1] for setting in settings if setting.key.startswith("sources."))
    return frozenset((*DEFAULTS, *named))


def narrow(settings: tuple[Setting, ...], source: str) -> tuple[Setting, ...]:
    """The settings as they count for one source, which can only be stricter than without it."""
    start = f"sources.{source}."
    own = [setting for setting in settings if setting.key.startswith(start)]
    extensions = f"{start}allowed_extensions"
    if not any(setting.key == extensions and setting.level == "user" for setting in own):
        own += [Setting(extensions, ending, "default") for ending in DEFAULTS.get(source, ())]
    found = list(settings)
    for setting in own:
        name = setting.key.removeprefix(start)
        # Of two lists of one level either lets a file through: each source and each file has its own level.
        level = f"source {source}" + (", project" if setting.level == "project" else "")
        if isinstance(setting.value, str):
            found += [replace(setting, key=f"file_rules.{name}", level=level)] if setting.value else []
        else:
            lower = replace(setting, key=f"limits.{name}", level=level)
            found = [smaller(kept, lower) if kept.key == lower.key else kept for kept in found]
    return tuple(found)
