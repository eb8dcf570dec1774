"""A file's text in which something alike is looked for: where it stands, if at one place alone."""

from __future__ import annotations

from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from studio.engine.limits import REPAIR_BYTES
from studio.engine.propose.likenesses import Likeness


class SearchRoom:
    """How much is looked through for repairs of one plan: REPAIR_BYTES characters, each time counted."""

    def __init__(self) -> None:
        self._left = REPAIR_BYTES

    def take(self, characters: int) -> bool:
        """Whether there is room for looking through so many more."""
        self._left -= characters
        return self._left >= 0


class Occurrence(NamedTuple):
    """Characters of a text, and the 1-based line of the first one."""

    start: int
    end: int
    line: int


class SearchedText:
    """A text under one likeness, whose key is made once; it is searched while there is room for it."""

    def __init__(self, text: str, likeness: Likeness, room: SearchRoom) -> None:
        self.text = text
        self._likeness = likeness
        self._room = room

    def is_only_at(self, first: int, lines: list[str]) -> bool:
        """Whether lines like these stand from the 0-based line `first` on, and nowhere else."""
        key = self._likeness.key("".join(f"{line}\n" for line in lines))
        at = self._only(f"\n{key}")
        return at is not None and self._keyed.count("\n", 0, at) == first

    def only_place(self, old: str, *, whole_lines: bool) -> Occurrence | None:
        """Where something like the old text stands; None for nowhere, for several places and for no room.

        Where the key moves columns only whole lines are looked at.
        """
        # The last line may go on in the file: blanks there are at no end.
        key = self._likeness.key(f"{old}x")[:-1]
        is_whole = whole_lines or not self._likeness.keeps_columns
        # The line ends around the key are none of the text: only a line's start may be at the first.
        keyed = slice(0 if is_whole else 1, -1)
        at = self._only(f"\n{key}" if is_whole else key, keyed)
        if at is None:
            return None
        at += is_whole
        start, end = self._offset(at), self._offset(at + len(key))
        if start is None or end is None:
            return None
        return Occurrence(start, end, self.text.count("\n", 0, start) + 1)

    def _only(self, key: str, keyed: slice = slice(None)) -> int | None:
        if not self._room.take(2 * len(self.text)):
            return None
        at = self._keyed.find(key, keyed.start, keyed.stop)
        return at if at >= 0 and self._keyed.find(key, at + 1, keyed.stop) < 0 else None

    def _offset(self, at: int) -> int | None:
        """Where in the text a place of the key is; None where that can't be told."""
        line_start = self._keyed.rfind("\n", 0, at) + 1
        line = self._keyed.count("\n", 0, at) - 1
        start, column = self._starts[line], at - line_start
        if not column or self._likeness.keeps_columns:
            return start + column
        # Of what moved only the end of the line is known.
        return self._starts[line + 1] - 1 if self._keyed[at] == "\n" else None

    @cached_property
    def _keyed(self) -> str:
        """Every line of it stands between two line ends."""
        return f"\n{self._likeness.key(self.text)}\n"

    @cached_property
    def _starts(self) -> list[int]:
        return list(accumulate((len(line) + 1 for line in self.text.split("\n")), initial=0))
