"""Names of hunks and folds, and definitions around lines."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine import FileDiff
from studio.extras.diff_view.definitions import Outline, definition_text, is_named, outline_of
from studio.text import Lines
from studio.ui.diff.model.cells import Side
from studio.ui.limits import NAMED_AT_ONCE_BYTES

if TYPE_CHECKING:
    from studio.ui.runner import Runner

_TRIMMED_LINES = 100


class DefinitionNames(QObject):
    """Definitions of both sides; another process reads large files."""

    found = Signal()
    """Emitted when the definitions of a large file are known."""

    def __init__(
        self, diff: FileDiff, paths: Mapping[Side, str], runner: Runner | None, parent: QObject
    ) -> None:
        super().__init__(parent)
        self._diff, self._paths, self._runner = diff, paths, runner
        self._outlines: dict[Side, Outline] = {}
        self._hunks: dict[int, str] = {}

    def around(self, side: Side, line: int) -> int:
        """Return the 0-based line of the definition around a line, else -1."""
        return self._outline(side).enclosing(line, line + 1)

    def hunk(self, hunk: int) -> str:
        """Return the definition around all changed lines of a hunk, else ""."""
        name = self._hunks.get(hunk)
        if name is None:
            name = self._hunks[hunk] = self._name(hunk)
        return name

    def is_at_top(self, hunk: int) -> bool:
        """Return whether a hunk (from 1) shows the file's first line."""
        change = self._diff.changes[self._diff.hunks.firsts[hunk - 1]]
        return max(change.old_first, change.new_first) <= self._diff.context

    def fold(self, first: int, count: int) -> str:
        """Return the first definition among hidden lines of the base, else ""."""
        lines = self._lines(Side.BASE)
        return definition_text(lines, self._outline(Side.BASE).first_in(first, first + count))

    def _name(self, hunk: int) -> str:
        changes, hunks = self._diff.changes, self._diff.hunks
        index, end = hunks.firsts[hunk - 1], hunks.end_of(hunk - 1)
        first, last = changes[index], changes[end - 1]
        name = ""
        for side, counts, start, stop in (
            (Side.BASE, changes.old_counts, first.old_first, last.old_end),
            (Side.RESULT, changes.new_counts, first.new_first, last.new_end),
        ):
            if any(counts[index:end]):
                shown = self._without_blank_ends(side, start, stop)
                name = definition_text(self._lines(side), self._outline(side).enclosing(*shown))
                if not name:
                    return ""
        return name

    def _without_blank_ends(self, side: Side, first: int, end: int) -> tuple[int, int]:
        """Return lines without the blank ones at their ends."""
        lines, start, stop = self._lines(side), first, end
        while start < min(stop, first + _TRIMMED_LINES) and not lines[start].strip():
            start += 1
        while stop > max(start, end - _TRIMMED_LINES) and not lines[stop - 1].strip():
            stop -= 1
        return (start, stop) if start < stop else (first, end)

    def _outline(self, side: Side) -> Outline:
        if side not in self._outlines:
            path, data = self._paths[side], self._lines(side).data
            at_once = self._runner is None or len(data) <= NAMED_AT_ONCE_BYTES
            is_known = is_named(path, len(data))
            self._outlines[side] = outline_of(path, data) if at_once and is_known else Outline()
            if is_known and not at_once and self._runner is not None:
                self._runner.compute_apart(outline_of, path, data, then=partial(self._store, side))
        return self._outlines[side]

    def _store(self, side: Side, outline: Outline) -> None:
        self._outlines[side] = outline
        self._hunks.clear()
        self.found.emit()

    def _lines(self, side: Side) -> Lines:
        return self._diff.base_lines if side is Side.BASE else self._diff.result_lines
