"""Row builder for a diff block: unchanged lines, then one hunk.

Only blocks that are needed are built. Positions in a block are relative to its first row and upper edge.
"""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import NamedTuple, Protocol

from studio.engine import Change, FileDiff, HunkChoice
from studio.extras.diff_view.on_screen import SMALLEST_FOLD, RowMap, paired
from studio.ui.diff.model.cells import Cell, Heights, LineState, Mode, Row, RowKind, Side
from studio.values import Value


class Kind(Enum):
    BAND = "band"
    FOLD = "fold"
    SAME = "same"
    PAIR = "pair"
    REMOVED = "removed"
    ADDED = "added"
    OUT_PAIR = "out_pair"
    OUT_REMOVED = "out_removed"
    OUT_ADDED = "out_added"
    NOTE = "note"


_SHARED = frozenset({Kind.SAME, Kind.PAIR, Kind.OUT_PAIR, Kind.FOLD})
LINES_OF: Mapping[Side, frozenset[Kind]] = {
    Side.BASE: _SHARED | {Kind.REMOVED, Kind.OUT_REMOVED},
    Side.RESULT: _SHARED | {Kind.ADDED, Kind.OUT_ADDED},
}


class Run(NamedTuple):
    """Consecutive rows of one kind and height.

    `old` and `new` are the first lines; `number` is the right side's first line number as if no line before
    the block were excluded. `partner` is the first line of the other side that is its other version.
    `old_choice` and `new_choice` are the numbers of the first lines in a choice of lines.
    """

    kind: Kind
    first_row: int
    rows: int
    top: int
    height: int
    old: int = 0
    new: int = 0
    number: int = 0
    hunk: int = 0
    gap: int = -1
    hidden: int = 0
    partner: int = -1
    old_choice: int = 0
    new_choice: int = 0


class Block(Value):
    """Runs of a block, with its rows, pixels and line number shift."""

    runs: tuple[Run, ...]
    rows: int
    height: int
    shift: int


class Extents(Protocol):
    """Protocol for the number of screen lines of wrapped lines."""

    def tall_lines(self, side: Side, first: int, count: int) -> Mapping[int, int]:
        """Return lines that take several screen lines, with their counts."""
        ...


class Shape(Value):
    """Parameters of a block's rows besides the diff.

    `revealed` maps each gap to its number of shown lines; None shows all gaps. `notes` maps a line to the
    height of the comments below it.
    """

    mode: Mode
    heights: Heights
    choices: Mapping[int, HunkChoice]
    revealed: Mapping[int, int] | None
    extents: Extents | None
    notes: Mapping[tuple[Side, int], int]


def make_block(diff: FileDiff, rows: RowMap, index: int, shape: Shape) -> Block:
    """Return a block; the last one follows the last hunk.

    Block 0 holds the first hunk.
    """
    return _Builder(diff, rows, index, shape).build()


def gap_of_block(diff: FileDiff, index: int) -> tuple[int, int, int]:
    """Return a block's gap: first base line, first result line, line count."""
    hunks, changes = diff.hunks, diff.changes
    old = new = 0
    if index:
        last = hunks.end_of(index - 1) - 1
        old, new = changes.old_firsts[last] + changes.old_counts[last], 0
        new = changes.new_firsts[last] + changes.new_counts[last]
        after = min(diff.context, diff.base_total - old)
        old, new = old + after, new + after
    if index == len(hunks):
        return old, new, diff.base_total - old
    first = changes.old_firsts[hunks.firsts[index]]
    return old, new, max(0, first - diff.context - old)


