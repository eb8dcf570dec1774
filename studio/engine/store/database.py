"""SQLite connection to a project's store: opening, migration, transactions, error translation.

It is readable by its owner only, archived when damaged, and read-only when a newer version wrote it.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import time
from collections.abc import Generator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

from studio.engine import disk
from studio.engine.store import schema
from studio.errors import Conflict, Refused, StudioError, TimedOut
from studio.limits import STORE_BUSY_SECONDS, STORE_CHECK_UP_TO
from studio.system.os_errors import reason
from studio.system.own_files import make_own_folder, open_own_file

FILE_NAME = "store.sqlite3"
BLOBS_NAME = "blobs"
_COMPANIONS = ("-wal", "-shm")
# SQLite restarts the log by itself at 1,000 pages (4 MiB); a longer one is blocked by readers.
_LOG_UP_TO_BYTES = 6 * 1024 * 1024
_LOG_STEP_BYTES = 1024 * 1024
_LOG_PAUSE_MILLISECONDS = 200
_BUSY_PAUSE_SECONDS = 0.02
_GLANCE_SECONDS = 0.2
"""Seconds that a read-only connection waits for writers."""

STORE_DAMAGED = "store.damaged"
"""Error code for a store with unreadable data."""

STORE_GONE = "store.gone"
"""Error code for a store deleted, moved or replaced while open."""


class _TooOld(sqlite3.DatabaseError):
    """A store with tables that no release created."""


# Python's sqlite3: importing SQLAlchemy takes each command 215 ms, and its ORM 14 times as long for 5,000
# rows.
class Database:
    """One connection to the store, for the thread that opened it."""

    def __init__(self, folder: Path, *, read_only: bool = False) -> None:
        """Open or create the database in `folder`.

        With `read_only` nothing is created or changed. `archived` is the file that was renamed to make room
        for a new store, if any. Raises Refused where the state folder can't be used.
        """
        self.folder = folder
        self.file = folder / FILE_NAME
        self._log = folder / f"{FILE_NAME}-wal"
        self._log_up_to = _LOG_UP_TO_BYTES
        self._log_size = 0
        self.commits = 0
        """Number of transactions that this connection committed."""
        self._is_writing = False
        self.archived: Path | None = None
        self._identity: tuple[int, int] | None = None
        """Device and inode of the open file."""
        with translated(self.file):
            if read_only:
                self._open_read_only()
                return
            _make_private(folder)
            try:
                self._open()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self._open_anew()

    def _open(self) -> None:
        """Open the database, retrying while another process creates it.

        SQLite does not wait for the change to WAL mode, nor where two such processes would deadlock. A
        process that archives a damaged store removes the file meanwhile.
        """
        deadline = time.monotonic() + STORE_BUSY_SECONDS
        while True:
            try:
                return self._open_once()
            except (sqlite3.OperationalError, FileNotFoundError) as error:
                if not self._may_retry(error) or time.monotonic() >= deadline:
                    raise
                time.sleep(_BUSY_PAUSE_SECONDS)

    def _open_read_only(self) -> None:
        """Open without creating a log or index, which SQLite would do otherwise.

        Where there is no log, the file is opened as immutable, and readers have to detect writers themselves.
        """
        self._identity = self._read_identity()
        has_log = self._log.exists()
        if has_log and not self.file.with_name(f"{FILE_NAME}-shm").exists():
            raise FileNotFoundError(errno.ENOENT, "the log has no index", str(self._log))
        how = "mode=ro" if has_log else "mode=ro&immutable=1"
        connection = sqlite3.connect(
            f"{self.file.as_uri()}?{how}", uri=True, timeout=_GLANCE_SECONDS, isolation_level=None
        )
        try:
            self.version = _read_version(connection)
        except BaseException:
            connection.close()
            raise
        self.connection = connection

    def _may_retry(self, error: sqlite3.OperationalError | FileNotFoundError) -> bool:
        """Return whether to try again.

        Either the database is locked, or the file was removed while it was being opened, which SQLite reports
        as an I/O error.
        """
        if isinstance(error, FileNotFoundError):
            return self.folder.is_dir()
        return _is_busy(error) or self._read_identity() != self._identity

    def _open_once(self) -> None:
        is_new = not _has_content(self.file)
        if is_new:
            # Flush first: a record that is lost with its folder protects nothing.
            for folder in (self.folder, *self.folder.parents):
                flush_folder(folder)
            # Create it owner-only: SQLite would apply the umask, and gives the -wal and -shm files the same
            # mode.
            os.close(open_own_file(self.file, os.O_RDWR))
        self._identity = self._read_identity()
        # With another isolation level Python's module manages transactions by itself.
        connection = sqlite3.connect(
            self.file, timeout=STORE_BUSY_SECONDS, isolation_level=None, check_same_thread=True
        )
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            # NORMAL does not flush a commit: without that flush (tests.faults.power_cut --without store) 3 of
            # 24 power cuts left a mixed tree, and one a plan that could not be recovered.
            connection.execute("PRAGMA synchronous = FULL")
            connection.execute("PRAGMA foreign_keys = ON")
            # On macOS fsync alone leaves the bytes in the disk's own cache; elsewhere this changes nothing.
            connection.execute("PRAGMA fullfsync = ON")
            self.version = self._prepare_tables(connection)
            if not is_new and self.file.stat().st_size <= STORE_CHECK_UP_TO:
                # Not integrity_check, which also compares every index with its table: this takes 27 ms for
                # 100,000 rows.
                verdict = connection.execute("PRAGMA quick_check(1)").fetchone()[0]
                _check_verdict(verdict)
            if self._read_identity() != self._identity:
                raise FileNotFoundError(errno.ENOENT, "taken away while it was opened", str(self.file))
        except BaseException:
            connection.close()
            raise
        self.connection = connection

    def _open_anew(self) -> None:
        """Try again under a lock, then archive the store.

        The first failure may be a passing disk error, or another process that was archiving the same store.
        """
        with disk.writer_lock(self.folder / "damaged.lock"):
            try:
                self._open()
            except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
                if isinstance(error, sqlite3.OperationalError):
                    raise
                self.archived = _archive_store(self.file, "old" if isinstance(error, _TooOld) else "damaged")
                self._open()

    def _prepare_tables(self, connection: sqlite3.Connection) -> int:
        """Create or migrate the tables and return the version."""
        version = _read_version(connection)
        if version < 0:
            raise damaged(self.file, ValueError(f"it has version {version}"))
        if 0 < version < schema.OLDEST_VERSION:
            raise _TooOld
        if 0 < version < schema.SCHEMA_VERSION:
            self._back_up(connection, version)
        if version < schema.SCHEMA_VERSION:
            connection.execute("BEGIN IMMEDIATE")
            try:
                version = _read_version(connection)  # another process may have migrated it
                _migrate(connection, version)
                version = max(version, schema.SCHEMA_VERSION)
                connection.execute(f"PRAGMA user_version = {version}")
                connection.execute("COMMIT")
            except BaseException:
                connection.execute("ROLLBACK")
                raise
        return version

    def _back_up(self, connection: sqlite3.Connection, version: int) -> None:
        """Back up the store of an older version, unless a backup exists."""
        copy = self.file.with_name(f"{self.file.name}.version-{version}")
        if copy.exists():
            return
        unfinished = copy.with_name(f"{copy.name}.{os.getpid()}.new")
        os.close(open_own_file(unfinished, os.O_RDWR | os.O_TRUNC))
        target = sqlite3.connect(unfinished)
        try:
            connection.backup(target)
        finally:
            target.close()
        unfinished.rename(copy)

    @property
    def is_newer(self) -> bool:
        """Whether a newer version wrote this store, which makes it read-only."""
        return self.version > schema.SCHEMA_VERSION

    @contextmanager
    def write(self, *, durable: bool = True) -> Generator[sqlite3.Connection]:
        """Run one transaction; with `durable` it is on disk before this returns.

        Raises Refused for a newer store, a full or read-only disk, and a store whose file was removed;
        Conflict where another process holds it.
        """
        if self.is_newer:
            raise _newer_store()
        with translated(self.file):
            if not durable:
                self.connection.execute("PRAGMA synchronous = NORMAL")
            try:
                # IMMEDIATE: SQLite fails at once, without waiting, when a read transaction becomes a write
                # after another process wrote.
                self.connection.execute("BEGIN IMMEDIATE")
                self._is_writing = True
                self._check_version()
                yield self.connection
                self.connection.execute("COMMIT")
                self.commits += 1
            except BaseException:
                if self.connection.in_transaction:
                    self.connection.execute("ROLLBACK")
                raise
            finally:
                self._is_writing = False
                if not durable:
                    self.connection.execute("PRAGMA synchronous = FULL")
            self.check_file_unchanged()
            self._truncate_log()

    def check_file_unchanged(self) -> None:
        """Raise Refused where the open file is not the store's any more.

        Writes to a deleted file succeed, and are lost with its last file descriptor.
        """
        try:
            is_there = self._read_identity() == self._identity
        except OSError:  # unknown at the moment; the write may well have succeeded
            return
        if not is_there:
            raise Refused(
                STORE_GONE,
                f"The store {self.file} was deleted, moved or replaced while it was in use.",
                "Restore the old store, or open the project again with a new one, without its plans,"
                " history and undo.",
            )

    def _read_identity(self) -> tuple[int, int] | None:
        try:
            status = self.file.stat()
        except (FileNotFoundError, NotADirectoryError):
            return None
        return (status.st_dev, status.st_ino)

    def _check_version(self) -> None:
        """Refuse a store that a newer program migrated meanwhile."""
        self.version = _read_version(self.connection)
        if self.is_newer:
            raise _newer_store()

    def _truncate_log(self) -> None:
        """Truncate a long write-ahead log.

        With overlapping readers SQLite itself never finds the moment. Waits a little for current readers.
        """
        with suppress(OSError, sqlite3.OperationalError):  # the data is written; a later write tries again
            size, before = self._log.stat().st_size, self._log_size
            self._log_size = size
            # A long log that does not grow was restarted within its length: no reader blocks it.
            if size <= _LOG_UP_TO_BYTES or before < size <= self._log_up_to:
                return
            self.connection.execute(f"PRAGMA busy_timeout = {_LOG_PAUSE_MILLISECONDS}")
            # TRUNCATE: RESTART also restarts the log, but leaves its length.
            is_busy = self.connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            self.connection.execute(f"PRAGMA busy_timeout = {int(STORE_BUSY_SECONDS * 1000)}")
            self._log_up_to = size + _LOG_STEP_BYTES if is_busy else _LOG_UP_TO_BYTES

    @contextmanager
    def read(self) -> Generator[sqlite3.Connection]:
        """Run a read transaction: a consistent view for several queries.

        It never outlives a call.
        """
        with translated(self.file):
            self.connection.execute("BEGIN")
            try:
                yield self.connection
            finally:
                self.connection.execute("ROLLBACK")

    def state(self) -> tuple[int, int] | None:
        """Return a token of what reads see, until the next write.

        None within a write of our own.
        """
        return None if self._is_writing else (self.data_version(), self.connection.total_changes)

    def data_version(self) -> int:
        """Return a number that changes when another connection has written."""
        with translated(self.file):
            return self.connection.execute("PRAGMA data_version").fetchone()[0]

    def close(self) -> None:
        self.connection.close()


def _newer_store() -> Refused:
    return Refused(
        "store_newer",
        "This project's store was written by a newer Exacta Studio; it is read-only.",
        "Update Exacta Studio.",
    )


def _read_version(connection: sqlite3.Connection) -> int:
    return connection.execute("PRAGMA user_version").fetchone()[0]


def _migrate(connection: sqlite3.Connection, version: int) -> None:
    """Migrate the tables from a version; 0 creates them."""
    if version == 0:
        _run_script(connection, schema.CREATE)
        return
    for number in range(version, schema.SCHEMA_VERSION):
        _run_script(connection, schema.MIGRATIONS[number])


def _run_script(connection: sqlite3.Connection, script: str) -> None:
    """Run a script by statement, as `executescript` would commit first."""
    for statement in script.split(";\n"):
        if statement.strip():
            connection.execute(statement)


def _check_verdict(verdict: str) -> None:
    """Raise DatabaseError for damage, OSError for an unreadable page."""
    if verdict == "ok":
        return
    code = re.search(r"error code=(\d+)", verdict)
    if code is not None and int(code.group(1)) & 0xFF != sqlite3.SQLITE_CORRUPT:
        raise OSError(errno.EIO, os.strerror(errno.EIO))
    raise sqlite3.DatabaseError(verdict)


def _has_content(file: Path) -> bool:
    try:
        return file.stat().st_size > 0
    except FileNotFoundError:
        return False


def _make_private(folder: Path) -> None:
    """Create the store's folder, for its owner only.

    A copied store may have other permissions; they are corrected.
    """
    make_own_folder(folder)
    for private in (folder, folder / BLOBS_NAME):
        with suppress(FileNotFoundError):
            if private.stat().st_mode & 0o077:
                private.chmod(0o700)


def flush_folder(folder: Path) -> None:
    """Flush a folder's names to disk, where the system supports it.

    Windows does not, nor do all disks.
    """
    with suppress(PermissionError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        except OSError as error:
            if error.errno not in (errno.EINVAL, errno.ENOTSUP):
                raise
        finally:
            os.close(handle)


def _archive_store(file: Path, why: str) -> Path:
    """Rename a store and its companion files; nothing is deleted."""
    stamp = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%fZ")
    archived = file.with_name(f"{file.name}.{why}-{stamp}")
    for companion in _COMPANIONS:
        companion_file = file.with_name(file.name + companion)
        with suppress(FileNotFoundError):  # the last connection to close deletes them
            companion_file.rename(archived.with_name(archived.name + companion))
    file.rename(archived)
    return archived


def archived_sentence(archived: Path) -> str:
    """Return the message about an archived store."""
    is_damaged = f"{FILE_NAME}.damaged-" in archived.name
    reason = "damaged" if is_damaged else "written by a build before the first release"
    return (
        f"This project's store was {reason}. It was archived as {archived}, and a new one was "
        "created; earlier plans and history are only in that file."
    )


def damaged(file: Path, error: Exception) -> Refused:
    """Return the error for damage that no check on opening found."""
    return Refused(
        STORE_DAMAGED,
        f"The store {file} is damaged: {error}.",
        ("Restore it from a backup, or forget the project to start a new store. Nothing in it was changed."),
    )


@contextmanager
def readable(file: Path) -> Generator[None]:
    """Turn a ValueError of row parsing into Refused."""
    try:
        yield
    except IndexError as error:  # raised by sqlite3.Row for an unknown column
        raise damaged(file, ValueError("a table is missing a column")) from error
    except ValueError as error:
        raise damaged(file, error) from error


@contextmanager
def translated(file: Path) -> Generator[None]:
    """Turn errors of SQLite and the system into Refused or Conflict.

    Each is one sentence with a next step.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        raise _describe_error(file, error) from error
    except sqlite3.IntegrityError as error:  # a duplicate number or id, or a missing row
        raise damaged(file, error) from error
    except sqlite3.DatabaseError as error:
        if type(error) is not sqlite3.DatabaseError:  # its subclasses are bugs of ours
            raise
        raise damaged(file, error) from error
    except TimedOut:
        raise
    except OSError as error:
        raise Refused(
            "state.unusable",
            f"The state folder {file.parent} can't be used: {reason(error)}.",
            "Check its permissions and the free space, or set STUDIO_STATE_DIR to another folder.",
        ) from error


def _describe_error(file: Path, error: sqlite3.OperationalError) -> StudioError:
    name = getattr(error, "sqlite_errorname", "")
    if name.startswith("SQLITE_FULL"):
        return Refused(
            "state.full",
            f"Nothing was stored: the disk that holds {file.parent} is full.",
            "Free some disk space, then try again.",
        )
    if name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN", "SQLITE_PERM", "SQLITE_IOERR")):
        return Refused(
            "state.unusable",
            f"The store in {file.parent} can't be written: {error}.",
            "Check its permissions and the disk, or set STUDIO_STATE_DIR to another folder.",
        )
    if str(error).startswith(("no such table", "no such column", "Could not decode as UTF-8")):
        return damaged(file, error)
    if _is_busy(error):
        return Conflict("store.busy", "Another process keeps the store busy.", "Wait a moment and try again.")
    return Refused("store.error", f"The store can't be used: {error}.", f"Check {file}.")


def _is_busy(error: sqlite3.OperationalError) -> bool:
    """Return whether another connection holds a lock at the moment."""
    return getattr(error, "sqlite_errorname", "").startswith(("SQLITE_BUSY", "SQLITE_LOCKED"))
