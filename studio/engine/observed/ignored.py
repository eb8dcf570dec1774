"""What is not observed: folders that git ignores, and what the user's own setting names (contract 8)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol

from studio.engine.git_data import is_usual
from studio.engine.patterns import PatternList

if TYPE_CHECKING:
    from studio.engine.git_data import Head

IGNORE_FILE = ".gitignore"
"""Where one changes, others may be ignored, at whatever place."""


class GitIgnores(Protocol):
    """What git says of a project's folders; None where its data can't be read."""

    def ignored(self, paths: list[tuple[str, bool]]) -> frozenset[str] | None: ...

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

    def ask_for(self, folders: Collection[str]) -> None:
        """Ask for those folders that are not known."""
        unknown = sorted(folder for folder in folders if folder not in self._asked)
        if unknown:
            self._asked |= self._said_of(unknown) if self._has_repository() else _usual(unknown)

    def is_left_out(self, path: str) -> bool:
        """A folder's path ends with a slash."""
        folder = path.endswith("/")
        path = path.removesuffix("/")
        if self._own.patterns and self._own.match(path, folder=folder) is not None:
            return True
        if folder and path not in self._asked:
            self.ask_for([path])
        return folder and self._asked[path]

    def guess(self, folder: str) -> bool | None:
        """Whether a folder is left out, without a question to git; None where that would be needed."""
        if self._own.patterns and self._own.match(folder, folder=True) is not None:
            return True
        return self._asked.get(folder)

    def _said_of(self, folders: Sequence[str]) -> dict[str, bool]:
        """What git says of them; a file of rules that can't be read takes the word from it only of what lies
        beneath that file, and not from all others in the same question."""
        said = self._git.ignored([(folder, True) for folder in folders])
        if said is not None:
            return {folder: folder in said for folder in folders}
        if len(folders) == 1 or self._git.head() is None:
            return _usual(folders)
        middle = len(folders) // 2
        return self._said_of(folders[:middle]) | self._said_of(folders[middle:])

    def _has_repository(self) -> bool:
        """Whether the project lies in a repository, or may."""
        if self._is_in_repository is None:
            self._is_in_repository = self._git.head() is not None or bool(self._git.why)
        return self._is_in_repository


def _usual(folders: Iterable[str]) -> dict[str, bool]:
    """What is guessed where git says nothing."""
    return {folder: is_usual(folder) for folder in folders}
