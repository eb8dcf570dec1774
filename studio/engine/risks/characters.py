"""Detection of invisible, control and bidirectional Unicode characters in added text.

They make text appear different from what programs read. The list is that of the display rules; what ordinary
writing needs (joiners in emoji and Indic scripts, direction marks beside Arabic or Hebrew, a byte order mark
at the very start) is excepted.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator
from functools import cache
from itertools import islice

from studio.engine.plan import Fact, Severity
from studio.engine.risks.added_lines import Run
from studio.values import Value

_CONTROLS = "\x00-\x08\x0b\x0e-\x1f\x7f-\x9f"
# With these, visible code differs from the code that runs (Trojan Source, CVE-2021-42574).
_TURNING = "\u202a-\u202e\u2066-\u2069"
_MARKS = "\u061c\u200e\u200f"
_JOINERS = "\u200c\u200d"
_INVISIBLE = (
    "\u00ad\u034f\u115f\u1160\u17b4\u17b5\u180e\u200b\u2060-\u2065\u206a-\u206f\u2800\u3164\ufeff\uffa0"
    "\ufff0-\ufffb\U0001d173-\U0001d17a"
)
_SELECTORS = "\u180b-\u180d\u180f\ufe00-\ufe0f\U000e0100-\U000e01ef"
# A whole alphabet without visible glyphs: agents read in it what no person sees.
_TAGS = "\U000e0000-\U000e007f"
_SEPARATORS = "\u2028\u2029"
_SPACES = "\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000"

_LONE_RETURN = r"\r(?!\n)"
_ASCII_ODD = re.compile(rf"[\x00-\x08\x0b\x0e-\x1f\x7f]|{_LONE_RETURN}")
_ASCII_PLAIN = bytes((*b"\t\n\f", *range(0x20, 0x7F)))
_ODD = re.compile(
    rf"[{_CONTROLS}{_TURNING}{_MARKS}{_JOINERS}{_INVISIBLE}{_SELECTORS}{_TAGS}{_SEPARATORS}{_SPACES}]"
    rf"|{_LONE_RETURN}"
)
_IS_MARK, _IS_SELECTOR, _IS_TAG = (re.compile(f"[{each}]").match for each in (_MARKS, _SELECTORS, _TAGS))
_PLACES_PER_LINE = 100
"""Limit of reported characters of each kind on a line."""

_EXCUSED_PER_LINE = 10_000
"""Limit per line and kind, beyond which even ordinary uses are reported."""

_IS_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u061b\u061d-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
).search
# In Arabic, Syriac, Indian scripts, Myanmar and Khmer, U+200C and U+200D control the joining of letters.
_IS_JOINED = re.compile("[\u0600-\u07ff\u0860-\u0dff\u1000-\u109f\u1780-\u18af]").match
# Thai, Lao, Burmese and Khmer have no spaces between words; U+200B marks where a line may break.
_IS_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]").match
_IS_IDEOGRAPH = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af]").match
_EMOJI_SELECTOR = "\ufe0f"
_WEIGHT = {Severity.NOTE: 0, Severity.WARNING: 1, Severity.DANGER: 2}
_KEYCAP = "\u20e3"
_FLAG_START = "\U0001f3f4"
_NAMES = {"\r": "carriage return", "\x1b": "escape", "\x08": "backspace", "\x00": "NUL", "\x7f": "delete"}


class _Kind(Value):
    name: str
    severity: Severity
    effect: str


_REORDERS = _Kind("bidi", Severity.DANGER, "this line is shown in another order than programs read it")
_MARK = _Kind("bidi", Severity.WARNING, "this line may be shown in another order than programs read it")
_HIDDEN = _Kind("invisible", Severity.WARNING, "invisible here, but read by programs")
_TAG = _Kind("invisible", Severity.DANGER, "invisible text")
_CONTROL = _Kind(
    "control", Severity.WARNING, "a control character, which terminals interpret instead of showing"
)
_RETURN = _Kind("control", Severity.WARNING, "inside a line; terminals overwrite the text before it")
_BREAK = _Kind("invisible", Severity.WARNING, "the end of a line for some programs and not for others")
_SPACE = _Kind("odd_space", Severity.NOTE, "not a plain space, although it is displayed like one")

_PATTERNS: tuple[tuple[re.Pattern[str], _Kind], ...] = tuple(
    (re.compile(pattern), kind)
    for pattern, kind in (
        (f"[{_TURNING}]", _REORDERS),
        (f"[{_MARKS}]", _MARK),
        (f"[{_TAGS}]", _TAG),
        (f"[{_SEPARATORS}]", _BREAK),
        (f"[{_SPACES}]", _SPACE),
        (_LONE_RETURN, _RETURN),
        (f"[{_CONTROLS}]", _CONTROL),
        (f"[{_JOINERS}{_INVISIBLE}{_SELECTORS}]", _HIDDEN),
    )
)


def character_facts(runs: Iterable[Run]) -> Iterator[Fact]:
    """Yield one fact for each line and kind of unusual character.

    Its place is the first such character.
    """
    for run in runs:
        for index in _find_unusual_lines(run):
            by_name: dict[str, list[tuple[int, _Kind]]] = {}
            for pattern, kind in _PATTERNS:
                for offset in _find_offsets(run, index, pattern):
                    by_name.setdefault(kind.name, []).append((offset, kind))
            for name, found in by_name.items():
                gravest = max((kind for _, kind in found), key=lambda kind: _WEIGHT[kind.severity])
                offsets = sorted(offset for offset, _ in found)
                message = f"{_list_of(run.text[offset] for offset in offsets)}: {gravest.effect}."
                column = offsets[0] - run.starts[index] + 1
                yield Fact(name, gravest.severity, message, "result", run.first_line + index, column)


def _find_unusual_lines(run: Run) -> Iterator[int]:
    """Yield the 0-based lines of a run with unusual characters."""
    text = run.text
    # A tenth of the time that the expression takes.
    if text.isascii() and not text.encode().translate(None, _ASCII_PLAIN):
        return
    unusual = _ASCII_ODD if run.raw.isascii() else _ODD
    position = 0
    while (first := unusual.search(text, position)) is not None:
        index = run.index_of(first.start())
        position = run.starts[index + 1]
        yield index


def _find_offsets(run: Run, index: int, pattern: re.Pattern[str]) -> Iterator[int]:
    """Yield the offsets of one kind in a line, except ordinary uses."""
    start, end = run.starts[index], run.starts[index + 1]
    is_right_to_left = cache(lambda: _IS_RIGHT_TO_LEFT(run.text, start, end) is not None)
    found = (
        match.start()
        for number, match in enumerate(pattern.finditer(run.text, start, end))
        if number >= _EXCUSED_PER_LINE or not _is_ordinary(run, match.start(), is_right_to_left)
    )
    return islice(found, _PLACES_PER_LINE)


def _list_of(characters: Iterable[str]) -> str:
    """Return the first three distinct characters by number and name."""
    distinct = list(dict.fromkeys(characters))
    shown = [f"U+{ord(character):04X} ({_character_name(character)})" for character in distinct[:3]]
    more = len(distinct) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def _character_name(character: str) -> str:
    return _NAMES.get(character) or unicodedata.name(character, "control character").lower()


def _is_ordinary(run: Run, offset: int, is_right_to_left: Callable[[], bool]) -> bool:
    """Return whether the character at `offset` has its ordinary use."""
    text = run.text
    character = text[offset]
    before = text[max(0, offset - 1) : offset]
    after = text[offset + 1 : offset + 2]
    if character == "\ufeff":
        return offset == 0 and run.first_line == 1
    if character in _JOINERS:
        return _IS_JOINED(before) is not None or (_is_foreign(before) and _is_foreign(after))
    if character == "\u200b":
        return _IS_UNSPACED(before) is not None
    if _IS_MARK(character):
        return is_right_to_left()
    if character >= "\U000e0100" and _IS_SELECTOR(character):
        return _IS_IDEOGRAPH(before) is not None
    if _IS_SELECTOR(character):
        return (_is_foreign(before) and before != _EMOJI_SELECTOR) or after == _KEYCAP
    if _IS_TAG(character):
        return _is_flag(text, offset)
    if character == "\u2800":
        return any("\u2801" <= each <= "\u28ff" for each in (before, after) if each)
    return False


def _is_foreign(neighbour: str) -> bool:
    """Return whether it is visible non-ASCII or the emoji selector.

    The selector may be between such a character and a joiner.
    """
    return neighbour > "\x7f" and (neighbour == _EMOJI_SELECTOR or _ODD.match(neighbour) is None)


def _is_flag(text: str, offset: int) -> bool:
    """Return whether a tag character belongs to a region flag emoji.

    Such a sequence has at most seven tags.
    """
    start = text.rfind(_FLAG_START, max(0, offset - 8), offset)
    return start >= 0 and all("\U000e0030" <= each <= "\U000e007f" for each in text[start + 1 : offset + 1])
