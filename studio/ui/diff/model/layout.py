"""Vertical layout of a diff's rows: heights, hunk positions, included changes.

The engine's row map counts the rows; here they get heights, excluded lines get rows of their own, and the
right side is numbered as the chosen result: a line with a number on the right will be in the file. Indexes
are 0-based, a cell's `number` is 1-based, lengths are in pixels.

A diff may have a million hunks. Blocks (a gap and the hunk after it) are grouped in chunks; a chunk is laid
out on first use, and its height is estimated without wrapping until then.
"""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import accumulate, pairwise

from msgspec.structs import replace

from studio.engine import FileDiff, HunkChoice
from studio.extras.diff_view.on_screen import paired, rows as engine_rows
from studio.ui.diff.model.blocks import (
    LINES_OF,
    Block,
    Extents,
    Kind,
    Run,
    Shape,
    make_block,
    row_of,
)
from studio.ui.diff.model.cells import Cell, Heights, LineState, Mode, Row, RowKind, Side
from studio.ui.limits import SPACE_COMPARED_UP_TO
from studio.values import Value


def without_space(row: Row, diff: FileDiff) -> Row:
    """Return the row, shown as unchanged if only white space differs."""
    left, right = row.left, row.right
    if row.pair is not None and left is not None and right is not None:
        old, new = row.pair
        if _remove_space(diff.base_lines[old]) == _remove_space(diff.result_lines[new]):
            return replace(row, left=_plain_cell(left), right=_plain_cell(right), pair=None)
        return row
    if left is not None and right is None and _is_blank(left, LineState.REMOVED, diff):
        return replace(row, left=_plain_cell(left))
    if right is not None and left is None and _is_blank(right, LineState.ADDED, diff):
        return replace(row, right=_plain_cell(right))
    return row


def is_only_space(diff: FileDiff, hunk: int) -> bool:
    """Return whether a hunk changes only white space or blank lines.

    Hunks count from 1. False for a very large one, which is not compared.
    """
    if diff.hunks[hunk - 1].changed_lines > SPACE_COMPARED_UP_TO:
        return False
    first, end = diff.hunks.firsts[hunk - 1], diff.hunks.end_of(hunk - 1)
    base, result = diff.base_lines, diff.result_lines
    for index in range(first, end):
        change = diff.changes[index]
        for part in paired(diff).get(index, (change,)):
            pairs = min(part.old_count, part.new_count)
            for at in range(pairs):
                if _remove_space(base[part.old_first + at]) != _remove_space(result[part.new_first + at]):
                    return False
            alone = [base[at] for at in range(part.old_first + pairs, part.old_end)]
            alone += [result[at] for at in range(part.new_first + pairs, part.new_end)]
            if any(map(_remove_space, alone)):
                return False
    return True


def _remove_space(line: bytes) -> bytes:
    return b"".join(line.split())


def _is_blank(cell: Cell, look: LineState, diff: FileDiff) -> bool:
    lines = diff.base_lines if look is LineState.REMOVED else diff.result_lines
    return cell.state is look and not _remove_space(lines[cell.line])


def _plain_cell(cell: Cell) -> Cell:
    return replace(cell, state=LineState.PLAIN)


__all__ = [
    "REVEAL_ALL",
    "Cell",
    "Heights",
    "Layout",
    "LineState",
    "MapMark",
    "Mode",
    "Row",
    "RowKind",
    "Side",
]

REVEAL_ALL = 1 << 60
"""Number of lines that reveals a whole gap."""

_CHUNK = 64
_KEPT_BLOCKS = 512
_EXACT_MARKS = 400
"""Most hunks for which the overview map shows every change, instead of hunks and chunks."""

_ROWS: Mapping[tuple[bool, bool], Callable[[FileDiff], engine_rows.RowMap]] = {
    (True, True): engine_rows.side_by_side,
    (True, False): partial(engine_rows.side_by_side, folded=False),
    (False, True): engine_rows.unified,
    (False, False): partial(engine_rows.unified, folded=False),
}
"""Row map factories by side by side and folded."""


