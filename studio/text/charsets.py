"""Detection of legacy encodings that would pass as Windows-1252.

Every byte of most legacy encodings is defined in Windows-1252 as well, so that Russian or Polish would be
taken for it and shown as nonsense. A file is refused only if two tests agree. By the first, its bytes are
what no Windows-1252 text contains: most of its characters are the common ones of one script, or a sign such
as the superscript three is inside a word whose other letters are Polish. By the second, charset-normalizer
finds sensible text in that encoding, or none in Windows-1252. The first alone knows no languages, and the
second takes some short or ordinary Latin-1 texts for Shift-JIS or Latin-2. The first runs first: it takes a
millisecond, and for nearly every file the library is not even imported.

The thresholds were chosen on the translations of Django and verified on those of Sphinx, on the test files of
chardet and on Latin-1 files of released packages: `tests/tools/encodings.py` counts them.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Set
from functools import cache, lru_cache
from itertools import chain, pairwise

LOOKED_AT_BYTES = 64 * 1024
"""Number of bytes at the start of a file that are examined."""

_NAMES = {
    "shift_jis": "Shift-JIS",
    "euc_jp": "EUC-JP",
    "gb18030": "GB18030",
    "big5": "Big5",
    "euc_kr": "EUC-KR",
    "koi8_r": "KOI8-R",
    "cp1251": "Windows-1251",
    "cp1253": "Windows-1253",
    "cp1255": "Windows-1255",
    "iso8859_2": "ISO-8859-2",
}
"""Display names of encodings, by charset-normalizer's codec name."""

_ASCII = bytes(range(128))
_COMMON_SHARE = 0.7
_WORDS_SHARE = 0.6
_FEWEST_WORDS = {"koi8_r": 2, "cp1251": 5, "cp1253": 5, "cp1255": 5}
"""Minimum number of different words with three or more letters.

Lower-case letters of KOI8-R are capitals in Latin-1, which are not used side by side; lower-case letters with
accents are, in lists of them.
"""

_LETTER = rb"A-Za-z\xc0-\xd6\xd8-\xf6\xf8-\xff"
_RUN = re.compile(rb"[\x80-\xff]{2,}")
_LONG_RUN = 6
_SAME_LETTER = re.compile(
    rb"[\xc0-\xc6\xe0-\xe6]+|[\xc8-\xcb\xe8-\xeb]+|[\xcc-\xcf\xec-\xef]+|[\xd2-\xd6\xf2-\xf6]+|[\xd9-\xdc\xf9-\xfc]+"
)
_WORD = re.compile("[\u0370-\u03ff]{3,}|[\u0400-\u04ff]{3,}|[\u05d0-\u05ea]{3,}")
_UTF8 = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}")
_KANA = frozenset(map(chr, range(0x3041, 0x3100)))
_WIDE_SIGNS = frozenset(map(chr, chain(range(0x3000, 0x3040), range(0xFF01, 0xFF5F))))
_SMALL_LETTERS = frozenset(
    map(chr, (*range(0x3AC, 0x3CF), *range(0x430, 0x460), 0x491, *range(0x5D0, 0x5EB)))
)
"""Greek, Cyrillic and Hebrew letters."""


def _word_letters(text: str) -> frozenset[int]:
    return frozenset((text + text.upper()).encode("iso8859_2"))


_CZECH = _word_letters(
    "\u00e1\u010d\u010f\u00e9\u011b\u00ed\u0148\u00f3\u0159\u0161\u0165\u00fa\u016f\u00fd\u017e"
)
_HUNGARIAN = _word_letters("\u00e1\u00e9\u00ed\u00f3\u00f6\u0151\u00fa\u00fc\u0171")
_WITH_SIGNS = (
    _word_letters("\u0105\u0107\u0119\u0142\u0144\u00f3\u015b\u017a\u017c"),
    _word_letters("\u010d\u0107\u0111\u0161\u017e"),
    _CZECH,
    _word_letters(
        "\u00e1\u00e4\u010d\u010f\u00e9\u00ed\u013a\u013e\u0148\u00f3\u00f4\u0155\u0161\u0165\u00fa\u00fd\u017e"
    ),
)
"""Alphabets with letters that are signs in Windows-1252.

Polish, Croatian and Slovene, Czech, Slovak.
"""

