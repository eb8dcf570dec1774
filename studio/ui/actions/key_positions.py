"""Latin letters of keys by their position, for layouts that have none."""

from __future__ import annotations

import sys
import unicodedata
from collections.abc import Mapping

from PySide6.QtGui import QKeyEvent

LETTERS = "QWERTYUIOPASDFGHJKLZXCVBNM"
# X11 and Wayland number the keys of a row without gaps (Linux's input-event-codes.h, plus 8).
_CODES = dict(zip((*range(24, 34), *range(38, 47), *range(52, 59)), LETTERS, strict=True))

_LAYOUTS = (
    (0x0400, "3946433a353d33484937444b32303f403e3b344f47413c38424c"),  # ru
    (0x0400, "3946433a353d33484937445632303f403e3b344f47413c38424c"),  # ua
    (0x0400, "3946433a353d33485e37444b32303f403e3b344f47413c38424c"),  # by
    (0x0370, "00524551545548494f504153445643474e4a4b46575859424d4c"),  # gr
    (0x0590, "000057584048454f4d545943424b5249474c4a46514144504e56"),  # il
    (0x0600, "36352b42413a39472e2d34334a2844272a464526212431004929"),  # ara
    (0x0600, "36352b42413a39472e2d3433cc2844272a464538373231302f26"),  # ir
)
"""What the letters' keys type in layouts of xkeyboard-config: a block of Unicode, and places in it.

In the order of `LETTERS`; place 00 for keys without a letter, or with two.
"""


def letter_at(event: QKeyEvent) -> str:
    """Return the US letter of a key that types another script.

    Empty for keys of Latin layouts, whose letters are where their own layout has them.
    """
    text = event.text()
    if sys.platform != "linux" or len(text) != 1 or unicodedata.category(text)[0] not in "LM":
        return ""
    is_latin = unicodedata.name(text, "LATIN").startswith("LATIN")
    return "" if is_latin else _CODES.get(event.nativeScanCode(), "")


def letters_in_hand(seen: Mapping[str, str]) -> dict[str, str]:
    """Return what keys type, by Latin letter.

    As seen, and else where all layouts that fit agree.
    """
    if not seen:
        return {}
    layouts = [
        {key: chr(block + place) for key, place in zip(LETTERS, bytes.fromhex(places), strict=True) if place}
        for block, places in _LAYOUTS
    ]
    fitting = [layout for layout in layouts if all(layout.get(key) == typed for key, typed in seen.items())]
    agreed = set.intersection(*(set(layout.items()) for layout in fitting)) if fitting else set()
    return dict(agreed) | dict(seen)
