"""Interruptible reading of standard input."""

from __future__ import annotations

import errno
import os
import sys
from io import BufferedReader, BytesIO, TextIOWrapper
from typing import cast

_PIECE = 1 << 16


def read_standard_input(most: int) -> bytes:
    """Read all of it, or its first `most` bytes.

    Raises OSError, also where it is closed.
    """
    if sys.stdin is None:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))
    stream = cast("BufferedReader", sys.stdin.buffer)
    # A single call for all of it would block again after Ctrl-C came between two pieces.
    read = bytearray()
    while len(read) < most and (piece := stream.read1(min(_PIECE, most - len(read)))):
        read += piece
    return bytes(read)


def replace_standard_input(data: bytes) -> None:
    """Have `data`, which was read from standard input, read again."""
    sys.stdin = TextIOWrapper(BytesIO(data))
