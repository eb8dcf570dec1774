"""Blocks between lines that mark them, wherever a reply has put them: indented, or in a Markdown fence."""

from __future__ import annotations

import re
from collections.abc import Iterable

from studio.engine.plan import Problem
from studio.formats.reply_text import ReplyText, Span, line_behind, line_start

_OPENING = re.compile(r" *(?:(`{3,})[^`]*|(~{3,}).*)")


class BrokenBlock(Exception):
    """A text breaks the grammar of its format: `problem` says on which line, and what to do."""

    def __init__(self, code: str, message: str, hint: str, line: int) -> None:
        super().__init__(message)
        self.problem = Problem(code, message, hint, line=line)


def line_before(text: str, position: int) -> Span | None:
    """The line before the one that begins at an offset, its end with it; None for the first line."""
    return Span(line_start(text, position - 1), position) if position else None


def ticks_of(line: str) -> str:
    """The marks that open a fence on this line, "" where it opens none."""
    found = _OPENING.fullmatch(line.rstrip())
    return found[1] or found[2] if found is not None else ""


def closes(line: str, ticks: str) -> bool:
    """Whether a line is the end of a fence that was opened by these marks."""
    said = line.strip()
    return len(said) >= len(ticks) and not said.strip(ticks[0])


def fence_around(text: str, span: Span) -> Span:
    """The span with the fence directly around it, if there is one: only empty lines lie between."""
    before = line_before(text, span.start)
    while before is not None and not text[before.start : before.end].strip():
        before = line_before(text, before.start)
    ticks = ticks_of(text[before.start : before.end]) if before is not None else ""
    if before is None or not ticks:
        return span
    at = span.end
    while at < len(text):
        behind = line_behind(text, at)
        line = text[at:behind]
        if line.strip():
            return Span(before.start, behind) if closes(line, ticks) else span
        at = behind
    return span


def without_indent(reply: ReplyText, span: Span, indent: int, code: str) -> str:
    """The lines of a span without the indentation that their marks have; empty lines may lack it.

    Raises BrokenBlock with `code` for a line that has less.
    """
    text = reply.text[span.start : span.end]
    if not indent:
        return text
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if line.strip() and line[:indent].strip(" "):
            raise BrokenBlock(
                code,
                "The line is indented less than the mark at which its block begins.",
                "Indent all lines of the block alike, or none.",
                reply.line(span.start) + number,
            )
    return "\n".join(line[indent:] for line in lines)


def found_around(reply: ReplyText, spans: Iterable[Span], pattern: re.Pattern[str]) -> tuple[str, int] | None:
    """What a pattern, beginning with a line end, finds first outside of all spans; the offset of its line."""
    edges = [0, *(edge for span in spans for edge in span), len(reply.text)]
    for start, end in zip(edges[::2], edges[1::2], strict=True):
        # With a line end before it the first line is found as all others are.
        found = pattern.search(f"\n{reply.text[start:end]}")
        if found is not None:
            return found[0].strip(), start + found.start()
    return None
