"""Folders beneath the root: made, completed, removed, flushed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from studio.engine import system
from studio.engine.disk.held import Beneath


def make_folder(root: Beneath, path: str, mode: int) -> None:
    """Make one folder in an existing one. Raises FileExistsError."""
    with root.parent(path) as (folder, name):
        os.mkdir(name, mode=mode, dir_fd=folder)
    with root.folder(path) as handle:
        _set_folder_mode(handle, mode)


def complete_folder(root: Beneath, path: str, mode: int) -> None:
    """Give a folder the permission bits that the umask took from it when it was made.

    A folder whose bits are anything else than `mode` less some is somebody's business and stays.
    """
    with root.folder(path) as handle:
        now = stat.S_IMODE(os.fstat(handle).st_mode)
        if now & ~stat.S_ISGID == mode & ~stat.S_ISGID & ~system.creation_mask():
            _set_folder_mode(handle, mode)


def _set_folder_mode(handle: int, mode: int) -> None:
    now = stat.S_IMODE(os.fstat(handle).st_mode)
    wanted = mode | now & stat.S_ISGID  # inherited from the folder above
    if now != wanted:
        os.fchmod(handle, wanted)


def remove_folder(root: Beneath, path: str) -> None:
    """Remove one empty folder. Raises OSError (ENOTEMPTY) if it holds anything."""
    with root.parent(path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def flush_folders(root: Beneath, folders: Iterable[str]) -> None:
    """Make these folders durable, names and permission bits; one that is gone meanwhile needs none."""
    for path in sorted(set(folders)):
        with suppress(FileNotFoundError, NotADirectoryError), root.folder(path) as handle:
            os.fsync(handle)
