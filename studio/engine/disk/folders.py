"""Folders beneath the root: made, completed, removed, flushed."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress

from studio.engine.disk.held import Beneath
from studio.engine.root import EntryKind
from studio.engine.system import syscalls


def make_folder(root: Beneath, path: str, mode: int) -> None:
    """Make one folder in an existing one. Raises FileExistsError."""
    with root.parent(path) as (folder, name):
        os.mkdir(name, mode=mode, dir_fd=folder)
    _set_folder_mode(root, path, mode)


def complete_folder(root: Beneath, path: str, mode: int) -> None:
    """Give a folder the permission bits that the umask took from it when it was made.

    A folder whose bits are anything else than `mode` less some is somebody's business and stays.
    """
    state = root.state(path)
    if state is None or state.kind is not EntryKind.FOLDER:
        return
    if state.mode & ~stat.S_ISGID == mode & ~stat.S_ISGID & ~syscalls.process_umask():
        _set_folder_mode(root, path, mode)


def _set_folder_mode(root: Beneath, path: str, mode: int) -> None:
    try:
        with root.folder(path) as handle:
            now = stat.S_IMODE(os.fstat(handle).st_mode)
            wanted = mode | now & stat.S_ISGID  # inherited from the folder above
            if now != wanted:
                os.fchmod(handle, wanted)
    except PermissionError:
        # Made under a umask that takes the owner's own right to read: it can be reached by its name alone.
        with root.parent(path) as (folder, name):
            now = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            os.chmod(name, mode | now & stat.S_ISGID, dir_fd=folder, follow_symlinks=False)


def remove_folder(root: Beneath, path: str) -> None:
    """Remove one empty folder. Raises OSError (ENOTEMPTY) if it holds anything."""
    with root.parent(path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def flush_folders(root: Beneath, folders: Iterable[str]) -> None:
    """Make these folders durable, names and permission bits; one that is gone meanwhile needs none."""
    for path in sorted(set(folders)):
        with suppress(FileNotFoundError, NotADirectoryError), root.folder(path) as handle:
            os.fsync(handle)
