"""What of a tree is not watched: it would take the watches that others need, and tell what nobody reviews."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable

IsIgnored = Callable[[str], bool]
"""Whether the folder at a relative path, and all beneath it, is not watched."""

_GIT_FOLDER = ".git"


class Unwatched:
    """The folders that take no watch: the ignored ones, but for those where a plan that waits would write.

    For all threads. What is ignored is asked for once, and again after `forget`.
    """

    def __init__(self, find: Callable[[], IsIgnored] = lambda: lambda _path: False) -> None:
        self._find = find
        self._turn = threading.Lock()
        self._is_ignored: IsIgnored | None = None
        self._holding: frozenset[str] = frozenset()

    def __call__(self, path: str) -> bool:
        with self._turn:
            return path not in self._holding and self._ignores(path)

    def forget(self) -> None:
        """Other folders may be ignored by now."""
        with self._turn:
            self._is_ignored = None

    def hold(self, paths: Iterable[str]) -> list[str]:
        """Have the folders of these files watched, and no others that are ignored; returns those of them that
        were not watched before, the upper ones first."""
        holding = {folder for path in paths for folder in _folders_above(path)}
        with self._turn:
            added = sorted(holding - self._holding)
            self._holding = frozenset(holding)
            return [folder for folder in added if self._ignores(folder)]

    def _ignores(self, path: str) -> bool:
        if self._is_ignored is None:
            self._is_ignored = self._find()
        return self._is_ignored(path)


def _folders_above(path: str) -> Iterable[str]:
    while path := path.rpartition("/")[0]:
        yield path


def is_git(path: str) -> bool:
    """Whether it is the folder of a repository. What git does at its top (HEAD, index, the locks of both) is
    told under this one path, and nothing that lies deeper: every commit, checkout and rebase shows there."""
    return path.rpartition("/")[2] == _GIT_FOLDER


def told_of(path: str, is_ignored: IsIgnored) -> str | None:
    """Under which path a change is told where a whole tree is watched; None where it is not."""
    parts = path.split("/")
    for length in range(1, len(parts)):
        folder = "/".join(parts[:length])
        if is_git(folder):
            return folder if length == len(parts) - 1 else None
        if is_ignored(folder):
            return None
    return path