def row_map(diff: FileDiff, *, beside: bool = True, folds: bool = True) -> engine_rows.RowMap:
    """Return the cached row map of a diff.

    With many hunks, call it on another thread first.
    """
    return diff.once(_ROWS[beside, folds])


class MapMark(Value):
    """Overview map mark for removed (left) or added (right) lines."""

    top: int
    height: int
    side: Side


class _Chunk:
    """Cumulated rows, heights and line number shifts of a chunk's blocks."""

    __slots__ = ("rows", "shifts", "tops")

    def __init__(self, sizes: list[tuple[int, int, int]]) -> None:
        self.rows = array("q", accumulate((rows for rows, _, _ in sizes), initial=0))
        self.tops = array("q", accumulate((height for _, height, _ in sizes), initial=0))
        self.shifts = array("q", accumulate((shift for _, _, shift in sizes), initial=0))


class Layout:
    """Vertical layout of a diff's rows.

    `choices` says what of each hunk is included (True by default). `revealed` maps each gap (0 is before the
    first hunk) to its number of shown lines; `folds=False` shows all. `extents` finds wrapped lines, `notes`
    are the heights of comments below lines. With `ignores_space`, lines that differ only in white space are
    shown as unchanged, side by side.
    """

    def __init__(
        self,
        diff: FileDiff,
        heights: Heights,
        *,
        mode: Mode = Mode.SIDE_BY_SIDE,
        choices: Mapping[int, HunkChoice] | None = None,
        revealed: Mapping[int, int] | None = None,
        folds: bool = True,
        extents: Extents | None = None,
        notes: Mapping[tuple[Side, int], int] | None = None,
        ignores_space: bool = False,
    ) -> None:
        self.diff = diff
        self.ignores_space = ignores_space and mode is Mode.SIDE_BY_SIDE
        self.mode = mode
        taken_in = {hunk: choice for hunk, choice in (choices or {}).items() if choice is not True}
        self._shape = Shape(
            mode, heights, taken_in, (revealed or {}) if folds else None, extents, notes or {}
        )
        self._map = row_map(diff, beside=mode is Mode.SIDE_BY_SIDE, folds=folds)
        self._blocks_total = len(diff.hunks) + 1
        self._cached_blocks: dict[int, Block] = {}
        self._only_space: dict[int, bool] = {}
        self._chunks: dict[int, _Chunk] = {}
        self._next_chunk = 0
        self._special = self._special_blocks()
        count = (self._blocks_total + _CHUNK - 1) // _CHUNK
        borders = [min(chunk * _CHUNK, self._blocks_total) for chunk in range(count + 1)]
        self._sizes = [self._plain_size(*pair) for pair in pairwise(borders)]
        self._sum_sizes()
        for chunk in sorted({block // _CHUNK for block in self._special}):
            self._chunk(chunk)

    @property
    def hunks(self) -> int:
        return len(self.diff.hunks)

    @property
    def is_exact(self) -> bool:
        """Whether all heights are final; wrapped lines are measured incrementally."""
        return self._shape.extents is None or len(self._chunks) == len(self._sizes)

    def lay_out_more(self) -> bool:
        """Lay out one more chunk; return whether any was left.

        This may change the heights below.
        """
        for chunk in range(self._next_chunk, len(self._sizes)):
            self._next_chunk = chunk + 1
            if chunk not in self._chunks:
                self._chunk(chunk)
                return True
        return False

    # Rows

    def row(self, index: int) -> Row:
        """Return the row at an index.

        Raises IndexError outside 0..rows-1.
        """
        if not 0 <= index < self.rows:
            raise IndexError(index)
        run, inside, shift = self._run_of_row(index)
        return self._row_to_draw(row_of(run, inside, shift))

    def _row_to_draw(self, row: Row) -> Row:
        return without_space(row, self.diff) if self.ignores_space and row.hunk else row

    def is_only_space(self, hunk: int) -> bool:
        """Return whether a hunk shows no change because white space is ignored."""
        if not self.ignores_space:
            return False
        if hunk not in self._only_space:
            self._only_space[hunk] = is_only_space(self.diff, hunk)
        return self._only_space[hunk]

    def rows_from(self, index: int, y: int, bottom: float) -> Iterator[tuple[int, Row, int, int]]:
        """Yield index, row, upper edge and height of rows down to `bottom`.

        The first row's upper edge is at `y`.
        """
        while index < self.rows and y <= bottom:
            run, inside, shift = self._run_of_row(index)
            while inside < run.rows and y <= bottom:
                yield index, self._row_to_draw(row_of(run, inside, shift)), y, run.height
                index, inside, y = index + 1, inside + 1, y + run.height

    def folded(self, index: int) -> tuple[int, int]:
        """Return a fold's first base line and how many it hides."""
        run, _, _ = self._run_of_row(index)
        return run.old, run.hidden

    def top(self, index: int) -> int:
        """Return a row's upper edge; the total height for the row count."""
        if index >= self.rows:
            return self.height
        chunk = self._chunk_of_row(index)
        block, row = self._find_block(chunk, index)
        run = _run_at(self._block(block), row)
        base = self._tops[chunk] + self._chunk(chunk).tops[block - chunk * _CHUNK]
        return base + run.top + (row - run.first_row) * run.height

    def row_height(self, index: int) -> int:
        return self._run_of_row(index)[0].height

    def row_at(self, y: float) -> int:
        """Return the row at or nearest to a height, -1 without rows."""
        if not self.rows:
            return -1
        chunk, block = self._block_at(y)
        rows = self._chunk(chunk)
        inside = y - self._tops[chunk] - rows.tops[block - chunk * _CHUNK]
        runs = self._block(block).runs
        run = runs[max(0, bisect_right(runs, inside, key=lambda each: each.top) - 1)]
        step = min(int(max(0, inside - run.top)) // run.height, run.rows - 1)
        return self._rows[chunk] + rows.rows[block - chunk * _CHUNK] + run.first_row + step

    def hunk_rows(self, hunk: int) -> tuple[int, int]:
        """Return a hunk's first row and the row after its last.

        The first row is its band, where there is one. Hunks count from 1.
        """
        start = self._first_row(hunk - 1)
        block = self._block(hunk - 1)
        first = next(run for run in block.runs if run.hunk)
        return start + first.first_row, start + block.rows

    def hunk_at(self, row: int) -> int:
        """Return the hunk of a row.

        In a gap it is the next hunk, after the last hunk the last one.
        """
        if not self.hunks:
            return 0
        if row >= self.rows:
            return self.hunks
        chunk = self._chunk_of_row(row)
        return min(self._find_block(chunk, row)[0] + 1, self.hunks)

    # Lines

    def row_of(self, side: Side, line: int) -> int | None:
        """Return the row that shows a line, None if it is folded."""
        found = self._run_of_line(side, line)
        if found is None or found[1].kind is Kind.FOLD:
            return None
        block, run = found
        inside = line - (run.old if side is Side.BASE else run.new)
        if run.kind is Kind.OUT_PAIR:
            inside = 2 * inside + (1 if side is Side.RESULT else 0)
        return self._first_row(block) + run.first_row + inside

    def gap_of(self, side: Side, line: int) -> int | None:
        """Return the gap whose fold hides a line, None if shown."""
        found = self._run_of_line(side, line)
        return found[1].gap if found is not None and found[1].kind is Kind.FOLD else None

    def row_near(self, side: Side, line: int) -> int:
        """Return the row that shows a line, or the fold hiding it."""
        found = self._run_of_line(side, line)
        if found is None:
            return 0
        shown = self.row_of(side, line)
        return shown if shown is not None else self._first_row(found[0]) + found[1].first_row

    def _run_of_line(self, side: Side, line: int) -> tuple[int, Run] | None:
        changes = self.diff.changes
        firsts = changes.old_firsts if side is Side.BASE else changes.new_firsts
        hunk = bisect_right(self.diff.hunks.firsts, bisect_right(firsts, line) - 1) if firsts else 0
        kinds = LINES_OF[side]
        # The line is in the block of the last change that begins before it, or in the gap around that.
        best: tuple[int, Run] | None = None
        for block in range(max(0, hunk - 1), min(self._blocks_total, hunk + 2)):
            for run in self._block(block).runs:
                if run.kind not in kinds:
                    continue
                first = run.old if side is Side.BASE else run.new
                if first > line:
                    return best
                best = block, run
        return best

    def number_of(self, side: Side, line: int) -> int | None:
        """Return the number of a line, also of a folded one."""
        row = self.row_of(side, line)
        if row is not None:
            shown = self.row(row)
            cells = (cell for cell in (shown.right, shown.left) if cell is not None)
            return next((cell.number for cell in cells if cell.line_key == (side, line)), None)
        found = self._run_of_line(side, line)
        if side is Side.BASE or found is None:
            return line + 1
        chunk, inside = divmod(found[0], _CHUNK)
        return line + 1 + self._chunk(chunk).shifts[inside] + self._shifts[chunk]

    # Overview map

    def map_marks(self, pixels: int = 1000) -> Iterator[MapMark]:
        """Yield the marks of removed and added lines, in order.

        Excluded lines have none. With many hunks a mark covers a whole hunk, or what `pixels` of the map
        show.
        """
        if self.hunks > _EXACT_MARKS:
            yield from self._coarse_marks(pixels)
            return
        for block in range(self._blocks_total):
            top = self._top_of_block(block)
            for run in self._block(block).runs:
                length = run.rows * run.height
                if run.kind in (Kind.PAIR, Kind.REMOVED):
                    yield MapMark(top + run.top, length, Side.BASE)
                if run.kind in (Kind.PAIR, Kind.ADDED):
                    yield MapMark(top + run.top, length, Side.RESULT)

    def _coarse_marks(self, pixels: int) -> Iterator[MapMark]:
        step = max(1, self.height // max(1, pixels))
        changes, firsts = self.diff.changes, self.diff.hunks.firsts
        for top in range(0, self.height, step):
            first, behind = self._hunk_near(top), self._hunk_near(top + step)
            start = firsts[min(first, self.hunks - 1)]
            end = firsts[behind] if behind < self.hunks else len(changes)
            counts = slice(start, max(end, start + 1))
            if first == behind and not self._is_in_hunk(first, top):
                continue
            if any(changes.old_counts[counts]):
                yield MapMark(top, step, Side.BASE)
            if any(changes.new_counts[counts]):
                yield MapMark(top, step, Side.RESULT)

    def _hunk_near(self, y: int) -> int:
        """Return the block at a height, estimated before its chunk's layout."""
        chunk = min(max(0, bisect_right(self._tops, y) - 1), len(self._sizes) - 1)
        share = (y - self._tops[chunk]) / max(1, self._sizes[chunk][1])
        if chunk in self._chunks:
            return self._block_at(y)[1]
        return min(chunk * _CHUNK + int(share * _CHUNK), self._blocks_total - 1)

    def _is_in_hunk(self, block: int, y: int) -> bool:
        if block >= self.hunks or block // _CHUNK not in self._chunks:
            return block < self.hunks
        return y >= self._top_of_block(block) + self._block_gap_height(block)

    def _block_gap_height(self, block: int) -> int:
        return next((run.top for run in self._block(block).runs if run.hunk), 0)

    # Blocks and chunks

    def _special_blocks(self) -> frozenset[int]:
        """Return the blocks that differ from the engine's rows and heights."""
        shape, special = self._shape, {hunk - 1 for hunk in self._shape.choices if 1 <= hunk <= self.hunks}
        if shape.mode is Mode.ONE_SIDE:
            special.update(range(self._blocks_total))
        if shape.revealed is not None:
            special.update(gap for gap in shape.revealed if 0 <= gap < self._blocks_total)
        special.update(self._block_of_line(side, line) for side, line in shape.notes)
        return frozenset(special)

    def _block_of_line(self, side: Side, line: int) -> int:
        """Return the block of a line."""
        found = self._run_of_line(side, line)
        return found[0] if found is not None else 0

    def _plain_size(self, first: int, end: int) -> tuple[int, int, int]:
        """Return rows, height and shift of blocks as in the engine's map."""
        heights = self._shape.heights
        starts = self._map.block_starts
        rows = starts[end] - starts[first]
        folds = self._map.folded_gaps.count(1, first, end)
        bands = min(end, self.hunks) - min(first, self.hunks)
        height = (rows - folds - bands) * heights.code + folds * heights.fold + bands * heights.band
        return rows, height, 0

    def _sum_sizes(self) -> None:
        self._rows = list(accumulate((rows for rows, _, _ in self._sizes), initial=0))
        self._tops = list(accumulate((height for _, height, _ in self._sizes), initial=0))
        self._shifts = list(accumulate((shift for _, _, shift in self._sizes), initial=0))
        self.rows = self._rows[-1]
        self.height = self._tops[-1]

    def _chunk(self, index: int) -> _Chunk:
        chunk = self._chunks.get(index)
        if chunk is None:
            first = index * _CHUNK
            sizes: list[tuple[int, int, int]] = []
            for block in range(first, min(first + _CHUNK, self._blocks_total)):
                if self._shape.extents is None and block not in self._special:
                    sizes.append(self._plain_size(block, block + 1))
                else:
                    rows = self._block(block)
                    sizes.append((rows.rows, rows.height, rows.shift))
            chunk = self._chunks[index] = _Chunk(sizes)
            size = chunk.rows[-1], chunk.tops[-1], chunk.shifts[-1]
            if size != self._sizes[index]:
                self._sizes[index] = size
                self._sum_sizes()
        return chunk

    def _block(self, index: int) -> Block:
        block = self._cached_blocks.get(index)
        if block is None:
            block = make_block(self.diff, self._map, index, self._shape)
            if len(self._cached_blocks) >= _KEPT_BLOCKS:
                self._cached_blocks.clear()
            self._cached_blocks[index] = block
        return block

    def _chunk_of_row(self, row: int) -> int:
        chunk = bisect_right(self._rows, row) - 1
        self._chunk(chunk)
        return chunk

    def _find_block(self, chunk: int, row: int) -> tuple[int, int]:
        """Return a row's block, and its index in the block."""
        rows = self._chunk(chunk).rows
        inside = row - self._rows[chunk]
        block = bisect_right(rows, inside) - 1
        return chunk * _CHUNK + block, inside - rows[block]

    def _block_at(self, y: float) -> tuple[int, int]:
        """Return the chunk and the non-empty block at or near a height."""
        y = min(max(0, y), self.height - 1)
        chunk = bisect_right(self._tops, y) - 1
        tops = self._chunk(chunk).tops
        # Laying out the chunk may have moved what follows it.
        inside = min(y - self._tops[chunk], tops[-1] - 1)
        return chunk, chunk * _CHUNK + bisect_right(tops, inside) - 1

    def _run_of_row(self, index: int) -> tuple[Run, int, int]:
        """Return a row's run, its index there, and the line number shift."""
        chunk = self._chunk_of_row(index)
        block, row = self._find_block(chunk, index)
        run = _run_at(self._block(block), row)
        return (
            run,
            row - run.first_row,
            self._shifts[chunk] + self._chunk(chunk).shifts[block - chunk * _CHUNK],
        )

    def _first_row(self, block: int) -> int:
        chunk = block // _CHUNK
        rows = self._chunk(chunk)
        return self._rows[chunk] + rows.rows[block - chunk * _CHUNK]

    def _top_of_block(self, block: int) -> int:
        chunk = block // _CHUNK
        rows = self._chunk(chunk)
        return self._tops[chunk] + rows.tops[block - chunk * _CHUNK]


def _run_at(block: Block, row: int) -> Run:
    runs = block.runs
    return runs[max(0, bisect_right(runs, row, key=lambda run: run.first_row) - 1)]
