"""Non-blocking reader of regular files at any path, with size limit.

Project files are read beneath the root's handle (`root`), through no link; both ways end in the same few
lines.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from studio.engine.root.reading import read_handle, unreadable
from studio.system.syscalls import O_CLOEXEC, O_NOCTTY, O_NONBLOCK

# Links are followed: a user's own file may be one, to a folder of dot-files.
_FLAGS = os.O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
_HINT = "Make it a smaller file."


def read_foreign_file(file: Path, limit: int, *, whole: bool = True) -> bytes:
    """Return the bytes of a regular file, following links; never blocks.

    Unless the `whole` is wanted, only the first `limit` bytes are read of a larger file. Raises NotAFile,
    Refused for a larger file, FileNotFoundError or another OSError.
    """
    with _open_regular(file, limit) as handle:
        if whole:
            return read_handle(handle, limit, shown=str(file), hint=_HINT)[0]
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(limit)


@contextmanager
def open_foreign_file(file: Path, limit: int, *, hint: str = _HINT) -> Generator[BinaryIO]:
    """Open a regular file of at most `limit` bytes; never blocks.

    The caller has to bound what it reads of a file that grows. `hint` is what to do about a larger one.
    Raises as `read_foreign_file`.
    """
    with _open_regular(file, limit) as handle:
        if (status := os.fstat(handle)).st_size > limit:
            raise unreadable(status, limit, str(file), hint)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            yield stream


def read_signature(files: Iterable[Path]) -> tuple[tuple[int, ...] | None, ...]:
    """Return a value that changes when any of the files does.

    None of them is opened.
    """
    return tuple(_read_signature(file) for file in files)


def _read_signature(file: Path) -> tuple[int, ...] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)


@contextmanager
def _open_regular(file: Path, limit: int) -> Generator[int]:
    """Open a regular file and return its handle.

    Its kind is checked before, because opening a pipe, a terminal or a device may have side effects, and
    again by the handle.
    """
    # A pipe as trust.json or .git/config without a writer blocked every command that opened it.
    if not stat.S_ISREG((status := file.stat()).st_mode):
        raise unreadable(status, limit, str(file))
    handle = os.open(file, _FLAGS)
    try:
        if not stat.S_ISREG((status := os.fstat(handle)).st_mode):
            raise unreadable(status, limit, str(file))
        yield handle
    finally:
        os.close(handle)
