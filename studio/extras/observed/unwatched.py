"""Choice of ignored folders without file watch, and paths for reporting changes.

They would use up watches that others need, and report what no one reviews.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from studio.engine.git_data import is_usual

IsIgnored = Callable[[str], bool]
"""Predicate: whether the subtree at a relative path is not watched."""

_GIT_FOLDER = ".git"


class Ignores(Protocol):
    """Source of ignored folders; many at once cost little more than one."""

    def guess(self, folder: str) -> bool | None:
        """Return whether a folder is ignored, None if that must be asked."""
        ...

    def ask_for(self, folders: Collection[str]) -> None: ...


class Unwatched:
    """Folders without a watch: ignored ones that no waiting plan would write.

    Thread-safe. Watching never waits for an answer: an unknown folder is watched, unless it has a name usual
    for tools' folders, until `ask` has brought the answers for all of them.
    """

    def __init__(self, find: Callable[[], Ignores] | None = None) -> None:
        """Start with `find`, which returns the current source; None watches all folders."""
        self._find = find
        self._turn = threading.Lock()
        self._ignores = find() if find is not None else None
        self._before: Ignores | None = None
        """The previous source: the best guess there is."""
        self._guessed: dict[str, bool] = {}
        self._holding: frozenset[str] = frozenset()

    def __call__(self, path: str) -> bool:
        with self._turn:
            if self._ignores is None or path in self._holding:
                return False
            is_excluded = self._ignores.guess(path)
            if is_excluded is None:
                is_excluded = self._before.guess(path) if self._before is not None else None
                is_excluded = self._guessed[path] = is_usual(path) if is_excluded is None else is_excluded
            return is_excluded

    def clear(self) -> None:
        """Discard all answers, because other folders may be ignored now."""
        if self._find is not None:
            with self._turn:
                self._before, self._ignores = self._ignores, self._find()

    def ask(self) -> list[str]:
        """Ask about the guessed folders and return those guessed wrong, parents first."""
        with self._turn:
            ignores, guessed, self._guessed = self._ignores, self._guessed, {}
        if ignores is None or not guessed:
            return []
        ignores.ask_for(guessed)
        return sorted(folder for folder, guess in guessed.items() if ignores.guess(folder) is not guess)

    def watch_always(self, paths: Iterable[str]) -> list[str]:
        """Watch the folders of these files even if ignored.

        Ignored folders of an earlier call are released. Returns the added ones, parents first.
        """
        holding = frozenset(folder for path in paths for folder in _list_parents(path))
        with self._turn:
            added, self._holding = holding - self._holding, holding
        return sorted(added)


def _list_parents(path: str) -> Iterable[str]:
    while path := path.rpartition("/")[0]:
        yield path


def is_git(path: str) -> bool:
    """Return whether it is a repository's `.git` folder.

    Events at its top (HEAD, index, their locks) are reported under this one path, and nothing deeper: every
    commit, checkout and rebase shows there.
    """
    return path.rpartition("/")[2] == _GIT_FOLDER


def find_reported_path(path: str, is_ignored: IsIgnored) -> str | None:
    """Return the path under which to report a change, None for none.

    For systems that watch a whole tree at once.
    """
    parts = path.split("/")
    for length in range(1, len(parts)):
        folder = "/".join(parts[:length])
        if is_git(folder):
            return folder if length == len(parts) - 1 else None
        if is_ignored(folder):
            return None
    return path
