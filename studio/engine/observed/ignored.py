"""What is not observed: folders that git ignores, and what the user's own setting names (contract 8)."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Protocol

from studio.engine.patterns import PatternList

if TYPE_CHECKING:
    from studio.engine.git_data import Folders, Head

IGNORE_FILE = ".gitignore"
"""Where one changes, others may be ignored, at whatever place."""

_USUAL = frozenset({".venv", "__pycache__", "node_modules", "venv"})
"""Names of folders that hold what a tool made, for projects of which git says nothing."""


class GitIgnores(Protocol):
    """What git says of a project's folders; None where its data can't be read."""

    def ignored(self, paths: list[tuple[str, bool]]) -> frozenset[str] | None: ...

    def folders(self) -> Folders | None: ...

    def head(self) -> Head | None: ...

    @property
    def why(self) -> str: ...


class IgnoredPaths:
    """Answers for one path after the other. A question to git takes a thousand times as long as an answer
    that is known, so those that belong together are asked at once."""

    def __init__(self, own: PatternList, git: GitIgnores) -> None:
        """Asks nothing yet."""
        self._own = own
        self._git = git
        self._is_in_repository: bool | None = None
        self._asked: dict[str, bool] = {}

    def ask_for_all(self) -> None:
        """Ask for all folders that are there."""
        there = self._git.folders() if self._has_repository() else None
        if there is not None:
            self._asked.update(dict.fromkeys(there.kept, False))
            self._asked.update(dict.fromkeys(there.ignored, True))

    def ask_for(self, folders: Collection[str]) -> None:
        """Ask for those folders that are not known."""
        unknown = [folder for folder in folders if folder not in self._asked]
        if unknown:
            said = (
                self._git.ignored([(folder, True) for folder in unknown]) if self._has_repository() else None
            )
            for folder in unknown:
                self._asked[folder] = is_usual(folder) if said is None else folder in said

    def is_left_out(self, path: str) -> bool:
        """A folder's path ends with a slash."""
        folder = path.endswith("/")
        path = path.removesuffix("/")
        if self._own.patterns and self._own.match(path, folder=folder) is not None:
            return True
        if folder:
            self.ask_for([path])
        return folder and self._asked[path]

    def guess(self, folder: str) -> bool | None:
        """Whether a folder is left out, without a question to git; None where that would be needed."""
        if self._own.patterns and self._own.match(folder, folder=True) is not None:
            return True
        return self._asked.get(folder)

    def _has_repository(self) -> bool:
        """Whether the project lies in a repository, or may."""
        if self._is_in_repository is None:
            self._is_in_repository = self._git.head() is not None or bool(self._git.why)
        return self._is_in_repository


def is_usual(folder: str) -> bool:
    """Whether a folder is called as tools call those they fill."""
    return folder.rpartition("/")[2] in _USUAL
