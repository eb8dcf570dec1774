"""What a person takes at each conflict of a rebase, and the text that follows; no toolkit.

Lines are lines of diff text; line ends belong to them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

from studio.engine.diff import LineRange, MergeConflict, settled
from studio.engine.plan import sha256
from studio.engine.text import Lines, diff_text

if TYPE_CHECKING:
    from studio.engine.rebasing import RebasePreview

CONTEXT = 3


class Taken(Enum):
    DISK = "disk"
    PROPOSED = "proposed"
    BOTH = "both"
    EDITED = "edited"


class Look(Enum):
    """PLAIN lines are the same or merged by themselves; of a conflict that is settled lines are TAKEN or
    DROPPED, else they CLASH; BASE lines were there before both changes."""

    PLAIN = "plain"
    CLASH = "clash"
    TAKEN = "taken"
    DROPPED = "dropped"
    BASE = "base"


class Kind(Enum):
    BAND = "band"
    CODE = "code"
    FOLD = "fold"


@dataclass(frozen=True, slots=True)
class Cell:
    """A line of one column; `number` counts from 1, None where it has none there."""

    number: int | None
    line: bytes
    look: Look


@dataclass(frozen=True, slots=True)
class ConflictRow:
    """A band or lines of a conflict (from 0), or a fold that hides lines. Cells: disk, result, proposed."""

    kind: Kind
    conflict: int = -1
    cells: tuple[Cell | None, Cell | None, Cell | None] = (None, None, None)
    hidden: int = 0
    is_open: bool = False
    """A place in the result that waits to be settled."""


class Settlement:
    """The conflicts of one rebase and what was taken at each."""

    def __init__(self, preview: RebasePreview) -> None:
        self.preview = preview
        setting = preview.setting
        self._disk = Lines(diff_text(preview.current, setting))
        self._proposed = Lines(diff_text(preview.proposed, setting))
        self._base = Lines(diff_text(preview.base, setting))
        self.conflicts = preview.conflicts
        self._taken: list[tuple[Taken, bytes] | None] = [None] * len(self.conflicts)

    @property
    def open(self) -> int:
        """How many conflicts are not settled yet."""
        return sum(taken is None for taken in self._taken)

    def taken(self, conflict: int) -> Taken | None:
        taken = self._taken[conflict]
        return taken[0] if taken is not None else None

    def take(self, conflict: int, taken: Taken, text: bytes = b"") -> None:
        """Settle a conflict (from 0); `text` only for EDITED."""
        where = self.conflicts[conflict]
        disk, proposed = _block(self._disk, where.current), _block(self._proposed, where.proposed)
        texts = {
            Taken.DISK: disk,
            Taken.PROPOSED: proposed,
            Taken.BOTH: _closed(disk) + proposed if proposed else disk,
            Taken.EDITED: text,
        }
        self._taken[conflict] = (taken, texts[taken])

    def text(self, conflict: int) -> bytes:
        """What stands in the result at a conflict, as a start for typing: both where nothing is taken."""
        taken = self._taken[conflict]
        if taken is not None:
            return taken[1]
        where = self.conflicts[conflict]
        return _closed(_block(self._disk, where.current)) + _block(self._proposed, where.proposed)

    def content(self) -> bytes:
        """The whole settled file; every conflict must be settled."""
        chosen = [taken[1] for taken in self._taken if taken is not None]
        return settled(self.preview.pieces, chosen, self.preview.current, self.preview.setting)

    def kept(self) -> str:
        """What was taken, as a draft that belongs to exactly these texts."""
        taken = [None if each is None else [each[0].value, each[1].decode("latin-1")] for each in self._taken]
        return json.dumps({"of": self._key(), "taken": taken}) if any(self._taken) else ""

    def restore(self, kept: str) -> None:
        """Take again what was taken before; a draft about other texts is left alone."""
        draft: dict[str, Any] = json.loads(kept) if kept else {}
        if draft.get("of") == self._key():
            self._taken = [
                None if each is None else (Taken(each[0]), each[1].encode("latin-1"))
                for each in draft["taken"]
            ]

    def rows(self, *, show_base: bool = False) -> list[ConflictRow]:
        """Bands, conflicts with the lines around them, and folds."""
        return list(self._rows(show_base))

    def _between(self) -> list[bytes]:
        """The merged text before, between and after the conflicts."""
        texts: list[list[bytes]] = [[]]
        for piece in self.preview.pieces:
            if isinstance(piece, MergeConflict):
                texts.append([])
            else:
                texts[-1].append(piece)
        return [b"".join(text) for text in texts]

    def _key(self) -> str:
        return sha256(self.preview.base + self.preview.current + self.preview.proposed)

    def _rows(self, show_base: bool) -> Iterator[ConflictRow]:
        disk = proposed = result = 0
        upcomings: list[MergeConflict | None] = [*self.conflicts, None]
        for number, (piece, upcoming) in enumerate(zip(self._between(), upcomings, strict=True)):
            behind = number > 0
            until = (
                (len(self._disk), len(self._proposed))
                if upcoming is None
                else (upcoming.current.first, upcoming.proposed.first)
            )
            lines = Lines(piece)
            columns = (
                _Column(self._disk, disk, until[0]),
                _Column(lines, 0, len(lines), result),
                _Column(self._proposed, proposed, until[1]),
            )
            head = CONTEXT if behind else 0
            tail = CONTEXT if upcoming is not None else 0
            yield from _beside([column.head(head) for column in columns])
            hidden = len(lines) - min(len(lines), head + tail)
            if hidden > 0:
                yield ConflictRow(Kind.FOLD, hidden=hidden)
            if upcoming is not None:
                yield ConflictRow(Kind.BAND, number, is_open=self._taken[number] is None)
            yield from _beside([column.tail(head, tail) for column in columns], at_the_end=True)
            result += len(lines)
            if upcoming is None:
                return
            yield from self._conflict(number, upcoming, result, show_base)
            taken = self._taken[number]
            result += len(Lines(taken[1])) if taken is not None else 0
            disk = upcoming.current.first + upcoming.current.count
            proposed = upcoming.proposed.first + upcoming.proposed.count

    def _conflict(
        self, number: int, where: MergeConflict, result: int, show_base: bool
    ) -> Iterator[ConflictRow]:
        taken = self._taken[number]
        kinds = {
            Taken.DISK: (Look.TAKEN, Look.DROPPED),
            Taken.PROPOSED: (Look.DROPPED, Look.TAKEN),
            Taken.EDITED: (Look.DROPPED, Look.DROPPED),
        }
        looks = (
            kinds.get(taken[0], (Look.TAKEN, Look.TAKEN)) if taken is not None else (Look.CLASH, Look.CLASH)
        )
        sides = [
            _cells(self._disk, where.current, looks[0]),
            [],
            _cells(self._proposed, where.proposed, looks[1]),
        ]
        if taken is not None:
            lines = Lines(taken[1])
            sides[1] = [Cell(result + at + 1, line, Look.TAKEN) for at, line in enumerate(lines)]
        rows = max(1, *map(len, sides))
        for at in range(rows):
            cells = [side[at] if at < len(side) else None for side in sides]
            yield ConflictRow(Kind.CODE, number, (cells[0], cells[1], cells[2]), is_open=taken is None)
        if show_base:
            for at, line in enumerate(_lines(self._base, where.base)):
                yield ConflictRow(
                    Kind.CODE, number, (None, Cell(where.base.first + at + 1, line, Look.BASE), None)
                )


@dataclass(frozen=True, slots=True)
class _Column:
    """Lines of one column between two conflicts; `shown_from` moves their numbers."""

    lines: Lines
    first: int
    until: int
    shift: int = 0

    def head(self, count: int) -> list[Cell]:
        return self._cells(self.first, min(self.until, self.first + count))

    def tail(self, head: int, count: int) -> list[Cell]:
        return self._cells(max(self.first + head, self.until - count, self.first), self.until)

    def _cells(self, first: int, until: int) -> list[Cell]:
        return [Cell(at + self.shift + 1, self.lines[at], Look.PLAIN) for at in range(first, until)]


def _beside(columns: Sequence[list[Cell]], *, at_the_end: bool = False) -> Iterator[ConflictRow]:
    rows = max(map(len, columns), default=0)
    for at in range(rows):
        cells: list[Cell | None] = []
        for column in columns:
            place = at - (rows - len(column)) if at_the_end else at
            cells.append(column[place] if 0 <= place < len(column) else None)
        yield ConflictRow(Kind.CODE, -1, (cells[0], cells[1], cells[2]))


def _cells(lines: Lines, where: LineRange, look: Look) -> list[Cell]:
    return [Cell(where.first + at + 1, line, look) for at, line in enumerate(_lines(lines, where))]


def _lines(lines: Lines, where: LineRange) -> list[bytes]:
    return [lines[at] for at in range(where.first, where.first + where.count)]


def _block(lines: Lines, where: LineRange) -> bytes:
    return lines.block(where.first, where.count)


def _closed(text: bytes) -> bytes:
    """The text with its last line ended, so that another can follow."""
    return text if not text or text.endswith(b"\n") else text + b"\n"
