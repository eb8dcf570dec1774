"""Repair of malformed submissions: fence, line prefixes, hunk counts, missing leading blanks.

The result of each is parsed strictly. Where two repairs would do, or one only by guessing, there is none;
none is applied unless requested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from msgspec.structs import replace

from studio.engine import Fact, PlanDraft, PolicyLimits
from studio.errors import Refused
from studio.formats import detect, unified
from studio.formats.detect import AUTO, UNKNOWN
from studio.formats.limits import REPAIRED_TEXT_BYTES
from studio.limits import NAMED_LINES_UP_TO
from studio.values import Value

_MARKS: Final = (b"> ", b"$ ")
_FENCED = re.compile(rb"\s*(`{3,}|~{3,})[^`\n]*\n(.*?\n)\1[ \t]*\s*\Z", re.DOTALL)
_AMBIGUOUS: Final = "format.ambiguous"

Lines = list[bytes]
"""The lines of a text without their ends."""


class _Attempt(Value):
    name: str
    text: bytes
    lines: tuple[int, ...] = ()
    """1-based lines of the submitted text that the repair changes."""
    of_diff: bool = True
    """Only for diffs."""

    @property
    def sentence(self) -> str:
        if not self.lines:
            return self.name
        shown = ", ".join(map(str, self.lines[:NAMED_LINES_UP_TO]))
        more = ", …" if len(self.lines) > NAMED_LINES_UP_TO else ""
        return f"{self.name}, at {'line' if len(self.lines) == 1 else 'lines'} {shown}{more} of the text"


def consider_repair(draft: PlanDraft, data: bytes, limits: PolicyLimits, *, takes_repairs: bool) -> PlanDraft:
    """Add to an unreadable draft the one repair that would help.

    With `takes_repairs` return the draft of the repaired text. Any other draft is returned unchanged.
    """
    if not draft.problems or len(data) > REPAIRED_TEXT_BYTES:
        return draft
    if any(problem.code == _AMBIGUOUS for problem in draft.problems):
        return draft
    found: list[tuple[_Attempt, PlanDraft]] = []
    format_name = AUTO if draft.format == UNKNOWN else draft.format
    for attempt in _attempts(data):
        if attempt.of_diff and draft.format not in (unified.NAME, UNKNOWN):
            continue
        try:
            repaired = detect.read(
                attempt.text, unified.NAME if attempt.of_diff else format_name, limits=limits
            )
        except Refused:
            continue
        if not repaired.problems:
            found.append((attempt, repaired))
    if len(found) != 1:
        return draft
    ((attempt, repaired),) = found
    if takes_repairs:
        message = f"The text could not be read as it was submitted, and was repaired: {attempt.sentence}."
        fact = Fact.of_repair(message)
        steps = tuple(replace(step, repaired=fact) for step in repaired.steps)
        return replace(repaired, steps=steps, repair=attempt.sentence)
    first, *others = draft.problems
    message = f"It could be read with one repair: {attempt.sentence}. Submit it with the option repair."
    hint = f"{message} {first.hint}"
    return replace(draft, problems=(replace(first, hint=hint), *others), repair=attempt.sentence)


def _attempts(data: bytes) -> Iterator[_Attempt]:
    fenced = _FENCED.match(data)
    if fenced is not None and fenced[1] not in fenced[2]:
        yield _Attempt("the code fence around it", fenced[2])
    if not data.endswith(b"\n"):
        # It may be cut off: what its last line was is unknown.
        return
    lines = data.split(b"\n")[:-1]
    for mark in _MARKS:
        if all(line.startswith(mark) or line == mark.rstrip() for line in lines):
            name = f"the mark “{mark.decode().rstrip()}” before every line"
            yield _Attempt(name, _join([line[len(mark) :] for line in lines]), of_diff=False)
    repairs: Sequence[tuple[str, Callable[[Lines], Lines | None]]] = (
        ("wrong numbers in the headers of hunks", recount_hunks),
        (
            "the blank that empty lines of a hunk have lost",
            lambda lines: restore_lost_blanks(lines, every=False),
        ),
        (
            "the first blank that all unchanged lines have lost",
            lambda lines: restore_lost_blanks(lines, every=True),
        ),
    )
    if not any(HunkHeader.of(line) for line in lines):
        return
    for name, repair in repairs:
        repaired = repair(lines)
        if repaired is not None:
            pairs = enumerate(zip(lines, repaired, strict=True), start=1)
            differing = tuple(number for number, (one, other) in pairs if one != other)
            if differing:
                yield _Attempt(name, _join(repaired), differing)


def _join(lines: Lines) -> bytes:
    return b"".join([line + b"\n" for line in lines])


# Repair of unreadable hunks: corrected counts, or restored leading blanks.

_HEADER = re.compile(rb"@@ -([0-9]{1,9})(?:,([0-9]{1,9}))? \+([0-9]{1,9})(?:,([0-9]{1,9}))? @@(?=[ \n]|\Z)")
_SIGNS = b" +-\\"
_BEGINS_OTHER = (b"@@ ", b"diff --git ")
_SIGNATURE = (b"-- ", b"--")
"""A mail's signature, which looks like a removed line."""


