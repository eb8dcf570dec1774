"""Regular expression analysis for faster search: required bytes, ripgrep form, whole-file matching.

Python's own matcher, applied to one line at a time, decides every match. What is derived here only avoids
useless work, and may be too weak, never wrong: bytes that a matching file must contain, an expression for
ripgrep, whether the whole file can be searched at once. Unsupported syntax is left to Python.
"""

from __future__ import annotations

import re
import warnings
from typing import NamedTuple

from studio.errors import BadPattern
from studio.limits import SEARCH_EXPRESSION_CHARACTERS, SEARCH_NESTED_UP_TO, SEARCH_REPEATS_UP_TO
from studio.names import show_name

_REPEAT = re.compile(r"\*|\+|\?|\{(?:(\d+)(?:,(\d*))?|,(\d*))\}")
_GROUP = re.compile(r"\((?:\?:|\?P<\w+>|(?!\?))")
_FLAGS = re.compile(r"\(\?([aimsu]+)\)")
_HEX = re.compile(r"\\x([0-9a-fA-F]{2})|\\u([0-9a-fA-F]{4})")
_CONTROLS = {"a": "\a", "f": "\f", "r": "\r", "t": "\t", "v": "\v"}
_BEYOND_ASCII = r"\x{80}-\x{10FFFF}"
# What Python's classes contain, at most and at least; the rest depends on the Unicode version.
_CLASSES_AT_MOST = {
    "d": rf"0-9{_BEYOND_ASCII}",
    "w": rf"0-9A-Za-z_{_BEYOND_ASCII}",
    "s": rf"\x{{9}}-\x{{d}}\x{{1c}}-\x{{20}}{_BEYOND_ASCII}",
    "D": rf"\x{{0}}-/:-\x{{7f}}{_BEYOND_ASCII}",
    "W": rf"\x{{0}}-/:-@\[-\^`\{{-\x{{7f}}{_BEYOND_ASCII}",
    "S": rf"\x{{0}}-\x{{8}}\x{{e}}-\x{{1b}}!-\x{{7f}}{_BEYOND_ASCII}",
}
_CLASSES_AT_LEAST = {
    "d": "0-9",
    "w": "0-9A-Za-z_",
    "s": r"\x{9}-\x{d}\x{1c}-\x{20}",
    "D": r"\x{0}-/:-\x{7f}",
    "W": r"\x{0}-/:-@\[-\^`\{-\x{7f}",
    "S": r"\x{0}-\x{8}\x{e}-\x{1b}!-\x{7f}",
}
_ASCII_TWINS = {"i": "\u0130\u0131", "k": "\u212a", "s": "\u017f"}
"""Non-ASCII characters that Python matches to an ASCII letter when case is ignored."""


class Expression(NamedTuple):  # the search process has no installed packages
    """A parsed regular expression with derived facts.

    `needle` are bytes that every matching line contains; `roughly` is an expression for ripgrep that finds
    every file with a match, and others (None: unknown); `as_whole`: a search through the whole text, with ^
    and $ at each line, stops at or before each line's match; `is_simple`: a match takes time proportional to
    the text, whatever the text.
    """

    text: str
    compiled: re.Pattern[str]
    needle: bytes
    roughly: str | None
    as_whole: bool
    is_simple: bool

    @property
    def whole(self) -> re.Pattern[str]:
        """The expression for a search through a whole text, where `as_whole`."""
        return re.compile(self.text, re.MULTILINE)


def read_expression(text: str) -> Expression:
    """Parse the regular expression of a search. Raises BadPattern."""
    compiled = _compile(text)
    try:
        whole = _Reader(text).whole()
    except _NotUnderstood:
        return Expression(text, compiled, b"", None, as_whole=False, is_simple=False)
    roughly = None if whole.may_be_empty else whole.roughly
    needle = "" if whole.ignores_case else whole.needle
    return Expression(text, compiled, needle.encode(), roughly, as_whole=True, is_simple=whole.is_simple)