class _Builder:
    """Builder of one block's runs."""

    def __init__(self, diff: FileDiff, rows: RowMap, index: int, shape: Shape) -> None:
        self._diff = diff
        self._map = rows
        self._index = index
        self._shape = shape
        self._code = shape.heights.code
        self._runs: list[Run] = []
        self._rows = 0
        self._height = 0
        self._shift = 0

    def build(self) -> Block:
        old, new, lines = gap_of_block(self._diff, self._index)
        self._add_gap(old, new, lines)
        if self._index < len(self._diff.hunks):
            self._add_hunk(self._index + 1, old + lines, new + lines)
        return Block(tuple(self._runs), self._rows, self._height, self._shift)

    def _add_gap(self, old: int, new: int, lines: int) -> None:
        revealed = self._shape.revealed
        shown = lines if revealed is None else min(lines, revealed.get(self._index, 0))
        hidden = lines - shown
        if lines < SMALLEST_FOLD:
            shown, hidden = lines, 0
        if self._index == 0 and hidden:
            # Lines revealed above the first hunk are next to it, not at the top of the file.
            self._add_fold(old, new, hidden)
            self._add_same(old + hidden, new + hidden, shown)
            return
        self._add_same(old, new, shown)
        if hidden:
            self._add_fold(old + shown, new + shown, hidden)

    def _add_fold(self, old: int, new: int, hidden: int) -> None:
        height = self._shape.heights.fold
        self._append_run(Run(Kind.FOLD, 0, 1, 0, height, old, new, gap=self._index, hidden=hidden))

    def _add_hunk(self, number: int, old: int, new: int) -> None:
        diff, hunks = self._diff, self._diff.hunks
        choice = self._shape.choices.get(number, True)
        if self._shape.mode is not Mode.ONE_SIDE:
            self._append_run(Run(Kind.BAND, 0, 1, 0, self._shape.heights.band, old, new, hunk=number))
        first = 1
        for index in range(hunks.firsts[number - 1], hunks.end_of(number - 1)):
            change = diff.changes[index]
            self._add_same(old, new, change.old_first - old, number)
            if not isinstance(choice, bool):
                for part in paired(diff).get(index, (change,)):
                    self._add_chosen_lines(part, change, number, choice, first)
            elif self._shape.mode is Mode.SIDE_BY_SIDE:
                for part in self._map.parts(index):
                    self._add_beside(part, change, number, is_included=choice, first=first)
            else:
                self._add_below(change, number, is_included=choice, first=first)
            first += change.lines
            old, new = change.old_end, change.new_end
        after = min(diff.context, diff.base_total - old)
        self._add_same(old, new, after, number)

    def _add_same(self, old: int, new: int, count: int, hunk: int = 0) -> None:
        self._add_code(Run(Kind.SAME, 0, count, 0, self._code, old, new, self._number(new), hunk))

    def _add_beside(self, part: Change, change: Change, hunk: int, *, is_included: bool, first: int) -> None:
        pairs = min(part.old_count, part.new_count)
        old, new = part.old_first, part.new_first
        old_choice = first + old - change.old_first
        new_choice = first + change.old_count + new - change.new_first
        kind = Kind.PAIR if is_included else Kind.OUT_PAIR
        self._add_code(
            Run(
                kind, 0, pairs, 0, self._code, old, new, self._number(new), hunk,
                old_choice=old_choice, new_choice=new_choice,
            )
        )  # fmt: skip
        removed, added = part.old_count - pairs, part.new_count - pairs
        self._add_removed(
            old + pairs, new + pairs, removed, hunk, is_included=is_included, choice=old_choice + pairs
        )
        self._add_added(new + pairs, added, hunk, is_included=is_included, choice=new_choice + pairs)

    def _add_below(self, change: Change, hunk: int, *, is_included: bool, first: int) -> None:
        """Add the removed lines, then the added ones.

        As many as there are of both are versions of each other.
        """
        old, new = change.old_first, change.new_first
        pairs = min(change.old_count, change.new_count) if is_included else 0
        new_choice = first + change.old_count
        self._add_removed(old, new, pairs, hunk, is_included=is_included, choice=first, partner=new)
        self._add_removed(
            old + pairs, new, change.old_count - pairs, hunk, is_included=is_included, choice=first + pairs
        )
        self._add_added(new, pairs, hunk, is_included=is_included, choice=new_choice, partner=old)
        self._add_added(
            new + pairs, change.new_count - pairs, hunk, is_included=is_included, choice=new_choice + pairs
        )

    def _add_removed(
        self, old: int, new: int, count: int, hunk: int, *, is_included: bool, choice: int, partner: int = -1
    ) -> None:
        """Add removed lines alone in their rows, before result line `new`."""
        kind = Kind.REMOVED if is_included else Kind.OUT_REMOVED
        number = self._number(new)
        self._add_code(
            Run(kind, 0, count, 0, self._code, old, 0, number, hunk, partner=partner, old_choice=choice)
        )
        self._shift += 0 if is_included else max(0, count)

    def _add_added(
        self, new: int, count: int, hunk: int, *, is_included: bool, choice: int, partner: int = -1
    ) -> None:
        kind = Kind.ADDED if is_included else Kind.OUT_ADDED
        number = self._number(new)
        self._add_code(
            Run(kind, 0, count, 0, self._code, 0, new, number, hunk, partner=partner, new_choice=choice)
        )
        self._shift -= 0 if is_included else max(0, count)

    def _add_chosen_lines(
        self, part: Change, change: Change, hunk: int, chosen: frozenset[int], first: int
    ) -> None:
        """Add chosen lines as in the result: old and new ones alternate."""
        for step in range(max(part.old_count, part.new_count)):
            old, new = part.old_first + step, part.new_first + step
            old_choice = first + old - change.old_first
            new_choice = first + change.old_count + new - change.new_first
            has_old, has_new = step < part.old_count, step < part.new_count
            removed, added = has_old and old_choice in chosen, has_new and new_choice in chosen
            if removed and added and self._shape.mode is Mode.SIDE_BY_SIDE:
                number = self._number(new)
                self._add_code(
                    Run(
                        Kind.PAIR, 0, 1, 0, self._code, old, new, number, hunk,
                        old_choice=old_choice, new_choice=new_choice,
                    )
                )  # fmt: skip
                continue
            # An old line without a result line beside it follows the last one of the part.
            position = min(new, part.new_end)
            if has_old:
                partner = new if has_new and removed and added else -1
                self._add_removed(
                    old, position, 1, hunk, is_included=removed, choice=old_choice, partner=partner
                )
            if has_new:
                partner = old if removed and added else -1
                self._add_added(new, 1, hunk, is_included=added, choice=new_choice, partner=partner)

    def _number(self, new: int) -> int:
        return new + 1 + self._shift

    def _add_code(self, run: Run) -> None:
        """Add rows of code, splitting at lines with comments or wrapping."""
        if run.rows <= 0:
            return
        extents, notes = self._shape.extents, self._shape.notes
        if extents is None and not notes:
            self._put_code(run)
            return
        done = 0
        for step in sorted(self._special_steps(run)):
            self._put_code(_split_run(run, done, step - done))
            self._put_special(_split_run(run, step, 1))
            done = step + 1
        self._put_code(_split_run(run, done, run.rows - done))

    def _special_steps(self, run: Run) -> set[int]:
        steps: set[int] = set()
        for side in _sides(run.kind):
            first = run.old if side is Side.BASE else run.new
            if self._shape.extents is not None:
                steps.update(line - first for line in self._tall_lines(side, first, run.rows))
            if self._shape.notes:
                steps.update(
                    line - first
                    for where, line in self._shape.notes
                    if where is side and first <= line < first + run.rows
                )
        return steps

    def _tall_lines(self, side: Side, first: int, count: int) -> Mapping[int, int]:
        extents = self._shape.extents
        return extents.tall_lines(side, first, count) if extents is not None else {}

    def _put_special(self, run: Run) -> None:
        """Add one row; an excluded pair becomes two rows."""
        if run.kind is Kind.OUT_PAIR:
            self._put_special(run._replace(kind=Kind.OUT_REMOVED, new_choice=0))
            self._put_special(run._replace(kind=Kind.OUT_ADDED, old_choice=0))
            return
        lines = 1
        for side in _sides(run.kind):
            line = run.old if side is Side.BASE else run.new
            lines = max(lines, self._tall_lines(side, line, 1).get(line, 1))
        self._append_run(run._replace(height=self._code * lines))
        for side in _sides(run.kind):
            line = run.old if side is Side.BASE else run.new
            height = self._shape.notes.get((side, line), 0)
            if height:
                at = {"old": line} if side is Side.BASE else {"new": line}
                self._append_run(
                    Run(Kind.NOTE, 0, 1, 0, height, hunk=run.hunk, **at, partner=_SIDES.index(side))
                )

    def _put_code(self, run: Run) -> None:
        if run.rows > 0:
            self._append_run(run)

    def _append_run(self, run: Run) -> None:
        rows = 2 * run.rows if run.kind is Kind.OUT_PAIR else run.rows
        self._runs.append(run._replace(first_row=self._rows, rows=rows, top=self._height))
        self._rows += rows
        self._height += rows * run.height


