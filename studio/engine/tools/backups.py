"""Copies beside files that are replaced at once, where no plan keeps what was there (C23, R109, T18)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime

from studio.engine.errors import FileExists
from studio.engine.filesystem import Filesystem, WriteMode
from studio.engine.filesystem.backup_names import backup_name
from studio.engine.limits import BACKUP_NAMES_UP_TO


def replace_file(
    files: Filesystem,
    path: str,
    data: bytes,
    *,
    keeps_backup: bool,
    clock: Callable[[], datetime] = lambda: datetime.now(UTC),
) -> str | None:
    """Write a file; what it held stays beside it if wanted. Returns the path of that copy.

    It is made once the new bytes are on the disk and only their name is missing, so that nothing is left of
    a write that is refused or fails. Raises as `Filesystem.open_write` and `Filesystem.copy`.
    """
    writer = files.open_write(path, WriteMode.OVERWRITE)
    with writer:
        writer.write(data)
        kept = _copy_beside(files, path, clock()) if keeps_backup and files.exists(path) else None
        try:
            writer.close()
        except BaseException:
            if kept is not None:
                with suppress(OSError):
                    files.delete(kept)
            raise
    return kept


def _copy_beside(files: Filesystem, path: str, when: datetime) -> str:
    """Copy a file to a name that nothing has; a second one of the same second gets a number."""
    for number in range(1, BACKUP_NAMES_UP_TO + 1):
        beside = backup_name(path, when, number)
        try:
            files.copy(path, beside)
        except FileExists:
            continue
        return beside
    raise FileExists(
        "backup.names",
        f"{backup_name(path, when)} and the names behind it are taken.",
        "Wait a second, or remove backups that nobody needs.",
        path=path,
    )
