"""Low-level folder operations beneath the project root: create, chmod, remove, flush."""

from __future__ import annotations

import os
import stat
import struct
import sys
from collections.abc import Callable, Iterable
from contextlib import suppress

from studio.engine.disk.open_folders import Beneath
from studio.engine.root import EntryKind
from studio.system import syscalls

_MADE_WITH = 0o1777
"""The bits of mkdir's mode that the system honors."""


_DEFAULT_LIST = "system.posix_acl_default"
# As in include/uapi/linux/posix_acl_xattr.h: a version, then tag, permissions and id of each entry.
_LIST_VERSION = struct.Struct("<I")
_LIST_ENTRY = struct.Struct("<HHI")
_GROUP_OWNER, _MASK, _OTHERS = 0x04, 0x10, 0x20


def allowed_bits(root: Beneath, path: str, umask: int) -> int:
    """Return the permission bits that a new entry at `path` can get.

    The default access list of the folder decides, from which the umask takes nothing (acl(5), "Object
    creation and default ACLs"), or else `umask`. The owner's bits are those that the umask leaves. Missing
    parent folders inherit the list of the nearest existing one.
    """
    while path:
        path = path.rpartition("/")[0]
        try:
            with root.folder(path) as handle:
                bits = _default_bits(handle)
                return 0o777 & ~umask if bits is None else bits & 0o077 | 0o700 & ~umask
        except (FileNotFoundError, NotADirectoryError):
            continue
        except PermissionError:
            break
    return 0o777 & ~umask


def _default_bits(handle: int) -> int | None:
    """Return the bits a folder's default list leaves of 0777, or None."""
    if sys.platform != "linux":
        return None
    try:
        value = os.getxattr(handle, _DEFAULT_LIST)
    except OSError:
        return None
    if len(value) < _LIST_VERSION.size or (len(value) - _LIST_VERSION.size) % _LIST_ENTRY.size:
        return None
    entries = _LIST_ENTRY.iter_unpack(value[_LIST_VERSION.size :])
    found = {tag: permissions & 0o7 for tag, permissions, _id in entries}
    # A file's group bits are its mask, if it has one.
    group = found.get(_MASK, found.get(_GROUP_OWNER))
    if group is None or _OTHERS not in found:
        return None
    return 0o700 | group << 3 | found[_OTHERS]


def inherited_bit(root: Beneath, path: str) -> int:
    """Return the setgid bit that a new folder inherits (Linux)."""
    while path and sys.platform == "linux":
        path = path.rpartition("/")[0]
        state = root.state(path)
        if state is not None:
            return state.mode & stat.S_ISGID
    return 0


def make_folder(root: Beneath, path: str, mode: int) -> None:
    """Create one folder with exactly these bits. Raises FileExistsError."""
    with root.parent(path) as (folder, name):
        os.mkdir(name, mode=mode, dir_fd=folder)
    _set_folder_mode(root, path, mode)


def change_mode(root: Beneath, path: str, before: int, after: int) -> bool:
    """Change a folder's permission bits durably; return whether it has `after`.

    It does not where its bits are neither `before` nor `after`: another program set them. Raises OSError.
    """
    return _change_mode(root, path, lambda now: after if now == before else now, flush=True) == after


def complete_folder(root: Beneath, path: str, mode: int) -> None:
    """Set the permission bits that the umask removed from a new folder.

    A folder whose bits are not `mode` less some was changed by another program and stays as it is.
    """
    state = root.state(path)
    if state is None or state.kind is not EntryKind.FOLDER:
        return
    expected_mode = mode & _MADE_WITH & ~syscalls.process_umask()
    if state.mode & ~stat.S_ISGID == expected_mode:
        _set_folder_mode(root, path, mode)


def _set_folder_mode(root: Beneath, path: str, mode: int) -> None:
    _change_mode(root, path, lambda _: mode)


def _change_mode(root: Beneath, path: str, new_mode: Callable[[int], int], *, flush: bool = False) -> int:
    """Set a folder's bits to what `new_mode` returns for the current ones.

    Returns the new bits.
    """
    try:
        with root.folder(path) as handle:
            now = stat.S_IMODE(os.fstat(handle).st_mode)
            mode = new_mode(now)
            if now != mode:
                os.fchmod(handle, mode)
            if flush:
                os.fsync(handle)
    except PermissionError:
        # Its owner may not read it, because of a umask or its bits: it can be reached by name alone.
        with root.parent(path) as (folder, name):
            now = stat.S_IMODE(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode)
            mode = new_mode(now)
            os.chmod(name, mode, dir_fd=folder, follow_symlinks=False)
    return mode


def remove_folder(root: Beneath, path: str) -> None:
    """Remove one empty folder. Raises OSError (ENOTEMPTY) otherwise."""
    with root.parent(path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def flush_folders(root: Beneath, folders: Iterable[str]) -> None:
    """Make folders durable, names and permission bits; skip missing ones."""
    for path in sorted(set(folders)):
        with suppress(FileNotFoundError, NotADirectoryError), root.folder(path) as handle:
            os.fsync(handle)
