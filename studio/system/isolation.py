"""System calls with which a process confines itself and its children (Linux).

Imports are few and fast: all of this runs before a confined command's first instruction.
"""

from __future__ import annotations

import ctypes
import errno
import fcntl
import os
import resource

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

NEW_MOUNTS = 0x0002_0000
NEW_CONTROL_GROUPS = 0x0200_0000
NEW_NAMES = 0x0400_0000
NEW_MESSAGES = 0x0800_0000
NEW_USERS = 0x1000_0000
NEW_PROCESSES = 0x2000_0000
NEW_NETWORK = 0x4000_0000

READ_ONLY = 0x1
NO_SETUID = 0x2
NO_DEVICES = 0x4
NO_PROGRAMS = 0x8

END_WITH_PARENT = 1
DUMPABLE = 4
DROP_BOUNDING = 24
SECURE_BITS = 28
NO_NEW_PRIVILEGES = 38
AMBIENT = 47

# Newer calls have the same number on every architecture.
_OPEN_TREE, _MOVE_MOUNT, _FSOPEN, _FSCONFIG, _FSMOUNT, _MOUNT_SETATTR = 428, 429, 430, 431, 432, 442
_LANDLOCK_CREATE, _LANDLOCK_ADD, _LANDLOCK_RESTRICT = 444, 445, 446
_PIDFD_SEND_SIGNAL = 424
_KEYCTL = {"x86_64": 250, "aarch64": 219}

WRITES_SINCE = 2
SCOPES_SINCE = 6
SOCKETS_SINCE = 9
"""Versions of Landlock that introduced these restrictions."""
# Writing files, and moving them to another folder: forbidden wherever no rule allows it.
_WRITES = 1 << 1 | 1 << 13
_SCOPES = 1 | 2
# Connecting to a socket by its path; sockets of the same confinement are allowed (Linux 7.1).
_SOCKETS = 1 << 16

_CLONE, _CLOSE_ON_EXEC, _RECURSIVE, _EMPTY_PATH = 0x1, os.O_CLOEXEC, 0x8000, 0x1000
_BOTH_EMPTY = 0x4 | 0x40
_SET_STRING, _CREATE = 1, 6
_PRIVATE = 0x4000 | 0x4_0000
_DETACH = 2
_HERE = -100

_libc = ctypes.CDLL(None, use_errno=True)


def _call_system(number: int, *values: object) -> int:
    """Make a system call.

    Raises OSError.
    """
    # ctypes would pass an int in 32 bits.
    return _check_result(_libc.syscall(number, *(_to_c_long(value) for value in values)))


def _to_c_long(value: object) -> object:
    return ctypes.c_long(value) if isinstance(value, int) else value


def _check_result(result: int) -> int:
    if result < 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return result


def unshare(kinds: int) -> None:
    """Move to new namespaces of these kinds.

    Raises OSError.
    """
    _check_result(_libc.unshare(kinds))


def control(what: int, *values: int) -> int:
    """Call prctl.

    Raises OSError.
    """
    arguments = [ctypes.c_ulong(value) for value in (*values, 0, 0, 0, 0)[:4]]
    return _check_result(_libc.prctl(what, *arguments))


def drop_capabilities() -> None:
    """Drop all capabilities for good, including those execve could restore.

    Raises OSError.
    """
    for number in range(64):
        try:
            control(DROP_BOUNDING, number)
        except OSError as error:
            if error.errno != errno.EINVAL:  # after the last one
                raise
            break
    # No user id restores any, not even root's; locked, so that no process can change it back.
    control(SECURE_BITS, 0xEF)
    control(AMBIENT, 4)
    header = (ctypes.c_uint32 * 2)(0x2008_0522, 0)
    _check_result(_libc.capset(header, (ctypes.c_uint32 * 6)()))


def reset_signals() -> None:
    """Reset and unblock all signals, since a program inherits both."""
    _libc.signal.argtypes = [ctypes.c_int, ctypes.c_void_p]
    for number in range(1, 32):
        _libc.signal(number, None)
    _libc.sigprocmask(2, bytes(128), None)


def kill(process: int) -> None:
    """Kill the process of a pidfd, if it still runs.

    Raises OSError.
    """
    if _libc.syscall(_PIDFD_SEND_SIGNAL, process, 9, None, 0) < 0 and ctypes.get_errno() != errno.ESRCH:
        _check_result(-1)


def limit_resource(number: int, most: int) -> None:
    """Limit a resource for this process and its children.

    Raises OSError.
    """
    hard = resource.getrlimit(number)[1]
    most = most if hard == resource.RLIM_INFINITY else min(most, hard)
    resource.setrlimit(number, (most, most))


