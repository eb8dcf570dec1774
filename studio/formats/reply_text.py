"""An agent's reply as text: blocks that say what to change, and words around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from studio.engine.plan import Problem
from studio.formats.places import Places

_BOM = "\ufeff"
_FENCE = re.compile(r"^( {0,3})(`{3,}|~{3,})([^\n]*)$", re.MULTILINE)


class Span(NamedTuple):
    """A part of a text, from the first character of a line to behind the last one of a line."""

    start: int
    end: int

    def holds(self, other: Span) -> bool:
        """Whether the other one lies in it and is smaller."""
        return self != other and self.start <= other.start and other.end <= self.end


@dataclass(frozen=True, slots=True)
class Fence:
    """A block of Markdown between two fences: its words after the first one, and where it and its lines are.

    `is_closed` is False where the text ends before the fence does. Lines are inside without the indentation
    that the fence itself has.
    """

    info: str
    span: Span
    inside: Span
    indent: int
    is_closed: bool


class ReplyText:
    """The text of a reply, with LF for every CRLF where all its lines end so."""

    def __init__(self, text: str) -> None:
        self._counted = 0, 1
        self.text = text.removeprefix(_BOM)
        # A single character is found at many times the speed of two.
        if "\r" in self.text and self.text.count("\r\n") == self.text.count("\n") == self.text.count("\r"):
            self.text = self.text.replace("\r\n", "\n")
            self.had_crlf = True
        else:
            self.had_crlf = False

    @cached_property
    def places(self) -> Places:
        """Made when something is found: a text may be long and hold no block."""
        return Places(self.text)

    @cached_property
    def fences(self) -> tuple[Fence, ...]:
        """The outermost fences, in order; what stands inside of one is no fence of its own."""
        return tuple(_fences(self.text))

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


def outermost(spans: Sequence[Span]) -> list[Span]:
    """Those that lie in no other one, in order."""
    found: list[Span] = []
    for span in sorted(set(spans), key=lambda each: (each.start, -each.end)):
        if not found or not found[-1].holds(span):
            found.append(span)
    return found


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
    opening = _FENCE.fullmatch(text, begins, max(span.start - 1, begins))
    closing = _FENCE.fullmatch(text[span.end : ends].removesuffix("\n"))
    return Span(begins, ends) if opening and closing and _closes(closing, opening[2]) else span


def _fences(text: str) -> Iterator[Fence]:
    marks = list(_FENCE.finditer(text))
    index = 0
    while index < len(marks):
        indent, ticks, info = marks[index].groups()
        # A fence of backticks has none in its words: that would be code in a line.
        if ticks[0] == "`" and "`" in info:
            index += 1
            continue
        closing = index + 1
        while closing < len(marks) and not _closes(marks[closing], ticks):
            closing += 1
        is_closed = closing < len(marks)
        begins = line_behind(text, marks[index].start())
        ends = marks[closing].start() if is_closed else len(text)
        behind = line_behind(text, ends) if is_closed else ends
        span = Span(marks[index].start(), behind)
        yield Fence(info.strip(), span, Span(begins, ends), len(indent), is_closed)
        index = closing + 1


def _closes(mark: re.Match[str], ticks: str) -> bool:
    return mark[2][0] == ticks[0] and len(mark[2]) >= len(ticks) and not mark[3].strip()
