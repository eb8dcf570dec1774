"""Helpers for marker-delimited blocks in replies: surrounding fences, indentation, searching."""

from __future__ import annotations

import re
from collections.abc import Iterable

from studio.engine import Problem
from studio.formats.reply_text import ReplyText, Span, line_start, next_line_start

_OPENING = re.compile(r" *(?:(`{3,})[^`]*|(~{3,}).*)")


class BrokenBlock(Exception):
    """A text breaks the grammar of its format; `problem` has the line."""

    def __init__(self, code: str, message: str, hint: str, line: int) -> None:
        super().__init__(message)
        self.problem = Problem(code, message, hint, line=line)


def previous_line(text: str, position: int) -> Span | None:
    """Return the line before an offset's line; None for the first.

    It includes the line end.
    """
    return Span(line_start(text, position - 1), position) if position else None


def opening_fence(line: str) -> str:
    """Return the marks that open a fence on this line, or ""."""
    found = _OPENING.fullmatch(line.rstrip())
    return found[1] or found[2] if found is not None else ""


def closes(line: str, ticks: str) -> bool:
    """Return whether a line ends a fence that these marks opened."""
    marks = line.strip()
    return len(marks) >= len(ticks) and not marks.strip(ticks[0])


def extend_to_fence(text: str, span: Span) -> Span:
    """Extend the span by the fence directly around it, if any.

    Only empty lines may be in between.
    """
    before = previous_line(text, span.start)
    while before is not None and not text[before.start : before.end].strip():
        before = previous_line(text, before.start)
    ticks = opening_fence(text[before.start : before.end]) if before is not None else ""
    if before is None or not ticks:
        return span
    at = span.end
    while at < len(text):
        behind = next_line_start(text, at)
        line = text[at:behind]
        if line.strip():
            return Span(before.start, behind) if closes(line, ticks) else span
        at = behind
    return span


def strip_indent(reply: ReplyText, span: Span, indent: int, code: str) -> str:
    """Return a span's lines without the indentation of their marks.

    Empty lines may lack it. Raises BrokenBlock with `code` for any other line that has less.
    """
    text = reply.text[span.start : span.end]
    if not indent:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.strip() and line[:indent].strip(" "):
            raise BrokenBlock(
                code,
                "The line is indented less than the first marker of its block.",
                "Indent all lines of the block alike, or none.",
                reply.line(span.start) + number,
            )
    return "\n".join(line[indent:] for line in lines)


def search_outside(
    reply: ReplyText, spans: Iterable[Span], pattern: re.Pattern[str]
) -> tuple[str, int] | None:
    """Find a pattern outside of all spans.

    The pattern begins with a line end. Returns its text and the offset of its line, None without a match.
    """
    edges = [0, *(edge for span in spans for edge in span), len(reply.text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        # With a line end before it, the first line is found as all others.
        found = pattern.search(f"\n{reply.text[start:end]}")
        if found is not None:
            return found[0].strip(), start + found.start()
    return None
