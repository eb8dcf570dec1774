"""Tracking of live and waiting processes behind agent sessions, by file locks.

Each process that holds a session locks a file of its own beside the store for as long as it lives, and one
more while it waits. A process id or a timestamp could be wrong: ids are reused, and clocks are set.
"""

from __future__ import annotations

import os
import threading
import uuid
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from studio.engine.session import SessionState
from studio.program.locks import is_locked, try_lock
from studio.system.own_files import make_own_folder, open_own_file

_FOLDER = "sessions"
_ALIVE, _WAITING = "alive", "waiting"


class Presence:
    """Sessions held by this process, and a query for those of others.

    Any thread may use it. A plan or call for whose answer a process waits is listed as a waiting session.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder / _FOLDER
        self._locks: dict[str, tuple[int, Path]] = {}
        self._lock = threading.Lock()

    def acquire(self, session: str, *, waits: bool = False) -> None:
        """Hold a session until `release`, `close` or the end of the process.

        With `waits` it is held only to wait for an answer. Raises OSError.
        """
        with self._lock:
            if session not in self._locks:
                self._locks[session] = self._create_locked(session, _WAITING if waits else _ALIVE)

    def release(self, session: str) -> None:
        """Stop holding a session."""
        with self._lock:
            lock = self._locks.pop(session, None)
        if lock is not None:
            _release_lock(*lock)

    @contextmanager
    def waiting(self, session: str) -> Generator[None]:
        """Mark a session as waiting for a decision.

        Where the state folder accepts no file, this is only not shown.
        """
        lock: tuple[int, Path] | None = None
        with suppress(OSError):
            lock = self._create_locked(session, _WAITING)
        try:
            yield
        finally:
            if lock is not None:
                _release_lock(*lock)

    def states(self, *, sweeps: bool = True) -> dict[str, SessionState]:
        """Return the states of held sessions, sweeping files of gone ones."""
        found: dict[str, SessionState] = {}
        for session, word, file in self._list_files():
            if not _is_held(file, sweeps=sweeps):
                continue
            if word == _WAITING:
                found[session] = SessionState.WAITING
            else:
                found.setdefault(session, SessionState.ALIVE)
        return found

    def close(self) -> None:
        """Release all sessions."""
        for session in tuple(self._locks):
            self.release(session)

    def _list_files(self) -> Iterator[tuple[str, str, Path]]:
        with suppress(OSError):
            for file in sorted(self._folder.iterdir()):
                session, _, word = file.name.partition(".")
                yield session, word.rpartition(".")[2], file

    def _create_locked(self, session: str, word: str) -> tuple[int, Path]:
        """Create and lock a file, again if a sweep removed it."""
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
    """Return whether a process holds the file's lock.

    With `sweeps`, a file that no process holds is deleted.
    """
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


def _release_lock(handle: int, file: Path) -> None:
    with suppress(OSError):
        file.unlink()
    with suppress(OSError):
        os.close(handle)
