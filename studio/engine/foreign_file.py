"""The one careful reader of files that are not ours and lie anywhere: git's, the user's, what was dropped.

What lies in the project is read beneath the root's handle (`root`), through no link; both ways end in the
same few lines.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

from studio.engine.root import read_handle, unreadable
from studio.engine.system import O_CLOEXEC, O_NOCTTY, O_NONBLOCK

# Links are followed: a user's own file may be one, to where all dot-files are kept.
_FLAGS = os.O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC
_HINT = "Make it a smaller file."


def read_foreign_file(file: Path, limit: int, *, whole: bool = True) -> bytes:
    """The bytes of a regular file, wherever links lead to; waits for nobody, whatever is there.

    A pipe, a terminal or a device is known before it is opened, for opening may do more than read, and once
    more by its handle. Of a file with more than `limit` bytes only the first are read where not the `whole`
    is wanted. Raises NotAFile, Refused for a larger file, FileNotFoundError or another OSError.
    """
    shown = str(file)
    if not stat.S_ISREG((status := file.stat()).st_mode):
        raise unreadable(status, limit, shown)
    handle = os.open(file, _FLAGS)
    try:
        if whole:
            return read_handle(handle, limit, shown=shown, hint=_HINT)[0]
        if not stat.S_ISREG((status := os.fstat(handle)).st_mode):
            raise unreadable(status, limit, shown)
        with os.fdopen(handle, "rb", closefd=False) as stream:
            return stream.read(limit)
    finally:
        os.close(handle)
