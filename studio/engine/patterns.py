"""The one matcher of file rules: patterns as in .gitignore, on paths below the project root (C35, C45).

A list is read as git reads it: the last pattern that matches decides, `!` takes back, a matched folder
holds everything beneath and nothing takes that back. Differences to git, all on purpose: a leading `./`
is dropped, a pattern that could never match is refused instead of ignored, characters count where git
counts bytes, and `**` beside other characters is always a plain star, as git's manual says.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from studio.engine.errors import Refused
from studio.engine.limits import PATTERN_CHARACTERS
from studio.engine.names import caseless, folded, show_name

_ANY_FOLDERS: Final = "**"
_ANY_NAME: Final = ".*"
_CACHED_FOLDERS_UP_TO = 100_000
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


class PatternRefused(Refused):
    """A pattern that could never match, or is too long."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """One pattern. `segments` are regular expressions of single segments, or "**" for any folders.

    Not `anchored`, it has one segment, which may stand at any depth.
    """

    text: str
    negated: bool
    only_folders: bool
    anchored: bool
    segments: tuple[str, ...]


def parse_pattern(text: str, *, ignore_case: bool = False) -> Pattern:
    """Read one pattern. With `ignore_case` its letters are folded as `names.folded` folds paths; what
    takes back (`!`) stays exact, so that no other spelling slips through. Raises PatternRefused."""
    if len(text) > PATTERN_CHARACTERS:
        raise _refused(text, f"is longer than {PATTERN_CHARACTERS} characters")
    body = _without_trailing_spaces(text)
    if body.startswith("#"):
        raise _refused(text, 'begins with "#", which starts a comment; write "\\#"')
    negated = body.startswith("!")
    body = body.removeprefix("!")
    while body.startswith("./"):
        body = body[2:]
    only_folders = body.endswith("/")
    body = body.removesuffix("/")
    anchored = "/" in body
    segments = _segments(text, body.removeprefix("/"), anchored=anchored, fold=ignore_case and not negated)
    return Pattern(text, negated, only_folders, anchored, segments)


class PatternList:
    """An ordered list of patterns that answers which of them decides a path."""

    def __init__(self, texts: Iterable[str], *, ignore_case: bool = False) -> None:
        """With `ignore_case` patterns match every spelling that some file system takes for the same name
        (case, composition, trailing dots and spaces). Raises PatternRefused."""
        self.patterns = tuple(parse_pattern(text, ignore_case=ignore_case) for text in texts)
        self._ignore_case = ignore_case
        self._matchers = tuple(_Matcher(pattern, ignore_case=ignore_case) for pattern in self.patterns)
        self._file_names = _any_of(matcher for matcher in self._matchers if not matcher.only_folders)
        self._folder_names = _any_of(self._matchers)
        self._folders: dict[str, Pattern | None] = {"": None}

    def match(self, path: str, *, folder: bool = False) -> Pattern | None:
        """The pattern that holds `path`, a relative path with slashes, or one of the folders above it.

        None if no pattern matches or the last that does takes back. `folder` says that the path itself
        is a folder; everything above it always is.
        """
        if not self._matchers:
            return None
        above, _, _ = path.rpartition("/")
        return self._held(above) or self._decide(path, folder=folder)

    def _held(self, folder: str) -> Pattern | None:
        try:
            return self._folders[folder]
        except KeyError:
            pass
        parts = folder.split("/")
        found: Pattern | None = None
        for count in range(1, len(parts) + 1):
            found = found or self._decide("/".join(parts[:count]), folder=True)
        if len(self._folders) >= _CACHED_FOLDERS_UP_TO:
            self._folders = {"": None}
        self._folders[folder] = found
        return found

    def _decide(self, path: str, *, folder: bool) -> Pattern | None:
        """The decision on exactly this path, the folders above left out."""
        name = path.rpartition("/")[2]
        spellings = ((path, name),)
        if self._ignore_case:
            key = folded(path)
            plain = unicodedata.normalize("NFC", path)
            spellings = ((key, key.rpartition("/")[2]),)
            if key != plain.lower():
                spellings += ((plain, plain.rpartition("/")[2]),)
        names = self._folder_names if folder else self._file_names
        if not any(names.match(spelled) for _, spelled in spellings):
            return None
        exact = (path, name)
        for matcher in reversed(self._matchers):
            if matcher.only_folders and not folder:
                continue
            tried = (exact,) if matcher.pattern.negated else spellings
            if any(matcher.matches(*spelled) for spelled in tried):
                return None if matcher.pattern.negated else matcher.pattern
        return None


class _Matcher:
    """A compiled pattern, asked about one exact path; says nothing about what lies beneath."""

    def __init__(self, pattern: Pattern, *, ignore_case: bool) -> None:
        self.pattern = pattern
        self.only_folders = pattern.only_folders
        self.flags = re.DOTALL | (re.IGNORECASE if ignore_case and not pattern.negated else 0)
        self._segments = tuple(
            None if segment == _ANY_FOLDERS else re.compile(segment, self.flags)
            for segment in pattern.segments
        )

    def matches(self, path: str, name: str) -> bool:
        if not self.pattern.anchored:
            segment = self._segments[0]
            return segment is not None and segment.fullmatch(name) is not None
        return self._matches_parts(path.split("/"))

    def _matches_parts(self, parts: list[str]) -> bool:
        """Greedy, with one point to return to: the last "**". Never more than parts times segments steps."""
        segments = self._segments
        at = part = 0
        resume: tuple[int, int] | None = None
        while part < len(parts):
            segment = segments[at] if at < len(segments) else _NOTHING
            if segment is None:
                resume = (at, part)
                at += 1
            elif segment.fullmatch(parts[part]):
                at, part = at + 1, part + 1
            elif resume is None:
                return False
            else:
                resume = (resume[0], resume[1] + 1)
                at, part = resume[0] + 1, resume[1]
        return all(segment is None for segment in segments[at:])


_NOTHING = re.compile("(?!)")


def _any_of(matchers: Iterable[_Matcher]) -> re.Pattern[str]:
    """One expression for the last segments of all patterns: most names match none of them, and that is
    found in one step."""
    choices: list[str] = []
    for matcher in matchers:
        local = "i" if matcher.flags & re.IGNORECASE else ""
        choices.append(f"(?{local}:{matcher.pattern.segments[-1]})")
    return re.compile(f"(?:{'|'.join(choices)})\\Z", re.DOTALL) if choices else _NOTHING


def _refused(text: str, reason: str) -> PatternRefused:
    shown = show_name(text if len(text) <= 80 else f"{text[:80]}…")
    return PatternRefused(
        "config.pattern", f'The pattern "{shown}" {reason}.', "Mend it; it protects nothing now."
    )


def _without_trailing_spaces(text: str) -> str:
    """Trailing spaces go unless a backslash holds them, as in .gitignore."""
    kept = text.rstrip(" ")
    backslashes = len(kept) - len(kept.rstrip("\\"))
    return text[: len(kept) + 1] if backslashes % 2 and len(kept) < len(text) else kept


def _segments(text: str, body: str, *, anchored: bool, fold: bool) -> tuple[str, ...]:
    found: list[str] = []
    for tokens in _Reader(text, body).segments():
        if not tokens:
            raise _refused(text, "has an empty segment" if body else "is empty")
        literal = "".join(value for kind, value in tokens if kind == "text")
        if len(literal) == len(tokens) and literal in (".", ".."):
            raise _refused(text, f'has a segment "{literal}"')
        if anchored and len(tokens) == 1 and tokens[0] == ("star", "**"):
            if found[-1:] != [_ANY_FOLDERS]:
                found.append(_ANY_FOLDERS)
        else:
            found.append(_expression(tokens, fold=fold))
    if found[-1] == _ANY_FOLDERS:
        found.append(_ANY_NAME)  # "a/**" is what lies beneath a, not a itself
    return tuple(found)


def _expression(tokens: list[tuple[str, str]], *, fold: bool) -> str:
    """The regular expression of one segment.

    All stars but the last take as little as they can and never give it back: that finds every match and
    takes time in proportion to the name, whatever the pattern.
    """
    if all(kind == "text" for kind, _ in tokens):
        literal = "".join(value for _, value in tokens)
        return re.escape(folded(literal) if fold else literal)
    chunks = [""]
    for kind, values in groupby(tokens, key=lambda token: token[0]):
        run = "".join(value for _, value in values)
        if kind == "star":
            chunks.append("")
        elif kind == "text":
            chunks[-1] += re.escape(caseless(run) if fold else run)
        else:
            chunks[-1] += run
    if len(chunks) == 1:
        return chunks[0]
    first, *middle, last = chunks
    return first + "".join(f"(?>.*?{chunk})" for chunk in middle) + f".*{last}"


class _Reader:
    """Reads the segments of one pattern as tokens: text, star, or an expression for one character."""

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

    def _peek(self, ahead: int = 0) -> str:
        return self._body[self._at + ahead : self._at + ahead + 1]

    def _next(self, missing: str = 'has a "[" without "]"') -> str:
        character = self._peek()
        if not character:
            raise _refused(self._text, missing)
        self._at += 1
        return character

    def _character_class(self) -> str:
        """What stands between brackets; "]" right after the opening one is a character, as in git."""
        negated = self._peek() in ("!", "^")
        if negated:
            self._at += 1
        parts: list[str] = []
        before = ""
        character = self._next()
        while True:
            if character == "[" and self._peek() == ":":
                named = self._named_class()
                parts.append(named or re.escape(character))
                before = "" if named else character
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
        inside = "".join(parts)
        # A name holds no slash, so the class need not leave it out.
        return f"[{'^' if negated else ''}{inside}]"

    def _named_class(self) -> str | None:
        """The class of "[:name:]"; None where it is not closed by ":]" and so a set like any other."""
        end = self._body.find("]", self._at)
        if end < 0:
            raise _refused(self._text, 'has a "[" without "]"')
        if end == self._at + 1 or self._body[end - 1] != ":":
            return None
        name = self._body[self._at + 1 : end - 1]
        if name not in _CLASSES:
            raise _refused(self._text, f"names the unknown class [:{name}:]")
        self._at = end + 1
        return _CLASSES[name]