_PUNCTUATION = frozenset(b"\xa0\xa7\xad\xb0\xb4")
_IN_ALPHABET_SHARE = 0.95
_SIGNS = b"\xb1\xb3\xb6\xb9\xbc\xbe\xbf"
_SIGN_IN_WORD = re.compile(
    rb"(?<=[%(l)b])[%(s)b](?=[%(l)b])|(?<=[%(l)b])[\xb1\xbc\xbe](?=[\s.,;:!?)\"'<])|(?<![%(l)b0-9])\xbe(?=[%(l)b])"
    % {b"l": _LETTER, b"s": _SIGNS}
)
_SIGN_ALONE = re.compile(
    rb"(?<=[%(l)b])[\xb9\xbe](?=[%(l)b])|[A-Za-z]\xb3[aeouy]|[A-Za-z]{2}\xb1[A-Za-z]{2}" % {b"l": _LETTER}
)
"""Signs that suffice without any other non-ASCII letter.

The cubic metre sign in `m3h` does not match.
"""

_OTHER_USES = re.compile(
    rb"(?i)(?<![%(l)b])(?:[cdjlmnst]|qu)\xb9(?=[aeiouh\xc0-\xff])|\xb9(?:t|s|d|m|re|ve|ll)(?![A-Za-z])"
    rb"|\xb1(?=(?:sd|sem?|std|stdev|err|tol|eps|delta|sigma)(?![A-Za-z]))" % {b"l": _LETTER}
)
"""Other uses of the superscript one and the plus-minus sign.

The first was the apostrophe of old Macs, in English and French; the second is in a mean plus or minus sd.
"""

_CZECH_IN_WORD = re.compile(rb"[\xec\xf9](?=[%b])" % _LETTER)
_HUNGARIAN_IN_WORD = re.compile(
    rb"[%(l)b][\xf5\xfb](?![%(l)b])|[\xf5\xfb][bcdfghjklmnpqrstvwxyz]" % {b"l": _LETTER}
)
"""Positions of the Hungarian o and u with double acute.

The Portuguese o with tilde, which has the same byte, is not found there.
"""

_HUNGARIAN_SHARE = 0.02


def guess_encoding(data: bytes) -> str | None:
    """Return the encoding that non-UTF-8 bytes seem to have.

    None where they may be Windows-1252. Only the first LOOKED_AT_BYTES are examined. The answers for the last
    few texts are cached.
    """
    head = data[:LOOKED_AT_BYTES]
    if len(head) < len(data):
        # A multi-byte character never ends in a line feed, so none is split.
        head = head[: head.rfind(b"\n") + 1] or head
    return detect_encoding(head)


@lru_cache(maxsize=16)
def detect_encoding(head: bytes) -> str | None:
    """Return the encoding that bytes seem to have, examining all of them.

    Cached; the cache's counters show how often it was used.
    """
    suspected = tuple(_guess_candidates(head))
    if not suspected:
        return None
    # Imported here: it takes 76 ms, and few files get this far.
    from charset_normalizer import from_bytes

    isolated = ["cp1252", *_NAMES]
    found = [
        match.encoding
        for match in from_bytes(
            head, cp_isolation=isolated, preemptive_behaviour=False, enable_fallback=False
        )
    ]
    # Best first. It can't distinguish alphabets that share most letters: the signs decide that.
    is_sensible = "cp1252" in found
    better = found[: found.index("cp1252")] if is_sensible else found
    agreed = [codec for codec in better if codec in suspected]
    agreed += [codec for codec in found if codec == "iso8859_2" and codec in suspected]
    if not is_sensible:
        agreed += suspected
    return _NAMES[agreed[0]] if agreed else None


def _guess_candidates(head: bytes) -> Iterator[str]:
    beyond = head.translate(None, _ASCII)
    if sum(map(len, _RUN.findall(head))) * 2 > len(beyond):
        text = _RUN.sub(_drop_list, head)
        yield from (codec for codec in _NAMES if codec != "iso8859_2" and _is_of_script(text, codec))
    if _is_latin_2(head):
        yield "iso8859_2"


