"""Parser of a .gitignore pattern into regular expressions, one per path segment."""

from __future__ import annotations

import re
from collections.abc import Callable
from enum import Enum
from itertools import groupby
from typing import Final

from studio.errors import Refused
from studio.limits import PATTERN_CHARACTERS
from studio.names import caseless, folded, show_name
from studio.values import Value

_CLASSES = {
    "alnum": "0-9A-Za-z",
    "alpha": "A-Za-z",
    "blank": r"\t ",
    "cntrl": r"\x00-\x1f\x7f",
    "digit": "0-9",
    "graph": "!-~",
    "lower": "a-z",
    "print": " -~",
    "punct": r"!-/:-@\[-`{-~",
    "space": r"\t-\r ",
    "upper": "A-Z",
    "xdigit": "0-9A-Fa-f",
}


_SMALL_LETTERS = re.compile(r"\[(?:[a-z0-9](?:-[a-z0-9])?)+\]")


class PatternRefused(Refused):
    """Raised for a pattern that could never match, or is too long."""


class OutlineKind(Enum):
    NAME = "name"
    ENDING = "ending"
    FORM = "form"


class Outline(Value):
    """Necessary form of a lower-case name that a segment matches.

    Other names may fit as well. `text` is the whole name, its end, or for a form a regular expression of the
    whole name.
    """

    kind: OutlineKind
    text: str


class Segment(Value):
    """Regular expression for one name between slashes, with its outline."""

    expression: str
    outline: Outline


class Pattern(Value, eq=False):
    """One parsed pattern; a segment that is None means "**".

    If not `anchored`, it has one segment, which may match at any depth. The last segment is never None.
    """

    text: str
    negated: bool
    only_folders: bool
    anchored: bool
    ignores_case: bool
    segments: tuple[Segment | None, ...]


# Not fnmatch, whose * crosses folders, and not PurePath.match, which in Python 3.11 does not match .env by
# **/.env.
def parse_pattern(text: str, *, ignore_case: bool = False) -> Pattern:
    """Parse one pattern.

    With `ignore_case` its letters are folded as `names.folded` folds paths; a negated one (`!`) stays exact,
    so that it re-includes no other spelling. Raises PatternRefused.
    """
    if len(text) > PATTERN_CHARACTERS:
        raise _refusal(text, f"is longer than {PATTERN_CHARACTERS} characters")
    body = _strip_trailing_spaces(text)
    if body.startswith("#"):
        raise _refusal(text, 'begins with "#", which starts a comment; write "\\#"')
    negated = body.startswith("!")
    body = body.removeprefix("!")
    while body.startswith("./"):
        body = body[2:]
    only_folders = body.endswith("/")
    body = body.removesuffix("/")
    anchored = "/" in body
    fold = ignore_case and not negated
    segments = _segments(text, body.removeprefix("/"), anchored=anchored, fold=fold)
    if len(segments) == 2 and segments[0] is None:
        anchored, segments = False, segments[1:]  # "**/a" is a at any depth
    return Pattern(text, negated, only_folders, anchored, ignore_case, segments)


def literal_pattern(path: str) -> Pattern:
    """Return a pattern for a path and its subtree, in every spelling."""
    segments = (_segment([("text", character) for character in name], fold=True) for name in path.split("/"))
    return Pattern(path, False, False, True, True, tuple(segments))


def folder_text(path: str) -> str:
    """Return a pattern for one folder below the root, in this spelling."""
    escaped = "".join(f"\\{character}" if character in "*?[\\" else character for character in path)
    return f"/{escaped}/"


def _refusal(text: str, reason: str) -> PatternRefused:
    shown_text = show_name(text if len(text) <= 80 else f"{text[:80]}…")
    return PatternRefused(
        "config.pattern", f'The pattern "{shown_text}" {reason}.', "Fix it; it currently has no effect."
    )


def _strip_trailing_spaces(text: str) -> str:
    """Strip trailing spaces that no backslash escapes, as .gitignore does."""
    stripped = text.rstrip(" ")
    backslashes = len(stripped) - len(stripped.rstrip("\\"))
    return text[: len(stripped) + 1] if backslashes % 2 and len(stripped) < len(text) else stripped


def _segments(text: str, body: str, *, anchored: bool, fold: bool) -> tuple[Segment | None, ...]:
    found: list[Segment | None] = []
    for tokens in _Reader(text, body).segments():
        if not tokens:
            raise _refusal(text, "has an empty segment" if body else "is empty")
        literal = "".join(value for kind, value in tokens if kind == "text")
        if len(literal) == len(tokens) and literal in (".", ".."):
            raise _refusal(text, f'has the segment "{literal}"')
        if anchored and len(tokens) == 1 and tokens[0] == ("star", "**"):
            if found[-1:] != [None]:
                found.append(None)
        else:
            found.append(_segment(tokens, fold=fold))
    if found[-1] is None:
        found.append(_ANY_NAME)  # "a/**" is what is beneath a, not a itself
    return tuple(found)


