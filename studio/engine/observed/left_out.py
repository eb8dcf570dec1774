"""What of a tree is not watched: it would take the watches that others need, and tell what nobody reviews."""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable
from typing import Protocol

from studio.engine.git_data import is_usual

IsIgnored = Callable[[str], bool]
"""Whether the folder at a relative path, and all beneath it, is not watched."""

_GIT_FOLDER = ".git"


class Ignores(Protocol):
    """Who knows which folders are ignored; a question takes long, one for many hardly longer."""

    def guess(self, folder: str) -> bool | None:
        """None where it would have to be asked for."""
        ...

    def ask_for(self, folders: Collection[str]) -> None: ...


class Unwatched:
    """The folders that take no watch: the ignored ones, but for those where a plan that waits would write.

    For all threads. Nobody who watches waits for an answer: a folder of which nothing is known is watched,
    unless it is called as tools call theirs, until `ask` has brought the answers for all of them.
    """

    def __init__(self, find: Callable[[], Ignores] | None = None) -> None:
        """`find` says who knows, as things stand then; without it every folder is watched."""
        self._find = find
        self._turn = threading.Lock()
        self._ignores = find() if find is not None else None
        self._before: Ignores | None = None
        """Who knew before that: the best guess there is."""
        self._guessed: dict[str, bool] = {}
        self._holding: frozenset[str] = frozenset()

    def __call__(self, path: str) -> bool:
        with self._turn:
            if self._ignores is None or path in self._holding:
                return False
            known = self._ignores.guess(path)
            if known is None:
                known = self._before.guess(path) if self._before is not None else None
                known = self._guessed[path] = is_usual(path) if known is None else known
            return known

    def forget(self) -> None:
        """Other folders may be ignored by now; each is to be asked for again."""
        if self._find is not None:
            with self._turn:
                self._before, self._ignores = self._ignores, self._find()

    def ask(self) -> list[str]:
        """Have the folders asked for of which nothing was known; returns those that were guessed wrong, the
        upper ones first."""
        with self._turn:
            ignores, guessed, self._guessed = self._ignores, self._guessed, {}
        if ignores is None or not guessed:
            return []
        ignores.ask_for(guessed)
        return sorted(folder for folder, guess in guessed.items() if ignores.guess(folder) is not guess)

    def hold(self, paths: Iterable[str]) -> list[str]:
        """Have the folders of these files watched, and no others that are ignored; returns those that were
        not held before, the upper ones first."""
        holding = frozenset(folder for path in paths for folder in _folders_above(path))
        with self._turn:
            added, self._holding = holding - self._holding, holding
        return sorted(added)


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
