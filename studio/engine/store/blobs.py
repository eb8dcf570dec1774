"""Exact bytes by their SHA-256: small ones inside the database, large ones as files beside it (design 7)."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

import zstandard

from studio.engine.errors import Refused
from studio.engine.limits import BLOB_INLINE_UP_TO, BLOB_TRANSACTION_BYTES
from studio.engine.store.database import Database, translated

_LEVEL = 3


class Blobs:
    """The content half of the store."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._folder = database.folder / "blobs"

    def add(self, contents: Iterable[bytes]) -> None:
        """Store contents durably, in transactions of at most 8 MiB so that no other writer waits for them.

        Raises Refused when the disk says no; what was stored until then is harmless.
        """
        for batch in _batches(contents):
            with self._database.write() as connection:
                for data in batch:
                    digest = hashlib.sha256(data).digest()
                    known = connection.execute("SELECT 1 FROM blobs WHERE sha256 = ?", (digest,)).fetchone()
                    if known is not None and self._is_sound(digest):
                        continue
                    packed = zstandard.compress(data, _LEVEL)
                    if len(packed) > BLOB_INLINE_UP_TO:
                        self._write_file(digest.hex(), packed)
                        packed = None
                    connection.execute(
                        "INSERT OR REPLACE INTO blobs VALUES (?, ?, ?)", (digest, len(data), packed)
                    )

    def get(self, sha256: str) -> bytes:
        """The bytes with that hash, verified. Raises Refused if they are gone or damaged: such a blob is
        never written anywhere (design 5.2)."""
        with translated(self._database.file):
            row = self._database.connection.execute(
                "SELECT size, packed FROM blobs WHERE sha256 = ?", (bytes.fromhex(sha256),)
            ).fetchone()
        try:
            if row is None:
                raise FileNotFoundError(sha256)
            packed = row[1] if row[1] is not None else self._file(sha256).read_bytes()
            data = zstandard.decompress(packed, max_output_size=row[0])
        except (OSError, zstandard.ZstdError) as error:
            raise _damaged(sha256) from error
        if hashlib.sha256(data).hexdigest() != sha256:
            raise _damaged(sha256)
        return data

    def has(self, sha256: str) -> bool:
        """Whether the store names that content; `get` alone proves that it is sound."""
        with translated(self._database.file):
            found = self._database.connection.execute(
                "SELECT 1 FROM blobs WHERE sha256 = ?", (bytes.fromhex(sha256),)
            )
            return found.fetchone() is not None

    def _is_sound(self, digest: bytes) -> bool:
        try:
            self.get(digest.hex())
        except Refused:
            return False
        return True

    def _file(self, name: str) -> Path:
        return self._folder / name[:2] / name[2:]

    def _write_file(self, name: str, packed: bytes) -> None:
        """Flushed before the row that names it is committed."""
        file = self._file(name)
        file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        temporary = file.with_name(f"{file.name}.{os.getpid()}.new")
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "wb") as stream:
            stream.write(packed)
            stream.flush()
            os.fsync(handle)
        temporary.replace(file)
        for folder in (file.parent, self._folder, self._folder.parent):
            handle = os.open(folder, os.O_RDONLY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _batches(contents: Iterable[bytes]) -> Iterator[list[bytes]]:
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


def _damaged(sha256: str) -> Refused:
    return Refused(
        "store.content_lost",
        f"The stored content {sha256[:12]} is gone or damaged.",
        "It can't be applied or restored; have the step proposed anew.",
    )
