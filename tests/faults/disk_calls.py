"""Our own table of the calls that change a project's disk, and a recorder that counts them in process; and
which calls the sweep prefers, and lets fail.

What it counts must be what strace counts: then a sweep over what strace saw misses none of our calls.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.system import syscalls
from tests.faults.injection import Action
from tests.faults.recording import Call

DISK_CALLS: dict[tuple[object, str], str] = {
    (os, "open"): "openat",
    (os, "write"): "write",
    (os, "fchmod"): "fchmod",
    (os, "fchown"): "fchown",
    (os, "setxattr"): "fsetxattr",
    (os, "removexattr"): "fremovexattr",
    (os, "fsync"): "fsync",
    (os, "mkdir"): "mkdirat",
    (os, "rmdir"): "unlinkat",
    (os, "unlink"): "unlinkat",
    (os, "link"): "linkat",
    (os, "symlink"): "symlinkat",
    (os, "chown"): "fchownat",
    (os, "rename"): "renameat",
    (syscalls, "exchange"): "renameat2",
    (syscalls, "rename_new"): "renameat2",
    (syscalls, "flush_file_system"): "syncfs",
}
"""Whom the writer asks → the system call that this becomes. Of `open` only what makes a file counts."""

CHANGING = frozenset(
    """
    fallocate fchmod fchown fchownat fdatasync fremovexattr fsetxattr fsync ftruncate linkat mkdir mkdirat
    openat pwrite64 rename renameat renameat2 rmdir symlinkat syncfs unlink unlinkat write
    """.split()
)
"""Calls that may change what is on disk; half of a sample is drawn from these."""

_WRITING = tuple(
    "fdatasync fsync linkat openat openat2 pwrite64 rename renameat renameat2 symlinkat syncfs write".split()
)
"""Every write, flush, open and rename."""

ERRORS: Mapping[str, tuple[str, ...]] = {
    "ENOSPC": (*_WRITING, "mkdirat"),
    "EDQUOT": (*_WRITING, "mkdirat"),
    "EIO": (
        *_WRITING,
        "close",
        "fchmod",
        "fstat",
        "getdents64",
        "mkdirat",
        "newfstatat",
        "pread64",
        "read",
        "unlinkat",
    ),
    "EACCES": (*_WRITING, "fchmod", "mkdirat", "newfstatat", "unlinkat"),
    "EROFS": ("fchmod", "mkdirat", "openat", "renameat2", "symlinkat", "unlinkat"),
    "EMFILE": _WRITING,
}
"""Which errors a system may answer to which calls, as the sweep injects them."""

_FOLDER_ARGUMENTS = ("dir_fd", "src_dir_fd")


def _path_of(handle: int) -> Path:
    return Path(f"/proc/self/fd/{handle}").readlink()


@contextmanager
def counting(project: Path) -> Iterator[Counter[str]]:
    """Count the calls of the table that succeed on something in the project."""
    counts: Counter[str] = Counter()
    beneath = project.resolve()

    def counted(name: str, original: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **named: Any) -> Any:
            handle = next((named[key] for key in _FOLDER_ARGUMENTS if key in named), arguments[0])
            is_inside = isinstance(handle, int) and _path_of(handle).is_relative_to(beneath)
            if name == "openat" and not arguments[1] & os.O_CREAT:
                is_inside = False
            result = original(*arguments, **named)
            counts[name] += is_inside
            return result

        return call

    with pytest.MonkeyPatch.context() as patch:
        for (owner, function), name in DISK_CALLS.items():
            patch.setattr(owner, function, counted(name, getattr(owner, function)))
        yield counts


def counted_by_us(action: Action, project: Path, tell: Callable[[Any], None]) -> Action:
    """The same action, which tells at its end what the table counted."""

    def watched() -> int:
        with counting(project) as counts:
            code = action()
        tell({name: count for name, count in counts.items() if count})
        return code

    return watched


def counted_by_strace(calls: tuple[Call, ...], project: Path) -> dict[str, int]:
    """What strace saw of the changes to something in the project."""
    return dict(Counter(call.name for call in calls if call.paths[0].is_relative_to(project)))
