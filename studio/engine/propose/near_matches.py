"""Kinds of near matches: texts that read alike but differ in bytes.

Such differences arise on the way through a screen, a chat or an editor; nothing here decides that they did.
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
"""Typographic characters for plain ones, one for each, so columns stay."""

_TAB_WIDTHS = (8, 4, 2)


@dataclass(frozen=True, slots=True)
class NearMatchKind:
    """One kind of near match.

    `key` is equal for two texts that are alike, and has as many lines as its text. `keeps_columns`: what the
    key keeps of a line stays in its column.
    """

    name: str
    key: Callable[[str], str]
    keeps_columns: bool = True


def _strip_trailing_blanks(text: str) -> str:
    return "\n".join([line.rstrip(_BLANKS) for line in text.split("\n")])


def _replace_typography(text: str) -> str:
    if text.isascii():
        return text
    for plain, others in _PLAIN.items():
        for other in others:
            text = text.replace(other, plain)
    return text


def _tabs_converter(width: int) -> Callable[[str], str]:
    def key(text: str) -> str:
        return text.expandtabs(width) if "\t" in text else text

    return key


NEAR_MATCH_KINDS: Final = (
    NearMatchKind("blanks at the ends of lines", _strip_trailing_blanks),
    NearMatchKind("typographic quotes, dashes or blanks", _replace_typography),
    *(
        NearMatchKind("tabs and the blanks they look like", _tabs_converter(width), False)
        for width in _TAB_WIDTHS
    ),
)
"""All kinds; those of one name differ only in tab width."""
