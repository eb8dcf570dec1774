"""Search of a text for the single near match of another."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from studio.engine.limits import REPAIR_BYTES
from studio.engine.propose.near_matches import NearMatchKind


class SearchRoom:
    """Search budget for a plan's repairs: REPAIR_BYTES characters."""

    def __init__(self) -> None:
        self._free_bytes = REPAIR_BYTES

    def take(self, characters: int) -> bool:
        """Spend so many characters; return whether the budget allowed it."""
        self._free_bytes -= characters
        return self._free_bytes >= 0


class Occurrence(NamedTuple):
    """A range of characters, and the 1-based line of the first one."""

    start: int
    end: int
    line: int


class SearchedText:
    """A text searched for one kind of near match.

    Searches end when the budget is spent.
    """

    def __init__(self, text: str, kind: NearMatchKind, room: SearchRoom) -> None:
        self.text = text
        self._near_match = kind
        self._room = room

    def is_only_at(self, first: int, lines: list[str]) -> bool:
        """Return whether like lines are at 0-based line `first` and nowhere else."""
        key = self._near_match.key("".join(f"{line}\n" for line in lines))
        at = self._find_unique(f"\n{key}")
        return at is not None and self._delimited_key.count("\n", 0, at) == first

    def only_place(self, old: str, *, whole_lines: bool) -> Occurrence | None:
        """Return the single place of a near match of the old text.

        None for no place, for several and when the budget is spent. Where the key moves columns only whole
        lines match.
        """
        # The last line may continue in the file: blanks at its end are not trailing.
        key = self._near_match.key(f"{old}x")[:-1]
        is_whole = whole_lines or not self._near_match.keeps_columns
        # The line ends around the key are not part of the text: only a line's start may match the first.
        keyed = slice(0 if is_whole else 1, -1)
        at = self._find_unique(f"\n{key}" if is_whole else key, keyed)
        if at is None:
            return None
        at += is_whole
        start, end = self._to_text_offset(at), self._to_text_offset(at + len(key))
        if start is None or end is None:
            return None
        return Occurrence(start, end, self.text.count("\n", 0, start) + 1)

    def _find_unique(self, key: str, keyed: slice = slice(None)) -> int | None:
        if not self._room.take(2 * len(self.text)):
            return None
        at = self._delimited_key.find(key, keyed.start, keyed.stop)
        return at if at >= 0 and self._delimited_key.find(key, at + 1, keyed.stop) < 0 else None

    def _to_text_offset(self, at: int) -> int | None:
        """Return the text offset of a key offset, or None if unknown."""
        line_start = self._delimited_key.rfind("\n", 0, at) + 1
        line = self._delimited_key.count("\n", 0, at) - 1
        start, column = self._line_starts[line], at - line_start
        if not column or self._near_match.keeps_columns:
            return start + column
        # Where columns moved, only the end of the line is known.
        return self._line_starts[line + 1] - 1 if self._delimited_key[at] == "\n" else None

    @cached_property
    def _delimited_key(self) -> str:
        """The key, with a line end before and after it."""
        return f"\n{self._near_match.key(self.text)}\n"

    @cached_property
    def _line_starts(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
