"""Texts of patterns and paths for property tests: short, odd, and often about one another."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from studio.engine.patterns import Pattern, PatternRefused, parse_pattern

NAMES = st.sampled_from(
    ["a", "b", "A", "ab", "a.b", ".a", "c.key", "K", "\u212a", "\u00e9", "e\u0301", "x.", "bin", "~"]
)
PATHS = st.lists(NAMES, min_size=1, max_size=5).map("/".join)
PIECES = st.sampled_from(
    [
        "a",
        "b",
        "A",
        "K",
        "**",
        "*",
        "?",
        "/",
        "/",
        "[ab]",
        "[!a]",
        ".",
        "\\*",
        "bin",
        ".key",
        "[^A-C]",
        "\u00e9",
    ]
)
TEXTS = st.builds(
    lambda start, pieces, end: start + "".join(pieces) + end,
    st.sampled_from(["", "", "!", "/", "**/"]),
    st.lists(PIECES, min_size=1, max_size=5),
    st.sampled_from(["", "", "/", "/**"]),
)


def taken(texts: Sequence[str], *, ignore_case: bool) -> list[Pattern]:
    """The texts that are patterns."""
    found: list[Pattern] = []
    for text in texts:
        try:
            found.append(parse_pattern(text, ignore_case=ignore_case))
        except PatternRefused:
            continue
    return found