def _compile(text: str) -> re.Pattern[str]:
    if len(text) > SEARCH_EXPRESSION_CHARACTERS:
        raise _bad_pattern(text, f"it is longer than {SEARCH_EXPRESSION_CHARACTERS} characters")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # "[[" may mean something else in a later Python
            return re.compile(text)
    except (re.error, OverflowError) as error:
        raise _bad_pattern(text, str(error)) from error
    except RecursionError:
        raise _bad_pattern(text, "it is nested too deeply") from None


def _bad_pattern(text: str, reason: str) -> BadPattern:
    shown = show_name(text if len(text) <= 80 else f"{text[:80]}…")
    return BadPattern(
        "grep.pattern",
        f'The regular expression "{shown}" can\'t be read: {reason}.',
        "Put a backslash before characters that are meant literally.",
    )


class _NotUnderstood(Exception):
    """Syntax that is left to Python alone."""


class _Part(NamedTuple):
    """Facts about a part of an expression; `needle` is empty where unknown."""

    roughly: str
    needle: str = ""
    may_be_empty: bool = False
    is_simple: bool = True
    ignores_case: bool = False


class _Reader:
    """Parser for expressions that Python has already accepted.

    So it has to check only for syntax it does not support.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._ignores_case = False

    def whole(self) -> _Part:
        while flags := _FLAGS.match(self._text, self._at):
            self._at = flags.end()
            self._ignores_case |= "i" in flags.group(1)
        part = self._parse_choice()
        return part._replace(ignores_case=self._ignores_case)

    def _peek(self) -> str:
        return self._text[self._at : self._at + 1]

    def _read_character(self) -> str:
        character = self._peek()
        self._at += 1
        return character

    def _parse_choice(self) -> _Part:
        """Parse alternatives up to the closing parenthesis, or the end."""
        branches = [self._parse_sequence()]
        while self._peek() == "|":
            self._at += 1
            branches.append(self._parse_sequence())
        if len(branches) == 1:
            return branches[0]
        roughly = "|".join(branch.roughly for branch in branches)
        return _Part(f"(?:{roughly})", "", any(branch.may_be_empty for branch in branches), is_simple=False)

    def _parse_sequence(self) -> _Part:
        roughly: list[str] = []
        runs: list[str] = []
        run = ""
        may_be_empty = is_simple = True
        while self._peek() not in ("", "|", ")"):
            atom, literal = self._parse_atom()
            least, repeat = self._parse_repeat()
            roughly.append(atom.roughly + repeat if atom.roughly else "")
            may_be_empty = may_be_empty and (atom.may_be_empty or least == 0)
            is_simple = is_simple and atom.is_simple and not repeat
            if literal and not repeat:
                run += literal
                continue
            if least:
                runs.append(run + literal if literal else run)
                runs.append(atom.needle)
            else:
                runs.append(run)
            run = ""
        needle = max([*runs, run], key=len)
        return _Part("".join(roughly), needle, may_be_empty, is_simple)

    def _parse_repeat(self) -> tuple[int, str]:
        """Parse a repeat: its minimum, and its form for ripgrep."""
        found = _REPEAT.match(self._text, self._at)
        if found is None:
            return 1, ""
        self._at = found.end()
        if self._peek() in ("?", "+"):
            self._at += 1  # greedy or not makes no difference to a line
            if self._text[self._at - 1] == "+":
                raise _NotUnderstood  # possessive: may match in a line and not in the whole text
        repeat = found.group()
        if not repeat.startswith("{"):
            return (1 if repeat == "+" else 0), repeat
        if "," not in repeat:
            least = int(found.group(1))
            most = repeat[1:-1]
        else:
            least = int(found.group(1) or 0)
            most = found.group(2) or found.group(3) or ""
        if max(least, int(most or 0)) > SEARCH_REPEATS_UP_TO:
            raise _NotUnderstood
        return least, f"{{{least},{most}}}"

    def _parse_atom(self) -> tuple[_Part, str]:
        """Parse one atom; return it with its character, if a literal."""
        character = self._peek()
        if character == "(":
            return self._parse_group(), ""
        if character == "[":
            return self._parse_class(), ""
        self._at += 1
        if character == ".":
            return _Part("."), ""
        if character == "^":
            return _Part("^", may_be_empty=True), ""
        if character == "$":
            return _Part(r"\r?$", may_be_empty=True), ""
        if character == "\\":
            return self._parse_escape()
        return self._make_literal(character)

    def _make_literal(self, character: str) -> tuple[_Part, str]:
        if character == "\n" or "\ud800" <= character <= "\udfff":
            raise _NotUnderstood
        if not self._ignores_case:
            return _Part(_to_ripgrep(character)), character
        if not character.isascii():
            return _Part("."), ""
        spellings = {character.lower(), character.upper(), *_ASCII_TWINS.get(character.lower(), "")}
        return _Part(f"[{''.join(map(_to_ripgrep, sorted(spellings)))}]"), ""

    def _parse_escape(self) -> tuple[_Part, str]:
        self._at -= 1
        coded = _HEX.match(self._text, self._at)
        if coded is not None:
            self._at = coded.end()
            return self._make_literal(chr(int(coded.group(1) or coded.group(2), 16)))
        self._at += 1
        character = self._read_character()
        if character in ("b", "B"):
            return _Part("", may_be_empty=True), ""
        if character in _CLASSES_AT_MOST:
            return _Part(f"[{_CLASSES_AT_MOST[character]}]"), ""
        return self._make_literal(_unescape(character))

    def _parse_group(self) -> _Part:
        opening = _GROUP.match(self._text, self._at)
        self._depth += 1
        if opening is None or self._depth > SEARCH_NESTED_UP_TO:
            raise _NotUnderstood
        self._at = opening.end()
        part = self._parse_choice()
        self._at += 1
        self._depth -= 1
        return _Part(f"(?:{part.roughly})", part.needle, part.may_be_empty, part.is_simple)

    def _parse_class(self) -> _Part:
        self._at += 1
        negated = self._peek() == "^"
        if negated:
            self._at += 1
        classes = _CLASSES_AT_LEAST if negated else _CLASSES_AT_MOST
        members: list[str] = []
        is_ascii = True
        while self._peek() != "]" or not members:
            first = self._parse_member()
            if len(first) == 2:
                members.append(classes[first[1]])
                continue
            last = first
            if self._peek() == "-" and self._text[self._at + 1 : self._at + 2] != "]":
                self._at += 1
                last = self._parse_member()
            is_ascii = is_ascii and first.isascii() and last.isascii()
            if first == last == "\n":
                members.append("")  # no line contains one
                continue
            members.append(
                _to_ripgrep(first) if first == last else f"{_to_ripgrep(first)}-{_to_ripgrep(last)}"
            )
        self._at += 1
        inside = "".join(members)
        if not inside:
            return _Part(".")
        if not self._ignores_case:
            return _Part(f"[{'^' if negated else ''}{inside}]")
        if negated or not is_ascii:
            return _Part(".")
        twins = "".join(_to_ripgrep(twin) for twin in "".join(_ASCII_TWINS.values()))
        return _Part(f"(?i:[{inside}{twins}])")

    def _parse_member(self) -> str:
        r"""Parse a class member: a character or a class like "\d"."""
        character = self._read_character()
        if character != "\\":
            if "\ud800" <= character <= "\udfff":
                raise _NotUnderstood
            return character
        coded = _HEX.match(self._text, self._at - 1)
        if coded is not None:
            self._at = coded.end()
            return chr(int(coded.group(1) or coded.group(2), 16))
        character = self._read_character()
        if character in _CLASSES_AT_MOST:
            return f"\\{character}"
        return "\n" if character == "n" else _unescape(character, also={"b": "\b"})


def _unescape(character: str, *, also: dict[str, str] | None = None) -> str:
    """Return the character that a backslash escape means."""
    escapes = {**_CONTROLS, **(also or {})}
    if character in escapes:
        return escapes[character]
    if character.isalnum():  # \1, \A, \Z, \0, \N{...} and so on
        raise _NotUnderstood
    return character


def _to_ripgrep(character: str) -> str:
    """Return a character in ripgrep's syntax, valid in and outside of classes."""
    return character if character.isalnum() and character.isascii() else f"\\x{{{ord(character):x}}}"