class HunkHeader(Value):
    """A hunk header: its four numbers, and the text after them."""

    old_start: int
    old_lines: int
    new_start: int
    new_lines: int
    rest: bytes

    @staticmethod
    def of(line: bytes) -> HunkHeader | None:
        """Parse a line; return None if it is no hunk header."""
        match = _HEADER.match(line)
        if match is None:
            return None
        old_start, old_lines, new_start, new_lines = match.groups()
        return HunkHeader(
            int(old_start), int(old_lines or 1), int(new_start), int(new_lines or 1), line[match.end() :]
        )

    @property
    def line(self) -> bytes:
        """The header as a line of a diff."""
        numbers = (self.old_start, self.old_lines, self.new_start, self.new_lines)
        return b"@@ -%d,%d +%d,%d @@" % numbers + self.rest


def recount_hunks(lines: list[bytes]) -> list[bytes] | None:
    """Return the lines with corrected counts, and the new starts they imply.

    Returns None where the end of a hunk is uncertain: before anything that is no line of a diff, where
    another file may begin, and at the end of a text with fewer lines than counted, as it may be cut off.
    """
    corrected = list(lines)
    shift = at = 0
    while at < len(lines):
        header = HunkHeader.of(lines[at])
        if header is None:
            shift = 0
            at += 1
            continue
        end = _body_end(lines, at + 1)
        if end is None:
            return None
        body = lines[at + 1 : end]
        old = sum(line[:1] in (b" ", b"-") for line in body)
        new = sum(line[:1] in (b" ", b"+") for line in body)
        if end == len(lines) and (old < header.old_lines or new < header.new_lines):
            return None
        if bool(old) != bool(header.old_lines):
            # The start of an empty side is counted differently: it may mean this line or the one after.
            return None
        first = header.old_start - 1 if old else header.old_start
        corrected_header = HunkHeader(header.old_start, old, first + shift + bool(new), new, header.rest)
        if (old, new) != (
            header.old_lines,
            header.new_lines,
        ) or corrected_header.new_start != header.new_start:
            corrected[at] = corrected_header.line
        shift += new - old
        at = end
    return corrected


def _body_end(lines: list[bytes], start: int) -> int | None:
    """Return the end of a hunk's body; None where that is uncertain."""
    at = start
    while at < len(lines) and lines[at] and lines[at][0] in _SIGNS:
        begins_file = (
            lines[at].startswith(b"--- ") and lines[at + 1 : at + 2] and lines[at + 1].startswith(b"+++ ")
        )
        if begins_file or lines[at] in _SIGNATURE:
            return None
        at += 1
    return at if at == len(lines) or lines[at].startswith(_BEGINS_OTHER) else None


def restore_lost_blanks(lines: list[bytes], *, every: bool) -> list[bytes] | None:
    """Return the lines with the lost leading blank of context lines restored.

    With `every` that is all context lines, else the empty ones only. Hunks end where their counts are met;
    returns None where they never are, or a line has lost something else.
    """
    restored = list(lines)
    has_lost_text = False
    at = 0
    while at < len(lines):
        header = HunkHeader.of(lines[at])
        at += 1
        if header is None:
            continue
        old, new = header.old_lines, header.new_lines
        while old or new:
            if at == len(lines) or lines[at].startswith(_BEGINS_OTHER):
                return None
            sign = lines[at][:1]
            is_context = sign not in (b"+", b"-", b"\\")
            if is_context and sign != b" ":
                is_empty = lines[at] in (b"", b"\r")
                has_lost_text = has_lost_text or not is_empty
                if not every and not is_empty:
                    return None
                restored[at] = b" " + lines[at]
            elif is_context and every:
                restored[at] = b" " + lines[at]
            old -= is_context or sign == b"-"
            new -= is_context or sign == b"+"
            if old < 0 or new < 0:
                return None
            at += 1
    return restored if has_lost_text == every else None
