"""Paths excluded from observation: folders that git ignores, and user settings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import Protocol

from studio.engine.git_data import Head, is_usual
from studio.engine.patterns import PatternList

IGNORE_FILE = ".gitignore"
"""Name of ignore files; a change of one may ignore any folder."""


class GitIgnores(Protocol):
    """Git's answers about a project's folders; None if its data is unreadable."""

    def ignored(self, paths: list[tuple[str, bool]]) -> frozenset[str] | None: ...

    def head(self) -> Head | None: ...

    @property
    def why(self) -> str: ...


class IgnoredPaths:
    """Cached answers on whether paths are excluded from observation.

    A question to git takes a thousand times as long as a cached answer, so those that belong together are
    asked at once.
    """

    def __init__(self, own: PatternList, git: GitIgnores) -> None:
        """Store the sources; git is asked only when needed."""
        self._own = own
        self._git = git
        self._is_in_repository: bool | None = None
        self._answers: dict[str, bool] = {}

    def ask_for(self, folders: Collection[str]) -> None:
        """Ask git about all folders not cached yet."""
        unknown = sorted(folder for folder in folders if folder not in self._answers)
        if unknown:
            self._answers |= self._ask_git(unknown) if self._has_repository() else _guess_by_name(unknown)

    def is_left_out(self, path: str) -> bool:
        """Return whether a path is excluded from observation.

        A folder's path ends with a slash.
        """
        folder = path.endswith("/")
        path = path.removesuffix("/")
        if self._own.patterns and self._own.match(path, folder=folder) is not None:
            return True
        if folder and path not in self._answers:
            self.ask_for([path])
        return folder and self._answers[path]

    def guess(self, folder: str) -> bool | None:
        """Return whether a folder is excluded, if that is cached.

        None where git would have to be asked.
        """
        if self._own.patterns and self._own.match(folder, folder=True) is not None:
            return True
        return self._answers.get(folder)

    def _ask_git(self, folders: Sequence[str]) -> dict[str, bool]:
        """Return git's answers, bisecting where an ignore file can't be read.

        So one unreadable file costs only the answers beneath it, not all of the same question.
        """
        ignored = self._git.ignored([(folder, True) for folder in folders])
        if ignored is not None:
            return {folder: folder in ignored for folder in folders}
        if len(folders) == 1 or self._git.head() is None:
            return _guess_by_name(folders)
        middle = len(folders) // 2
        return self._ask_git(folders[:middle]) | self._ask_git(folders[middle:])

    def _has_repository(self) -> bool:
        """Return whether the project is, or may be, in a repository."""
        if self._is_in_repository is None:
            self._is_in_repository = self._git.head() is not None or bool(self._git.why)
        return self._is_in_repository


def _guess_by_name(folders: Iterable[str]) -> dict[str, bool]:
    """Return guesses by folder name, for when git gives no answer."""
    return {folder: is_usual(folder) for folder in folders}
