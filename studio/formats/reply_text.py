"""An agent's reply as text: blocks that say what to change, and words around them."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from operator import attrgetter
from typing import Final, NamedTuple, TypeVar, cast

from studio.engine.plan import Problem
from studio.formats.places import Places

_BOM = "\ufeff"
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)")
_FENCE_INDENT: Final = 3
# A fixed text that begins with a rare character is found at many times the speed of a line that begins so.
_RUNS: Final = (re.compile(r"```[^\n]*"), re.compile(r"~~~[^\n]*"))

_Found = TypeVar("_Found")


class Span(NamedTuple):
    """A part of a text, from the first character of a line to behind the last one of a line."""

    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Whether the other one lies in it and is smaller."""
        return self != other and self.start <= other.start and other.end <= self.end


class FenceMark(NamedTuple):
    """A line that may open or close a fence: its start, its indentation, its marks and what follows."""

    start: int
    indent: int
    ticks: str
    info: str

    @property
    def opens(self) -> bool:
        """Whether it may open one; a fence of backticks has none in its words: that is code in a line."""
        return self.ticks[0] != "`" or "`" not in self.info

    def may_close(self, ticks: str) -> bool:
        """Whether it has the marks that end a fence opened by these; nothing is said of what follows them."""
        return self.ticks[0] == ticks[0] and len(self.ticks) >= len(ticks)


class Fence(NamedTuple):
    """A block of Markdown between two fences: its words after the first one, and where it and its lines are.

    `is_closed` is False where the text ends before the fence does. Lines are inside without the indentation
    that the fence itself has.
    """

    info: str
    span: Span
    inside: Span
    ticks: str
    indent: int
    is_closed: bool


class ReplyText:
    """The text of a reply, with LF for every CRLF where all its lines end so."""

    def __init__(self, text: str) -> None:
        self._counted = 0, 1
        self._found: dict[Callable[[ReplyText], object], object] = {}
        self.text = text.removeprefix(_BOM)
        # A single character is found at many times the speed of two.
        if "\r" in self.text and self.text.count("\r\n") == self.text.count("\n") == self.text.count("\r"):
            self.text = self.text.replace("\r\n", "\n")

    @cached_property
    def places(self) -> Places:
        """Made when something is found: a text may be long and hold no block."""
        return Places(self.text)

    def once(self, find: Callable[[ReplyText], _Found]) -> _Found:
        """What a function finds in the text: it looks once, however many formats ask and however often."""
        if find not in self._found:
            self._found[find] = find(self)
        return cast("_Found", self._found[find])

    @cached_property
    def fence_marks(self) -> tuple[FenceMark, ...]:
        """All lines that look like one end of a fence, in order."""
        return tuple(sorted(_fence_marks(self.text)))

    def fence_marks_from(self, position: int) -> Iterator[FenceMark]:
        """Those in lines that begin at an offset or behind it."""
        first = bisect_left(self.fence_marks, position, key=attrgetter("start"))
        return (self.fence_marks[index] for index in range(first, len(self.fence_marks)))

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """The outermost fences, in order; what stands inside of one is no fence of its own."""
        return tuple(_fences(self.text, self.fence_marks))

    def reach(self, position: int) -> int:
        """How far a block reaches that begins at an offset and has no end: to the end of the fence around it,
        for all that a closed fence holds is its content, or of the text."""
        at = bisect_right(self.fences, position, key=lambda fence: fence.inside.start) - 1
        fence = self.fences[at] if at >= 0 else None
        is_inside = fence is not None and fence.is_closed and position < fence.inside.end
        return fence.inside.end if fence is not None and is_inside else len(self.text)

    def line(self, position: int) -> int:
        """The 1-based line of an offset; asked for one after the other, only what is between is looked at."""
        at, line = self._counted
        if position < at:
            return self.places.line(position)
        line += self.text.count("\n", at, position)
        self._counted = position, line
        return line

    def problem(self, code: str, message: str, hint: str, position: int) -> Problem:
        """A problem that stands at an offset."""
        return self.places.problem(code, message, hint, position)

    def block(self, fence: Fence) -> str:
        """The lines inside of a fence, without its own indentation."""
        inside = self.text[fence.inside.start : fence.inside.end]
        if not fence.indent:
            return inside
        return re.sub(rf"^ {{1,{fence.indent}}}", "", inside, flags=re.MULTILINE)

    def around(self, spans: Iterable[Span]) -> str:
        """What stands around blocks, without empty lines at both ends of each part."""
        parts: list[str] = []
        done = 0
        for span in sorted(spans):
            parts.append(self.text[done : span.start])
            done = max(done, span.end)
        parts.append(self.text[done:])
        return "\n\n".join(stripped for part in parts if (stripped := part.strip()))


def decode_reply(data: bytes) -> ReplyText | Problem:
    """The reply, or why it is none: all formats that agents print are UTF-8 (contract 2)."""
    try:
        return ReplyText(data.decode("utf-8"))
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return Problem("reply.not_utf8", "The text is not UTF-8.", "Send it as UTF-8.", line=line)


def line_start(text: str, position: int) -> int:
    """The offset at which the line of an offset begins."""
    return text.rfind("\n", 0, position) + 1


def line_behind(text: str, position: int) -> int:
    """The offset behind the line of an offset, its end with it."""
    found = text.find("\n", position)
    return found + 1 if found >= 0 else len(text)


def line_begun_by(text: str, position: int) -> int | None:
    """The offset at which a line begins that holds only blanks before an offset; None for another line."""
    start = position
    while start and text[start - 1] in " \t":
        start -= 1
    return start if start == 0 or text[start - 1] == "\n" else None


def with_fence(text: str, span: Span) -> Span:
    """A span of whole lines, with the fence around it where that holds nothing else."""
    begins = line_start(text, span.start - 1) if span.start else 0
    ends = line_behind(text, span.end)
    opening = _mark_on(text, begins, max(span.start - 1, begins))
    closing = _mark_on(text, span.end, ends - text.endswith("\n", span.end, ends))
    return Span(begins, ends) if opening and closing and _closes(closing, opening.ticks) else span


def _mark_on(text: str, start: int, end: int) -> FenceMark | None:
    """The mark that a line is, which reaches to an offset without its end."""
    found = _FENCE.fullmatch(text, start, end)
    return FenceMark(start, len(found[1]), found[2], found[3]) if found is not None else None


def _fence_marks(text: str) -> Iterator[FenceMark]:
    for run in _RUNS:
        # A single character is looked for far faster than three, and tildes are rare.
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
        begins = line_behind(text, opening.start)
        ends = marks[closing].start if is_closed else len(text)
        behind = line_behind(text, ends) if is_closed else ends
        span = Span(opening.start, behind)
        inside = Span(begins, ends)
        yield Fence(opening.info.strip(), span, inside, opening.ticks, opening.indent, is_closed)
        index = closing + 1


def _closes(mark: FenceMark, ticks: str) -> bool:
    return mark.may_close(ticks) and not mark.info.strip()
