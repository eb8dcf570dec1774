"""Opening a project's database: made owner-only, set aside when damaged, read-only when newer (design 7)."""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

from studio.engine import disk
from studio.engine.errors import Conflict, Refused, StudioError
from studio.engine.limits import STORE_BUSY_SECONDS, STORE_CHECK_UP_TO
from studio.engine.store import schema

FILE_NAME = "store.sqlite3"
_COMPANIONS = ("-wal", "-shm")
_BUSY_PAUSE_SECONDS = 0.02


class Database:
    """One connection to the store; it belongs to the thread that opened it."""

    def __init__(self, folder: Path) -> None:
        """Open, or make, the database in `folder`.

        `set_aside` names the damaged file that was moved out of the way, if there was one. Raises Refused
        when the state folder can't be used.
        """
        self.folder = folder
        self.file = folder / FILE_NAME
        self.set_aside: Path | None = None
        with translated(self.file):
            _make_private(folder)
            try:
                self._open()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self._open_damaged()

    def _open(self) -> None:
        """Open it, waiting for a process that is making it: SQLite itself does not wait for the change to
        write-ahead mode, nor where two such processes would wait for each other."""
        deadline = time.monotonic() + STORE_BUSY_SECONDS
        while True:
            try:
                return self._open_once()
            except sqlite3.OperationalError as error:
                if not _is_busy(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(_BUSY_PAUSE_SECONDS)

    def _open_once(self) -> None:
        is_new = not self.file.exists() or self.file.stat().st_size == 0
        if is_new:
            # Made here, owner-only: SQLite would ask the umask, and gives its companions the same mode.
            os.close(os.open(self.file, os.O_RDWR | os.O_CREAT, 0o600))
        connection = sqlite3.connect(
            self.file, timeout=STORE_BUSY_SECONDS, isolation_level=None, check_same_thread=True
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            connection.execute("PRAGMA fullfsync = ON")
            self.version = self._prepare(connection)
            if not is_new and self.file.stat().st_size <= STORE_CHECK_UP_TO:
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                _check_verdict(verdict)
        except BaseException:
            connection.close()
            raise
        self.connection = connection

    def _open_damaged(self) -> None:
        """Look a second time, alone: the first look may have met a passing error of the disk, or another
        process that was setting the same store aside."""
        with disk.writer_lock(self.folder / "damaged.lock"):
            try:
                self._open()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self.set_aside = _set_aside(self.file)
                self._open()

    def _prepare(self, connection: sqlite3.Connection) -> int:
        version = connection.execute("PRAGMA user_version").fetchone()[0]
        if version == 0:
            connection.execute("BEGIN IMMEDIATE")
            try:
                version = connection.execute("PRAGMA user_version").fetchone()[0]
                if version == 0:
                    for statement in schema.CREATE.split(";\n"):
                        if statement.strip():
                            connection.execute(statement)
                    connection.execute(f"PRAGMA user_version = {schema.SCHEMA_VERSION}")
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            version = version or schema.SCHEMA_VERSION
        return version

    @property
    def is_newer(self) -> bool:
        """Whether a newer Exacta Studio wrote this store: then it is only read."""
        return self.version > schema.SCHEMA_VERSION

    @contextmanager
    def write(self) -> Generator[sqlite3.Connection]:
        """One durable transaction: all of it, or nothing.

        Raises Refused for a newer store, a full or read-only disk; Conflict when another process holds it.
        """
        if self.is_newer:
            raise Refused(
                "store_newer",
                "This project's store was written by a newer Exacta Studio; it is only read.",
                "Update Exacta Studio.",
            )
        with translated(self.file):
            self.connection.execute("BEGIN IMMEDIATE")
            try:
                yield self.connection
                self.connection.execute("COMMIT")
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise

    @contextmanager
    def read(self) -> Generator[sqlite3.Connection]:
        """A consistent view for several queries; it never outlives a call."""
        with translated(self.file):
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                self.connection.execute("ROLLBACK")

    def data_version(self) -> int:
        """A number that changes when another connection has written."""
        with translated(self.file):
            return self.connection.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        self.connection.close()


def _check_verdict(verdict: str) -> None:
    """Tell damage (DatabaseError) from a page that could not be read for another reason (OSError)."""
    if verdict == "ok":
        return
    code = re.search(r"error code=(\d+)", verdict)
    if code is not None and int(code.group(1)) & 0xFF != sqlite3.SQLITE_CORRUPT:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    raise sqlite3.DatabaseError(verdict)


def _make_private(folder: Path) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def _set_aside(file: Path) -> Path:
    """Rename a damaged store and its companions; nothing of it is ever deleted."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    aside = file.with_name(f"{file.name}.damaged-{stamp}")
    for companion in _COMPANIONS:
        beside = file.with_name(file.name + companion)
        if beside.exists():
            beside.rename(aside.with_name(aside.name + companion))
    file.rename(aside)
    return aside


def damaged(file: Path, error: Exception) -> Refused:
    """The error for a store in which something can't be read that no check at its opening found."""
    return Refused(
        "store.damaged",
        f"The store {file} is damaged: {error}.",
        "Open the project again; if that does not help, move that file to another place: a new store is "
        "begun then.",
    )


@contextmanager
def translated(file: Path) -> Generator[None]:
    """Turn what SQLite and the system say about the store into one sentence with a next step."""
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _sentence(file, error) from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # its other kinds are mistakes of ours
            raise
        raise damaged(file, error) from error
    except OSError as error:
        raise Refused(
            "state.unusable",
            f"The state folder {file.parent} can't be used: {error.strerror}.",
            "Check its permissions and the free space, or set STUDIO_STATE_DIR to another folder.",
        ) from error


def _sentence(file: Path, error: sqlite3.OperationalError) -> StudioError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return Refused(
            "state.full",
            f"Nothing was stored: the disk that holds {file.parent} is full.",
            "Free some space and try again.",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR")):
        return Refused(
            "state.unusable",
            f"The store in {file.parent} can't be written: {error}.",
            "Check its permissions and the disk, or set STUDIO_STATE_DIR to another folder.",
        )
    if _is_busy(error):
        return Conflict("store.busy", "Another process keeps the store busy.", "Wait a moment and try again.")
    return Refused("store.error", f"The store can't be used: {error}.", f"Look at {file}.")


def _is_busy(error: sqlite3.OperationalError) -> bool:
    """Whether another connection is in the way for the moment."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
