"""Syntax highlighting of code blocks, without Qt; a child process imports it.

A short file is one block, lexed from its first line, and exact. A block of a longer file is lexed from some
lines earlier, so that strings and comments opened shortly before are seen: first from a few lines, so that it
is ready two frames after scrolling stops, then from more.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from studio.text import Lines, NotText, TextForm
from studio.ui.diff.code.languages import CONTENT_CHARACTERS, comment_sign, lexer_of
from studio.ui.diff.model.columns import source_text
from studio.ui.limits import COLOUR_SECONDS, COLOURED_LINE_CHARACTERS
from studio.values import Value

if TYPE_CHECKING:
    from types import FrameType

    from pygments.lexer import Lexer

WHOLE_LINES = 250
"""Files up to this many lines are highlighted as one block."""

EXACT_LINES = 2000
"""Files up to this many lines are highlighted as a whole after their first blocks."""

BLOCK_LINES = 8
QUICK_LOOK_BACK_LINES = 8
LOOK_BACK_LINES = 80


Span = tuple[int, int, str]
"""First character, character after the last, and the theme's colour token."""


class Block(Value):
    """Lines `first` to `last` (0-based, exclusive) of a side, lexed from `start`."""

    start: int
    first: int
    last: int


class Colours(Value):
    """Spans of a block's lines, or in `dropped` why there are none."""

    lines: tuple[tuple[Span, ...], ...] = ()
    dropped: str = ""


def block_at(line: int, total: int, look_back: int = LOOK_BACK_LINES) -> Block:
    """Return the block of a 0-based line, with its leading context."""
    if total <= WHOLE_LINES:
        return Block(0, 0, total)
    first = line // BLOCK_LINES * BLOCK_LINES
    return Block(max(0, first - look_back), first, min(total, first + BLOCK_LINES))


class Job(Value):
    """Lines of the file `path` to highlight, after `skip` context lines.

    `beginning` is that of the whole file; its content decides the language.
    """

    path: str
    data: bytes
    form: TextForm | NotText | None
    skip: int
    beginning: bytes

    @property
    def lines(self) -> tuple[str, ...]:
        """The displayed text of each line, without its ending."""
        return tuple(source_text(line, self.form) for line in Lines(self.data))


def colour_all(jobs: Sequence[Job]) -> tuple[Colours, ...]:
    """Highlight several blocks."""
    return tuple(
        colour(job.path, job.lines, job.skip, content=source_text(job.beginning, job.form)) for job in jobs
    )


def colour(
    path: str, lines: Sequence[str], skip: int, limit: float = COLOUR_SECONDS, content: str | None = None
) -> Colours:
    """Highlight lines of the file `path`, after `skip` lines of context.

    `content` is the beginning of the file, `lines` without it. Never raises: a file without a lexer, or whose
    lexer raises or takes more than `limit` seconds of CPU time, is dropped.
    """
    if any(len(line) > COLOURED_LINE_CHARACTERS for line in lines):
        return Colours(((),) * (len(lines) - skip))
    try:
        # Pygments, called per block: tree-sitter holds the GIL for 90 ms to parse 20,000 lines, and needs a
        # wheel for each language.
        text = "\n".join(lines) if content is None else content
        lexer = lexer_of(path.rpartition("/")[2], text[:CONTENT_CHARACTERS])
        if lexer is None:
            return Colours(dropped="no lexer")
        with _time_limit(limit):
            return Colours(tuple(_spans(lexer, lines, limit))[skip:])
    except _TooSlowError:
        return Colours(dropped="too slow")
    except Exception as error:
        # Lexers are third-party code and regular expressions, run on hostile text.
        return Colours(dropped=f"{type(error).__name__}: {error}")


class _TooSlowError(Exception):
    pass


def _spans(lexer: Lexer, lines: Sequence[str], limit: float) -> Iterator[tuple[Span, ...]]:
    """Yield the spans of each line, in order."""
    ends: list[int] = []
    length = 0
    for line in lines:
        length += len(line) + 1
        ends.append(length)
    deadline = time.thread_time() + limit
    current: list[Span] = []
    number = begin = 0
    text = "\n".join(lines)
    sign = comment_sign(lexer)
    # get_tokens would normalize line ends, and offsets would no longer match the file.
    for count, (index, kind, value) in enumerate(lexer.get_tokens_unprocessed(text)):
        if count % 256 == 0 and time.thread_time() > deadline:
            raise _TooSlowError
        token = _token(str(kind))
        if token == "com" and sign is not None and not sign.match(text, index):
            token = ""
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
    # Preprocessor lines, tags of templates, optimizer hints and pragmas have an effect.
    ("Token.Comment.Pre", "kw"),
    ("Token.Comment.Directive", "kw"),
    ("Token.Comment.Special", ""),
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
    """Interrupt even one endless regular expression, in the main thread only.

    CPU time is limited, not wall time: otherwise a lexer would seem slow on a busy machine, and its file stay
    plain.
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
