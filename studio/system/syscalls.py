"""System calls missing in Python: openat2, renameat2, statx, syncfs, inode flags, mounts.

Linux: openat2, renameat2, syncfs, statx; macOS: renameatx_np. Where one is missing (old kernel, other system,
or a file system without it) `Unsupported` is raised, and callers use a fallback.
"""

from __future__ import annotations

import ctypes
import errno
import os
import re
import struct
import sys
from functools import cache
from pathlib import Path

if sys.platform == "linux":
    import fcntl

O_PATH = getattr(os, "O_PATH", 0)
O_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
O_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
O_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
O_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
O_NOCTTY = getattr(os, "O_NOCTTY", 0)

# By number: glibc 2.36 (Debian 12) has a wrapper for renameat2, but none for openat2.
_OPENAT2 = 437
# BENEATH alone would follow links that stay inside. NO_XDEV is not set: what is mounted in a project belongs
# to it, and a fact of the step reports it.
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
# macOS has the same two renames with another name and other flags.
_RENAME_CALL = "renameatx_np" if sys.platform == "darwin" else "renameat2"
_RENAME_NOREPLACE = 4 if sys.platform == "darwin" else 1
_RENAME_EXCHANGE = 2
_AT_SYMLINK_NOFOLLOW = 0x100
_STATX_BASIC_STATS, _STATX_BTIME = 0x7FF, 0x800
# struct statx of linux/stat.h, the same on every architecture: mask, mode, size, btime, mtime.
_STATX = struct.Struct("=I24xH10xQ32xqI20xqI132x")
_StatxBuffer = ctypes.c_char * _STATX.size
# Numbers for x86-64 and ARM64; on others the call fails and no flags are reported.
_FS_IOC_GETFLAGS = 0x80086601
_FS_IOC_SETFLAGS = 0x40086602
FS_IMMUTABLE = 0x10
FS_APPEND_ONLY = 0x20
FS_CASE_FOLDED = 0x4000_0000
"""Flag of a case-insensitive folder on ext4 or f2fs."""
KEPT_FLAGS = 0x01 | 0x02 | 0x04 | 0x08 | 0x40 | 0x80 | 0x8000
"""Inode flags that the owner can set on a replacement file.

Secure deletion, undeletable, compressed, synchronous, no dump, no access times, no tail merging.
"""
LOST_FLAGS = {0x4000: "j", 0x0010_0000: "V", 0x0080_0000: "C", 0x0200_0000: "x"}
"""Inode flags that a replacement can't get, by chattr's letter."""

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform in ("linux", "darwin") else None


class Unsupported(Exception):
    """A call is missing here; the caller has a fallback."""


class _OpenHow(ctypes.Structure):
    _fields_ = (("flags", ctypes.c_uint64), ("mode", ctypes.c_uint64), ("resolve", ctypes.c_uint64))


_HOW_SIZE = ctypes.sizeof(_OpenHow)
_hows: dict[int, _OpenHow] = {}
_how_addresses: dict[int, int] = {}
_openat2 = (
    ctypes.CFUNCTYPE(
        ctypes.c_long,
        ctypes.c_long,
        ctypes.c_long,
        ctypes.c_char_p,
        ctypes.c_void_p,
        ctypes.c_size_t,
        use_errno=True,
    )(("syscall", _libc))
    if _libc is not None and sys.platform == "linux"
    else None
)
# Absent before glibc 2.28.
_statx = (
    ctypes.CFUNCTYPE(
        ctypes.c_int,
        ctypes.c_int,
        ctypes.c_char_p,
        ctypes.c_int,
        ctypes.c_uint,
        ctypes.c_void_p,
        use_errno=True,
    )(("statx", _libc))
    if _libc is not None and sys.platform == "linux" and hasattr(_libc, "statx")
    else None
)


def _build_error(path: bytes) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), os.fsdecode(path))


def open_beneath(folder: int, path: bytes, flags: int) -> int:
    """Open `path` beneath a folder without following any link.

    Nothing is created. Raises OSError (ELOOP for a link, EXDEV for a path that leads outside), or Unsupported
    where the kernel has no openat2.
    """
    if _openat2 is None:
        raise Unsupported("openat2")
    if b"\0" in path:  # ctypes would truncate the name here
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), os.fsdecode(path))
    how = _how_addresses.get(flags) or _open_how_address(flags)
    handle = _openat2(_OPENAT2, folder, path, how, _HOW_SIZE)
    return handle if handle >= 0 else _open_again(folder, path, how)


def _open_again(folder: int, path: bytes, how: int) -> int:
    """Retry or raise after a failed openat2.

    It fails with EAGAIN when a rename anywhere raced the path walk.
    """
    assert _openat2 is not None
    # A process that renames forever gets EAGAIN as an error; the check itself is never skipped.
    for _ in range(64):
        number = ctypes.get_errno()
        if number in (errno.ENOSYS, errno.EPERM) and not _has_openat2():
            raise Unsupported("openat2")
        if number not in (errno.EAGAIN, errno.EINTR):
            break
        handle = _openat2(_OPENAT2, folder, path, how, _HOW_SIZE)
        if handle >= 0:
            return handle
    raise _build_error(path)


def _open_how_address(flags: int) -> int:
    """Return the address of an open_how structure, kept for the process's life."""
    resolve = _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS
    # Two threads here at once get the same structure.
    how = _hows.setdefault(flags, _OpenHow(flags | O_CLOEXEC, 0, resolve))
    return _how_addresses.setdefault(flags, ctypes.addressof(how))


