"""Decoded text of an agent's reply: Markdown fences, spans and line positions."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar, cast

from studio.engine import Problem

_BOM = "\ufeff"
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)")
_FENCE_INDENT: Final = 3
# A fixed text that begins with a rare character is found many times faster than a line start.
_RUNS: Final = (re.compile(r"```[^\n]*"), re.compile(r"~~~[^\n]*"))

_Found = TypeVar("_Found")


class Span(NamedTuple):
    """A part of a text in whole lines, as offsets."""

    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Return whether the other one is inside and smaller."""
        return self != other and self.start <= other.start and other.end <= self.end


class FenceMark(NamedTuple):
    """A line that may open or close a fence.

    `ticks` are its marks, and `info` is the text after them.
    """

    start: int
    indent: int
    ticks: str
    info: str

    @property
    def opens(self) -> bool:
        """Whether it may open a fence.

        Backticks in the words after backticks are inline code.
        """
        return self.ticks[0] != "`" or "`" not in self.info

    def may_close(self, ticks: str) -> bool:
        """Return whether its marks may close a fence opened by `ticks`.

        What follows the marks is not checked.
        """
        return self.ticks[0] == ticks[0] and len(self.ticks) >= len(ticks)


class Fence(NamedTuple):
    """A fenced Markdown block: its info string, and its offsets.

    `is_closed` is False where the text ends before the fence does. `inside` excludes the fence lines; its
    lines still have the fence's own indentation.
    """

    info: str
    span: Span
    inside: Span
    ticks: str
    indent: int
    is_closed: bool


class ReplyText:
    """The text of a reply, with consistent CRLF as LF."""

    def __init__(self, text: str) -> None:
        self._last_line = 0, 1
        self._cached: dict[Callable[[ReplyText], object], object] = {}
        self.text = text.removeprefix(_BOM)
        # A single character is found at many times the speed of two.
        if "\r" in self.text and self.text.count("\r\n") == self.text.count("\n") == self.text.count("\r"):
            self.text = self.text.replace("\r\n", "\n")

    @cached_property
    def positions(self) -> Positions:
        """Position converter, made on first use.

        A long text may have no block.
        """
        return Positions(self.text)

    def compute_once(self, find: Callable[[ReplyText], _Found]) -> _Found:
        """Return a function's result on the text, computed once.

        Several formats ask for it.
        """
        if find not in self._cached:
            self._cached[find] = find(self)
        return cast("_Found", self._cached[find])

    @cached_property
    def fence_marks(self) -> tuple[FenceMark, ...]:
        """All lines that may be one end of a fence, in order."""
        return tuple(sorted(_fence_marks(self.text)))

    def fence_marks_from(self, position: int) -> Iterator[FenceMark]:
        """Return the fence marks from an offset on."""
        first = bisect_left(self.fence_marks, position, key=attrgetter("start"))
        return (self.fence_marks[index] for index in range(first, len(self.fence_marks)))

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """The outermost fences, in order; nested ones are content."""
        return tuple(_fences(self.text, self.fence_marks))

    def unclosed_end(self, position: int) -> int:
        """Return where an unclosed block at an offset ends.

        It is the end of the closed fence around it, whose content it is, or of the text.
        """
        at = bisect_right(self.fences, position, key=lambda fence: fence.inside.start) - 1
        fence = self.fences[at] if at >= 0 else None
        is_inside = fence is not None and fence.is_closed and position < fence.inside.end
        return fence.inside.end if fence is not None and is_inside else len(self.text)

    def line(self, position: int) -> int:
        """Return the 1-based line of an offset; ascending offsets are fast."""
        at, line = self._last_line
        if position < at:
            return self.positions.line(position)
        line += self.text.count("\n", at, position)
        self._last_line = position, line
        return line

    def problem(self, code: str, message: str, hint: str, position: int) -> Problem:
        """Return a problem at an offset."""
        return self.positions.problem(code, message, hint, position)

    def block(self, fence: Fence) -> str:
        """Return the lines inside a fence, without its own indentation."""
        inside = self.text[fence.inside.start : fence.inside.end]
        if not fence.indent:
            return inside
        return re.sub(rf"^ {{1,{fence.indent}}}", "", inside, flags=re.MULTILINE)

    def text_outside(self, spans: Iterable[Span]) -> str:
        """Return the text around blocks, each part stripped of empty lines."""
        parts: list[str] = []
        end = 0
        for span in sorted(spans):
            parts.append(self.text[end : span.start])
            end = max(end, span.end)
        parts.append(self.text[end:])
        return "\n\n".join(stripped for part in parts if (stripped := part.strip()))


