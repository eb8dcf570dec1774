"""The quick matcher answers as a slow and simple one does; any text is a pattern or is refused."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from hypothesis import given, strategies as st

from studio.engine.patterns import Pattern, PatternList, PatternLists, PatternRefused
from studio.names import folded
from tests.engine.patterns.pattern_texts import PATHS, TEXTS, taken


def slowly(patterns: Sequence[Pattern], path: str, *, folder: bool) -> str | None:
    """The pattern that holds a path, found by trying each on the path and on every folder above it."""
    parts = path.split("/")
    for count in range(1, len(parts) + 1):
        is_folder = folder or count < len(parts)
        for pattern in reversed(patterns):
            if (is_folder or not pattern.only_folders) and _matches(pattern, parts[:count]):
                if not pattern.negated:
                    return pattern.text
                break
    return None


def _matches(pattern: Pattern, parts: Sequence[str]) -> bool:
    if not pattern.anchored:
        return _segments_match(pattern, 0, parts[-1:])
    return _segments_match(pattern, 0, parts)


def _segments_match(pattern: Pattern, at: int, parts: Sequence[str]) -> bool:
    if at == len(pattern.segments):
        return not parts
    segment = pattern.segments[at]
    if segment is None:
        return any(_segments_match(pattern, at + 1, parts[skip:]) for skip in range(len(parts) + 1))
    if not parts:
        return False
    folds = pattern.ignores_case and not pattern.negated
    flags = re.DOTALL | (re.IGNORECASE if folds else 0)
    spelled = {folded(parts[0]), unicodedata.normalize("NFC", parts[0])} if folds else {parts[0]}
    fits = any(re.fullmatch(segment.expression, name, flags) for name in spelled)
    return fits and _segments_match(pattern, at + 1, parts[1:])


@given(
    texts=st.lists(TEXTS, min_size=1, max_size=5),
    paths=st.lists(PATHS, min_size=1, max_size=8),
    folder=st.booleans(),
    ignore_case=st.booleans(),
)
def test_a_list_answers_as_the_slow_matcher_does(
    texts: list[str], paths: list[str], *, folder: bool, ignore_case: bool
) -> None:
    """One list answers as the slow matcher does, in whatever order it is asked."""
    patterns = taken(texts, ignore_case=ignore_case)
    quick = PatternLists([patterns])
    for path in paths:
        found = quick.match(path, folder=folder)
        assert (found and found.text) == slowly(patterns, path, folder=folder), (texts, path)


@given(
    lists=st.lists(st.lists(TEXTS, max_size=3), min_size=1, max_size=4),
    paths=st.lists(PATHS, min_size=1, max_size=8),
    ignore_case=st.booleans(),
)
def test_of_several_lists_the_first_that_holds_decides(
    lists: list[list[str]], paths: list[str], *, ignore_case: bool
) -> None:
    """Of several lists the first that holds a path decides."""
    all_patterns = [taken(texts, ignore_case=ignore_case) for texts in lists]
    together = PatternLists(all_patterns)
    for path in paths:
        found = together.match(path)
        alone = (PatternLists([patterns]).match(path) for patterns in all_patterns)
        assert found is next(filter(None, alone), None), (lists, path)


@given(
    text=st.text(max_size=40) | st.text("ab*?[]!\\/^-:. ", max_size=20),
    path=st.text(max_size=30) | PATHS,
    ignore_case=st.booleans(),
)
def test_any_text_is_a_pattern_or_refused(text: str, path: str, *, ignore_case: bool) -> None:
    """Any text is a pattern or is refused with a sentence, and any other text a path to be asked about."""
    try:
        patterns = PatternList([text], ignore_case=ignore_case)
    except PatternRefused as refused:
        assert refused.message.startswith('The pattern "')
        assert refused.message.isprintable()
        return
    patterns.match(path)
