"""Which runs of lines differ between two texts: libgit2's answer, here or as a child process of its own.

libgit2 holds the interpreter while it compares. `serve` is what the child process of `worker` runs.
"""

from __future__ import annotations

import signal
import struct
import sys
from array import array

from studio.engine.system.git_library import loadable

REQUEST = struct.Struct("<QQd")
"""Bytes of the old text and of the new one, which follow, and when the process ends itself, in seconds,
should nobody be left to end it."""

ANSWER = struct.Struct("<Q")
"""Bytes of the runs, which follow as native 64-bit numbers."""


def line_runs(old: bytes, new: bytes) -> array[int]:
    """Four numbers for each run: first old line, old lines, first new line, new lines; 0-based.

    Runs are ascending and never touch; lines end at LF only. The indent heuristic is git's own.
    """
    runs = array("q")
    if old == new:
        return runs
    with loadable():
        import pygit2
        from pygit2.enums import DiffOption

    # Not difflib: 4,000 equal lines take it 1.9 s, and libgit2 0.2 ms.
    # Without FORCE_TEXT a NUL anywhere in the text leads to no runs at all.
    patch = pygit2.Patch.create_from(
        old,
        new,
        flag=DiffOption.FORCE_TEXT | DiffOption.INDENT_HEURISTIC,
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
    """Answer one request after another on standard input and output until the other side is gone."""
    # A press of Ctrl+C in a terminal reaches the whole group; who started this process ends it.
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
    """The signal's default is the end of the process, also while libgit2 is at work; 0 calls it off."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_REAL, seconds)
