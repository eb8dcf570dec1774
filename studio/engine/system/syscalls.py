"""Kernel calls that the standard library lacks, each with what stands in for it elsewhere.

Linux: openat2, renameat2, syncfs, statx; macOS: renameatx_np. Their absence (old kernel, other system, a file
system that can't) is an answer, not an error: `Unsupported`.
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

# By its number: glibc 2.36 (Debian 12) has no function for it, though it has one for renameat2.
_OPENAT2 = 437
# BENEATH alone would follow links that stay inside. NO_XDEV is left out: what
# is mounted in a project belongs to it, and a fact of the step tells of it.
_RESOLVE_NO_MAGICLINKS = 0x02
_RESOLVE_NO_SYMLINKS = 0x04
_RESOLVE_BENEATH = 0x08
# macOS has the same two renames under another name and with other numbers.
_RENAME_CALL = "renameatx_np" if sys.platform == "darwin" else "renameat2"
_RENAME_NOREPLACE = 4 if sys.platform == "darwin" else 1
_RENAME_EXCHANGE = 2
_AT_SYMLINK_NOFOLLOW = 0x100
# struct statx of linux/stat.h: the same layout on every architecture.
_STATX_SIZE, _STATX_BTIME, _STATX_BTIME_AT = 256, 0x800, 80
# The numbers of x86-64 and ARM64; where others count differently the call fails, and no flags are known.
_FS_IOC_GETFLAGS = 0x80086601
_FS_IOC_SETFLAGS = 0x40086602
FS_IMMUTABLE = 0x10
FS_APPEND_ONLY = 0x20
FS_CASE_FOLDED = 0x4000_0000
"""Of a folder on ext4 or f2fs whose names differ by more than case."""
KEPT_FLAGS = 0x01 | 0x02 | 0x04 | 0x08 | 0x40 | 0x80 | 0x8000
"""Those of an inode that a new file can be given with the right to write it: secure deletion, undeletable,
compressed, synchronous, no dump, no access times, no tail merging."""
LOST_FLAGS = {0x4000: "j", 0x0010_0000: "V", 0x0080_0000: "C", 0x0200_0000: "x"}
"""Those that it can't be given any more, by chattr's letter."""

_libc = ctypes.CDLL(None, use_errno=True) if sys.platform in ("linux", "darwin") else None


class Unsupported(Exception):
    """This kernel or file system can't do what was asked; the caller has another way."""


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


def _fail(path: bytes) -> OSError:
    number = ctypes.get_errno()
    return OSError(number, os.strerror(number), os.fsdecode(path))


def open_beneath(folder: int, path: bytes, flags: int) -> int:
    """Open `path` beneath the folder handle, following no link anywhere on the way; creates nothing.

    Raises OSError (ELOOP for a link, EXDEV for a way out) or Unsupported where the kernel has no openat2.
    """
    if _openat2 is None:
        raise Unsupported("openat2")
    if b"\0" in path:  # ctypes would cut the name here
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), os.fsdecode(path))
    how = _how_addresses.get(flags) or _how_address(flags)
    handle = _openat2(_OPENAT2, folder, path, how, _HOW_SIZE)
    return handle if handle >= 0 else _open_again(folder, path, how)


def _open_again(folder: int, path: bytes, how: int) -> int:
    """What the kernel meant by its refusal; it answers EAGAIN when a rename elsewhere raced the walk."""
    assert _openat2 is not None
    # Somebody who renames without end gets EAGAIN told as
    # an error; it never becomes a look without the check.
    for _ in range(64):
        number = ctypes.get_errno()
        if number in (errno.ENOSYS, errno.EPERM) and not _openat2_works():
            raise Unsupported("openat2")
        if number not in (errno.EAGAIN, errno.EINTR):
            break
        handle = _openat2(_OPENAT2, folder, path, how, _HOW_SIZE)
        if handle >= 0:
            return handle
    raise _fail(path)


def _how_address(flags: int) -> int:
    """The kernel's structure for these flags, made once and kept as long as the process lives."""
    resolve = _RESOLVE_BENEATH | _RESOLVE_NO_SYMLINKS | _RESOLVE_NO_MAGICLINKS
    # Of two threads here at once, both get the one that is kept.
    kept = _hows.setdefault(flags, _OpenHow(flags | O_CLOEXEC, 0, resolve))
    return _how_addresses.setdefault(flags, ctypes.addressof(kept))


@cache
def _openat2_works() -> bool:
    """Whether openat2 itself is there: seccomp filters answer EPERM for calls they don't know."""
    if _openat2 is None:
        return False
    how = _OpenHow(os.O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0, 0)
    handle = _openat2(_OPENAT2, -100, b"/", ctypes.addressof(how), _HOW_SIZE)
    if handle < 0:
        return False
    os.close(handle)
    return True


