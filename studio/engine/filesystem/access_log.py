"""What is told of what is handed out, by the files to whoever keeps note of it (contract 7)."""

from __future__ import annotations

from typing import Protocol


class ReadLog(Protocol):
    """What is told of everything that is read."""

    def read(self, path: str, offset: int, length: int, size: int, sha256: str) -> None:
        """So many bytes from `offset`, with this hash, of a file of `size` bytes were handed out."""
        ...


class AccessLog(ReadLog, Protocol):
    """What is told of all that is read and listed."""

    def listed(self, path: str, pattern: str, lines: list[str]) -> None:
        """These names or matches beneath a folder were handed out."""
        ...
