"""Cache of a diff's syntax highlighting, filled asynchronously by a child process.

Nothing is computed while a frame is painted. The first request for a line notes its block; once the event
loop is idle, the blocks of the last frame are sent to the child process, one batch at a time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from enum import Enum
from functools import partial
from typing import TYPE_CHECKING, Generic, TypeVar

from PySide6.QtCore import QObject, QTimer, Signal

from studio.text import Lines, NotText, TextForm
from studio.ui.diff.code import colouring
from studio.ui.diff.code.colour_cache import CachedColours, SideColours
from studio.ui.diff.code.languages import CONTENT_CHARACTERS
from studio.ui.limits import COLOURED_BYTES

if TYPE_CHECKING:
    from studio.ui.runner import Runner

_STAYS_MS = 120

S = TypeVar("S", bound=Enum)
"""Type of a text's key: the side of a diff, or the column of a conflict."""

SideBlock = tuple[S, colouring.Block]
Spans = tuple[colouring.Span, ...]


class ColourStore(QObject, Generic[S]):
    """Syntax highlighting of all sides.

    `lines` returns the lines of a side, `forms` maps each side to its text form.
    """

    coloured = Signal(object, int, int)
    """Emitted with a side and its newly highlighted lines (from 0, last excluded)."""

    def __init__(
        self,
        paths: dict[S, str],
        lines: Callable[[S], Lines],
        forms: Mapping[S, TextForm | NotText | None],
        runner: Runner | None,
        parent: QObject,
        *,
        before: Mapping[S, SideColours] | None = None,
    ) -> None:
        """Create the store; `before` holds highlighting of an earlier text as substitute."""
        super().__init__(parent)
        self._before = {side: colours for side, colours in (before or {}).items() if colours}
        self._cached_colours: dict[S, CachedColours] = {}
        self._paths = paths
        self._lines = lines
        self._forms = forms
        self._runner = runner
        self._spans: dict[S, dict[int, tuple[Spans, ...]]] = {side: {} for side in paths}
        self._whole: dict[S, tuple[Spans, ...]] = {}
        self._dropped = {side for side in paths if runner is None or not paths[side]}
        self._in_view: dict[tuple[S, int], colouring.Block] = {}
        self._quick: set[tuple[S, int]] = set()
        self._refined: dict[tuple[S, int], colouring.Block] = {}
        self._requested: set[tuple[S, int]] = set()
        self._is_busy = False
        self._request_timer = QTimer(self, singleShot=True, interval=0)
        self._request_timer.timeout.connect(self._request_colours)
        # Highlighting again with more leading context waits until scrolling stops.
        self._refine_timer = QTimer(self, singleShot=True, interval=_STAYS_MS)
        self._refine_timer.timeout.connect(self._request_refined)

    @property
    def is_colourless(self) -> bool:
        """Whether no side can be highlighted.

        The file type is unknown, the file is too large, or its lexer failed.
        """
        return len(self._dropped) == len(self._paths)

    @property
    def is_busy(self) -> bool:
        """Whether highlighting was requested or is about to be."""
        return self._is_busy or self._request_timer.isActive()

    def begin_frame(self) -> None:
        """Start a frame, dropping requests of earlier ones, now out of view."""
        self._in_view.clear()
        self._refined.clear()

    def of(self, side: S, line: int) -> Spans:
        """Return the highlighting of a line, empty until it arrives."""
        if side in self._dropped:
            return ()
        whole = self._whole.get(side)
        if whole is not None:
            return whole[line]
        block = colouring.block_at(line, len(self._lines(side)), colouring.QUICK_LOOK_BACK_LINES)
        spans = self._spans[side].get(block.first)
        if (side, block.first) in self._quick:
            self._refined[side, block.first] = block
        if spans is not None:
            return spans[line - block.first]
        if (side, block.first) not in self._requested:
            self._in_view[side, block.first] = block
            if not self._is_busy and not self._request_timer.isActive():
                self._request_timer.start()
        return self._previous_spans(side, line)

    def cached_colours(self) -> Mapping[S, SideColours]:
        """Return the cached highlighting of each side, else its substitute."""
        current = {
            side: SideColours(self._lines(side), self._spans[side], self._whole.get(side))
            for side in self._paths
            if side not in self._dropped
        }
        return {side: colours or self._before.get(side, colours) for side, colours in current.items()}

    def _previous_spans(self, side: S, line: int) -> Spans:
        if side not in self._before:
            return ()
        stand_in = self._cached_colours.get(side)
        if stand_in is None:
            stand_in = self._cached_colours[side] = CachedColours(self._before[side], self._lines(side))
        return stand_in.of(line)

    def stop(self) -> None:
        """Drop all pending and future highlighting."""
        self._dropped = set(self._paths)
        self._request_timer.stop()
        self._refine_timer.stop()

    def _request_colours(self) -> None:
        """Request the blocks of the last frame."""
        if self._is_busy or self._runner is None:
            return
        for side in self._paths:
            if len(self._lines(side).data) > COLOURED_BYTES:
                self._dropped.add(side)
        blocks = [
            (side, block)
            for (side, _), block in self._in_view.items()
            if side not in self._dropped and not self._is_too_long(side, block)
        ]
        self._in_view.clear()
        if blocks:
            self._quick.update((side, block.first) for side, block in blocks if block.start)
            self._send(blocks)
        else:
            self._refine_timer.start()

    def _request_refined(self) -> None:
        """Request better highlighting: with more context, or of a whole short file."""
        if not self._is_busy and not self._in_view:
            more = self._read_quickly() or self._still_open()
            if more:
                self._send(more)

    def _send(self, blocks: list[SideBlock[S]]) -> None:
        assert self._runner is not None
        blocks = _join_blocks(blocks)
        jobs = tuple(self._job(side, block) for side, block in blocks)
        self._requested.update((side, first) for side, block in blocks for first in _first_lines(block))
        self._is_busy = True
        self._runner.compute_apart(
            colouring.colour_all,
            jobs,
            then=partial(self._store_colours, blocks),
            failed=partial(self._drop_failed, blocks),
        )

    def _read_quickly(self) -> list[SideBlock[S]]:
        """Return visible blocks highlighted with little context, to redo with more."""
        found: list[SideBlock[S]] = []
        for (side, first), block in self._refined.items():
            self._quick.discard((side, first))
            if side not in self._dropped and side not in self._whole:
                start = max(0, first - colouring.LOOK_BACK_LINES)
                found.append((side, colouring.Block(start, first, block.last)))
        self._refined.clear()
        return found

    def _still_open(self) -> list[SideBlock[S]]:
        """Return a whole short file, for context that blocks missed."""
        for side in self._paths:
            total = len(self._lines(side))
            if side in self._dropped or side in self._whole or not self._spans[side]:
                continue
            whole = colouring.Block(0, 0, total)
            is_short = colouring.WHOLE_LINES < total <= colouring.EXACT_LINES
            if is_short and not self._has_long_line(side, whole):
                return [(side, whole)]
        return []

    def _is_too_long(self, side: S, block: colouring.Block) -> bool:
        """Return whether a block has a very long line and stays plain."""
        if not self._has_long_line(side, block):
            return False
        self._spans[side][block.first] = ((),) * (block.last - block.first)
        return True

    def _has_long_line(self, side: S, block: colouring.Block) -> bool:
        starts = self._lines(side).starts
        lengths = map(int.__sub__, starts[block.start + 1 : block.last + 1], starts[block.start : block.last])
        return max(lengths, default=0) > colouring.COLOURED_LINE_CHARACTERS

    def _job(self, side: S, block: colouring.Block) -> colouring.Job:
        lines = self._lines(side)
        data = lines.block(block.start, block.last - block.start)
        beginning = bytes(lines.data[:CONTENT_CHARACTERS])
        return colouring.Job(self._paths[side], data, self._forms[side], block.first - block.start, beginning)

    def _store_colours(self, blocks: list[SideBlock[S]], colours: tuple[colouring.Colours, ...]) -> None:
        self._is_busy = False
        for (side, block), found in zip(blocks, colours, strict=True):
            if side in self._dropped:
                continue
            if found.dropped:
                self._drop(side)
                continue
            if block == colouring.Block(0, 0, len(self._lines(side))):
                self._whole[side] = found.lines
            else:
                for first in _first_lines(block):
                    start = first - block.first
                    self._spans[side][first] = found.lines[start : start + colouring.BLOCK_LINES]
            self.coloured.emit(side, block.first, block.last)
        self._request_timer.start()

    def _drop(self, side: S) -> None:
        """Discard all highlighting of a side whose lexer failed."""
        self._dropped.add(side)
        self._spans[side].clear()
        self._whole.pop(side, None)
        self.coloured.emit(side, 0, len(self._lines(side)))

    def _drop_failed(self, blocks: list[SideBlock[S]], _error: Exception) -> None:
        self._is_busy = False
        for side, _ in blocks:
            self._drop(side)


def _join_blocks(places: list[SideBlock[S]]) -> list[SideBlock[S]]:
    """Join adjacent blocks, so that their leading context is lexed once."""
    joined: list[SideBlock[S]] = []
    for side, block in sorted(places, key=lambda item: (item[0].value, item[1].first)):
        if joined and joined[-1][0] is side and joined[-1][1].last == block.first:
            before = joined.pop()[1]
            joined.append((side, colouring.Block(before.start, before.first, block.last)))
        else:
            joined.append((side, block))
    return joined


def _first_lines(block: colouring.Block) -> range:
    """Return the first lines of the blocks in a joined one."""
    return range(block.first, block.last, colouring.BLOCK_LINES)
