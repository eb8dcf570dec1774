"""Glob pattern matcher for file searches: `*`, `?`, `**`, `{a,b}`, `[abc]`.

`*` and `?` match within one name, `**` any folders. Segments mean what they mean in the file rules
(`engine.patterns`); in addition there are braces, and a matcher that follows the search down the tree and
reports for each folder whether it needs to be entered at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Final

from studio.engine.patterns import PatternRefused, parse_pattern
from studio.engine.patterns.pattern_parser import Segment
from studio.errors import BadPattern
from studio.limits import GLOB_ALTERNATIVES_UP_TO, PATTERN_CHARACTERS
from studio.names import folded, show_name

_ANY_NAME: Final = ".*"
_TOKENS = re.compile(r"\\.|\[[!^]?\]?(?:\\.|\[:[a-z]+:\]|[^\]\\])*\]|.", re.DOTALL)
_PLAIN_END = re.compile(r"[A-Za-z0-9._-]+\Z")
_SYNTAX = 'Use * and ? within one name, "**" for any number of folders, {a,b} and [abc].'

_Place = tuple[int, int]
"""State of a match: the alternative, and how many of its segments have matched."""


class GlobFolder:
    """Matcher for the entries of one folder, made and cached by `Glob`."""

    def __init__(self, glob: Glob, places: frozenset[_Place]) -> None:
        self._glob = glob
        segments = glob.segments
        self._anywhere = frozenset((number, at) for number, at in places if segments[number][at] is None)
        ending = sorted((number, at) for number, at in places if at == len(segments[number]) - 1)
        self._named = tuple(sorted(places - self._anywhere - frozenset(ending)))
        choices = {glob.expressions[number][at].pattern for number, at in ending}
        self.takes_all = _ANY_NAME in choices
        """Whether every file of the folder matches."""
        self._names = re.compile("|".join(f"(?:{choice})" for choice in sorted(choices)), glob.flags)
        self._matches_nothing = not choices

    def files(self, names: Sequence[str]) -> Sequence[str]:
        """Return the matching names among files of the folder, in their order."""
        if self.takes_all or self._matches_nothing:
            return names if self.takes_all else ()
        matches = self._names.fullmatch
        if self._glob.ignore_case:
            return [name for name in names if matches(folded(name))]
        return [name for name in names if matches(name)]

    def enter(self, name: str) -> GlobFolder | None:
        """Return the matcher of a subfolder; None where nothing below can match."""
        if not self._named:
            return self._deeper
        spelled = folded(name) if self._glob.ignore_case else name
        further = {
            (number, at + 1)
            for number, at in self._named
            if self._glob.expressions[number][at].fullmatch(spelled)
        }
        return self._glob.folder(further | self._anywhere)

    @cached_property
    def _deeper(self) -> GlobFolder | None:
        return self._glob.folder(self._anywhere)


class Glob:
    """A compiled glob, for paths relative to the folder searched."""

    def __init__(self, pattern: str, *, ignore_case: bool = False) -> None:
        """Parse a pattern.

        With `ignore_case` it matches every spelling that some file system treats as the same name. Raises
        BadPattern.
        """
        self.text = pattern
        self.ignore_case = ignore_case
        self.flags = re.DOTALL | (re.IGNORECASE if ignore_case else 0)
        texts = _expand_braces(pattern)
        self.segments = tuple(_parse_segments(pattern, text, ignore_case=ignore_case) for text in texts)
        self.expressions = tuple(
            tuple(re.compile(segment.expression if segment else "", self.flags) for segment in segments)
            for segments in self.segments
        )
        self._folders: dict[frozenset[_Place], GlobFolder] = {}
        start = self.folder((number, 0) for number in range(len(self.segments)))
        assert start is not None
        self.start: GlobFolder = start
        ends = [_PLAIN_END.search(text) for text in texts]
        self.name_ends: tuple[str, ...] = (
            tuple({end.group(): None for end in ends if end}) if all(ends) else ()
        )
        """Every matching name ends with one of these; empty where unknown."""

    def folder(self, places: Iterable[_Place]) -> GlobFolder | None:
        """Return the matcher for a set of states; None for none."""
        found = set(places)
        for number, at in tuple(found):
            if self.segments[number][at] is None:
                found.add((number, at + 1))  # "**" matches no folder, too; it is never last or doubled
        key = frozenset(found)
        if not key:
            return None
        if key not in self._folders:
            self._folders[key] = GlobFolder(self, key)
        return self._folders[key]

    def matches(self, path: str) -> bool:
        """Return whether the file at a relative path with slashes matches."""
        *folders, name = path.split("/")
        at: GlobFolder | None = self.start
        for folder in folders:
            at = at.enter(folder)
            if at is None:
                return False
        return bool(at.files((name,)))


def _expand_braces(pattern: str) -> tuple[str, ...]:
    """Expand the braces of a pattern, without duplicates. Raises BadPattern."""
    if len(pattern) > PATTERN_CHARACTERS:
        raise _bad_pattern(pattern, f"is longer than {PATTERN_CHARACTERS} characters")
    outer: list[tuple[list[str], list[str]]] = []
    done: list[str] = []
    current = [""]
    for piece in _TOKENS.findall(pattern):
        if piece == "{":
            outer.append((current, done))
            current, done = [""], []
        elif piece == "," and outer:
            done, current = done + current, [""]
        elif piece == "}" and outer:
            choices = done + current
            before, done = outer.pop()
            if len(before) * len(choices) > GLOB_ALTERNATIVES_UP_TO:
                raise _bad_pattern(pattern, f"expands to more than {GLOB_ALTERNATIVES_UP_TO} patterns")
            current = [start + choice for start in before for choice in choices]
        else:
            current = [start + piece for start in current]
    if outer:
        raise _bad_pattern(pattern, 'has a "{" without "}"')
    return tuple(dict.fromkeys(current))


def _parse_segments(whole: str, text: str, *, ignore_case: bool) -> tuple[Segment | None, ...]:
    """Parse a pattern without braces; None is "**". Raises BadPattern."""
    body = text
    while body.startswith(("./", "/")):
        body = body[1 if body.startswith("/") else 2 :]
    if body.endswith("/"):
        raise _bad_pattern(
            whole, 'ends with "/", but folders are not listed; write "/**" for all files in it'
        )
    bare = body.rstrip(" ")
    if len(bare) < len(body):
        # File rules drop spaces at the end; names may end with them.
        escaped = (len(bare) - len(bare.rstrip("\\"))) % 2
        body = bare + " " * escaped + "\\ " * (len(body) - len(bare) - escaped)
    try:
        pattern = parse_pattern(f"/{body}", ignore_case=ignore_case)
    except PatternRefused as error:
        raise _bad_pattern(whole, "can't be read") from error
    # A file rule omits "**" before or after the only segment, which means the same.
    return pattern.segments if pattern.anchored else (None, *pattern.segments)


def _bad_pattern(pattern: str, reason: str) -> BadPattern:
    shown = show_name(pattern if len(pattern) <= 80 else f"{pattern[:80]}…")
    return BadPattern("glob.pattern", f'The glob pattern "{shown}" {reason}.', _SYNTAX)
