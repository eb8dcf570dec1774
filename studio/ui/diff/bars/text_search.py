"""Incremental text search in one diff: hits, current hit, next and previous."""

from __future__ import annotations

import time
from collections.abc import Iterator

from PySide6.QtCore import QObject, QTimer, Signal

from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.code.document import DiffDocument
from studio.ui.diff.model.cells import Side
from studio.ui.diff.model.find import Hit, find_in_diff, hits_by_line, place_in_diff
from studio.ui.limits import HITS_UP_TO

_SEARCH_TIME = 0.006
"""Seconds of one event loop turn that the search may use."""


class Finder(QObject):
    """Text search in one diff that marks hits in the canvas."""

    counted = Signal(int, int, bool)
    """Emitted with the current hit, the hit count, and whether the search goes on.

    Hits count from 1; 0 means no current hit.
    """
    document_changed = Signal()

    def __init__(self, canvas: DiffCanvas, parent: QObject) -> None:
        super().__init__(parent)
        self._jumps_to_first = True
        self._canvas = canvas
        self._document: DiffDocument | None = None
        self._hits: list[Hit] = []
        self._current: Hit | None = None
        self._search: Iterator[Hit | None] | None = None
        self._turns = QTimer(self, interval=0)
        self._turns.timeout.connect(self._search_slice)

    def set_document(self, document: DiffDocument | None) -> None:
        """Set the diff to search and clear all hits."""
        self._document = document
        self._stop()
        self.document_changed.emit()

    @property
    def has_lines(self) -> bool:
        """Whether there is anything to search."""
        return self._document is not None

    def clear(self) -> None:
        """Clear all hits."""
        self._stop()
        self._canvas.set_hits({}, None)

    def find(self, text: str, *, go: bool = True) -> None:
        """Search from the beginning; with `go`, scroll to the first hit."""
        self._stop()
        self._jumps_to_first = go
        document = self._document
        if document is not None and text:
            encodings = {side: document.encoding(side) for side in Side}
            self._search = find_in_diff(document.diff, text, encodings)
            self._turns.start()
            self._search_slice()
        else:
            self._show()

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) hit."""
        if self._hits:
            position = self._hits.index(self._current) if self._current is not None else -1 if by > 0 else 0
            self._show_hit(self._hits[(position + by) % len(self._hits)])
        self._show()

    def _stop(self) -> None:
        self._turns.stop()
        self._search = None
        self._hits, self._current = [], None

    def _search_slice(self) -> None:
        document, search = self._document, self._search
        if document is None or search is None:
            self._turns.stop()
            return
        until = time.perf_counter() + _SEARCH_TIME
        found = 0
        for hit in search:
            if hit is not None:
                self._hits.append(hit)
                found += 1
            if len(self._hits) >= HITS_UP_TO or time.perf_counter() > until:
                break
        else:
            self._search = None
        if self._search is None or len(self._hits) >= HITS_UP_TO:
            self._search = None
            self._turns.stop()
        if found:
            self._hits.sort(key=lambda hit: place_in_diff(document.diff, hit))
        if self._jumps_to_first and self._current is None and self._hits:
            self._show_hit(self._hits[0])
        self._show()

    def _show_hit(self, hit: Hit) -> None:
        self._current = hit
        self._canvas.go_to_line(hit.side, hit.line)
        self._canvas.show_column_of(hit.side, hit.line, hit.start)

    def _show(self) -> None:
        self._canvas.set_hits(hits_by_line(self._hits), self._current)
        position = self._hits.index(self._current) + 1 if self._current is not None else 0
        self.counted.emit(position, len(self._hits), self._search is not None)