def decode_reply(data: bytes) -> ReplyText | Problem:
    """Decode the reply, or return a problem: every reply format is UTF-8."""
    try:
        return ReplyText(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem("reply.not_utf8", "The text is not UTF-8.", "Send it as UTF-8.", line=line)


def line_start(text: str, position: int) -> int:
    """Return the start of an offset's line."""
    return text.rfind("\n", 0, position) + 1


def next_line_start(text: str, position: int) -> int:
    """Return the offset after an offset's line, with its end."""
    found = text.find("\n", position)
    return found + 1 if found >= 0 else len(text)


def indented_line_start(text: str, position: int) -> int | None:
    """Return a line's start if only blanks precede the offset.

    Returns None otherwise.
    """
    start = position
    while start and text[start - 1] in " \t":
        start -= 1
    return start if start == 0 or text[start - 1] == "\n" else None


def extend_to_own_fence(text: str, span: Span) -> Span:
    """Extend a span of whole lines by a fence around only it."""
    begins = line_start(text, span.start - 1) if span.start else 0
    ends = next_line_start(text, span.end)
    opening = _mark_on(text, begins, max(span.start - 1, begins))
    closing = _mark_on(text, span.end, ends - text.endswith("\n", span.end, ends))
    return Span(begins, ends) if opening and closing and _closes(closing, opening.ticks) else span


def _mark_on(text: str, start: int, end: int) -> FenceMark | None:
    """Return the fence mark on a line, which ends before `end`."""
    found = _FENCE.fullmatch(text, start, end)
    return FenceMark(start, len(found[1]), found[2], found[3]) if found is not None else None


def _fence_marks(text: str) -> Iterator[FenceMark]:
    for run in _RUNS:
        # A single character is found far faster than three, and tildes are rare.
        if run.pattern[0] not in text:
            continue
        for found in run.finditer(text):
            at = found.start()
            start = text.rfind("\n", max(at - _FENCE_INDENT - 1, 0), at) + 1
            mark = _mark_on(text, start, found.end()) if start or at <= _FENCE_INDENT else None
            if mark is not None and start + mark.indent == at:
                yield mark


def _fences(text: str, marks: Sequence[FenceMark]) -> Iterator[Fence]:
    index = 0
    while index < len(marks):
        opening = marks[index]
        if not opening.opens:
            index += 1
            continue
        closing = index + 1
        while closing < len(marks) and not _closes(marks[closing], opening.ticks):
            closing += 1
        is_closed = closing < len(marks)
        begins = next_line_start(text, opening.start)
        ends = marks[closing].start if is_closed else len(text)
        behind = next_line_start(text, ends) if is_closed else ends
        span = Span(opening.start, behind)
        inside = Span(begins, ends)
        yield Fence(opening.info.strip(), span, inside, opening.ticks, opening.indent, is_closed)
        index = closing + 1


def _closes(mark: FenceMark, ticks: str) -> bool:
    return mark.may_close(ticks) and not mark.info.strip()


# Conversion of character offsets to 1-based lines and columns.


class Positions:
    """Converter of offsets; ascending offsets are counted incrementally."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._line = 1

    def problem(self, code: str, message: str, hint: str, position: int) -> Problem:
        """Return a problem at an offset."""
        line = self.line(position)
        return Problem(code, message, hint, line=line, column=position - self._text.rfind("\n", 0, position))

    def line(self, position: int) -> int:
        if position >= self._at:
            self._line += self._text.count("\n", self._at, position)
        else:
            self._line -= self._text.count("\n", position, self._at)
        self._at = position
        return self._line
