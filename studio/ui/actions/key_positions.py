"""Latin letters of keys by their position, for layouts that have none."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Mapping

from PySide6.QtGui import QKeyEvent

LETTERS = "QWERTYUIOPASDFGHJKLZXCVBNM"
# X11 and Wayland number the keys of a row without gaps (Linux's input-event-codes.h, plus 8).
_CODES = dict(zip((*range(24, 34), *range(38, 47), *range(52, 59)), LETTERS, strict=True))

# xkeyboard-config: ru, ua, by, gr, il, ara, ir; a blank where a key has no letter, or two.
_LAYOUTS = (
    "йцукенгшщзфывапролдячсмить",
    "йцукенгшщзфівапролдячсмить",
    "йцукенгшўзфывапролдячсмить",
    " ςερτυθιοπασδφγηξκλζχψωβνμ",
    "  קראטוןםפשדגכעיחלךזסבהנמצ",
    "ضصثقفغعهخحشسيبلاتنمئءؤر ىة",
    "ضصثقفغعهخحشسیبلاتنمظطزرذدئ",
)


def letter_at(event: QKeyEvent) -> str:
    """Return the US letter of a key that types a letter of another script.

    Empty for keys of Latin layouts, whose letters are where their own layout has them.
    """
    text = event.text()
    if sys.platform != "linux" or len(text) != 1 or unicodedata.category(text)[0] not in "LM":
        return ""
    return (
        "" if unicodedata.name(text, "LATIN").startswith("LATIN") else _CODES.get(event.nativeScanCode(), "")
    )


def letters_in_hand(seen: Mapping[str, str]) -> dict[str, str]:
    """Return what keys type, by Latin letter: as seen, and where all fitting layouts agree."""
    if not seen:
        return {}
    layouts = [dict(zip(LETTERS, layout, strict=True)) for layout in _LAYOUTS]
    fitting = [layout for layout in layouts if all(layout[key] == typed for key, typed in seen.items())]
    agreed = set.intersection(*(set(layout.items()) for layout in fitting)) if fitting else set()
    return {key: typed for key, typed in agreed if typed != " "} | dict(seen)
