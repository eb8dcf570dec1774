"""Private temporary folder; creation removes leftover folders of killed processes."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path
from stat import S_ISDIR
from typing import Final

from studio.program.locks import try_lock
from studio.system.own_files import make_own_folder, open_own_file
from studio.system.tree_removal import remove_tree

_PREFIX: Final = "exacta-"
_LOCK: Final = ".exacta-in-use"


class WorkFolder:
    """Private temporary folder of this process, until `close`.

    It is in the system's temporary folder, or in `place`. Creating one first removes those of dead processes,
    which hold no lock any more.
    """

    def __init__(self, purpose: str, place: Path | None = None) -> None:
        """Create it with `purpose` in its name.

        Raises OSError.
        """
        if place is not None:
            make_own_folder(place)
        above = place or Path(tempfile.gettempdir())
        _remove_left_behind(above)
        handle: int | None = None
        while handle is None:
            self.path = Path(tempfile.mkdtemp(prefix=f"{_PREFIX}{purpose}-", dir=above))
            handle = _lock_folder(self.path)
        self._handle = handle

    def close(self) -> None:
        """Remove it with its contents."""
        remove_tree(self.path, last=_LOCK)
        os.close(self._handle)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.close()


def _lock_folder(folder: Path) -> int | None:
    """Lock a new folder; None where another process removed it as abandoned."""
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
    """Remove a folder whose process is gone.

    Raises OSError, also where it is no such folder.
    """
    if not (folder / _LOCK).is_file():
        # Its process was killed before locking it, or while removing it, so it is empty. The system's
        # temporary folder contains others with such names.
        if folder.parent != Path(tempfile.gettempdir()):
            folder.rmdir()
        return
    handle = open_own_file(folder / _LOCK, os.O_RDWR)
    try:
        if try_lock(handle):
            remove_tree(folder, last=_LOCK)
    finally:
        os.close(handle)
