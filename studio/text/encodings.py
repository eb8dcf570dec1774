"""Table of supported text encodings with labels and codecs; strict encoding.

Python's codecs include some that are no text encodings.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

_LABELS: Final[Mapping[str, str]] = {
    "ascii": "us-ascii",
    "utf-8": "utf8",
    "utf-16-le": "utf-16le",
    "utf-16-be": "utf-16be",
    "windows-1252": "cp1252",
    "shift_jis": "cp932 sjis ms932 ms-kanji windows-31j x-sjis",
    "euc-jp": "eucjp x-euc-jp ujis",
    "gb18030": "",
    "gbk": "cp936 ms936 x-gbk gb2312 euc-cn chinese",
    "big5": "cp950 ms950 big5-tw cn-big5 x-x-big5",
    "euc-kr": "cp949 ms949 uhc euckr korean ks-c-5601-1987 ksc5601 windows-949",
    "koi8-r": "koi8 koi",
    "koi8-u": "",
    **{f"windows-{number}": f"cp{number} x-cp{number}" for number in (1250, 1251, *range(1253, 1259))},
    "windows-874": "cp874 tis-620",
    "iso-8859-1": "latin1 latin-1 iso8859-1 l1",
    **{f"iso-8859-{number}": f"iso8859-{number}" for number in (*range(2, 12), *range(13, 17))},
    "ibm866": "cp866",
    "cp437": "ibm437",
    "cp850": "ibm850",
    "cp852": "ibm852",
    "mac-roman": "macintosh macroman x-mac-roman",
    "mac-cyrillic": "maccyrillic x-mac-cyrillic",
}
"""The listed names, with the other labels of WHATWG and Python, in lower case with hyphens.

All encode ASCII as single bytes, or are UTF-16, and none is stateful.
"""
ENCODINGS: Final[Mapping[str, str]] = {
    label: name for name, labels in _LABELS.items() for label in (name.replace("_", "-"), *labels.split())
}
"""The names by their labels."""

# As in WHATWG, whose encodings of these names have Windows'
# extensions: Python's codecs of the names refuse them.
_CODECS: Final[Mapping[str, str]] = {
    "shift_jis": "cp932",
    "euc-kr": "cp949",
    "big5": "cp950",
    "windows-874": "cp874",
}
MULTI_BYTE: Final = frozenset({"cp932", "euc-jp", "gb18030", "gbk", "cp950", "cp949"})
"""Codecs with multi-byte characters, in most of which some bytes are ASCII."""
_TITLES: Final[Mapping[str, str]] = {"cp932": "Shift-JIS", "cp949": "EUC-KR", "cp950": "Big5", "gbk": "GBK"}
NAME_ONE: Final = (
    "Use a name such as utf-8, utf-16-le, windows-1252, shift_jis, gb18030, euc-kr, big5 or koi8-r; the "
    "documentation lists all under Formats."
)
"""Hint for an unknown label."""


def name_of(label: str) -> str | None:
    """Return the encoding name for a label, None if not listed."""
    return ENCODINGS.get(label.strip().lower().replace("_", "-"))


def codec_of(label: str) -> str | None:
    """Return Python's codec for a label, None if not listed."""
    name = name_of(label)
    return None if name is None else _CODECS.get(name, name)


def title_of(codec: str) -> str:
    """Return a codec's name as people write it."""
    if codec.startswith("windows-"):
        return codec.replace("windows", "Windows")
    return _TITLES.get(codec, codec.upper())


def encode(text: str, codec: str) -> bytes:
    """Encode text as Windows does, so that it reads back the same.

    Raises UnicodeEncodeError, also where Python's codec would write another character: in 3.11 cp932 has a
    fullwidth minus for U+2212, cp950 a fullwidth yen for U+00A5, euc-jp a backslash for that.
    """
    data = text.encode(codec)
    if codec not in MULTI_BYTE:
        return data
    if codec == "cp932" and (b"\xed" in data or b"\xee" in data):
        data = _PAIRS.sub(lambda found: _ibm_pairs().get(found[0], found[0]), data)
    back = data.decode(codec)
    if back != text:
        at = next(at for at, (old, new) in enumerate(zip(text, back, strict=True)) if old != new)
        raise UnicodeEncodeError(codec, text, at, at + 1, "is written as another character")
    return data


# The bytes before a pair that begins with ED or EE in one piece, and that pair.
_PAIRS = re.compile(rb"(?:[^\x81-\x9f\xe0-\xfc]|[\x81-\x9f\xe0-\xec\xef-\xfc].)+|[\xed\xee].", re.DOTALL)


@cache
def _ibm_pairs() -> Mapping[bytes, bytes]:
    """Map pairs in NEC's rows ED and EE to those Windows writes.

    Python's cp932 writes the former.
    """
    pairs = (bytes((lead, trail)) for lead in (0xFA, 0xFB, 0xFC) for trail in range(0x40, 0xFD))
    written = {pair.decode("cp932", "ignore").encode("cp932"): pair for pair in pairs}
    return {nec: ibm for nec, ibm in written.items() if nec[:1] in (b"\xed", b"\xee")}
