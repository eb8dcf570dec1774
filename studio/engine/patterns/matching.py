"""Path matching against pattern lists, with results cached for each folder.

What may still match beneath a folder is a set of positions in the anchored patterns, passed down from a
folder to those in it. A lower-case name that fits no outline keeps its folder's result; one regular
expression for all lists finds that out.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache
from typing import Final

from studio.engine.patterns.pattern_parser import Outline, OutlineKind, Pattern, parse_pattern
from studio.names import folded
from studio.values import Value

_CACHED_UP_TO = 100_000
_NOTHING: Final = re.compile("(?!)")

UNUSUAL_NAMES: Final = r"[ -~]*+(?:(?!\Z)|(?<=[. ]))"
"""Regular expression of the names that always need a full match.

Those with other letters than ASCII, or a dot or a space at the end.
"""

MatcherState = tuple[int, int]
"""A matcher's number, and that of the segment to compare next."""


Speaks = Callable[[str], object]
"""Predicate on a lower-case name; anything but None means a possible match."""


class PatternList:
    """Ordered list of patterns, with the .gitignore rule for which one decides."""

    def __init__(self, texts: Iterable[str], *, ignore_case: bool = False) -> None:
        """Parse the patterns.

        With `ignore_case` they match every spelling that some file system takes for the same name (case,
        composition, trailing dots and spaces). Raises PatternRefused.
        """
        self.patterns = tuple(parse_pattern(text, ignore_case=ignore_case) for text in texts)
        self._lists = PatternLists((self.patterns,))

    def match(self, path: str, *, folder: bool = False) -> Pattern | None:
        """Return the pattern that decides a relative path with slashes.

        It may match one of the folders above. None if no pattern matches or the last that does is negated.
        `folder` says that the path itself is a folder; everything above it always is.
        """
        return self._lists.match(path, folder=folder)


class Folder(Value, eq=False):
    """The lists' result for a folder, and what may match beneath it.

    `held` is the pattern that decides it, of the list with number `rank`; without one `rank` is the number of
    lists. Lists from that number on are ignored beneath. `speaks` says of a lower-case name whether it is
    unusual, or whether an earlier list may match it at any depth.
    """

    held: Pattern | None
    rank: int
    steps: Steps
    speaks: Speaks


