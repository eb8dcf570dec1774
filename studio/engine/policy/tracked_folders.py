"""Folders that a built-in rule denies by their name, unless git's HEAD has files in them."""

from __future__ import annotations

from collections.abc import Iterator

from studio.engine.patterns import PatternList
from studio.engine.policy.tables import OPENED_BY_GIT

_NAMES = PatternList(OPENED_BY_GIT, ignore_case=True)


def may_be_opened(name: str) -> bool:
    """Whether git's HEAD decides on folders of this name."""
    return _NAMES.match(name, folder=True) is not None


def folders_to_open(path: str, *, folder: bool) -> Iterator[str]:
    """Yield each folder on the way to a path that only git's HEAD can open; `folder`: the path is one."""
    parts = path.split("/")
    for count, name in enumerate(parts[: None if folder else -1], start=1):
        if may_be_opened(name):
            yield "/".join(parts[:count])
