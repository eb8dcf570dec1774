"""Differing line ranges of two texts by libgit2, also as child process.

libgit2 holds the interpreter lock while it compares. `serve` is the main function of the child process of
`worker`.
"""

from __future__ import annotations

import signal
import struct
import sys
from array import array

from studio.system.git_library import loadable

REQUEST = struct.Struct("<QQd")
"""Sizes of the old and the new text, which follow, and a time limit in seconds.

The process ends itself after that time, in case its parent no longer can.
"""

ANSWER = struct.Struct("<Q")
"""Size of the runs in bytes; they follow as native 64-bit numbers."""


def line_runs(old: bytes, new: bytes) -> array[int]:
    """Return the differing runs as four 0-based numbers each.

    These are first old line, old lines, first new line, new lines. Runs are ascending and never adjacent;
    lines end at LF only. The indent heuristic is git's own.
    """
    runs = array("q")
    if old == new:
        return runs
    with loadable():
        import pygit2

    # Not difflib: 4,000 equal lines take it 1.9 s, and libgit2 0.2 ms.
    flags = pygit2.enums.DiffOption
    # Without FORCE_TEXT a NUL anywhere in the text yields no runs at all.
    patch = pygit2.Patch.create_from(
        old,
        new,
        flag=flags.FORCE_TEXT | flags.INDENT_HEURISTIC,
        context_lines=0,
        interhunk_lines=0,
    )
    # Without context each of libgit2's hunks is one run; git's numbers name the line before an empty side.
    for hunk in patch.hunks:
        old_lines, new_lines = hunk.old_lines, hunk.new_lines
        runs.append(hunk.old_start - 1 if old_lines else hunk.old_start)
        runs.append(old_lines)
        runs.append(hunk.new_start - 1 if new_lines else hunk.new_start)
        runs.append(new_lines)
    return runs


def serve() -> None:
    """Answer requests on standard input and output until the pipe is closed."""
    # Ctrl+C in a terminal signals the whole group; the parent process ends this one.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    requests, answers = sys.stdin.buffer, sys.stdout.buffer
    while True:
        sizes = requests.read(REQUEST.size)
        if len(sizes) < REQUEST.size:
            return
        old_size, new_size, seconds = REQUEST.unpack(sizes)
        _end_after(seconds)
        old, new = requests.read(old_size), requests.read(new_size)
        if len(old) + len(new) < old_size + new_size:
            return
        runs = line_runs(old, new).tobytes()
        answers.write(ANSWER.pack(len(runs)) + runs)
        answers.flush()
        _end_after(0)


def _end_after(seconds: float) -> None:
    """Schedule SIGALRM, whose default ends the process even within libgit2.

    0 cancels it.
    """
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
