"""What a search knows of its regular expression: never more than Python's matcher would say."""

from __future__ import annotations

import re
import string
import sys
from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from studio.engine.filesystem.grep_pattern import read_expression
from studio.engine.filesystem.grep_text import NotText, blocks_of_bytes, matching_lines
from studio.errors import BadPattern
from studio.limits import SEARCH_EXPRESSION_CHARACTERS

NEEDLES = [
    ("def main", "def main"),
    ("ab+c", "ab"),
    ("abx?cde", "cde"),
    ("a{2}bcd", "bcd"),
    ("(?:abc)+d", "abc"),
    ("(abc)d", "abc"),
    ("abc|abd", ""),
    ("(?i)abc", ""),
    (r"\bclass \w+Error\b", "class "),
    (r"a\.b", "a.b"),
    (r"\x41\u0042", "AB"),
    ("^abc$", "abc"),
    ("[a]bc", "bc"),
    ("(abc)*", ""),
    ("a{,3}", ""),
    ("a{x", "a{x"),
    ("ä", "ä"),
]


@pytest.mark.parametrize(("text", "needle"), NEEDLES)
def test_bytes_that_every_match_holds(text: str, needle: str) -> None:
    assert read_expression(text).needle.decode() == needle


@pytest.mark.parametrize(
    "text",
    [
        *[
            r"(a)\1",
            "a(?=b)",
            "(?<!a)b",
            "(?P<x>a)(?P=x)",
            "(a)?(?(1)b|c)",
            r"\Aa",
            r"a\Z",
            "(?x) a",
            "(?>a*)b",
        ],
        *["a*+b", r"\N{DIGIT ONE}", "(?i:a)b", "a{5000}", "a\nb", r"a\nb", "(" * 60 + "a" + ")" * 60],
    ],
)
def test_what_is_not_understood_is_left_to_python(text: str) -> None:
    expression = read_expression(text)
    assert (expression.needle, expression.roughly, expression.as_whole) == (b"", None, False)
    assert not expression.is_simple


@pytest.mark.parametrize("text", ["", "a*", "a?|b", r"\b", "^", "$", "(?:a|)", "(?i)"])
def test_what_matches_an_empty_line_is_not_asked_of_ripgrep(text: str) -> None:
    assert read_expression(text).roughly is None


@pytest.mark.parametrize("text", ["abc", r"a.c\d", "[a-z]x", "^(?:ab)c$", "(?i)todo"])
def test_simple_expressions(text: str) -> None:
    assert read_expression(text).is_simple


@pytest.mark.parametrize("text", ["ab*", "(a|a)", "a?", "(?:a{2})", "(a)(b|c)"])
def test_repeats_and_choices_are_not_simple(text: str) -> None:
    assert not read_expression(text).is_simple


@pytest.mark.parametrize(
    "text",
    [
        "(",
        "[a",
        "a**",
        "*",
        "a{3,2}",
        r"\p",
        "(?P<a>x)(?P<a>y)",
        "(?i",
        "a" * (SEARCH_EXPRESSION_CHARACTERS + 1),
    ],
)
def test_what_python_can_not_read_is_refused(text: str) -> None:
    with pytest.raises(BadPattern) as refused:
        read_expression(text)
    assert refused.value.code == "grep.pattern"
    assert isinstance(refused.value, ValueError)
    assert "regular expression" in refused.value.message and refused.value.message.endswith(".")


def test_deep_nesting_is_refused_or_read_but_never_a_crash() -> None:
    text = "(" * 2000 + "a" + ")" * 2000
    try:
        assert read_expression(text).compiled.search("a")
    except BadPattern as error:
        assert "nested too deeply" in error.message


def test_what_may_mean_something_else_one_day_warns_nobody() -> None:
    assert read_expression("[[a]b").compiled.search("[b")


def test_letters_beyond_ascii_that_are_letters_of_ascii_without_case() -> None:
    """The table of twins holds all of them, in the Python that runs."""
    beyond = "".join(chr(code) for code in range(0x80, sys.maxunicode + 1) if not 0xD800 <= code < 0xE000)
    for letter in string.ascii_lowercase:
        found = set(re.findall(letter, beyond, re.IGNORECASE))
        expression = read_expression(f"(?i){letter}")
        assert expression.roughly is not None
        named = {chr(int(code, 16)) for code in re.findall(r"\\x\{([0-9a-f]+)\}", expression.roughly)}
        assert found == named
    assert not set(re.findall(r"[\x00-@\[-`{-\x7f]", beyond, re.IGNORECASE))