def leave_keyring() -> None:
    """Join a new, empty session keyring.

    Raises OSError.
    """
    number = _KEYCTL.get(os.uname().machine)
    if number is not None:
        _call_system(number, 1, ctypes.c_void_p(None))


def raise_loopback() -> None:
    """Bring up the loopback interface.

    Raises OSError.
    """
    handle = _check_result(_libc.socket(2, 2 | _CLOSE_ON_EXEC, 0))
    try:
        fcntl.ioctl(handle, 0x8914, b"lo".ljust(16, b"\0") + b"\1".ljust(24, b"\0"))
    finally:
        os.close(handle)


def isolate_mounts() -> None:
    """Stop mount propagation from and to other namespaces.

    Raises OSError.
    """
    _check_result(_libc.mount(b"none", b"/", None, ctypes.c_ulong(_PRIVATE), None))


def mount(kind: bytes, place: bytes, options: bytes) -> None:
    """Mount a file system without devices and setuid programs.

    Raises OSError.
    """
    _check_result(_libc.mount(kind, place, kind, ctypes.c_ulong(NO_SETUID | NO_DEVICES), options))


def unmount(place: bytes) -> None:
    """Detach the topmost mount of a path.

    A process that has it open keeps it. Raises OSError.
    """
    _check_result(_libc.umount2(place, _DETACH))


def create_detached_mount(kind: bytes, options: dict[bytes, bytes], flags: int) -> int:
    """Create a detached mount of a new file system.

    Returns its descriptor. Raises OSError.
    """
    opened = _call_system(_FSOPEN, kind, 1)
    try:
        for name, value in options.items():
            _call_system(_FSCONFIG, opened, _SET_STRING, name, value, 0)
        _call_system(_FSCONFIG, opened, _CREATE, ctypes.c_void_p(None), ctypes.c_void_p(None), 0)
        return _call_system(_FSMOUNT, opened, 1, flags)
    finally:
        os.close(opened)


def clone_mount(folder: int, path: bytes, *, with_all: bool = False) -> int:
    """Create a detached bind mount of a path.

    `with_all` includes the mounts beneath it. Returns its descriptor. Raises OSError.
    """
    flags = _CLONE | _CLOSE_ON_EXEC | (_RECURSIVE if with_all else 0) | (0 if path else _EMPTY_PATH)
    return _call_system(_OPEN_TREE, folder, path, flags)


def restrict_mount(handle: int, flags: int, *, with_all: bool = True) -> None:
    """Add flags to a mount, and with `with_all` to those beneath it.

    Raises OSError.
    """
    attributes = (ctypes.c_uint64 * 4)(flags, 0, 0, 0)
    how = _EMPTY_PATH | (_RECURSIVE if with_all else 0)
    _call_system(_MOUNT_SETATTR, handle, b"", how, ctypes.byref(attributes), 32)


def attach_mount(handle: int, target: int) -> None:
    """Attach a detached mount to the file or folder open as `target`.

    Raises OSError.
    """
    _call_system(_MOVE_MOUNT, handle, b"", target, b"", _BOTH_EMPTY)


def landlock_version() -> int:
    """Return the kernel's Landlock version, 0 for none."""
    try:
        return _call_system(_LANDLOCK_CREATE, ctypes.c_void_p(None), 0, 1)
    except OSError:
        return 0


def restrict_writes(folders: Iterable[bytes], version: int) -> None:
    """Restrict writes of this process and its children to these folders.

    That includes pipes and devices. From Landlock version 6 on, they can also reach only their own abstract
    sockets and signal only their own processes, from version 9 on reach no foreign socket at all. Raises
    OSError.
    """
    handled = _WRITES | _SOCKETS if version >= SOCKETS_SINCE else _WRITES
    rules = (ctypes.c_uint64 * 3)(handled, 0, _SCOPES)
    handle = _call_system(_LANDLOCK_CREATE, ctypes.byref(rules), 24 if version >= SCOPES_SINCE else 8, 0)
    try:
        for folder in folders:
            opened = os.open(folder, os.O_PATH | os.O_CLOEXEC)
            rule = _WRITES.to_bytes(8, "little") + opened.to_bytes(4, "little")
            _call_system(_LANDLOCK_ADD, handle, 1, rule, 0)
            os.close(opened)
        _call_system(_LANDLOCK_RESTRICT, handle, 0)
    finally:
        os.close(handle)


def filter_calls(program: bytes) -> None:
    """Install a seccomp filter; each instruction has eight bytes.

    Raises OSError.
    """
    buffer = ctypes.create_string_buffer(program, len(program))

    class Program(ctypes.Structure):
        _fields_ = (("length", ctypes.c_ushort), ("instructions", ctypes.c_void_p))

    instructions = Program(len(program) // 8, ctypes.addressof(buffer))
    control(22, 2, ctypes.addressof(instructions))