# Our own for speed: pathspec's GitIgnoreSpec takes 47 us for a path with the 263 patterns of git's
# repository.
class PatternLists:
    """Several lists of patterns; the first that matches a path decides.

    Names are compared in lower case with outlines first. `odd_names` is a regular expression of lower-case
    names that the caller checks itself; it must include ODD_NAMES, since outlines don't know how those are
    folded.
    """

    def __init__(self, lists: Sequence[Sequence[Pattern]], *, odd_names: str = UNUSUAL_NAMES) -> None:
        self._matchers = tuple(_matcher(pattern) for patterns in lists for pattern in patterns)
        self._list_of = tuple(number for number, patterns in enumerate(lists) for _ in patterns)
        numbers = iter(range(len(self._matchers)))
        self._lists = tuple(tuple(next(numbers) for _ in patterns)[::-1] for patterns in lists)
        self._unusual_names = odd_names
        self._unusual = re.compile(odd_names, re.DOTALL)
        start = self._add_skipped(
            (number, 0) for number, matcher in enumerate(self._matchers) if matcher.pattern.anchored
        )
        self._everywhere = frozenset(state for state in start if self._matchers[state[0]].floats)
        self._matches_before: dict[int, Speaks] = {}
        self._outlines: dict[int, re.Pattern[str]] = {}
        self._steps: dict[frozenset[MatcherState], Steps] = {}
        self._found: dict[tuple[int, bool, str], Pattern | None] = {}
        self._quiet_folders: dict[Folder, Folder] = {}
        self.root = self._folder(None, len(lists), start)
        self._folders = {"": self.root}

    def match(self, path: str, *, folder: bool = False) -> Pattern | None:
        """Return the deciding pattern for a path or a folder above it."""
        if folder:
            return self.folder(path).held
        parent, _, name = path.rpartition("/")
        return self.match_in(self.folder(parent), name)

    def match_in(self, parent: Folder, name: str) -> Pattern | None:
        """Return the deciding pattern for the file `name` in a folder."""
        return self._decide(parent, name, is_folder=False)[0]

    def folder(self, path: str) -> Folder:
        """Return the result for a folder; "" is the root."""
        cached = self._folders.get(path)
        if cached is not None:
            return cached
        if len(self._folders) >= _CACHED_UP_TO:
            self._folders = {"": self.root}
        parts = path.split("/")
        count = len(parts) - 1
        while count and (cached := self._folders.get("/".join(parts[:count]))) is None:
            count -= 1
        cached = cached or self.root
        for number in range(count, len(parts)):
            cached = self.child(cached, parts[number])
            self._folders["/".join(parts[: number + 1]) or "/"] = cached
        return cached

    def child(self, parent: Folder, name: str) -> Folder:
        """Return the result for the folder `name` in a folder."""
        steps, lower_name = parent.steps, name.lower()
        if parent.speaks(lower_name) is None and (steps.speaks is None or steps.speaks(lower_name) is None):
            return self.quiet(parent)
        pattern, rank = self._decide(parent, name, is_folder=True)
        spellings = _Spellings(name)
        return self._folder(
            pattern,
            rank,
            (after for state in steps.places for after in self._states_beneath(state, spellings)),
        )

    def quiet(self, parent: Folder) -> Folder:
        """Return the result for subfolders whose names can match no pattern."""
        cached = self._quiet_folders.get(parent)
        if cached is None:
            recursive = (state for state in parent.steps.places if self._outline(state) is None)
            cached = self._quiet_folders[parent] = self._folder(parent.held, parent.rank, recursive)
        return cached

    def is_unusual(self, name: str) -> bool:
        """Return whether a name matches the expression of unusual names."""
        return self._unusual.match(name.lower()) is not None

    def _folder(self, pattern: Pattern | None, rank: int, states: Iterable[MatcherState]) -> Folder:
        before = frozenset(state for state in self._add_skipped(states) if self._list_of[state[0]] < rank)
        return Folder(pattern, rank, self._steps_for(before), self._match_before(rank))

    def _decide(self, parent: Folder, name: str, *, is_folder: bool) -> tuple[Pattern | None, int]:
        """Return the pattern that decides a name in `parent`, and its list."""
        lower_name = name.lower()
        spellings = _Spellings(name)
        is_usual = self._unusual.match(lower_name) is None
        for number in range(parent.rank):
            if number in parent.steps.due or not is_usual:
                found = self._match(self._lists[number], parent.steps, spellings, is_folder=is_folder)
            elif self._list_outlines(number).match(lower_name) is None:
                continue
            else:
                found = self._match_anywhere(number, spellings, is_folder=is_folder)
            if found is not None:
                return found, number
        return parent.held, parent.rank

    def _match_anywhere(self, number: int, spellings: _Spellings, *, is_folder: bool) -> Pattern | None:
        """Return the cached match of a name by a list's unanchored patterns.

        Where no anchored pattern is due the folder doesn't matter, and many names recur.
        """
        key = (number, is_folder, spellings.name)
        try:
            return self._found[key]
        except KeyError:
            pass
        if len(self._found) >= _CACHED_UP_TO:
            self._found = {}
        found = self._match(self._lists[number], None, spellings, is_folder=is_folder)
        self._found[key] = found
        return found

    def _match(
        self, candidates: Iterable[int], steps: Steps | None, spellings: _Spellings, *, is_folder: bool
    ) -> Pattern | None:
        """Return the last matching pattern of one list, None if negated."""
        for candidate in candidates:
            matcher = self._matchers[candidate]
            if matcher.pattern.only_folders and not is_folder:
                continue
            last = len(matcher.outlines) - 1
            if matcher.pattern.anchored and (steps is None or (candidate, last) not in steps.places):
                continue
            if matcher.matches(last, spellings):
                return None if matcher.pattern.negated else matcher.pattern
        return None

    def _list_outlines(self, number: int) -> re.Pattern[str]:
        """Return an expression of names that a list may match anywhere."""
        cached = self._outlines.get(number)
        if cached is None:
            matchers = (self._matchers[candidate] for candidate in self._lists[number])
            expression = _outline_expression(
                matcher.outlines[0] for matcher in matchers if not matcher.pattern.anchored
            )
            cached = self._outlines[number] = re.compile(expression, re.DOTALL) if expression else _NOTHING
        return cached

    def _match_before(self, rank: int) -> Speaks:
        """Return an expression of unusual names and those of lists before `rank`."""
        cached = self._matches_before.get(rank)
        if cached is None:
            matchers = [self._matchers[candidate] for numbers in self._lists[:rank] for candidate in numbers]
            outlines = [matcher.outlines[0] for matcher in matchers if not matcher.pattern.anchored]
            outlines += [self._outline(state) for state in self._everywhere if self._list_of[state[0]] < rank]
            expression = "|".join(filter(None, (self._unusual_names, _outline_expression(outlines))))
            cached = self._matches_before[rank] = re.compile(expression, re.DOTALL).match
        return cached

    def _states_beneath(self, state: MatcherState, spellings: _Spellings) -> Iterator[MatcherState]:
        """Yield the positions that follow beneath a folder of that name."""
        number, at = state
        matcher = self._matchers[number]
        if matcher.outlines[at] is None:
            yield state
        elif at + 1 < len(matcher.outlines) and matcher.matches(at, spellings):
            yield number, at + 1

    def _add_skipped(self, states: Iterable[MatcherState]) -> frozenset[MatcherState]:
        """Add the positions that "**" reaches by matching no folder."""
        initial = frozenset(states)
        return initial | {(number, at + 1) for number, at in initial if self._outline((number, at)) is None}

    def _outline(self, state: MatcherState) -> Outline | None:
        return self._matchers[state[0]].outlines[state[1]]

    def _steps_for(self, states: frozenset[MatcherState]) -> Steps:
        cached = self._steps.get(states)
        if cached is None:
            if len(self._steps) >= _CACHED_UP_TO:
                self._steps = {}
            expression = _outline_expression(self._outline(state) for state in states - self._everywhere)
            match_name = re.compile(expression, re.DOTALL).match if expression else None
            ends = (number for number, at in states if at + 1 == len(self._matchers[number].outlines))
            due = frozenset(self._list_of[number] for number in ends)
            cached = self._steps[states] = Steps(states, due, match_name)
        return cached


