"""Names of files: the strict parser of every untrusted door, safe display, and the twins of a name.

Nothing here touches a disk. A name is taken exactly as given or refused; it is never bent (R31). That it
also leads nowhere outside is proved again by the handles of `root`.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from studio.engine.errors import Refused
from studio.engine.limits import PATH_BYTES, PATH_DEPTH, SEGMENT_BYTES

CONFIGURATION_NAME: Final = "studio.yaml"
"""The project's own configuration file, at the root."""

_RESERVED = frozenset(
    ["CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$"]
    + [f"{device}{digit}" for device in ("COM", "LPT") for digit in "123456789\u00b9\u00b2\u00b3"]
)
# What HFS+ leaves out when it compares names.
_IGNORABLE = dict.fromkeys([*range(0x200C, 0x2010), *range(0x202A, 0x202F), *range(0x206A, 0x2070), 0xFEFF])
_GIT_SHORT_NAME = re.compile(r"git~[0-9]+")
_CONFIGURATION_SHORT_NAME = re.compile(r"studio~[0-9]+\.yam")
# Printable by category, yet drawn as nothing or as a blank.
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
_RELATIVE = "Name the file relative to the project's folder."
# The order is part of the promise: one input, one code.
_PATH_RULES: tuple[tuple[str, re.Pattern[str], str, str], ...] = tuple(
    (code, re.compile(broken, re.DOTALL), reason, hint)
    for code, broken, reason, hint in (
        ("name.not_utf8", ".*[\ud800-\udfff]", "is not UTF-8", "Names are UTF-8 text."),
        (
            "name.control",
            ".*[\x00-\x1f\x7f-\x9f]",
            "contains a control character",
            "Leave out NUL, line ends and other controls.",
        ),
        ("name.unc", r"//|\\\\", "names a network share", _RELATIVE),
        ("name.absolute", "/", "is absolute", _RELATIVE),
        ("name.drive", "[A-Za-z]:", "names a drive", _RELATIVE),
        ("name.backslash", r".*\\", "contains a backslash", "Separate folders with forward slashes."),
        (
            "name.stream",
            ".*:",
            "contains a colon, which names a stream on Windows",
            "Choose a name without a colon.",
        ),
    )
)
_SEGMENT_RULES = (
    ("name.empty_component", "", "has an empty segment", "Write single slashes, and none at the end."),
    ("name.climbs", "..", 'climbs with ".."', "Name the file from the project's folder downwards."),
    ("name.dot", ".", 'has a segment "."', 'Leave out "./".'),
)
_SHORT_ESCAPES = {"\t": "\\t", "\n": "\\n", "\r": "\\r"}
_SHOWN_CHARACTERS = 160


class NameRefused(Refused):
    """A proposed path breaks a rule of names; `code` says which (`name.climbs`, `name.absolute`, ...)."""


def parse_name(text: str, *, segment_bytes: int = SEGMENT_BYTES, depth: int = PATH_DEPTH) -> str:
    """Check a path that an untrusted door brought, and return it exactly as given.

    The path is relative to the project root, with forward slashes. `segment_bytes` counts UTF-8 bytes,
    `depth` segments. The checks run in a fixed order, first over the whole path, then segment by segment
    from the left, so that one input always has one answer on every system (R15, R18-R20, R27, R30, R31,
    C1, C2). Raises NameRefused.
    """
    if not text:
        raise NameRefused("name.empty", "A path is empty.", "Name a file inside the project.", path=text)
    for code, broken, reason, hint in _PATH_RULES:
        if broken.match(text):
            raise _refused(text, code, reason, hint)
    segments = text.split("/")
    if len(segments) > depth:
        raise _refused(
            text,
            "name.too_deep",
            f"has {len(segments)} segments; the limit is {depth}",
            "Put the file less deep, or raise limits: depth in the user configuration.",
        )
    if len(text.encode()) > PATH_BYTES:
        raise _refused(
            text, "name.too_long", f"is longer than {PATH_BYTES} bytes", "Choose shorter names on the way."
        )
    for segment in segments:
        _check_segment(text, segment, segment_bytes)
    return text


def _check_segment(text: str, segment: str, segment_bytes: int) -> None:
    for code, named, reason, hint in _SEGMENT_RULES:
        if segment == named:
            raise _refused(text, code, reason, hint)
    if segment.partition(".")[0].rstrip(" ").upper() in _RESERVED:
        raise _refused(
            text,
            "name.reserved",
            f'has a segment "{_shortened(segment)}", which is a device on Windows',
            "Choose another name.",
        )
    if segment[-1] in ". ":
        raise _refused(
            text,
            "name.trailing_dot_or_space",
            "has a segment that ends with a dot or a space, which Windows leaves out",
            "Choose a name that means one file on every system.",
        )
    if len(segment.encode()) > segment_bytes:
        raise _refused(
            text,
            "name.too_long",
            f"has a segment of {len(segment.encode())} bytes; the limit is {segment_bytes}",
            "Choose a shorter name.",
        )


def _refused(text: str, code: str, reason: str, hint: str) -> NameRefused:
    return NameRefused(code, f"The path {_shortened(text)} {reason}.", hint, path=text)


def _shortened(text: str) -> str:
    cut = text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
    return show_name(cut)


def is_hidden_character(character: str) -> bool:
    """Whether one character is drawn as nothing, as a blank other than space, or turns the text around.

    Controls, bidi marks, zero-width and unassigned characters, odd spaces, fillers, variation selectors,
    lone surrogates (safety: display).
    """
    return not character.isprintable() or character in _BLANK


def show_name(text: str) -> str:
    """The name for screens, logs and terminals: every hidden character as an escape such as \\u202e."""
    if text.isprintable() and (text.isascii() or _BLANK.isdisjoint(text)):
        return text
    return "".join(_escaped(character) if is_hidden_character(character) else character for character in text)


def _escaped(character: str) -> str:
    code = ord(character)
    if code < 0x80:
        return _SHORT_ESCAPES.get(character, f"\\x{code:02x}")
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def folded(text: str) -> str:
    """The key under which the spellings collide that some file system takes for one file (C5, Q74).

    Case, Unicode composition, the characters HFS+ leaves out, and the dots and spaces that Windows trims
    from the end of each segment. Idempotent; never for display, never for opening a file.
    """
    key = caseless(text)
    if "." not in key and " " not in key:
        return key
    return "/".join(segment.rstrip(" .") or segment for segment in key.split("/"))


def caseless(text: str) -> str:
    """The part of `folded` that looks at single characters: case, composition and what HFS+ leaves out."""
    if text.isascii():
        return text.lower()
    bare = text.translate(_IGNORABLE)
    once = unicodedata.normalize("NFD", unicodedata.normalize("NFD", bare).casefold())
    # A second round settles the few characters that decompose only after their case is folded.
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", once.casefold()).casefold())


def is_git_alias(segment: str) -> bool:
    """Whether some file system takes this segment for `.git`: case, trailing dots and spaces, a stream,
    the Windows short name, or characters HFS+ leaves out."""
    name = _windows_spelling(segment)
    return name == ".git" or _GIT_SHORT_NAME.fullmatch(name) is not None


def is_configuration_alias(segment: str) -> bool:
    """The same for `studio.yaml`, the project's own configuration."""
    name = _windows_spelling(segment)
    return name == CONFIGURATION_NAME or _CONFIGURATION_SHORT_NAME.fullmatch(name) is not None


def _windows_spelling(segment: str) -> str:
    return folded(segment.partition(":")[0])