def birth_ns(folder: int, name: bytes) -> int | None:
    """Return when an entry of an open folder was made, in nanoseconds since 1970.

    A link is not followed. None where the file system keeps no such time (tmpfs before Linux 6.6, NFS), or
    libc has no statx (glibc before 2.28). Raises OSError.
    """
    call = getattr(_libc, "statx", None) if sys.platform == "linux" else None
    if call is None:
        return None
    found = ctypes.create_string_buffer(_STATX_SIZE)
    if call(folder, ctypes.c_char_p(name), _AT_SYMLINK_NOFOLLOW, _STATX_BTIME, found):
        raise _fail(name)
    (mask,) = struct.unpack_from("=I", found)
    seconds, nanoseconds = struct.unpack_from("=qI", found, _STATX_BTIME_AT)
    return seconds * 1_000_000_000 + nanoseconds if mask & _STATX_BTIME else None


def mount_points() -> tuple[bytes, ...]:
    """The absolute paths at which something is mounted for this process (Linux; elsewhere none are known)."""
    return tuple(place for place, _kind in mounts())


def mounts() -> tuple[tuple[bytes, str], ...]:
    """The same paths, each with the kind of its file system ("ext4", "nfs4"); the last of a path counts."""
    try:
        lines = Path("/proc/self/mountinfo").read_bytes().splitlines()
    except OSError:
        return ()
    return tuple(_mount(line) for line in lines)


def _mount(line: bytes) -> tuple[bytes, str]:
    # A blank, a line end and the like stand there as three octal digits.
    place = re.sub(rb"\\([0-7]{3})", lambda code: bytes([int(code[1], 8)]), line.split(b" ")[4])
    return place, line.partition(b" - ")[2].partition(b" ")[0].decode("ascii", "replace")


def _rename(old_folder: int, old: bytes, new_folder: int, new: bytes, flag: int) -> None:
    call = getattr(_libc, _RENAME_CALL, None) if _libc is not None else None
    if call is None:
        raise Unsupported(_RENAME_CALL)
    if b"\0" in old + new:
        raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), os.fsdecode(new))
    if call(old_folder, old, new_folder, new, flag) == 0:
        return
    # EINVAL is what FUSE answers to an exchange that its file system does not know.
    if ctypes.get_errno() in (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP):
        raise Unsupported(_RENAME_CALL)
    raise _fail(new)


def exchange(folder: int, one: bytes, other: bytes, other_folder: int | None = None) -> None:
    """Swap two names, of one folder or of two, atomically. Raises OSError, or Unsupported."""
    _rename(folder, one, folder if other_folder is None else other_folder, other, _RENAME_EXCHANGE)


def rename_new(old_folder: int, old: bytes, new_folder: int, new: bytes) -> None:
    """Rename, failing with EEXIST if the new name is taken. Raises OSError, or Unsupported."""
    _rename(old_folder, old, new_folder, new, _RENAME_NOREPLACE)


def flush_file_system(handle: int) -> None:
    """Flush the whole file system that holds the handle (syncfs; it reports errors since Linux 5.8).

    Raises Unsupported where that call is missing or silent, or OSError.
    """
    call = getattr(_libc, "syncfs", None) if _libc is not None else None
    release = tuple(int(part) for part in os.uname().release.split(".")[:2] if part.isdigit())
    if call is None or release < (5, 8):
        raise Unsupported("syncfs")
    if call(handle) != 0:
        raise _fail(b".")


def is_unchangeable(handle: int) -> bool:
    """Whether the file or folder carries the immutable or append-only attribute (chattr +i, +a)."""
    return bool(inode_flags(handle) & (FS_IMMUTABLE | FS_APPEND_ONLY))


def inode_flags(handle: int) -> int:
    """What chattr set on a file or folder (Linux); 0 where its file system knows no such flags."""
    if sys.platform != "linux":
        return 0
    try:
        answer = fcntl.ioctl(handle, _FS_IOC_GETFLAGS, struct.pack("l", 0))
    except OSError:
        return 0
    return struct.unpack("l", answer)[0]


def set_inode_flags(handle: int, flags: int) -> None:
    """Set all of them. Raises OSError."""
    if sys.platform == "linux":
        fcntl.ioctl(handle, _FS_IOC_SETFLAGS, struct.pack("l", flags))


def creation_mask() -> int:
    """The bits that new files and folders of a project don't get: the process's umask, save the owner's.

    Without those bits nobody could go on with what was just made.
    """
    return process_umask() & ~0o700


def process_umask() -> int:
    """The process's umask, read without setting it: that would be seen by other threads."""
    try:
        lines = Path("/proc/self/status").read_text("ascii", "replace").splitlines()
    except OSError:
        lines = []
    return next((int(line.split()[1], 8) for line in lines if line.startswith("Umask:")), 0o022)


def check_handles(count: int) -> None:
    """Raises OSError (EMFILE, ENFILE) where so many more files can't be opened; `count` is 2 or more."""
    # A pipe and its copies: handles are counted without a disk, which may be what is in trouble.
    spare = [*os.pipe()]
    try:
        while len(spare) < count:
            spare.append(os.dup(spare[0]))
    finally:
        for handle in spare:
            os.close(handle)
