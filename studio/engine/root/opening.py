"""Opening of paths beneath a folder's handle without following links.

With openat2 where the kernel has it, else component by component; both give the same answer.
"""

from __future__ import annotations

import errno
import os
import sys
from contextlib import suppress
from pathlib import Path

from studio.engine.root.entry_kind import EntryKind, kind_of
from studio.errors import InvalidPath, LeadsOutside, PathTraversal
from studio.limits import PATH_BYTES, SHOWN_NAME_CHARACTERS
from studio.names import show_name
from studio.system import syscalls

FOLDER_FLAGS = os.O_RDONLY | syscalls.O_DIRECTORY | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
"""For a folder to be listed, flushed or changed in its names."""

FILE_FLAGS = os.O_RDONLY | syscalls.O_NOFOLLOW | syscalls.O_NONBLOCK | syscalls.O_NOCTTY | syscalls.O_CLOEXEC
"""For reading any entry, without blocking or acquiring a terminal.

A pipe without a writer opens at once. Opening a device may have side effects; making one takes administrator
rights, and callers have mostly checked the entry's kind before. Its bytes are never read.
"""

WAY_FLAGS = (syscalls.O_PATH or os.O_RDONLY) | syscalls.O_DIRECTORY | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
"""For a folder that is only traversed; it need not be readable."""

_ENCODING = sys.getfilesystemencoding()
_ENCODING_ERRORS = sys.getfilesystemencodeerrors()
# If folder and link are exchanged endlessly, a link is reported, which is the safe answer.
_OPEN_TRIES = 1000


# Not Path.resolve() and a comparison: beside a process that exchanges a folder with a link that read outside
# 32,000 times in 3 s, and either of these ways never did. Five folders deep openat2 takes 4 us, a walk 12,
# resolve() 32.
def open_beneath(handle: int, path: str, flags: int) -> int:
    """Open a path of any length beneath a folder's handle.

    "" is that folder itself. Raises LeadsOutside for a link anywhere, InvalidPath for what is no relative
    path of plain names, NotADirectoryError, FileNotFoundError or another OSError.
    """
    if not path:
        return os.open(b".", flags, dir_fd=handle)
    name = encoded(path)
    try:
        return syscalls.open_beneath(handle, name, flags)
    except syscalls.Unsupported:
        return _open_otherwise(handle, path, name, flags, None)
    except OSError as error:
        return _open_otherwise(handle, path, name, flags, error)


def open_folder(path: Path) -> int:
    """Open a folder by its absolute path without following any link.

    Raises as `open_beneath`.
    """
    top = os.open(path.anchor, WAY_FLAGS)
    try:
        return open_beneath(top, "/".join(path.parts[1:]), FOLDER_FLAGS)
    finally:
        os.close(top)


def open_entry(folder: int, name: bytes) -> int:
    """Open one entry of an open folder for reading, whatever its kind.

    Raises OSError.
    """
    return os.open(name, FILE_FLAGS, dir_fd=folder)


def split(path: str) -> tuple[str, bytes]:
    """Split a path into its folder, "" for the top, and name.

    Raises InvalidPath, so that "/x" is never taken for an x at the top.
    """
    above, slash, name = path.rpartition("/")
    if slash and not above:
        raise _not_a_plain_path(path)
    return above, encoded(name)


def encoded(path: str) -> bytes:
    """Encode a path for the system.

    Raises InvalidPath for names that mean another folder, or none.
    """
    # A quick check without false negatives: ".git" and "a/.b" take the full one.
    if not path or path[0] in "./" or "/." in path or "//" in path or path[-1] == "/" or "\0" in path:
        _check_plain(path)
    try:
        return path.encode(_ENCODING, _ENCODING_ERRORS)
    except UnicodeEncodeError as error:
        raise _not_a_plain_path(path) from error


def _check_plain(path: str) -> None:
    if "\0" in path or not {"", ".", ".."}.isdisjoint(path.split("/")):
        raise _not_a_plain_path(path)


def _not_a_plain_path(path: str) -> InvalidPath:
    kind = PathTraversal if ".." in path.split("/") else InvalidPath
    return kind(
        "path.not_plain",
        f"{show_name(path)} is not a plain path beneath the root folder.",
        "Name the file relative to the root folder, without empty parts, dots or NUL.",
        path=path,
    )


def _open_otherwise(handle: int, path: str, name: bytes, flags: int, error: OSError | None) -> int:
    """Handle an openat2 error (None: no openat2) by the other ways."""
    if error is None or error.errno == errno.ENAMETOOLONG:
        try:
            if error is None and len(name) <= PATH_BYTES:
                return walk_components(handle, name, flags)
            return _open_path(handle, name, flags)
        except OSError as second:
            error = second
    if error.errno in (errno.ELOOP, errno.EXDEV):
        raise link_refused(path, handle) from error
    if isinstance(error, NotADirectoryError):
        return _open_again(handle, path, name, flags)
    raise error