@cache
def _has_openat2() -> bool:
    """Return whether openat2 works.

    A seccomp filter that does not know the call fails it with EPERM.
    """
    if _openat2 is None:
        return False
    how = _OpenHow(os.O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0)
    handle = _openat2(_OPENAT2, -100, b"/", ctypes.addressof(how), _HOW_SIZE)
    if handle < 0:
        return False
    os.close(handle)
    return True


def read_status(folder: int, name: bytes) -> tuple[int, int, int, int | None] | None:
    """Return mode, size, and times of modification and creation of an entry.

    Times are in nanoseconds since 1970. A link is not followed. The creation time is None where the file
    system keeps none (tmpfs before Linux 6.6, NFS); None alone where libc has no statx. Raises OSError.
    """
    if _statx is None:
        return None
    found = _StatxBuffer()
    if _statx(folder, name, _AT_SYMLINK_NOFOLLOW, _STATX_BASIC_STATS | _STATX_BTIME, found):
        raise _build_error(name)
    mask, mode, size, born, born_rest, modified, rest = _STATX.unpack_from(found)
    born_ns = born * 1_000_000_000 + born_rest if mask & _STATX_BTIME else None
    return mode, size, modified * 1_000_000_000 + rest, born_ns


def mount_points() -> tuple[bytes, ...]:
    """Return the absolute paths of this process's mount points.

    Empty on other systems than Linux.
    """
    return tuple(place for place, _kind in mounts())


def mounts() -> tuple[tuple[bytes, str], ...]:
    """Return the mount points with the type of their file system.

    Such as "ext4" or "nfs4"; for a path listed twice the last one is effective.
    """
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return ()
    return tuple(_parse_mount(line) for line in lines)


def _parse_mount(line: bytes) -> tuple[bytes, str]:
    # Spaces, line ends and the like are written as three octal digits.
    place = re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), line.split(b" ")[4])
    return place, line.partition(b" - ")[2].partition(b" ")[0].decode("ascii", "replace")


def _call_rename(old_folder: int, old: bytes, new_folder: int, new: bytes, flag: int) -> None:
    call = getattr(_libc, _RENAME_CALL, None) if _libc is not None else None
    if call is None:
        raise Unsupported(_RENAME_CALL)
    if b"\0" in old + new:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), os.fsdecode(new))
    if call(old_folder, old, new_folder, new, flag) == 0:
        return
    # FUSE fails with EINVAL where the file system has no exchange.
    if ctypes.get_errno() in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise Unsupported(_RENAME_CALL)
    raise _build_error(new)


def exchange(folder: int, one: bytes, other: bytes, other_folder: int | None = None) -> None:
    """Swap two names atomically, in one folder or between two.

    Raises OSError, or Unsupported.
    """
    _call_rename(folder, one, folder if other_folder is None else other_folder, other, _RENAME_EXCHANGE)


def rename_new(old_folder: int, old: bytes, new_folder: int, new: bytes) -> None:
    """Rename, failing with EEXIST if the new name exists.

    Raises OSError, or Unsupported.
    """
    _call_rename(old_folder, old, new_folder, new, _RENAME_NOREPLACE)


def flush_file_system(handle: int) -> None:
    """Flush the file system that contains an open file, with syncfs.

    It reports errors since Linux 5.8. Raises Unsupported where the call is missing or older, or OSError.
    """
    call = getattr(_libc, "syncfs", None) if _libc is not None else None
    release = tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())
    if call is None or release < (5, 8):
        raise Unsupported("syncfs")
    if call(handle) != 0:
        raise _build_error(b".")


def is_unchangeable(handle: int) -> bool:
    """Return whether an open file is immutable or append-only (chattr +i, +a)."""
    return bool(inode_flags(handle) & (FS_IMMUTABLE | FS_APPEND_ONLY))


def inode_flags(handle: int) -> int:
    """Return the chattr flags of an open file (Linux).

    0 where its file system has none.
    """
    if sys.platform != "linux":
        return 0
    try:
        answer = fcntl.ioctl(handle, _FS_IOC_GETFLAGS, struct.pack("l", 0))
    except OSError:
        return 0
    return struct.unpack("l", answer)[0]


def set_inode_flags(handle: int, flags: int) -> None:
    """Set the chattr flags of an open file.

    Raises OSError.
    """
    if sys.platform == "linux":
        fcntl.ioctl(handle, _FS_IOC_SETFLAGS, struct.pack("l", flags))


def creation_mask() -> int:
    """Return the umask for project files, without the owner's bits.

    Without its owner's permissions a new file could not be processed further.
    """
    return process_umask() & ~0o700


def process_umask() -> int:
    """Return the umask without setting it, which other threads would notice."""
    try:
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    except OSError:
        lines = []
    return next((int(line.split()[1], 8) for line in lines if line.startswith("Umask:")), 0o022)


def check_handles(count: int) -> None:
    """Raise OSError where `count` more files can't be opened.

    The error is EMFILE or ENFILE; `count` is 2 or more.
    """
    # Duplicates of a pipe: they need no disk, which may be the one with a problem.
    spare = [*os.pipe()]
    try:
        while len(spare) < count:
            spare.append(os.dup(spare[0]))
    finally:
        for handle in spare:
            os.close(handle)