def _segment(tokens: list[tuple[str, str]], *, fold: bool) -> Segment:
    return Segment(_expression(tokens, fold=fold), _outline(tokens, fold=fold))


def _outline(tokens: list[tuple[str, str]], *, fold: bool) -> Outline:
    kinds = {kind for kind, _ in tokens[1:]}
    literal = "".join(value for kind, value in tokens if kind == "text")
    lower_text = (caseless if fold else str.lower)(literal)
    if kinds <= {"text"} and tokens[0][0] == "text":
        return Outline(OutlineKind.NAME, folded(literal) if fold else lower_text)
    if kinds == {"text"} and tokens[0][0] == "star":
        return Outline(OutlineKind.ENDING, lower_text)
    simplified = [
        ("one", ".") if kind == "one" and not _SMALL_LETTERS.fullmatch(value) else (kind, value)
        for kind, value in tokens
    ]
    return Outline(OutlineKind.FORM, _form_expression(simplified, caseless if fold else str.lower))


def _expression(tokens: list[tuple[str, str]], *, fold: bool) -> str:
    """Return the regular expression of one segment."""
    if all(kind == "text" for kind, _ in tokens):
        literal = "".join(value for _, value in tokens)
        return re.escape(folded(literal) if fold else literal)
    return _form_expression(tokens, caseless if fold else str)


def _form_expression(tokens: list[tuple[str, str]], normalize: Callable[[str], str]) -> str:
    """Return an expression for the tokens, with their text spelled by `normalize`.

    All stars but the last match as little as they can and never backtrack: that finds every match in time
    proportional to the name, whatever the pattern.
    """
    chunks = [""]
    for kind, values in groupby(tokens, key=lambda token: token[0]):
        run = "".join(value for _, value in values)
        if kind == "star":
            chunks.append("")
        elif kind == "text":
            chunks[-1] += re.escape(normalize(run))
        else:
            chunks[-1] += run
    if len(chunks) == 1:
        return chunks[0]
    # Atomic groups came with Python 3.11; without them a few stars make a name take minutes.
    first, *middle, last = chunks
    return first + "".join(f"(?>.*?{chunk})" for chunk in middle) + f".*{last}"


_ANY_NAME: Final = _segment([("star", "*")], fold=False)


class _Reader:
    """Tokenizer of a pattern: text, star, or an expression for one character."""

    def __init__(self, text: str, body: str) -> None:
        self._text = text
        self._body = body
        self._at = 0

    def segments(self) -> list[list[tuple[str, str]]]:
        found: list[list[tuple[str, str]]] = [[]]
        while self._at < len(self._body):
            character = self._next()
            if character == "\\":
                character = self._next("ends with a backslash")
                if character != "/":
                    found[-1].append(("text", character))
                    continue
            if character == "/":
                found.append([])
            elif character == "*":
                stars = "*"
                while self._peek() == "*":
                    self._at += 1
                    stars = "**"
                found[-1].append(("star", stars))
            elif character == "?":
                found[-1].append(("one", "."))
            elif character == "[":
                found[-1].append(("one", self._character_class()))
            else:
                found[-1].append(("text", character))
        return found

    def _peek(self) -> str:
        return self._body[self._at : self._at + 1]

    def _next(self, missing: str = 'has a "[" without "]"') -> str:
        character = self._peek()
        if not character:
            raise _refusal(self._text, missing)
        self._at += 1
        return character

    def _character_class(self) -> str:
        """Return the content of a bracket expression.

        "]" right after the opening bracket is a character, as in git.
        """
        negated = self._peek() in ("!", "^")
        if negated:
            self._at += 1
        parts: list[str] = []
        before = ""
        character = self._next()
        while True:
            if character == "[" and self._peek() == ":":
                class_content = self._named_class()
                parts.append(class_content or re.escape(character))
                before = "" if class_content else character
            elif character == "-" and before and self._peek() not in ("", "]"):
                last = self._next()
                if last == "\\":
                    last = self._next()
                if before <= last:
                    parts.append(f"{re.escape(before)}-{re.escape(last)}")
                before = ""
            else:
                if character == "\\":
                    character = self._next()
                parts.append(re.escape(character))
                before = character
            character = self._next()
            if character == "]":
                break
        content = "".join(parts)
        # A name has no slash, so the class need not exclude it.
        return f"[{'^' if negated else ''}{content}]"

    def _named_class(self) -> str | None:
        """Return the class of "[:name:]".

        None where ":]" does not close it, so that it is an ordinary set.
        """
        end = self._body.find("]", self._at)
        if end < 0:
            raise _refusal(self._text, 'has a "[" without "]"')
        if end == self._at + 1 or self._body[end - 1] != ":":
            return None
        name = self._body[self._at + 1 : end - 1]
        if name not in _CLASSES:
            raise _refusal(self._text, f"names the unknown class [:{name}:]")
        self._at = end + 1
        return _CLASSES[name]
