"""Recursive folder removal without following links, despite unreadable subfolders or extreme depth.

They may include unreadable folders, any depth, and symbolic links.
"""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path

from studio.system import syscalls

_FOLDER = os.O_RDONLY | syscalls.O_DIRECTORY | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_LOOK = (syscalls.O_PATH or os.O_RDONLY) | syscalls.O_DIRECTORY | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_ALL_OURS = 0o700


def remove_tree(folder: Path, *, last: str = "") -> None:
    """Remove a folder of ours without following links; failures are ignored.

    The file `last` at its top is removed after all else, so that an interrupted removal leaves a folder that
    has it. At any depth only three folders are open at a time: subfolders are moved to the top before they
    are emptied.
    """
    if os.rename not in os.supports_dir_fd:
        shutil.rmtree(folder, ignore_errors=True)
        return
    with suppress(OSError):
        with _open_with_rights(folder, None) as top:
            names = _yield_free_names()
            while _remove_top_entries(top, names, last):
                pass
            if last:
                os.unlink(last, dir_fd=top)
        folder.rmdir()


def _remove_top_entries(top: int, names: Iterator[str], excluded: str) -> bool:
    """Remove the entries at the top, moving subfolders' folders up to it.

    The entry `excluded` stays. Returns whether anything was removed.
    """
    has_changed = False
    with os.scandir(top) as entries:
        for entry in entries:
            if entry.name == excluded:
                continue
            with suppress(OSError):
                if not entry.is_dir(follow_symlinks=False):
                    os.unlink(entry.name, dir_fd=top)
                else:
                    with _open_with_rights(entry.name, top) as inner:
                        _move_folders_up(inner, top, names)
                    os.rmdir(entry.name, dir_fd=top)
                has_changed = True
    return has_changed


def _move_folders_up(inner: int, top: int, names: Iterator[str]) -> None:
    with os.scandir(inner) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                # A read-only folder can't be moved: its ".." entry would change.
                with _open_with_rights(entry.name, inner):
                    os.rename(entry.name, next(names), src_dir_fd=inner, dst_dir_fd=top)
            else:
                os.unlink(entry.name, dir_fd=inner)


def _yield_free_names() -> Iterator[str]:
    # Random, so that the folder's contents can't have predicted them.
    start = os.urandom(8).hex()
    return (f"{start}-{number}" for number in count())


@contextmanager
def _open_with_rights(name: Path | str, above: int | None) -> Generator[int]:
    """Open a folder after giving its owner all rights.

    Raises OSError.
    """
    path_handle = os.open(name, _LOOK, dir_fd=above)
    try:
        if sys.platform == "linux":  # by descriptor: another folder may have the name by now
            Path(f"/proc/self/fd/{path_handle}").chmod(_ALL_OURS)
        else:
            os.chmod(name, _ALL_OURS, dir_fd=above, follow_symlinks=False)
        handle = os.open(".", _FOLDER, dir_fd=path_handle)
    finally:
        os.close(path_handle)
    try:
        yield handle
    finally:
        os.close(handle)
