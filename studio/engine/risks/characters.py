"""Characters that show a text differently from how programs read it: hidden, reordering, misplaced.

The list is that of the review's display rules; what ordinary writing needs (joiners in emoji and
Indic scripts, direction marks beside Arabic or Hebrew, a byte order mark at the very start) is spared.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice

from studio.engine.plan import Fact, Severity
from studio.engine.risks.runs import Run

_CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"
_TURNING = "\u202a-\u202e\u2066-\u2069"
_MARKS = "\u061c\u200e\u200f"
_JOINERS = "\u200c\u200d"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001d173-\U0001d17a"
)
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
_TAGS = "\U000e0000-\U000e007f"
_SEPARATORS = "\u2028\u2029"
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"

_LONE_RETURN = r"\r(?!\n)"
_ASCII_ODD = re.compile(rf"[\x00-\x08\x0b\x0e-\x1f\x7f]|{_LONE_RETURN}")
_ODD = re.compile(
    rf"[{_CONTROLS}{_TURNING}{_MARKS}{_JOINERS}{_INVISIBLE}{_SELECTORS}{_TAGS}{_SEPARATORS}{_SPACES}]"
    rf"|{_LONE_RETURN}"
)
_IS_MARK, _IS_SELECTOR, _IS_TAG = (re.compile(f"[{each}]").match for each in (_MARKS, _SELECTORS, _TAGS))
_LOOKED_AT_PER_LINE = 100
"""Whoever fills a line with odd characters is told of with the first hundred."""

_RIGHT_TO_LEFT = frozenset(("R", "AL"))
_WEIGHT = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.DANGER: 2}
_KEYCAP = "\u20e3"
_FLAG_START = "\U0001f3f4"
_NAMES = {"\r": "carriage return", "\x1b": "escape", "\x08": "backspace", "\x00": "NUL", "\x7f": "delete"}


@dataclass(frozen=True, slots=True)
class _Kind:
    name: str
    severity: Severity
    effect: str


_REORDERS = _Kind("bidi", Severity.DANGER, "this line is shown in another order than programs read it")
_MARK = _Kind("bidi", Severity.WARNING, "this line may be shown in another order than programs read it")
_HIDDEN = _Kind("invisible", Severity.WARNING, "not to be seen here, but read by programs")
_TAG = _Kind("invisible", Severity.DANGER, "text that cannot be seen")
_CONTROL = _Kind("control", Severity.WARNING, "a control character, which terminals obey instead of showing")
_RETURN = _Kind("control", Severity.WARNING, "inside a line; terminals overwrite what stands before it")
_BREAK = _Kind("invisible", Severity.WARNING, "the end of a line for some programs and not for others")
_SPACE = _Kind("odd_space", Severity.NOTE, "no plain space, though it looks like one")

_KIND_OF: tuple[tuple[re.Pattern[str], _Kind], ...] = tuple(
    (re.compile(f"[{characters}]"), kind)
    for characters, kind in (
        (_TURNING, _REORDERS),
        (_MARKS, _MARK),
        (_TAGS, _TAG),
        (_SEPARATORS, _BREAK),
        (_SPACES, _SPACE),
        (r"\r", _RETURN),
        (_CONTROLS, _CONTROL),
    )
)


def character_facts(runs: Iterable[Run]) -> Iterator[Fact]:
    """One fact for each line and kind of odd character, at the first such character (R193, Q74)."""
    for run in runs:
        for index, offsets in _odd_lines(run):
            by_kind: dict[str, list[tuple[int, _Kind]]] = {}
            for offset in offsets:
                kind = _kind_of(run.text[offset])
                by_kind.setdefault(kind.name, []).append((offset, kind))
            for name, found in by_kind.items():
                gravest = max((kind for _, kind in found), key=lambda kind: _WEIGHT[kind.severity])
                shown = _list_of(run.text[offset] for offset, _ in found)
                column = found[0][0] - run.starts[index] + 1
                message = f"{shown}: {gravest.effect}."
                yield Fact(name, gravest.severity, message, "result", run.first_line + index, column)


def _odd_lines(run: Run) -> Iterator[tuple[int, list[int]]]:
    """The 0-based lines with odd characters, and the offsets of the first of these."""
    odd = _ASCII_ODD if run.raw.isascii() else _ODD
    position = 0
    while (first := odd.search(run.text, position)) is not None:
        index = run.index_of(first.start())
        position = run.starts[index + 1]
        in_line = islice(odd.finditer(run.text, first.start(), position), _LOOKED_AT_PER_LINE)
        is_right_to_left = cache(partial(_is_right_to_left, run.line(index)))
        offsets = [
            match.start() for match in in_line if not _is_ordinary(run, match.start(), is_right_to_left)
        ]
        if offsets:
            yield index, offsets


def _kind_of(character: str) -> _Kind:
    return next((kind for pattern, kind in _KIND_OF if pattern.match(character)), _HIDDEN)


def _list_of(characters: Iterable[str]) -> str:
    """The distinct characters by number and name, the first three of them."""
    distinct = list(dict.fromkeys(characters))
    shown = [f"U+{ord(character):04X} ({_name(character)})" for character in distinct[:3]]
    more = len(distinct) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _name(character: str) -> str:
    return _NAMES.get(character) or unicodedata.name(character, "control character").lower()


def _is_ordinary(run: Run, offset: int, is_right_to_left: Callable[[], bool]) -> bool:
    """Whether the character at `offset` does there what it was made for."""
    text = run.text
    character = text[offset]
    before = text[max(0, offset - 1) : offset]
    after = text[offset + 1 : offset + 2]
    if character == "\ufeff":
        return offset == 0 and run.first_line == 1
    if character in _JOINERS:
        return _is_foreign(before) and _is_foreign(after)
    if _IS_MARK(character):
        return is_right_to_left()
    if _IS_SELECTOR(character):
        return _is_foreign(before) or after == _KEYCAP
    if _IS_TAG(character):
        return _is_flag(text, offset)
    if character == "\u2800":
        return any("\u2801" <= each <= "\u28ff" for each in (before, after) if each)
    return False


def _is_foreign(neighbour: str) -> bool:
    """A visible character outside ASCII, or the emoji selector that may stand between it and a joiner."""
    return neighbour > "\x7f" and (neighbour == "\ufe0f" or _ODD.match(neighbour) is None)


def _is_right_to_left(line: str) -> bool:
    """Whether a line holds Arabic, Hebrew or their like."""
    return any(unicodedata.bidirectional(each) in _RIGHT_TO_LEFT and each not in _MARKS for each in line)


def _is_flag(text: str, offset: int) -> bool:
    """Whether a tag character belongs to the emoji of a region's flag, at most seven tags long."""
    start = text.rfind(_FLAG_START, max(0, offset - 8), offset)
    return start >= 0 and all("\U000e0030" <= each <= "\U000e007f" for each in text[start + 1 : offset + 1])
