"""Stricter rules for the plans of one format or agent: `sources`.

An agent chooses its own name, so rules by agent are a convenience; rules by format are enforced.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from studio.engine.config.levels import Setting, smaller

DEFAULTS: Final[Mapping[str, tuple[str, ...]]] = {"file-action": (".md",)}
"""The extensions a source may touch unless the user's configuration names others."""

_FORMATS_BETWEEN: Final = "+"
"""Separates the formats of a plan that was made of several texts."""


def source_names(format_name: str, agent: str) -> tuple[str, ...]:
    """Return the names under which `sources` may configure a plan.

    They are its formats, and its agent's name in small letters, digits, hyphens and underscores.
    """
    by_agent = re.sub("[^a-z0-9_-]+", "-", agent.casefold()).strip("-")
    return tuple(dict.fromkeys(filter(None, (*format_name.split(_FORMATS_BETWEEN), by_agent))))


def known_sources(settings: Sequence[Setting]) -> frozenset[str]:
    """Return every source with settings of its own, defaults included."""
    names = (setting.key.split(".")[1] for setting in settings if setting.key.startswith("sources."))
    return frozenset((*DEFAULTS, *names))


def narrow(settings: tuple[Setting, ...], source: str) -> tuple[Setting, ...]:
    """Return the settings for one source, never wider than without it."""
    start = f"sources.{source}."
    source_settings = [setting for setting in settings if setting.key.startswith(start)]
    extensions = f"{start}allowed_extensions"
    if not any(setting.key == extensions and setting.level == "user" for setting in source_settings):
        source_settings += [Setting(extensions, ending, "default") for ending in DEFAULTS.get(source, ())]
    found = list(settings)
    for setting in source_settings:
        name = setting.key.removeprefix(start)
        # Two lists of one level are joined, which would widen:
        # each source and each file has a level of its own.
        level = f"source {source}" + (", project" if setting.level == "project" else "")
        if isinstance(setting.value, str):
            found += [replace(setting, key=f"file_rules.{name}", level=level)] if setting.value else []
        else:
            lower = replace(setting, key=f"limits.{name}", level=level)
            found = [smaller(current, lower) if current.key == lower.key else current for current in found]
    return tuple(found)