_SIDES = (Side.BASE, Side.RESULT)


def _sides(kind: Kind) -> tuple[Side, ...]:
    """Return the sides that have lines in rows of a kind."""
    if kind in (Kind.REMOVED, Kind.OUT_REMOVED):
        return (Side.BASE,)
    return (Side.RESULT,) if kind in (Kind.ADDED, Kind.OUT_ADDED) else _SIDES


def _split_run(run: Run, start: int, rows: int) -> Run:
    """Return a part of a code run that was not added yet.

    An excluded pair still counts as one row.
    """
    moved = {"number": run.number + start, "rows": rows}
    if Side.BASE in _sides(run.kind):
        moved["old"] = run.old + start
    if Side.RESULT in _sides(run.kind):
        moved["new"] = run.new + start
    for name in ("old_choice", "new_choice"):
        first = getattr(run, name)
        moved[name] = first + start if first else 0
    if run.partner >= 0:
        moved["partner"] = run.partner + start
    return run._replace(**moved)


def row_of(run: Run, index: int, shift: int) -> Row:
    """Return a row of a run.

    `shift` is how much the lines excluded before the block change its line numbers.
    """
    old, new, number = run.old + index, run.new + index, run.number + index + shift
    old_choice = run.old_choice + index if run.old_choice else 0
    new_choice = run.new_choice + index if run.new_choice else 0
    left = right = None
    pair = None
    match run.kind:
        case Kind.BAND:
            return Row(RowKind.BAND, run.hunk)
        case Kind.FOLD:
            return Row(RowKind.FOLD, gap=run.gap, hidden=run.hidden)
        case Kind.NOTE:
            side = _SIDES[run.partner]
            return Row(RowKind.NOTE, run.hunk, note=(side, run.old if side is Side.BASE else run.new))
        case Kind.SAME:
            left = Cell(Side.BASE, old, old + 1, LineState.PLAIN)
            right = Cell(Side.RESULT, new, number, LineState.PLAIN)
        case Kind.PAIR:
            left = Cell(Side.BASE, old, old + 1, LineState.REMOVED, old_choice)
            right = Cell(Side.RESULT, new, number, LineState.ADDED, new_choice)
            pair = (old, new)
        case Kind.REMOVED:
            left = Cell(Side.BASE, old, old + 1, LineState.REMOVED, old_choice)
            pair = (old, run.partner + index) if run.partner >= 0 else None
        case Kind.ADDED:
            right = Cell(Side.RESULT, new, number, LineState.ADDED, new_choice)
            pair = (run.partner + index, new) if run.partner >= 0 else None
        case Kind.OUT_PAIR:
            line, second = divmod(index, 2)
            if second:
                right = Cell(Side.RESULT, run.new + line, None, LineState.LEFT_OUT, run.new_choice + line)
            else:
                old = run.old + line
                left = Cell(Side.BASE, old, old + 1, LineState.LEFT_OUT, run.old_choice + line)
                right = Cell(Side.BASE, old, run.number + line + shift, LineState.KEPT)
        case Kind.OUT_REMOVED:
            left = Cell(Side.BASE, old, old + 1, LineState.LEFT_OUT, old_choice)
            right = Cell(Side.BASE, old, number, LineState.KEPT)
        case Kind.OUT_ADDED:
            right = Cell(Side.RESULT, new, None, LineState.LEFT_OUT, new_choice)
    return Row(RowKind.CODE, run.hunk, left=left, right=right, pair=pair)
