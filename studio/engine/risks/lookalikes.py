"""Detection of words that resemble others through letters of other scripts."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache

from studio.engine.plan import Fact, Severity
from studio.engine.risks.added_lines import Run
from studio.values import Value

_LOOK_ALIKES = {
    "A": (
        0x0410,
        0x0391,
        0x13AA,
    ),
    "a": (
        0x0430,
        0x0251,
    ),
    "B": (
        0x0412,
        0x0392,
        0x13F4,
    ),
    "C": (0x13DF,),
    "c": (
        0x0441,
        0x03F2,
    ),
    "d": (0x0501,),
    "E": (
        0x0415,
        0x0395,
        0x13AC,
    ),
    "e": (0x0435,),
    "g": (0x0261,),
    "H": (
        0x041D,
        0x0397,
        0x13BB,
    ),
    "h": (0x04BB,),
    "I": (
        0x0406,
        0x0399,
    ),
    "i": (0x0456,),
    "J": (
        0x0408,
        0x13AB,
    ),
    "j": (
        0x0458,
        0x03F3,
    ),
    "K": (
        0x041A,
        0x039A,
        0x13E6,
    ),
    "L": (0x13DE,),
    "l": (0x04CF,),
    "M": (
        0x041C,
        0x039C,
        0x13B7,
    ),
    "N": (0x039D,),
    "n": (0x0578,),
    "O": (
        0x041E,
        0x039F,
    ),
    "o": (
        0x043E,
        0x03BF,
        0x0585,
    ),
    "P": (
        0x0420,
        0x03A1,
        0x13E2,
    ),
    "p": (0x0440,),
    "Q": (0x051A,),
    "q": (0x051B,),
    "S": (
        0x0405,
        0x13DA,
    ),
    "s": (0x0455,),
    "T": (
        0x0422,
        0x03A4,
        0x13A2,
    ),
    "u": (0x057D,),
    "V": (
        0x0474,
        0x13D9,
    ),
    "W": (0x051C,),
    "w": (0x051D,),
    "X": (
        0x0425,
        0x03A7,
    ),
    "x": (0x0445,),
    "Y": (
        0x0423,
        0x03A5,
    ),
    "y": (0x0443,),
    "Z": (
        0x0396,
        0x13C3,
    ),
}
"""Code points of other scripts that most fonts draw like ASCII letters."""

_LOOKS_LIKE = {chr(code): letter for letter, codes in _LOOK_ALIKES.items() for code in codes}
_AS_ASCII = str.maketrans(_LOOKS_LIKE)
_FOREIGN_WORD = re.compile(r"(?<!\w)\w*[^\W\x00-\x7f]\w*")
_ASCII_LETTER = re.compile("[A-Za-z]")
_ASCII_WORD = re.compile(rb"[A-Za-z_][A-Za-z_0-9]{2,}")
# Matches just before a letter that belongs to a string's notation and not to the word behind it.
_NOTATION = re.compile(r"(?:\\|%(?:\([^)\s]{1,40}\))?[-#+ 0-9.$]{0,8})$")
_NOTATION_CHARACTERS = 52
_STYLED = re.compile("[\uff21-\uff3a\uff41-\uff5a\U0001d400-\U0001d6a3]")
_FEWEST_LETTERS = 3
_SCRIPTS = ("CYRILLIC", "GREEK", "ARMENIAN", "CHEROKEE")


class Homoglyph(Value):
    """Why a word can be taken for another, `twin`, and how severe.

    `needs_twin`: only where the other word is in the same file or folder.
    """

    kind: str
    severity: Severity
    message: str
    twin: str
    needs_twin: bool = False


def lookalike_facts(runs: Iterable[Run], base: bytes, result: bytes) -> Iterator[Fact]:
    """Yield one fact for each new word that resembles another.

    A word of look-alikes alone counts only when the word it looks like is in `base` or `result` too.
    """
    runs = [run for run in runs if not run.raw.isascii()]
    if not runs:
        return

    @cache
    def known() -> frozenset[str]:
        return frozenset(
            word.decode("ascii") for side in (base, result) for word in _ASCII_WORD.findall(side)
        )

    judge = cache(find_resemblance)
    for run in runs:
        for match in _FOREIGN_WORD.finditer(run.text):
            start = match.start()
            if _NOTATION.search(run.text[max(0, start - _NOTATION_CHARACTERS) : start]):
                start += 1
            finding = judge(run.text[start : match.end()])
            if finding is None or (finding.needs_twin and finding.twin not in known()):
                continue
            line, column = run.position(start)
            severity = finding.severity
            if finding.needs_twin and has_visible_foreign_letter(run.line(line - run.first_line)):
                severity = Severity.NOTE
            yield Fact(finding.kind, severity, finding.message, "result", line, column)


def find_resemblance(word: str) -> Homoglyph | None:
    """Return what one word resembles, None for an ordinary one.

    The word has letters and digits without blanks.
    """
    skeleton = word.translate(_AS_ASCII)
    if (letter := _find_mixed_letter(word)) is not None:
        message = (
            f"“{word}” mixes scripts: U+{ord(letter):04X} is {_find_script(letter)} and resembles"
            f" “{_LOOKS_LIKE[letter]}”."
        )
        # A letter that resembles no ASCII one shows that the word is not ASCII.
        severity = Severity.WARNING if skeleton.isascii() else Severity.NOTE
        return Homoglyph("mixed_script", severity, message, skeleton)
    if (plain := _plain_form(word)) is not None:
        message = f"“{word}” is parsed as “{plain}” by some languages."
        is_short = len(plain) < _FEWEST_LETTERS
        return Homoglyph("confusable", Severity.NOTE if is_short else Severity.WARNING, message, plain)
    if len(word) >= _FEWEST_LETTERS and skeleton.isascii() and not word.isascii():
        message = f"“{word}” resembles “{skeleton}”, but is another word."
        return Homoglyph("confusable", Severity.WARNING, message, skeleton, needs_twin=True)
    return None


def skeleton_of(text: str) -> str:
    """Return the text with confusable and styled letters as ASCII.

    Equal for texts that look the same.
    """
    return unicodedata.normalize("NFKC", text).translate(_AS_ASCII)


def has_visible_foreign_letter(text: str) -> bool:
    """Return whether a foreign letter resembles no ASCII letter."""
    return any(
        not each.isascii() and each not in _LOOKS_LIKE and _find_script(each) is not None for each in text
    )


def _find_mixed_letter(word: str) -> str | None:
    """Return a letter confusable with ASCII in a mixed word, else None."""
    if _ASCII_LETTER.search(word) is None:
        return None
    return next((each for each in word if each in _LOOKS_LIKE and _find_script(each) is not None), None)


def _plain_form(word: str) -> str | None:
    """Return a word with styled letters as folding languages read it.

    Python is one of these languages.
    """
    styled = _STYLED.findall(word)
    if not styled or (len(styled) == 1 and _ASCII_LETTER.search(word) is None):
        return None
    # A word of full-width letters alone is ordinary in East Asian text.
    if all("\uff21" <= character <= "\uff5a" for character in word):
        return None
    plain = unicodedata.normalize("NFKC", word)
    return plain if plain.isascii() else None


def _find_script(character: str) -> str | None:
    """Return the script of a non-ASCII letter, if it has confusables."""
    if character.isascii():
        return None
    first = unicodedata.name(character, "").partition(" ")[0]
    return first.capitalize() if first in _SCRIPTS else None
