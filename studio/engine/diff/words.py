"""Which words differ inside a changed pair of lines; computed for visible pairs only."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate

from rapidfuzz.distance import Indel

LONGEST_LINE = 2000
"""Characters per line that are compared word by word; of longer lines only the middle that differs is."""
SMALLEST_EQUAL_PART = 0.25
"""Below this share of equal characters marks say nothing (look.md 4.6)."""

_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class WordSpans:
    """The parts that differ, as (start, end) in characters of each line, ascending and disjoint."""

    old: tuple[Span, ...]
    new: tuple[Span, ...]


def word_spans(old: str, new: str) -> WordSpans | None:
    """Mark what differs between two lines; None where less than a quarter of the line is equal.

    Parts of at most one character between two marks are marked with them.
    """
    if old == new:
        return WordSpans((), ())
    if len(old) <= LONGEST_LINE and len(new) <= LONGEST_LINE:
        return _spans(old, new, 0, 0)
    start = _common_prefix(old, new)
    end = _common_prefix(old[: start - len(old) - 1 : -1], new[: start - len(new) - 1 : -1])
    old_middle, new_middle = old[start : len(old) - end], new[start : len(new) - end]
    if len(old_middle) <= LONGEST_LINE and len(new_middle) <= LONGEST_LINE:
        return _spans(old_middle, new_middle, start, _visible(old[:start]) + _visible(old[len(old) - end :]))
    if start + end < SMALLEST_EQUAL_PART * max(len(old), len(new)):
        return None
    return WordSpans(_kept([(start, len(old) - end)]), _kept([(start, len(new) - end)]))


def _spans(old: str, new: str, start: int, equal_outside: int) -> WordSpans | None:
    """Spans of two texts that begin `start` characters into their lines.

    `equal_outside` counts the visible characters of the lines around them that are equal.
    """
    old_tokens, new_tokens = _TOKENS.findall(old), _TOKENS.findall(new)
    old_at = list(accumulate(map(len, old_tokens), initial=0))
    new_at = list(accumulate(map(len, new_tokens), initial=0))
    old_marks: list[Span] = []
    new_marks: list[Span] = []
    old_marked = 0
    for code in Indel.opcodes(old_tokens, new_tokens):
        if code.tag != "equal":
            first, end = old_at[code.src_start], old_at[code.src_end]
            old_marked += _visible(old[first:end])
            old_marks.append((first + start, end + start))
            new_marks.append((new_at[code.dest_start] + start, new_at[code.dest_end] + start))
    old_visible = _visible(old)
    equal = old_visible - old_marked + equal_outside
    if equal < SMALLEST_EQUAL_PART * (max(old_visible, _visible(new)) + equal_outside):
        return None
    return WordSpans(_kept(old_marks), _kept(new_marks))


def _visible(text: str) -> int:
    """How many characters are neither space nor tab."""
    return len(text) - text.count(" ") - text.count("\t")


def _kept(marks: Iterable[Span]) -> tuple[Span, ...]:
    """Leave out empty marks and join those with at most one character between them."""
    kept: list[Span] = []
    for start, end in marks:
        if start == end:
            continue
        if kept and start - kept[-1][1] <= 1:
            kept[-1] = (kept[-1][0], end)
        else:
            kept.append((start, end))
    return tuple(kept)


def _common_prefix(one: str, other: str) -> int:
    """How many leading characters two texts share; halving keeps it quick on very long lines."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
