"""Class FileImage: hash, size, mode of a path; SHA-256 and time helpers."""

from __future__ import annotations

import hashlib
import stat
from datetime import UTC, datetime

from studio.values import Value


def sha256(data: bytes) -> str:
    """Return the SHA-256 of contents in lower-case hex."""
    return hashlib.sha256(data).hexdigest()


def time_text(moment: datetime) -> str:
    """Format a time as UTC ISO-8601 with milliseconds and Z."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class FileImage(Value, gc=False):
    """One side of a step: a file, folder or symbolic link.

    `sha256` is lower-case hex of the exact bytes, None for a folder; `mode` is the permission bits. The bytes
    of a link are the text of its target, and its mode is S_IFLNK: it has no permission bits.
    """

    sha256: str | None
    size: int
    mode: int

    @property
    def is_folder(self) -> bool:
        return self.sha256 is None

    @property
    def is_link(self) -> bool:
        return self.mode == stat.S_IFLNK

    @property
    def git_mode(self) -> str:
        return "120000" if self.is_link else "100755" if self.mode & 0o100 else "100644"
