"""The open changes, of which a process reads each once: there may be tens of thousands, and most stay."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import replace

from studio.engine.observed_change import ObservedChange, ObservedGroup
from studio.engine.store.observed import ObservedRows, Stamp


class OpenChanges:
    """What one project's store said last; for all threads."""

    def __init__(self) -> None:
        """Nothing is known yet."""
        self._turn = threading.Lock()
        self._writings = -1
        self._known: dict[Stamp, ObservedChange] = {}
        self._groups: Mapping[int, ObservedGroup] = {}
        self._all: tuple[ObservedChange, ...] = ()

    def read(self, rows: ObservedRows) -> tuple[ObservedChange, ...]:
        """What is open now, in the order first seen; the very same tuple as long as nothing of it changes."""
        with self._turn:
            since = rows.open_since(self._writings, self._known.keys())
            if since is not None:
                known = {**self._known, **since.read}
                renamed = since.groups.keys() - {
                    number for number, group in self._groups.items() if since.groups.get(number) == group
                }
                self._known = {
                    stamp: replace(known[stamp], group=since.groups[stamp[2]])
                    if stamp[2] in renamed
                    else known[stamp]
                    for stamp in since.stamps
                }
                self._writings, self._groups = since.writings, since.groups
                self._all = tuple(self._known.values())
            return self._all