def _drop_list(run: re.Match[bytes]) -> bytes:
    """Return a run of non-ASCII bytes, or a space for a list.

    A list has the forms of one letter, or a code page in order.
    """
    found = run[0]
    if len(found) < _LONG_RUN:
        return b" " if _SAME_LETTER.fullmatch(found) else found
    ascending = sum(first < second for first, second in pairwise(found))
    return b" " if ascending >= 0.8 * (len(found) - 1) else found


def _is_of_script(text: bytes, codec: str) -> bool:
    decoded = text.decode(codec, "ignore")
    beyond = [character for character in decoded if character > "\x7f"]
    expected = _common_characters(codec)
    common = [character for character in beyond if character in expected]
    if not common or len(common) < _COMMON_SHARE * len(beyond):
        return False
    fewest_words = _FEWEST_WORDS.get(codec)
    if fewest_words is not None:
        words = _WORD.findall(decoded)
        in_words = sum(map(len, words))
        return len(set(words)) >= fewest_words and in_words >= _WORDS_SHARE * len(beyond)
    different = frozenset(common)
    return len(different) >= (3 if codec in ("shift_jis", "euc_jp") and different & _KANA else 5)


@cache
def _common_characters(codec: str) -> Set[str]:
    """Return the most frequent characters of an encoding.

    For the large character sets these are the first level.
    """
    if codec in _FEWEST_WORDS:
        return _SMALL_LETTERS
    if codec == "euc_kr":
        return _decode_level("euc_kr", 0xB0, 0xC8)
    if codec == "big5":
        return _decode_level("big5", 0xA4, 0xC6) | _WIDE_SIGNS
    if codec == "gb18030":
        return _decode_level("gb2312", 0xB0, 0xD7) | _WIDE_SIGNS
    return _decode_level("euc_jp", 0xB0, 0xCF) | _KANA | _WIDE_SIGNS


def _decode_level(codec: str, first: int, last: int) -> frozenset[str]:
    """Return the characters with these lead bytes.

    Those whose bytes are also UTF-8 of a Latin letter are excluded.
    """
    trails = (*range(0x40, 0x7F), *range(0xA1, 0xFF))
    pairs = ((lead, trail) for lead in range(first, last + 1) for trail in trails)
    decodable = (pair for pair in pairs if pair[0] not in (0xC2, 0xC3) or not 0x80 <= pair[1] < 0xC0)
    return frozenset(
        chain.from_iterable(bytes(pair).decode(codec, "ignore") for pair in decodable)
    ) - frozenset(map(chr, range(128)))


def _is_latin_2(head: bytes) -> bool:
    """Return whether the text is in a Central European language.

    Nearly all letters are those of one such language, and some are where Windows-1252 has a sign, or where no
    other language has that letter.
    """
    if any(sign in head for sign in (b"\xb9", b"\xb1")):
        head = _OTHER_USES.sub(b"'", head)
    if not _may_be_latin_2(head):
        return False
    # Fragments of UTF-8 and lists of letters are no words.
    head = _RUN.sub(_drop_list, _UTF8.sub(b"", head))
    counts = Counter(byte for byte in head.translate(None, _ASCII) if byte > 0xA0)
    for byte in _PUNCTUATION:
        del counts[byte]
    total = counts.total()
    if not total:
        return False

    def within(alphabet: Set[int]) -> bool:
        return sum(counts[byte] for byte in alphabet) >= _IN_ALPHABET_SHARE * total

    signs = frozenset(b"".join(_SIGN_IN_WORD.findall(head)))
    if signs and any(within(alphabet) and signs & alphabet for alphabet in _WITH_SIGNS):
        return len(counts) > 1 or _SIGN_ALONE.search(head) is not None
    if within(_CZECH) and counts.keys() & set(b"\xf8\xe1\xed\xfd") and _CZECH_IN_WORD.search(head):
        return True
    others = {byte | 0x20 for byte in counts} & set(b"\xe1\xe9\xed\xf3\xf6\xfc")
    endings = len(_HUNGARIAN_IN_WORD.findall(head))
    return within(_HUNGARIAN) and endings >= max(1, _HUNGARIAN_SHARE * total) and len(others) > 1


def _may_be_latin_2(head: bytes) -> bool:
    """Return whether a required byte occurs; most Latin-1 texts have none."""
    return any(byte in head for byte in map(bytes, zip(_SIGNS + b"\xec\xf9\xf5\xfb")))
