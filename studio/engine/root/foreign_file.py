"""The one careful reader of files that are not ours and lie anywhere: git's, the user's, what was dropped.

What lies in the project is read beneath the root's handle (`root`), through no link; both ways end in the
same few lines.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Generator, Iterable
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from studio.engine.root.reading import read_handle, unreadable
from studio.engine.system.syscalls import O_CLOEXEC, O_NOCTTY, O_NONBLOCK

# Links are followed: a user's own file may be one, to where all dot-files are kept.
_FLAGS = os.O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
_HINT = "Make it a smaller file."


def read_foreign_file(file: Path, limit: int, *, whole: bool = True) -> bytes:
    """The bytes of a regular file, wherever links lead to; waits for nobody, whatever is there.

    Of a file with more than `limit` bytes only the first are read where not the `whole` is wanted. Raises
    NotAFile, Refused for a larger file, FileNotFoundError or another OSError.
    """
    with _opened(file, limit) as handle:
        if whole:
            return read_handle(handle, limit, shown=str(file), hint=_HINT)[0]
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(limit)


@contextmanager
def open_foreign_file(file: Path, limit: int, *, hint: str = _HINT) -> Generator[BinaryIO]:
    """A regular file of at most `limit` bytes, to be read in pieces; waits for nobody. Its reader bounds one
    that grows. `hint` is what to do about a larger one.

    Raises as `read_foreign_file`.
    """
    with _opened(file, limit) as handle:
        if (status := os.fstat(handle)).st_size > limit:
            raise unreadable(status, limit, str(file), hint)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            yield stream


def signature_of(files: Iterable[Path]) -> tuple[tuple[int, ...] | None, ...]:
    """What tells that one of the files is another than before: it changed, came or went. None is opened."""
    return tuple(_file_signature(file) for file in files)


def _file_signature(file: Path) -> tuple[int, ...] | None:
    try:
        status = file.stat()
    except OSError:
        return None
    return (status.st_mtime_ns, status.st_size, status.st_ino, status.st_ctime_ns)


@contextmanager
def _opened(file: Path, limit: int) -> Generator[int]:
    """The handle of a regular file. A pipe, a terminal or a device is known before it is opened, for opening
    may do more than read, and once more by its handle."""
    # A pipe as trust.json or .git/config without a writer held up every command that opened it.
    if not stat.S_ISREG((status := file.stat()).st_mode):
        raise unreadable(status, limit, str(file))
    handle = os.open(file, _FLAGS)
    try:
        if not stat.S_ISREG((status := os.fstat(handle)).st_mode):
            raise unreadable(status, limit, str(file))
        yield handle
    finally:
        os.close(handle)
