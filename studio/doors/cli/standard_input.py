"""Standard input, read so that Ctrl-C ends it."""

from __future__ import annotations

import os
import sys

_PIECE = 1 << 16


def read_standard_input(most: int) -> bytes:
    """All of it, or its first `most` bytes. Raises OSError."""
    # One call for all of it would wait on for the next piece after Ctrl-C came between two.
    read = bytearray()
    while len(read) < most and (piece := os.read(sys.stdin.fileno(), min(_PIECE, most - len(read)))):
        read += piece
    return bytes(read)
