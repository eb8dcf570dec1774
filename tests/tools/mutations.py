"""Five ways to damage a diff of one file, each drawn at random."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping

_HEADER = re.compile(rb"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")

Mutation = Callable[[list[bytes], bytes, random.Random], list[bytes]]
"""Takes the hunks of a diff with their headers, and a hunk of another file; gives the damaged hunks."""


def mutate(kind: str, text: bytes, other: bytes, chance: random.Random) -> bytes:
    """The diff `text` damaged as one of MUTATIONS says; `other` is the diff of another file."""
    head, *hunks = split_hunks(text)
    return head + b"".join(MUTATIONS[kind](hunks, split_hunks(other)[1], chance))


def split_hunks(text: bytes) -> list[bytes]:
    """The headers of a diff of one file, then each hunk with its own header line."""
    return re.split(rb"(?m)^(?=@@ )", text)


def _change_context(hunks: list[bytes], _other: bytes, chance: random.Random) -> list[bytes]:
    lines = [(at, start) for at, hunk in enumerate(hunks) for start in _starts(hunk, b" ")]
    # A hunk over a whole file has no context: what it removes must stand in the file all the same.
    lines = lines or [(at, start) for at, hunk in enumerate(hunks) for start in _starts(hunk, b"-")]
    at, start = chance.choice(lines)
    hunk = hunks[at]
    place = chance.randrange(start + 1, hunk.index(b"\n", start) + 1)
    old = hunk[place : place + 1]
    new = chance.choice([sign for sign in (b"a", b"Z", b"0", b" ", b"~") if sign != old])
    # At the end of the line the character is added: the line feed is no character of it.
    changed = hunk[:place] + new + hunk[place + (old != b"\n") :]
    return [*hunks[:at], changed, *hunks[at + 1 :]]


def _starts(hunk: bytes, sign: bytes) -> list[int]:
    return [match.start() + 1 for match in re.finditer(rb"\n" + re.escape(sign), hunk)]


def _shift_numbers(hunks: list[bytes], _other: bytes, chance: random.Random) -> list[bytes]:
    """Both starts of one hunk move by the same number of lines, and those of all hunks after it."""
    first = chance.randrange(len(hunks))
    old_start, _, new_start, _ = _numbers(hunks[first])
    by = chance.choice([by for by in range(-min(old_start, new_start, 40), 41) if by])
    return hunks[:first] + [_with_numbers(hunk, by, 0, by, 0) for hunk in hunks[first:]]


def _miscount(hunks: list[bytes], _other: bytes, chance: random.Random) -> list[bytes]:
    at = chance.randrange(len(hunks))
    _, old_lines, _, new_lines = _numbers(hunks[at])
    choices = [(1, 0), (0, 1), (1, 1), (-1, 0), (0, -1), (-1, -1)]
    old, new = chance.choice([(o, n) for o, n in choices if old_lines + o >= 0 and new_lines + n >= 0])
    return [*hunks[:at], _with_numbers(hunks[at], 0, old, 0, new), *hunks[at + 1 :]]


def _truncate(hunks: list[bytes], _other: bytes, chance: random.Random) -> list[bytes]:
    at = chance.randrange(len(hunks))
    lines = hunks[at].split(b"\n")[:-1]
    kept = chance.randrange(1, len(lines))
    return [*hunks[:at], b"".join(line + b"\n" for line in lines[:kept]), *hunks[at + 1 :]]


def _swap(hunks: list[bytes], other: bytes, chance: random.Random) -> list[bytes]:
    """Two hunks change places; a single one is taken for a hunk of another file."""
    if len(hunks) == 1:
        return [other]
    first, second = sorted(chance.sample(range(len(hunks)), 2))
    swapped = list(hunks)
    swapped[first], swapped[second] = swapped[second], swapped[first]
    return swapped


def _numbers(hunk: bytes) -> tuple[int, int, int, int]:
    header = _HEADER.match(hunk)
    assert header is not None
    return int(header[1]), int(header[2] or 1), int(header[3]), int(header[4] or 1)


def _with_numbers(hunk: bytes, *by: int) -> bytes:
    numbers = tuple(number + more for number, more in zip(_numbers(hunk), by, strict=True))
    return _HEADER.sub(b"@@ -%d,%d +%d,%d @@" % numbers, hunk, count=1)


MUTATIONS: Mapping[str, Mutation] = {
    "changed context character": _change_context,
    "shifted numbers": _shift_numbers,
    "wrong counts": _miscount,
    "truncated hunk": _truncate,
    "swapped hunks": _swap,
}
