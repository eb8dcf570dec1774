"""Ways in which a text may say the same as a file and hold other bytes, each with its name.

What was lost on the way through a screen, a chat or an editor: nothing here decides that it was lost.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

_BLANKS = " \t"
_PLAIN: Final = {
    "'": "\u2018\u2019\u201a\u201b",
    '"': "\u201c\u201d\u201e\u201f",
    "-": "\u2010\u2011\u2012\u2013\u2014\u2212",
    " ": "\u00a0\u2007\u202f",
}
"""What an editor of prose makes of plain characters, one for each: no place in a line moves."""

_TAB_WIDTHS = (8, 4, 2)


@dataclass(frozen=True, slots=True)
class Likeness:
    """`key` is the same for two texts that are alike, and has as many lines as its text.

    `keeps_columns`: what of a line the key keeps stands where it stood.
    """

    name: str
    key: Callable[[str], str]
    keeps_columns: bool = True


def _without_trailing_blanks(text: str) -> str:
    return "\n".join([line.rstrip(_BLANKS) for line in text.split("\n")])


def _with_plain_characters(text: str) -> str:
    if text.isascii():
        return text
    for plain, others in _PLAIN.items():
        for other in others:
            text = text.replace(other, plain)
    return text


def _tabs_of(width: int) -> Callable[[str], str]:
    def key(text: str) -> str:
        return text.expandtabs(width) if "\t" in text else text

    return key


LIKENESSES: Final = (
    Likeness("blanks at the ends of lines", _without_trailing_blanks),
    Likeness("typographic quotes, dashes or blanks", _with_plain_characters),
    *(Likeness("tabs and the blanks they look like", _tabs_of(width), False) for width in _TAB_WIDTHS),
)
"""Those of one name are one repair: they only differ in how wide a tab was."""