def _open_path(handle: int, path: bytes, flags: int) -> int:
    """Open with openat2 or without, splitting a long path."""
    if len(path) > PATH_BYTES:
        return _open_in_parts(handle, path, flags)
    try:
        return syscalls.open_beneath(handle, path, flags)
    except syscalls.Unsupported:
        return walk_components(handle, path, flags)


# Beyond PATH_MAX realpath of Python 3.11.7 stops resolving: what leads out through a chain of links then
# looks like a path beneath the root.
def _open_in_parts(handle: int, path: bytes, flags: int) -> int:
    """Open a path longer than the system's limit, folder by folder."""
    current = os.dup(handle)
    try:
        while len(path) > PATH_BYTES:
            cut = path.rfind(b"/", 0, PATH_BYTES)
            if cut < 0:
                break
            following = _open_path(current, path[:cut], WAY_FLAGS)
            os.close(current)
            current, path = following, path[cut + 1 :]
        # Only a single overlong name can remain, which the system itself refuses.
        return (
            _open_path(current, path, flags)
            if len(path) <= PATH_BYTES
            else os.open(path, flags, dir_fd=current)
        )
    finally:
        os.close(current)


def walk_components(handle: int, path: bytes, flags: int) -> int:
    """Open `path` component by component, for systems without openat2."""
    *folders, last = path.split(b"/")
    current = handle
    try:
        for component in folders:
            following = os.open(component, WAY_FLAGS, dir_fd=current)
            if current != handle:
                os.close(current)
            current = following
        return os.open(last, flags | syscalls.O_NOFOLLOW, dir_fd=current)
    finally:
        if current != handle:
            os.close(current)


def _open_again(handle: int, path: str, name: bytes, flags: int) -> int:
    """Retry an open that failed with ENOTDIR, or refuse a link.

    O_NOFOLLOW with O_DIRECTORY fails with ENOTDIR for a link. What has become a folder again is opened again:
    it must not count as missing.
    """
    folders = name if flags & syscalls.O_DIRECTORY else name.rpartition(b"/")[0]
    for _ in range(_OPEN_TRIES):
        kind = _find_obstacle(handle, folders)
        if kind is EntryKind.LINK:
            raise link_refused(path, handle)
        if kind is not EntryKind.FOLDER:
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR), path)
        try:
            return _open_path(handle, name, flags)
        except NotADirectoryError:
            continue
        except OSError as error:
            if error.errno in (errno.ELOOP, errno.EXDEV):
                raise link_refused(path, handle) from error
            raise
    raise link_refused(path, handle)


def _find_obstacle(handle: int, path: bytes) -> EntryKind:
    """Return the kind of the first component that is no folder.

    FOLDER if all that exist are folders.
    """
    end = path.find(b"/")
    while True:
        name = path if end < 0 else path[:end]
        with suppress(OSError):
            kind = kind_of(os.stat(name, dir_fd=handle, follow_symlinks=False))
            if kind is not EntryKind.FOLDER:
                return kind
        if end < 0:
            return EntryKind.FOLDER
        end = path.find(b"/", end + 1)


def link_refused(path: str, handle: int | None = None) -> LeadsOutside:
    """Return the error for a path through a link beneath `handle`."""
    found = None if handle is None else _find_link(handle, os.fsencode(path))
    if found is None:
        message = f"{show_name(path)} is reached through a link."
        return LeadsOutside(
            "path.link", message, "Specify the real file; links are never followed.", path=path
        )
    link, target = map(os.fsdecode, found)
    leads = "which leads to" if link == path else f"{show_name(link)} leads to"
    where = show_name(target[:SHOWN_NAME_CHARACTERS])
    mark = "," if link == path else ":"
    message = f"{show_name(path)} is reached through a link{mark} {leads} {where}."
    real = os.path.normpath(f"{Path(link).parent / target}{path[len(link) :]}")
    if Path(real).parts[:1] == ("..",):
        hint = "Exclude this file; its link leads out of the folder."
    elif real == os.curdir or Path(real).is_absolute() or len(real) > SHOWN_NAME_CHARACTERS:
        hint = "Specify the real file; links are never followed."
    else:
        hint = f"Specify {show_name(real)} instead; links are never followed."
    return LeadsOutside("path.link", message, hint, path=path)


def _find_link(handle: int, path: bytes) -> tuple[bytes, bytes] | None:
    """Return the first link on a path and its target.

    None where it is gone by now.
    """
    end = path.find(b"/")
    while True:
        name = path if end < 0 else path[:end]
        try:
            return name, os.readlink(name, dir_fd=handle)
        except OSError as error:
            if error.errno != errno.EINVAL or end < 0:
                return None
        end = path.find(b"/", end + 1)
