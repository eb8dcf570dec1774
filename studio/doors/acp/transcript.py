"""Transcript of an ACP session: events displayed immediately, stored by a thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, Final

from studio.engine import EventKind, Session
from studio.errors import StudioError
from studio.program.log_file import LOGGER
from studio.workspace import Workspace

PAUSE_SECONDS: Final = 0.15
"""Seconds of buffering: agents send a word at a time."""
_JOINED: Final = frozenset({EventKind.MESSAGE, EventKind.THOUGHT})

Show = Callable[[EventKind, Mapping[str, Any]], None]
"""Shows an event; its text is not escaped."""


class Transcript:
    """Thread-safe recorder of one session, with its own writer thread."""

    def __init__(self, workspace: Workspace, session: Session, show: Show) -> None:
        self._workspace, self._session, self._show = workspace, session, show
        self._lock = threading.Lock()
        self._events: list[tuple[EventKind, dict[str, Any]]] = []
        self._wake = threading.Event()
        self._has_ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="transcript", daemon=True)
        self._thread.start()

    def add(self, kind: EventKind, /, **fields: Any) -> None:
        """Add an event; adjacent pieces of one message are joined."""
        self._show(kind, fields)
        with self._lock:
            last = self._events[-1] if self._events else None
            if last is not None and kind in _JOINED and last[0] is kind:
                last[1]["text"] += fields["text"]
            else:
                self._events.append((kind, fields))
        self._wake.set()

    def notice(self, text: str, *, is_bad: bool = False) -> None:
        """Add a notice of our own."""
        self.add(EventKind.NOTICE, text=text, is_bad=is_bad)

    def close(self) -> None:
        """Write the remaining events and stop the thread."""
        self._has_ended.set()
        self._wake.set()
        self._thread.join()

    def _keep(self) -> None:
        try:
            while not self._has_ended.is_set():
                self._wake.wait()
                self._wake.clear()
                self._has_ended.wait(PAUSE_SECONDS)
                self._flush()
            self._flush()
        finally:
            self._workspace.close_thread()

    def _flush(self) -> None:
        with self._lock:
            events, self._events = self._events, []
        if not events:
            return
        try:
            self._workspace.proposer.record(self._session, events)
        except StudioError:
            # It was shown; decisions have a record of their own, which must not be lost.
            LOGGER.exception("the conversation could not be stored")
