"""Interfaces for logging file reads, folder listings and search matches."""

from __future__ import annotations

from typing import Protocol


class ReadLog(Protocol):
    """Receiver of a record for everything that is read."""

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """Record that `length` bytes from `offset` were returned.

        `sha256` is the hash of these bytes, `size` that of the whole file.
        """
        ...


class AccessLog(ReadLog, Protocol):
    """Receiver of a record for everything that is read or listed."""

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """Record that these names or matches beneath a folder were returned."""
        ...


class Unlogged:
    """Log that records nothing."""

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """Ignore the read."""

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """Ignore the listing."""
