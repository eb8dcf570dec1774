"""Which sessions, plans and calls have a process: by locks that the system takes back at its end (design 7).

Each process that holds a session has a file of its own beside the store, locked as long as it lives; one more
while it waits. A process number or a time would say that somebody is there who is not: numbers are given
again, and clocks are set.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from studio.engine.disk.locks import is_locked, try_lock
from studio.engine.session import SessionState
from studio.engine.system.own_files import make_own_folder, open_own_file

_FOLDER = "sessions"
_ALIVE, _WAITING = "alive", "waiting"


class Presence:
    """The sessions that this process holds, and a look at those that others do. Any thread may use it.

    A plan or a call for whose answer a process waits stands here as a session that waits.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER
        self._held: dict[str, tuple[int, Path]] = {}
        self._lock = threading.Lock()

    def hold(self, session: str, *, waits: bool = False) -> None:
        """Be there for a session until `release`, `close` or the end of this process; `waits`: for an answer
        alone. Raises OSError."""
        with self._lock:
            if session not in self._held:
                self._held[session] = self._locked(session, _WAITING if waits else _ALIVE)

    def release(self, session: str) -> None:
        """Be there for it no longer."""
        with self._lock:
            held = self._held.pop(session, None)
        if held is not None:
            _let_go(*held)

    @contextmanager
    def waiting(self, session: str) -> Generator[None]:
        """Wait for a decision on a session's plan. A state folder that takes no file hides that, no more."""
        held: tuple[int, Path] | None = None
        with suppress(OSError):
            held = self._locked(session, _WAITING)
        try:
            yield
        finally:
            if held is not None:
                _let_go(*held)

    def states(self, *, sweeps: bool = True) -> dict[str, SessionState]:
        """Each session that a process holds or waits for; all others are gone. Sweeps what the gone left."""
        found: dict[str, SessionState] = {}
        for session, word, file in self._files():
            if not _is_held(file, sweeps=sweeps):
                continue
            if word == _WAITING:
                found[session] = SessionState.WAITING
            else:
                found.setdefault(session, SessionState.ALIVE)
        return found

    def close(self) -> None:
        """Let go of every session."""
        for session in tuple(self._held):
            self.release(session)

    def _files(self) -> Iterator[tuple[str, str, Path]]:
        with suppress(OSError):
            for file in sorted(self._folder.iterdir()):
                session, _, word = file.name.partition(".")
                yield session, word.rpartition(".")[2], file

    def _locked(self, session: str, word: str) -> tuple[int, Path]:
        """A new file, locked; another one where a look swept it away before it was locked."""
        make_own_folder(self._folder)
        while True:
            file = self._folder / f"{session}.{uuid.uuid4().hex}.{word}"
            handle = open_own_file(file, os.O_RDWR)
            if try_lock(handle) and _is_at(file, handle):
                return handle, file
            os.close(handle)


def _is_at(file: Path, handle: int) -> bool:
    try:
        return os.path.samestat(file.stat(), os.fstat(handle))
    except FileNotFoundError:
        return False


def _is_held(file: Path, *, sweeps: bool) -> bool:
    """Whether a process has the file locked; `sweeps`: one that nobody has is taken away."""
    if not sweeps:
        return is_locked(file)
    try:
        handle = os.open(file, os.O_RDWR | getattr(os, "O_NOFOLLOW", 0))
    except OSError:
        return False
    try:
        if not try_lock(handle):
            return True
        with suppress(OSError):
            file.unlink()
        return False
    finally:
        os.close(handle)


def _let_go(handle: int, file: Path) -> None:
    with suppress(OSError):
        file.unlink()
    with suppress(OSError):
        os.close(handle)