class Steps(Value, eq=False):
    """Positions reached in the anchored patterns on the way to a folder.

    `due` are the lists with a pattern whose last segment is next. `speaks` finds the lower-case names that
    matter in this folder in addition to those that matter everywhere.
    """

    places: frozenset[MatcherState]
    due: frozenset[int]
    speaks: Speaks | None


class _Spellings:
    """A name, and lazily its case-folded and composed spellings."""

    __slots__ = ("_folded", "name")

    def __init__(self, name: str) -> None:
        self.name = name
        self._folded: tuple[str, ...] | None = None

    def folded(self) -> tuple[str, ...]:
        if self._folded is None:
            key = folded(self.name)
            composed = unicodedata.normalize("NFC", self.name)
            self._folded = (key,) if key == composed.lower() else (key, composed)
        return self._folded


class _Matcher:
    """A compiled pattern, matched one segment at a time."""

    def __init__(self, pattern: Pattern) -> None:
        self.pattern = pattern
        self.floats = pattern.anchored and pattern.segments[0] is None
        """Whether it begins with "**", so its first name may be anywhere."""
        self.outlines = tuple(segment and segment.outline for segment in pattern.segments)
        self._folds = pattern.ignores_case and not pattern.negated
        self._expressions: dict[int, re.Pattern[str]] = {}

    def matches(self, at: int, spellings: _Spellings) -> bool:
        segment = self.pattern.segments[at]
        if segment is None:
            return True
        expression = self._expressions.get(at)
        if expression is None:
            # Lazy, because most are never needed, and compiling them all took a short command 30 ms.
            flags = re.DOTALL | (re.IGNORECASE if self._folds else 0)
            expression = self._expressions[at] = re.compile(segment.expression, flags)
        if not self._folds:
            return expression.fullmatch(spellings.name) is not None
        return any(expression.fullmatch(spelling) for spelling in spellings.folded())


@lru_cache(maxsize=4096)
def _matcher(pattern: Pattern) -> _Matcher:
    return _Matcher(pattern)


def _outline_expression(outlines: Iterable[Outline | None]) -> str:
    """Return an expression of names that fit an outline, "" without any."""
    names: set[str] = set()
    endings: dict[str, set[str]] = {}
    forms: set[str] = set()
    for outline in outlines:
        if outline is None:
            continue
        if outline.kind is OutlineKind.NAME:
            names.add(outline.text)
        elif outline.kind is OutlineKind.ENDING:
            endings.setdefault(outline.text[:1], set()).add(outline.text[1:])
        else:
            forms.add(outline.text)
    choices = [rf"(?:{_any_of(names)})\Z"] if names else []
    choices += [rf".*{re.escape(first)}(?:{_any_of(rest)})\Z" for first, rest in sorted(endings.items())]
    choices += [rf"{form}\Z" for form in sorted(forms)]
    return "|".join(choices)


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(re.escape(text) for text in sorted(texts))
