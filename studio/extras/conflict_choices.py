"""Model of merge conflict resolution: choice per conflict, view rows, resulting text.

Free of any toolkit. Lines are lines of diff text and include their line ends.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from enum import Enum
from typing import TYPE_CHECKING, Any

from studio.engine.diff import LineRange, MergeConflict, resolve_conflicts
from studio.extras.conflict_gaps import Column, Gap, gaps_between
from studio.journal.file_image import sha256
from studio.text import Lines, diff_text
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine.review.rebase import RebasePreview

CONTEXT = 3


class ConflictChoice(Enum):
    DISK = "disk"
    PROPOSED = "proposed"
    BOTH = "both"
    EDITED = "edited"


class LineStyle(Enum):
    """Appearance of a conflict line.

    PLAIN lines are the same in all texts; where a conflict is settled or was merged automatically lines are
    TAKEN or DROPPED, in an open conflict they CLASH; BASE lines are from before both changes.
    """

    PLAIN = "plain"
    CLASH = "clash"
    TAKEN = "taken"
    DROPPED = "dropped"
    BASE = "base"


class Kind(Enum):
    BAND = "band"
    CODE = "code"
    FOLD = "fold"


class Cell(Value):
    """A line of one column; `number` counts from 1.

    `source` is the text and its line (from 0); None for typed lines and the base.
    """

    number: int
    line: bytes
    style: LineStyle
    source: tuple[Column, int] | None = None


class ConflictRow(Value):
    """A row of the conflict view: band, line or fold.

    `conflict` and `gap` count from 0. Cells: disk, result, proposed. A fold hides lines of the result and
    automatically merged places.
    """

    kind: Kind
    conflict: int = -1
    cells: tuple[Cell | None, Cell | None, Cell | None] = (None, None, None)
    gap: int = -1
    hidden: int = 0
    merged: int = 0
    is_open: bool = False
    """Whether it belongs to an unsettled conflict."""

    @property
    def is_base(self) -> bool:
        """Whether it shows a line from before both changes."""
        return self.cells[1] is not None and self.cells[1].style is LineStyle.BASE


class Settlement:
    """The conflicts of one rebase, with what was chosen at each."""

    def __init__(self, preview: RebasePreview) -> None:
        self.preview = preview
        setting = preview.setting
        self._disk = Lines(diff_text(preview.current, setting))
        self._proposed = Lines(diff_text(preview.proposed, setting))
        self._base = Lines(diff_text(preview.base, setting))
        self.conflicts = preview.conflicts
        self._gaps = gaps_between(preview.places, self._base, self._disk, self._proposed)
        self._choices: list[tuple[ConflictChoice, bytes] | None] = [None] * len(self.conflicts)
        self.begun: dict[int, str] = {}
        """Unused drafts by conflict (from 0), as an editor shows them."""

    @property
    def open(self) -> int:
        """Number of unsettled conflicts."""
        return sum(choice is None for choice in self._choices)

    def choice_at(self, conflict: int) -> ConflictChoice | None:
        choice = self._choices[conflict]
        return choice[0] if choice is not None else None

    def choose(self, conflict: int, taken: ConflictChoice, text: bytes = b"") -> None:
        """Settle a conflict (from 0); `text` only for EDITED."""
        disk, proposed = self.sides(conflict)
        texts = {
            ConflictChoice.DISK: disk,
            ConflictChoice.PROPOSED: proposed,
            ConflictChoice.BOTH: _terminate(disk) + proposed if proposed else disk,
            ConflictChoice.EDITED: text,
        }
        self._choices[conflict] = (taken, texts[taken])
        self.begun.pop(conflict, None)

    def begin(self, conflict: int, text: str) -> None:
        """Store a draft for a conflict, unless it equals the result."""
        self.begun[conflict] = text
        if text == self.shown_text(conflict):
            del self.begun[conflict]

    def shown_text(self, conflict: int) -> str:
        """Return the result's text at a conflict, as an editor shows it."""
        return self.text(conflict).decode("utf-8", "replace").removesuffix("\n")

    def text(self, conflict: int) -> bytes:
        """Return the result's text at a conflict: both sides while unsettled."""
        choice = self._choices[conflict]
        if choice is not None:
            return choice[1]
        disk, proposed = self.sides(conflict)
        return _terminate(disk) + proposed

    def content(self) -> bytes:
        """Return the whole settled file; every conflict must be settled."""
        chosen = [choice[1] for choice in self._choices if choice is not None]
        return resolve_conflicts(self.preview.pieces, chosen, self.preview.current, self.preview.setting)

    def to_draft(self) -> str:
        """Return the choices as a draft bound to exactly these texts."""
        choices = [
            None if each is None else [each[0].value, each[1].decode("latin-1")] for each in self._choices
        ]
        draft = {"of": self._key(), "taken": choices, "begun": [*self.begun.items()]}
        return json.dumps(draft) if any(self._choices) or self.begun else ""

    def restore(self, stored: str) -> None:
        """Restore the choices of a draft, unless it is about other texts."""
        draft: dict[str, Any] = json.loads(stored) if stored else {}
        if draft.get("of") == self._key():
            self._choices = [
                None if each is None else (ConflictChoice(each[0]), each[1].encode("latin-1"))
                for each in draft["taken"]
            ]
            self.begun = dict(draft.get("begun", ()))

    def rows(self, *, show_base: bool = False, opened: Mapping[int, int] | None = None) -> list[ConflictRow]:
        """Return bands, conflicts with their context, and folds.

        `opened` has the number of rows shown of a gap's fold; gap 0 is before the first conflict.
        """
        return list(self._yield_rows(show_base, opened or {}))

    def lines(self, column: Column) -> Lines:
        """Return the lines of the file on disk, or of the proposal."""
        return self._disk if column is Column.DISK else self._proposed

    def sides(self, conflict: int) -> tuple[bytes, bytes]:
        """Return the disk's and the proposal's text at a conflict (from 0)."""
        where = self.conflicts[conflict]
        return _join_lines(self._disk, where.current), _join_lines(self._proposed, where.proposed)

    def _key(self) -> str:
        return sha256(self.preview.base + self.preview.current + self.preview.proposed)

    def _yield_rows(self, show_base: bool, opened: Mapping[int, int]) -> Iterator[ConflictRow]:
        result = 0
        last = len(self.conflicts)
        for number, gap in enumerate(self._gaps):
            total = gap.rows
            tail = max(0, total - CONTEXT) if number < last else total
            head = min(tail, (CONTEXT if number else 0) + opened.get(number, 0))
            yield from self._yield_gap(gap, 0, head, result)
            if head < tail:
                hidden = gap.hidden(head, tail)
                yield ConflictRow(Kind.FOLD, gap=number, hidden=hidden.lines, merged=hidden.merged)
            if number < last:
                yield ConflictRow(Kind.BAND, number, is_open=self._choices[number] is None)
            yield from self._yield_gap(gap, tail, total, result)
            result += gap.lines
            if number < last:
                yield from self._yield_conflict(number, self.conflicts[number], result, show_base)
                choice = self._choices[number]
                result += len(Lines(choice[1])) if choice is not None else 0

    def _yield_gap(self, gap: Gap, first: int, behind: int, result: int) -> Iterator[ConflictRow]:
        """Yield rows of a gap that begins at result line `result`."""
        for stretch, at, before in gap.part(first, behind):
            cells: list[Cell | None] = []
            for column, where, is_in_result in (
                (Column.DISK, stretch.disk, stretch.stays[0]),
                (Column.PROPOSED, stretch.proposed, stretch.stays[1]),
            ):
                style = (
                    LineStyle.PLAIN
                    if not stretch.is_merged
                    else LineStyle.TAKEN
                    if is_in_result
                    else LineStyle.DROPPED
                )
                cells.append(self._build_cell(column, where.first + at, style) if at < where.count else None)
            merged = None
            if at < stretch.result_lines.count:
                style = LineStyle.TAKEN if stretch.is_merged else LineStyle.PLAIN
                merged = self._build_cell(
                    stretch.result, stretch.result_lines.first + at, style, result + before + at
                )
            yield ConflictRow(Kind.CODE, -1, (cells[0], merged, cells[1]))

    def _build_cell(self, column: Column, line: int, style: LineStyle, shown_as: int | None = None) -> Cell:
        """Return a column's line (from 0) as a cell.

        It has its number there, or that of the line `shown_as` of the result.
        """
        number = line if shown_as is None else shown_as
        return Cell(number + 1, self.lines(column)[line], style, (column, line))

    def _yield_conflict(
        self, number: int, where: MergeConflict, result: int, show_base: bool
    ) -> Iterator[ConflictRow]:
        choice = self._choices[number]
        kinds = {
            ConflictChoice.DISK: (LineStyle.TAKEN, LineStyle.DROPPED),
            ConflictChoice.PROPOSED: (LineStyle.DROPPED, LineStyle.TAKEN),
            ConflictChoice.EDITED: (LineStyle.DROPPED, LineStyle.DROPPED),
        }
        styles = (
            kinds.get(choice[0], (LineStyle.TAKEN, LineStyle.TAKEN))
            if choice is not None
            else (LineStyle.CLASH, LineStyle.CLASH)
        )
        disk, proposed = _to_range(where.current), _to_range(where.proposed)
        sides: list[list[Cell]] = [
            [self._build_cell(Column.DISK, line, styles[0]) for line in disk],
            [],
            [self._build_cell(Column.PROPOSED, line, styles[1]) for line in proposed],
        ]
        if choice is not None:
            places: list[tuple[Column, int]] = []
            if choice[0] in (ConflictChoice.DISK, ConflictChoice.BOTH):
                places += [(Column.DISK, line) for line in disk]
            if choice[0] in (ConflictChoice.PROPOSED, ConflictChoice.BOTH):
                places += [(Column.PROPOSED, line) for line in proposed]
            sides[1] = [
                Cell(result + at + 1, line, LineStyle.TAKEN, places[at] if at < len(places) else None)
                for at, line in enumerate(Lines(choice[1]))
            ]
        rows = max(1, *map(len, sides))
        for at in range(rows):
            cells = [side[at] if at < len(side) else None for side in sides]
            yield ConflictRow(Kind.CODE, number, (cells[0], cells[1], cells[2]), is_open=choice is None)
        if show_base:
            for at, line in ((at, self._base[at]) for at in _to_range(where.base)):
                yield ConflictRow(Kind.CODE, number, (None, Cell(at + 1, line, LineStyle.BASE), None))


def _to_range(where: LineRange) -> range:
    return range(where.first, where.first + where.count)


def _join_lines(lines: Lines, where: LineRange) -> bytes:
    return lines.block(where.first, where.count)


def _terminate(text: bytes) -> bytes:
    """Return the text with a line end, so that another can follow."""
    return text if not text or text.endswith(b"\n") else text + b"\n"