CHARACTERS = "ab \t_1\r-\u0130k\u212a\u00e9\u0660\x1c\x85"
LITERALS = st.sampled_from([re.escape(one) for one in CHARACTERS] + ["ab", "b a"])
CLASSES = st.sampled_from(
    [".", r"\d", r"\w", r"\s", r"\D", r"\W", r"\S", "[ab]", "[^a]", r"[^\w]", r"[\d-]", r"[^\n\s]", "[a-k]"]
)
MARKS = st.sampled_from(["^", "$", r"\b", r"\B"])
REPEATS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{,2}", "{1,}", "*?", "+?"])


def grouped(inner: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    group = st.sampled_from(["(", "(?:"]).flatmap(lambda start: inner.map(lambda text: f"{start}{text})"))
    repeated = st.tuples(st.one_of(LITERALS, CLASSES, group), REPEATS).map("".join)
    sequence = st.lists(st.one_of(repeated, MARKS), min_size=1, max_size=4).map("".join)
    return st.lists(sequence, min_size=1, max_size=2).map("|".join)


EXPRESSIONS = st.tuples(st.sampled_from(["", "", "(?i)"]), st.recursive(LITERALS, grouped, max_leaves=6)).map(
    "".join
)
TEXTS = st.lists(st.text(CHARACTERS, max_size=8), max_size=6).flatmap(
    lambda lines: st.sampled_from(["\n", "\r\n"]).map(lambda end: end.join(lines))
)


def line_by_line(text: str, content: str) -> list[tuple[int, str, int, int]]:
    """The meaning of a search, written once more as simply as it goes."""
    lines = content.split("\n")
    ended, last = lines[:-1], lines[-1]
    found: list[tuple[int, str, int, int]] = []
    for number, line in enumerate([line.removesuffix("\r") for line in ended] + ([last] if last else []), 1):
        match = re.search(text, line)
        if match:
            found.append((number, line, match.start(), match.end()))
    return found


def searched(text: str, content: str, limit: int = 1000) -> Sequence[tuple[int, str, int, int]]:
    return matching_lines(read_expression(text), blocks_of_bytes(content.encode()), limit)


@given(EXPRESSIONS, TEXTS)
def test_a_search_finds_what_looking_at_each_line_finds(text: str, content: str) -> None:
    assert list(searched(text, content)) == line_by_line(text, content)


@given(EXPRESSIONS, TEXTS, st.integers(1, 3))
def test_a_limit_cuts_the_end_off(text: str, content: str, limit: int) -> None:
    assert list(searched(text, content, limit)) == line_by_line(text, content)[:limit]


@given(EXPRESSIONS, TEXTS)
def test_every_matching_line_holds_the_needle(text: str, content: str) -> None:
    needle = read_expression(text).needle.decode()
    assert all(needle in line for _, line, _, _ in line_by_line(text, content))


@given(st.text(string.printable + "\u00e9\ud800", max_size=20), TEXTS)
def test_any_text_is_an_expression_or_refused(text: str, content: str) -> None:
    try:
        expression = read_expression(text)
    except BadPattern:
        return
    if expression.is_simple:
        assert list(searched(text, content)) == line_by_line(text, content)


def test_a_file_in_blocks_is_as_good_as_in_one(monkeypatch: pytest.MonkeyPatch) -> None:
    content = "".join(f"line {number} äöü\r\n" for number in range(200)).encode() + b"end 7"
    whole = matching_lines(read_expression(r"\d*7"), [content], 1000)
    monkeypatch.setattr("studio.engine.filesystem.grep_text.BLOCK_BYTES", 100)
    blocks = list(blocks_of_bytes(content))
    assert len(blocks) > 20 and b"".join(blocks) == content
    assert all(block.endswith(b"\n") for block in blocks[:-1])
    assert matching_lines(read_expression(r"\d*7"), blocks, 1000) == whole
    assert whole[-1] == (201, "end 7", 4, 5)


@pytest.mark.parametrize("content", [b"match\nbad \xff\n", b"match\n\0", b"\x89PNG\r\n\x1a\nmatch\n"])
def test_what_is_not_text_is_not_searched(content: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(2):
        with pytest.raises(NotText):
            matching_lines(read_expression("match"), blocks_of_bytes(content), 1)
        # In blocks of a line each what makes it no text stands behind the one match that was wanted.
        monkeypatch.setattr("studio.engine.filesystem.grep_text.BLOCK_BYTES", 1)


def test_a_line_without_end_is_not_searched(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("studio.engine.filesystem.grep_text.BLOCK_BYTES", 10)
    monkeypatch.setattr("studio.engine.filesystem.grep_text.SEARCH_LINE_BYTES", 100)
    with pytest.raises(NotText):
        searched("a", "a\n" + "b" * 200)
    assert len(searched("a", "a\n" + "b" * 80)) == 1
