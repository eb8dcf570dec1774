"""A folder for a moment's work, which goes even where the process that made it was killed."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Final

from studio.engine.disk.locks import try_lock
from studio.engine.system.own_files import make_own_folder, open_own_file
from studio.engine.system.tree_removal import remove_tree

_PREFIX: Final = "exacta-"
_LOCK: Final = ".exacta-in-use"


class WorkFolder:
    """A folder of this process in the system's temporary one, or in a `place` of ours, for its owner alone,
    until `close`.

    Whoever makes one first removes those there whose processes are gone: a lock of the system says so.
    """

    def __init__(self, purpose: str, place: Path | None = None) -> None:
        """`purpose` is a word in its name. Raises OSError where it can't be made."""
        if place is not None:
            make_own_folder(place)
        above = place or Path(tempfile.gettempdir())
        _remove_left_behind(above)
        handle: int | None = None
        while handle is None:
            self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-", dir=above))
            handle = _locked(self.path)
        self._handle = handle

    def close(self) -> None:
        """Remove it with all that is in it."""
        remove_tree(self.path, last=_LOCK)
        os.close(self._handle)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def _locked(folder: Path) -> int | None:
    """The handle of a new folder's lock; None where somebody took it for one that was left behind."""
    try:
        handle = open_own_file(folder / _LOCK, os.O_RDWR)
    except FileNotFoundError:
        return None
    with suppress(FileNotFoundError):
        if try_lock(handle) and os.path.samestat((folder / _LOCK).stat(), os.fstat(handle)):
            return handle
    os.close(handle)
    return None


def _remove_left_behind(above: Path) -> None:
    with suppress(OSError), os.scandir(above) as entries:
        found = [Path(entry) for entry in entries if entry.name.startswith(_PREFIX)]
        for folder in filter(_is_own, found):
            with suppress(OSError):
                _remove_if_left(folder)


def _is_own(folder: Path) -> bool:
    try:
        status = folder.lstat()
    except OSError:
        return False
    return S_ISDIR(status.st_mode) and (not hasattr(os, "getuid") or status.st_uid == os.getuid())


def _remove_if_left(folder: Path) -> None:
    """Raises OSError, also where it is none of these folders."""
    if not (folder / _LOCK).is_file():
        # Its process was killed before it could lock it, or while it removed it: it is empty then. The
        # system's own folder has others of such names.
        if folder.parent != Path(tempfile.gettempdir()):
            folder.rmdir()
        return
    handle = open_own_file(folder / _LOCK, os.O_RDWR)
    try:
        if try_lock(handle):
            remove_tree(folder, last=_LOCK)
    finally:
        os.close(handle)
