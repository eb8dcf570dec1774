"""What is not observed: folders that git ignores, and what the user's own setting names (contract 8)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from studio.engine.patterns import PatternList

if TYPE_CHECKING:
    from studio.engine.git_data import GitData

IGNORE_FILE = ".gitignore"
"""Where one changes, others may be ignored, at whatever place."""

_USUAL = frozenset({".venv", "__pycache__", "node_modules", "venv"})
"""Names of folders that hold what a tool made, for projects of which git says nothing."""


class GitIgnores(Protocol):
    """What git says of a project's folders; None where its data can't be read."""

    def ignored(self, paths: list[tuple[str, bool]]) -> frozenset[str] | None: ...

    def ignored_folders(self) -> tuple[str, ...] | None: ...


def ignored_paths(own: Sequence[str], git: GitData) -> IgnoredPaths:
    """As things stand now."""
    head = git.head()
    return IgnoredPaths(PatternList(own), git if head is not None or git.why else None)


class IgnoredPaths:
    """Answers for one path after the other; asks git once for all folders that are there, and then for each
    that is new."""

    def __init__(self, own: PatternList, git: GitIgnores | None) -> None:
        """`git` None: the project is in no repository."""
        self._own = own
        self._git = git
        self._ignored: set[str] | None = None
        self._asked: dict[str, bool] = {}

    def is_left_out(self, path: str) -> bool:
        """A folder's path ends with a slash."""
        folder = path.endswith("/")
        path = path.removesuffix("/")
        if self._own.match(path, folder=folder) is not None:
            return True
        return folder and self._is_ignored(path)

    def _is_ignored(self, path: str) -> bool:
        known = self._asked.get(path)
        if known is None:
            said = self._said(path)
            known = self._asked[path] = path.rpartition("/")[2] in _USUAL if said is None else said
        return known

    def _said(self, path: str) -> bool | None:
        """What git says; None where it says nothing."""
        if self._git is None:
            return None
        if self._ignored is None:
            there = self._git.ignored_folders()
            if there is None:
                return None
            self._ignored = set(there)
            return path in self._ignored
        if path in self._ignored:
            return True
        answer = self._git.ignored([(path, True)])
        return None if answer is None else bool(answer)
