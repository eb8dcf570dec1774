"""Safe display of untrusted text on screens, in logs and on terminals.

A terminal would obey control characters in it.
"""

from __future__ import annotations

# Printable by category, yet invisible or drawn as a blank.
_BLANK = frozenset(
    map(
        chr,
        [
            0x034F,
            0x115F,
            0x1160,
            0x17B4,
            0x17B5,
            *range(0x180B, 0x1810),
            0x2800,
            0x3164,
            *range(0xFE00, 0xFE10),
            0xFFA0,
            *range(0xE0100, 0xE01F0),
        ],
    )
)
_SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}


def is_hidden_character(character: str) -> bool:
    """Return whether a character is invisible or disguises text.

    Controls, bidi marks, zero-width and unassigned characters, blanks other than space, fillers, variation
    selectors, lone surrogates: names and text from outside could forge our own words with them.
    """
    return not character.isprintable() or character in _BLANK


def show_name(text: str) -> str:
    """Return a name with every hidden character escaped, as \\u202e."""
    if text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text)):
        return text
    return "".join(_escape(character) if is_hidden_character(character) else character for character in text)


def show_lines(text: str) -> str:
    """Escape text as `show_name` does, but keep tabs and line ends."""
    if text.isprintable() and text.isascii():
        return text
    return "\n".join("\t".join(map(show_name, line.split("\t"))) for line in text.split("\n"))


def _escape(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return _SHORT_ESCAPES.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
