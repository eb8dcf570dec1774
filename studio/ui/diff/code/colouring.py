"""Colours of code, computed away from the ui thread; imported by a child process, so without Qt.

A file is coloured in blocks. A short file is one block, from its first line on, and exact. Of a longer one
a block is read from some lines earlier on, so that a string or comment opened shortly before is seen: at
first only few, for the colours to be there two frames after scrolling has stopped, then more.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from studio.engine.limits import COLOUR_SECONDS, COLOURED_LINE_CHARACTERS
from studio.engine.text import Lines, NotText, TextForm
from studio.ui.diff.model.columns import source_text

if TYPE_CHECKING:
    from types import FrameType

    from pygments.lexer import Lexer

WHOLE_LINES = 250
"""Files up to this many lines are coloured as one block."""

EXACT_LINES = 2000
"""Files up to this many lines are coloured as a whole once their first blocks are on screen."""

BLOCK_LINES = 8
QUICK_LOOK_BACK_LINES = 8
LOOK_BACK_LINES = 80


Span = tuple[int, int, str]
"""First character, character behind the last, and the token of the theme that colours them."""


@dataclass(frozen=True, slots=True)
class Block:
    """A part of one side: lines `first` to `last` (0-based, last excluded), lexed from line `start` on."""

    start: int
    first: int
    last: int


@dataclass(frozen=True, slots=True)
class Colours:
    """Spans of each line of a block; `dropped` says that the file gets no colours at all, and why."""

    lines: tuple[tuple[Span, ...], ...] = ()
    dropped: str = ""


def block_at(line: int, total: int, look_back: int = LOOK_BACK_LINES) -> Block:
    """The block that holds a line (0-based) of a side with `total` lines, and what is read before it."""
    if total <= WHOLE_LINES:
        return Block(0, 0, total)
    first = line // BLOCK_LINES * BLOCK_LINES
    return Block(max(0, first - look_back), first, min(total, first + BLOCK_LINES))


@dataclass(frozen=True, slots=True)
class Job:
    """Lines of the file named `path`; the first `skip` are lexed for what they open and not returned."""

    path: str
    data: bytes
    form: TextForm | NotText | None
    skip: int

    @property
    def lines(self) -> tuple[str, ...]:
        """The lines as they are shown, without their endings."""
        return tuple(source_text(line, self.form) for line in Lines(self.data))


def colour_all(jobs: Sequence[Job]) -> tuple[Colours, ...]:
    """The colours of several blocks, as `colour` gives them."""
    return tuple(colour(job.path, job.lines, job.skip) for job in jobs)


def colour(path: str, lines: Sequence[str], skip: int, limit: float = COLOUR_SECONDS) -> Colours:
    """Colour lines of the file named `path`; the first `skip` are lexed for what they open and not returned.

    Never raises: a file whose lexer is unknown, throws or takes more than `limit` seconds of the processor is
    dropped.
    """
    if any(len(line) > COLOURED_LINE_CHARACTERS for line in lines):
        return Colours(((),) * (len(lines) - skip))
    try:
        lexer = _lexer(path)
        if lexer is None:
            return Colours(dropped="no lexer")
        with _time_limit(limit):
            return Colours(tuple(_spans(lexer, lines, limit))[skip:])
    except _TooSlowError:
        return Colours(dropped="too slow")
    except Exception as error:
        # Lexers are other people's regular expressions and code, run on hostile text.
        return Colours(dropped=f"{type(error).__name__}: {error}")


class _TooSlowError(Exception):
    pass


@lru_cache(32)
# Pygments, asked for blocks: tree-sitter holds the interpreter for
# 90 ms to parse 20,000 lines, and wants a wheel for each language.
def _lexer(path: str) -> Lexer | None:
    from pygments.lexers import get_lexer_for_filename
    from pygments.util import ClassNotFound

    try:
        return get_lexer_for_filename(path.rpartition("/")[2])
    except ClassNotFound:
        return None


def _spans(lexer: Lexer, lines: Sequence[str], limit: float) -> Iterator[tuple[Span, ...]]:
    """Spans of each line, in order."""
    ends: list[int] = []
    length = 0
    for line in lines:
        length += len(line) + 1
        ends.append(length)
    deadline = time.thread_time() + limit
    current: list[Span] = []
    number = begin = 0
    # get_tokens would normalise line ends, and the places would no longer be those of the file.
    for count, (index, kind, value) in enumerate(lexer.get_tokens_unprocessed("\n".join(lines))):
        if count % 256 == 0 and time.thread_time() > deadline:
            raise _TooSlowError
        token = _token(str(kind))
        place, stop = index, index + len(value)
        while number < len(ends) and place < stop:
            end = ends[number]
            if token and place < min(stop, end - 1):
                current.append((place - begin, min(stop, end - 1) - begin, token))
            if stop < end:
                break
            yield tuple(current)
            current = []
            number, begin, place = number + 1, end, end
    while number < len(ends):
        yield tuple(current)
        current = []
        number += 1


_TOKENS = (
    ("Token.Comment", "com"),
    ("Token.Keyword", "kw"),
    ("Token.Operator.Word", "kw"),
    ("Token.Literal.String", "str"),
    ("Token.Literal.Number", "num"),
    ("Token.Name.Function", "fn"),
    ("Token.Name.Class", "fn"),
    ("Token.Name.Decorator", "fn"),
    ("Token.Name.Tag", "fn"),
    ("Token.Generic.Heading", "fn"),
    ("Token.Generic.Subheading", "fn"),
)


def _token(kind: str) -> str:
    return next((token for prefix, token in _TOKENS if kind.startswith(prefix)), "")


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Stop even one endless regular expression, where this thread can have a timer of its own.

    The processor's seconds are counted: a busy machine makes no lexer slow, and its file plain for good.
    """
    if (
        not hasattr(signal, "setitimer")
        or threading.current_thread() is not threading.main_thread()
        or signal.getitimer(signal.ITIMER_VIRTUAL) != (0.0, 0.0)
    ):
        yield
        return

    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _TooSlowError

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
