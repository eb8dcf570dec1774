"""Creation of the app's private folders and files (0700/0600); atomic file replacement.

The owner gets all permissions, whatever the umask.
"""

from __future__ import annotations

import os
import stat
from contextlib import suppress
from pathlib import Path

from studio.system import syscalls

_FOLDER_MODE = 0o700
_FILE_MODE = 0o600


def make_own_folder(folder: Path) -> None:
    """Create a folder and its missing parents with mode 0700.

    An existing one stays as it is. Raises FileExistsError where something else is at the path, or an OSError.
    """
    if folder.is_dir():
        return
    if not folder.parent.is_dir():
        make_own_folder(folder.parent)
    try:
        folder.mkdir(mode=_FOLDER_MODE)
    except FileExistsError:
        if not folder.is_dir():
            raise
        return  # another process created it
    # mkdir applies the umask, which may remove the owner's own bits.
    if stat.S_IMODE(folder.stat().st_mode) & _FOLDER_MODE != _FOLDER_MODE:
        folder.chmod(_FOLDER_MODE)


def open_own_file(file: Path, flags: int) -> int:
    """Open a file, creating it with mode 0600 where it is missing.

    `flags` are those of os.open. Raises OSError.
    """
    flags |= syscalls.O_CLOEXEC | syscalls.O_NOFOLLOW  # we never create a link there
    try:
        handle = os.open(file, flags | os.O_CREAT | os.O_EXCL, _FILE_MODE)
    except FileExistsError:
        return os.open(file, flags | os.O_CREAT, _FILE_MODE)
    give_back(handle)
    return handle


def give_back(handle: int) -> None:
    """Restore the owner's permissions that the umask removed from a new file."""
    if hasattr(os, "fchmod") and stat.S_IMODE(os.fstat(handle).st_mode) & _FILE_MODE != _FILE_MODE:
        os.fchmod(handle, _FILE_MODE)


def write_own_file(file: Path, data: bytes, *, mode: int = _FILE_MODE) -> None:
    """Replace a file atomically and durably, with exactly these permission bits.

    Its folder is created. After a crash the old file or the new one is there. Raises OSError.
    """
    make_own_folder(file.parent)
    temporary = file.with_name(f"{file.name}-{os.urandom(4).hex()}")
    handle = open_own_file(temporary, os.O_WRONLY | os.O_EXCL)
    try:
        with os.fdopen(handle, "wb") as stream:
            if hasattr(os, "fchmod"):
                os.fchmod(handle, mode)
            stream.write(data)
            stream.flush()
            os.fsync(handle)
        temporary.replace(file)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
        raise
