"""Content-addressed storage of bytes by SHA-256.

Small contents are in the database, large ones in files beside it.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

import zstandard

from studio.engine.store import values
from studio.engine.store.database import BLOBS_NAME, Database, flush_folder, translated
from studio.errors import Refused
from studio.limits import BLOB_INLINE_UP_TO, BLOB_TRANSACTION_BYTES
from studio.system.own_files import make_own_folder, open_own_file

# Measured on 20 MB of source: 31 % in 82 ms; zlib's level 6 gets 28 % in 391 ms.
_LEVEL = 3
_NAMES_OF_A_QUERY = 256
# Both zstd and SHA-256 release the GIL: 2,000 contents of 20 KB take one thread 200 ms, two threads on two
# cores 110, four 120 to 210.
_THREADS = min(4, os.cpu_count() or 1)
_SMALL = 64 * 1024
"""Up to so many bytes: a query takes 16 MiB at most."""

_Row = tuple[bytes, object, bytes | None]
"""SHA-256, size, and the compressed bytes, None where they are in a file."""


class Blobs:
    """Contents of a store, compressed with zstd."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.folder / BLOBS_NAME
        self._packer = zstandard.ZstdCompressor(level=_LEVEL)
        self._unpacker = zstandard.ZstdDecompressor()

    def add(self, contents: Iterable[bytes], *, durable: bool = True) -> frozenset[str]:
        """Store contents durably and return their SHA-256.

        Each transaction has at most 8 MiB, so that no other writer waits for long. Unless `durable`, they are
        synced to disk by the caller's next durable transaction, which names them. Raises Refused on a write
        error; what was stored by then is harmless.
        """
        names: set[str] = set()
        for batch in _make_batches(contents):
            with self._database.write(durable=durable) as connection:
                for data in batch:
                    digest = hashlib.sha256(data).digest()
                    names.add(digest.hex())
                    row = connection.execute("SELECT 1 FROM blobs WHERE sha256 = ?", (digest,)).fetchone()
                    if row is not None and self._is_sound(digest):
                        continue
                    packed = self._packer.compress(data)
                    if len(packed) > BLOB_INLINE_UP_TO:
                        self._write_file(digest.hex(), packed)
                        packed = None
                    connection.execute(
                        "INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", (digest, len(data), packed)
                    )
        return frozenset(names)

    def get(self, sha256: str) -> bytes:
        """Return the bytes with that hash, verified.

        Raises Refused if they are missing or damaged, so that such a blob is never written anywhere.
        """
        with translated(self._database.file):
            row = self._database.connection.execute(
                "SELECT size, packed FROM blobs WHERE sha256 = ?", (bytes.fromhex(sha256),)
            ).fetchone()
        data = self._unpack(sha256, *row) if row is not None else None
        if data is None or not is_content(data, sha256):
            raise _content_damaged(sha256)
        return data

    def read_sound(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield the small contents that are there and sound, by SHA-256.

        Several threads decompress and hash them. `get` reads any other, or says what is wrong with it. Raises
        Refused for a damaged page, RuntimeError without a thread.
        """
        # Imported here: short commands read few contents, or none.
        from concurrent.futures import ThreadPoolExecutor

        with ThreadPoolExecutor(_THREADS, "studio-contents") as pool:
            for rows in self._select(names, "size <= ? AND ", _SMALL):
                for part in pool.map(self._sound_rows, (rows[first::_THREADS] for first in range(_THREADS))):
                    yield from part

    def _select(self, names: Sequence[str], condition: str = "", *values: object) -> Iterator[list[_Row]]:
        """Yield the rows of these contents, some at a time."""
        for start in range(0, len(names), _NAMES_OF_A_QUERY):
            digests = [bytes.fromhex(name) for name in names[start : start + _NAMES_OF_A_QUERY]]
            marks = ",".join("?" * len(digests))
            query = f"SELECT sha256, size, packed FROM blobs WHERE {condition}sha256 IN ({marks})"
            with translated(self._database.file):
                rows = self._database.connection.execute(query, (*values, *digests)).fetchall()
            yield rows

    def _sound_rows(self, rows: Sequence[_Row]) -> list[tuple[str, bytes]]:
        unpacker = zstandard.ZstdDecompressor()  # one for each thread
        found = (
            (digest.hex(), self._unpack(digest.hex(), size, packed, unpacker))
            for digest, size, packed in rows
        )
        return [(name, data) for name, data in found if data is not None and is_content(data, name)]

    def read_unverified(self, names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
        """Yield contents by SHA-256, for a search: `is_content` verifies one.

        Missing ones are omitted, and those that can't be decompressed.
        """
        for rows in self._select(names):
            for digest, size, packed in rows:
                data = self._unpack(digest.hex(), size, packed)
                if data is not None:
                    yield digest.hex(), data

    def _unpack(
        self,
        sha256: str,
        size: object,
        packed: bytes | None,
        unpacker: zstandard.ZstdDecompressor | None = None,
    ) -> bytes | None:
        """Return the unverified bytes of a row, None without any."""
        try:
            if packed is None:
                packed = self._blob_path(sha256).read_bytes()
            count = values.checked_count(size, "size")
            # The decompressor would trust it, however large.
            if zstandard.frame_content_size(packed) != count:
                return None
            return (unpacker or self._unpacker).decompress(packed, max_output_size=count)
        except (OSError, ValueError, TypeError, zstandard.ZstdError):
            return None

    def size_of(self, sha256: str) -> int:
        """Return the recorded size of a content, in bytes.

        Raises Refused if it is missing.
        """
        with translated(self._database.file):
            row = self._database.connection.execute(
                "SELECT size FROM blobs WHERE sha256 = ?", (bytes.fromhex(sha256),)
            ).fetchone()
        try:
            return values.checked_count(row[0], "size")
        except (ValueError, TypeError) as error:
            raise _content_damaged(sha256) from error

    def has(self, sha256: str) -> bool:
        """Return whether a content is recorded; only `get` verifies it."""
        with translated(self._database.file):
            return self._is_named(sha256)

    def _is_named(self, sha256: str) -> bool:
        query = "SELECT 1 FROM blobs WHERE sha256 = ?"
        return self._database.connection.execute(query, (bytes.fromhex(sha256),)).fetchone() is not None

    def size(self) -> int:
        """Return the size of all contents, uncompressed, in bytes.

        They take no more than this.
        """
        with self._database.read() as connection:
            return connection.execute("SELECT COALESCE(SUM(size), 0) FROM blobs").fetchone()[0]

    def packed_sizes(self) -> dict[str, int]:
        """Return the compressed size of every content, in bytes, by SHA-256."""
        with self._database.read() as connection:
            found = connection.execute("SELECT hex(sha256), length(packed) FROM blobs").fetchall()
        return {
            name.lower(): size if size is not None else self._read_size(name.lower()) for name, size in found
        }

    def delete(self, connection: sqlite3.Connection, digests: Iterable[str]) -> None:
        """Delete contents in this transaction; missing ones are ignored.

        `sweep` deletes their files afterwards: one that a crash leaves behind is harmless.
        """
        connection.executemany(
            "DELETE FROM blobs WHERE sha256 = ?", [(bytes.fromhex(name),) for name in digests]
        )

    def sweep(self, digests: Iterable[str]) -> None:
        """Delete the files of contents that are not in the store.

        A content may have been stored again meanwhile.
        """
        with self._database.write():
            for name in digests:
                if not self._is_named(name):
                    self._blob_path(name).unlink(missing_ok=True)

    def missing(self, names: Iterable[str]) -> frozenset[str]:
        """Return those of these SHA-256 that the store does not contain."""
        with translated(self._database.file):
            return frozenset(name for name in names if not self._is_named(name))

    def _read_size(self, name: str) -> int:
        try:
            return self._blob_path(name).stat().st_size
        except OSError:
            return 0

    def _is_sound(self, digest: bytes) -> bool:
        try:
            self.get(digest.hex())
        except Refused:
            return False
        return True

    def _blob_path(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _write_file(self, name: str, packed: bytes) -> None:
        """Write a content's file durably, before its row is committed."""
        file = self._blob_path(name)
        make_own_folder(file.parent)
        temporary = file.with_name(f"{file.name}.{os.getpid()}.new")
        handle = open_own_file(temporary, os.O_WRONLY | os.O_TRUNC)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(packed)
                stream.flush()
                os.fsync(handle)
            temporary.replace(file)
        except BaseException:  # KeyboardInterrupt, too
            temporary.unlink(missing_ok=True)
            raise
        # The folders above, too: if they are new, a power cut takes the file with them.
        for folder in (file.parent, self._folder, self._folder.parent):
            flush_folder(folder)


def is_content(data: bytes, sha256: str) -> bool:
    """Return whether bytes have that hash."""
    return hashlib.sha256(data).hexdigest() == sha256


def _make_batches(contents: Iterable[bytes]) -> Iterator[list[bytes]]:
    batch: list[bytes] = []
    size = 0
    for data in contents:
        if batch and size + len(data) > BLOB_TRANSACTION_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(data)
        size += len(data)
    if batch:
        yield batch


def _content_damaged(sha256: str) -> Refused:
    return Refused(
        "store.content_lost",
        f"The stored content {sha256[:12]} is gone or damaged.",
        "It can't be applied or restored; have the step proposed again.",
    )
