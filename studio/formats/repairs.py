"""Named repairs of unreadable texts, mostly diffs.

The result of each is parsed strictly. Where two repairs would do, or one only by guessing, there is none;
none is applied unless requested.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from studio.engine.draft import REPAIRED, PlanDraft
from studio.engine.errors import Refused
from studio.engine.limits import NAMED_LINES_UP_TO, REPAIRED_TEXT_BYTES
from studio.engine.plan import Fact, Severity
from studio.engine.policy import PolicyLimits
from studio.formats import detect, unified
from studio.formats.detect import AUTO, UNKNOWN
from studio.formats.hunk_lines import HunkHeader, recount_hunks, restore_lost_blanks

_MARKS: Final = (b"> ", b"$ ")
_FENCED = re.compile(rb"\s*(`{3,}|~{3,})[^`\n]*\n(.*?\n)\1[ \t]*\s*\Z", re.DOTALL)
_AMBIGUOUS: Final = "format.ambiguous"

Lines = list[bytes]
"""The lines of a text without their ends."""


@dataclass(frozen=True, slots=True)
class _Attempt:
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
        fact = Fact(REPAIRED, Severity.WARNING, message)
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
