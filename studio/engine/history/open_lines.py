"""Lines of a file whose writer is still to be found, and where they stand in the version looked at."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from studio.engine.diff import Change

_CLOSED = -1


class OpenLines:
    """Follows lines back from version to version; all are counted from 0."""

    def __init__(self, total: int) -> None:
        """The lines of a file as it is now."""
        self._lines = list(range(total))  # for each line of the version: which line of the file it is
        self.count = total

    def go_back(self, changes: Iterable[Change]) -> list[tuple[int, int]]:
        """Look at an older version, from which these changes lead to the one before. Returns the lines that
        are new in that one, each as line of the file and line of that version; they are open no more."""
        older: list[int] = []
        brought: list[tuple[int, int]] = []
        position = 0
        for change in changes:
            older += self._lines[position : change.new_first]
            older += [_CLOSED] * change.old_count
            new = enumerate(self._lines[change.new_first : change.new_end], change.new_first)
            brought += [(line, place) for place, line in new if line != _CLOSED]
            position = change.new_end
        older += self._lines[position:]
        self._lines = older
        self.count -= len(brought)
        return brought

    def at(self, first: int, count: int) -> Iterator[int]:
        """The lines of the file that stand in these lines of the version."""
        return (line for line in self._lines[first : first + count] if line != _CLOSED)

    def close(self, lines: Iterable[int]) -> None:
        """Of these lines of the version the writer is known."""
        for line in lines:
            self.count -= self._lines[line] != _CLOSED
            self._lines[line] = _CLOSED
