"""Terminal output: colours, and a progress line for long commands.

A pipe gets neither. Colours are added after escaping, so that no file can forge one.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from typing import Final, TextIO

PROGRESS_AFTER_SECONDS: Final = 0.5
_EACH_SECONDS: Final = 0.2
_USUAL_WIDTH: Final = 80
_ERASED: Final = "\r\x1b[K"
_PLAIN: Final = "\x1b[0m"
RED, GREEN, YELLOW, CYAN, BOLD = "\x1b[31m", "\x1b[32m", "\x1b[33m", "\x1b[36m", "\x1b[1m"

_STATES: Final = {
    **dict.fromkeys(("pending", "changes requested", "executing", "paused", "stale"), YELLOW),
    **dict.fromkeys(("approved", "applied", "already applied", "completed"), GREEN),
    **dict.fromkeys(("refused", "rejected", "failed"), RED),
}
"""The colour of a state's word; final states have none."""

Report = Callable[[int, int], None]
"""Callback with the number done and the total, 0 where unknown."""


def painted(text: str, colour: str) -> str:
    """Return a text in a colour where standard output shows colours."""
    return f"{colour}{text}{_PLAIN}" if text and _shows_colours(sys.stdout) else text


def painted_state(word: str, width: int = 0) -> str:
    """Return a state's word in its colour, padded to `width` columns."""
    return painted(word, _STATES[word]) + " " * (width - len(word)) if word in _STATES else word.ljust(width)


def painted_diff(text: str) -> str:
    """Return one file's escaped diff with coloured lines."""
    if not _shows_colours(sys.stdout):
        return text
    return "\n".join(_painted_lines(text.split("\n")))


def _painted_lines(lines: Iterable[str]) -> Generator[str]:
    in_hunks = False  # before the first hunk, `---` and `+++` are no changed lines
    for line in lines:
        in_hunks = in_hunks or line.startswith("@@")
        colour = {"@": CYAN, "+": GREEN, "-": RED}.get(line[:1], "") if in_hunks else BOLD
        yield f"{colour}{line}{_PLAIN}" if colour and line else line


@contextmanager
def progress(what: str, *, as_json: bool = False) -> Generator[Report]:
    """Show progress of `what` on standard error, after a moment.

    Only a terminal gets the line, and it is erased at the end; nothing is shown while a document is written
    to a pipe, nor where an answer is written to the terminal meanwhile.
    """
    if not _can_erase(sys.stderr) or (as_json and not sys.stdout.isatty()):
        yield _ignore_progress
        return
    line = _Line(what, sys.stderr)
    painter = threading.Thread(target=line.paint, name="progress")
    painter.start()
    try:
        yield line.report
    finally:
        line.ended.set()
        painter.join()


class _Line:
    """A line that is repainted until `ended`."""

    def __init__(self, what: str, stream: TextIO) -> None:
        self.ended = threading.Event()
        self._what = what
        self._stream = stream
        self._progress = (0, 0)
        self._started_at = time.monotonic()

    def report(self, done: int, total: int) -> None:
        self._progress = (done, total)

    def paint(self) -> None:
        pause, is_shown = PROGRESS_AFTER_SECONDS, False
        while not self.ended.wait(pause):
            is_shown, pause = True, _EACH_SECONDS
            self._write(f"{_ERASED}{self._text()[: _width(self._stream) - 1]}")
        if is_shown:
            self._write(_ERASED)

    def _text(self) -> str:
        done, total = self._progress
        of = f": {done:,} of {total:,}" if total else f": {done:,}" if done else ""
        return f"{self._what}{of} … {time.monotonic() - self._started_at:.0f} s"

    def _write(self, text: str) -> None:
        try:
            self._stream.write(text)
            self._stream.flush()
        except (OSError, ValueError):  # the terminal is gone; the work is not
            self.ended.set()


def _ignore_progress(_done: int, _total: int) -> None:
    return None


def _can_erase(stream: TextIO) -> bool:
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def _shows_colours(stream: TextIO) -> bool:
    """Return whether to use colours; a non-empty NO_COLOR turns them off."""
    return _can_erase(stream) and not os.environ.get("NO_COLOR")


def _width(stream: TextIO) -> int:
    try:
        return os.get_terminal_size(stream.fileno()).columns or _USUAL_WIDTH
    except (OSError, ValueError):
        return _USUAL_WIDTH
