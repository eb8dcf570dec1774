"""Backups beside files that are replaced without a plan."""

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
    """Replace a file, keeping a backup on request; return its path.

    The backup is made when the new bytes are on disk and only the rename is missing, so that a refused or
    failed write leaves none. Raises as `Filesystem.open_write` and `Filesystem.copy`.
    """
    writer = files.open_write(path, WriteMode.OVERWRITE)
    with writer:
        writer.write(data)
        backup = _copy_beside(files, path, clock()) if keeps_backup and files.exists(path) else None
        try:
            writer.close()
        except BaseException:
            if backup is not None:
                with suppress(OSError):
                    files.delete(backup)
            raise
    return backup


def _copy_beside(files: Filesystem, path: str, when: datetime) -> str:
    """Copy a file to a free name.

    A second copy within one second gets a number.
    """
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
