"""Glob patterns of the protocol: what matches, what is refused, and the way down the tree."""

from __future__ import annotations

import re
import string

import pytest
from hypothesis import given, strategies as st

from studio.engine.filesystem.globbing import Glob
from studio.errors import BadPattern, StudioError
from studio.limits import GLOB_ALTERNATIVES_UP_TO, PATTERN_CHARACTERS

CASES = [
    ("*.txt", "a.txt .txt", "b/a.txt a.txt.c txt"),
    ("**/*.txt", "a.txt b/a.txt b/c/d.txt", "a.py"),
    ("*", "a .hidden [x] {y}", "a/b"),
    ("**", "a a/b a/b/c .git/config", ""),
    ("src/**", "src/a src/b/c", "src x/src/a srcs/a"),
    ("a/**/b", "a/b a/x/b a/x/y/b", "a/bb b x/a/b ab"),
    ("**/test/**", "test/a x/test/a x/y/test/b/c", "test x/test tests/a"),
    ("**/**/a", "a x/a x/y/a", "b"),
    ("?.py", "a.py", "ab.py .py a/b.py"),
    ("[abc].py", "a.py c.py", "d.py ab.py"),
    ("[!abc].py", "d.py", "a.py"),
    ("[^a-c].py", "d.py", "b.py"),
    ("[[:digit:]]*", "1 1a", "a1"),
    ("[]-]x", "]x -x", "ax"),
    ("[{]x", "{x", "x ["),
    ("{a,b}.py", "a.py b.py", "c.py {a,b}.py"),
    ("{src,tests/{unit,end}}/**/*.{py,pyi}", "src/a.py tests/unit/b/c.pyi tests/end/d.py", "tests/a.py x.py"),
    ("a{,b}c", "ac abc", "abbc"),
    ("{a}", "a", "{a}"),
    ("a,b}", "a,b}", "a b"),
    ("\\{a\\}", "{a}", "a"),
    ("\\*", "*", "a"),
    ("./a", "a", "./a x/a"),
    ("/a", "a", "x/a"),
    ("#a", "#a", ""),
    ("!a", "!a", "a b"),
    ("a**b", "ab axxb", "a/b"),
    ("ä*", "äb", "ab"),
    ("\udcff*", "\udcffx", "x"),
]


@pytest.mark.parametrize(("pattern", "matching", "others"), CASES, ids=[repr(case[0]) for case in CASES])
def test_what_a_pattern_matches(pattern: str, matching: str, others: str) -> None:
    glob = Glob(pattern)
    assert [path for path in matching.split() if not glob.matches(path)] == []
    assert [path for path in others.split() if glob.matches(path)] == []


def test_spaces_at_the_end_belong_to_the_name() -> None:
    """Unlike file rules, which drop them."""
    assert Glob("a  ").matches("a  ")
    assert not Glob("a  ").matches("a")
    assert Glob("a\\ ").matches("a ")
    assert Glob("a\\\\ ").matches("a\\ ")


@pytest.mark.parametrize(
    "pattern",
    [
        *["", "/", "a/", "a//b", "..", "a/../b", "a/./b", "[a", "{a", "{a,{b}", "a\\", "[[:odd:]]", "./"],
        *["x" * (PATTERN_CHARACTERS + 1), "{a,b}" * 9, "{" * 500],
    ],
)
def test_a_pattern_that_can_not_be_read_is_refused(pattern: str) -> None:
    with pytest.raises(BadPattern) as refused:
        Glob(pattern)
    assert isinstance(refused.value, ValueError)
    assert refused.value.code == "glob.pattern"
    assert "glob pattern" in refused.value.message and refused.value.hint


def test_as_many_alternatives_as_allowed() -> None:
    assert len(Glob("{a,b}" * 8).segments) == GLOB_ALTERNATIVES_UP_TO


def test_case_is_ignored_where_the_file_system_ignores_it() -> None:
    """Every spelling of one name, in folders and files."""
    glob = Glob("Src/**/*.PY", ignore_case=True)
    assert glob.matches("sRC/a.py") and glob.matches("src/b/c.Py") and glob.matches("SRC/d.py. ")
    assert not glob.matches("source/a.py")
    assert not Glob("Src/*.PY").matches("src/a.py")


def test_folders_in_which_nothing_can_match_are_not_entered() -> None:
    start = Glob("src/{a,b}/*.py").start
    assert start.enter("tests") is None
    source = start.enter("src")
    assert source is not None
    assert source.files(["a.py"]) == ()
    assert source.enter("c") is None
    inner = source.enter("a")
    assert inner is not None and list(inner.files(["x.py", "y.txt"])) == ["x.py"]
    assert inner.enter("deeper") is None


def test_a_folder_of_which_every_file_matches_says_so() -> None:
    inner = Glob("src/**").start.enter("src")
    assert inner is not None and inner.takes_all
    names = ["a", "b"]
    assert inner.files(names) is names
    assert not Glob("*.py").start.takes_all


@pytest.mark.parametrize(
    ("pattern", "ends"),
    [
        ("**/*.py", (".py",)),
        ("{a,b}/*.{py,pyi}", (".py", ".pyi")),
        ("src/main.c", ("main.c",)),
        ("**", ()),
        ("*.{py,*}", ()),
        ("*.ä", ()),
        ("a[b]", ()),
    ],
)
def test_ends_of_matching_names(pattern: str, ends: tuple[str, ...]) -> None:
    assert Glob(pattern).name_ends == ends


SEGMENTS = st.text("ab.", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
PATHS = st.lists(SEGMENTS, min_size=1, max_size=4).map("/".join)
PIECES = st.text("ab.*?", min_size=1, max_size=3).filter(lambda name: name not in (".", ".."))
PLAIN = st.lists(st.one_of(st.just("**"), PIECES), min_size=1, max_size=4)
BRACED = st.lists(PLAIN.map("/".join), min_size=1, max_size=3)


def expected(pattern: str, path: str) -> bool:
    """Written once more, slowly: the whole path against one expression."""
    expression = ""
    parts = pattern.split("/")
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if len(part) > 1 and not part.strip("*"):  # as in git, more than two stars are two
            expression += ".+" if last else "(?:[^/]+/)*"
        else:
            plain = re.sub(r"\*+", "*", part)
            expression += "".join({"*": "[^/]*", "?": "[^/]"}.get(one, re.escape(one)) for one in plain)
            expression += "" if last else "/"
    return re.fullmatch(expression, path) is not None


@given(PLAIN.map("/".join), PATHS)
def test_matching_agrees_with_one_expression_for_the_whole_path(pattern: str, path: str) -> None:
    assert Glob(pattern).matches(path) == expected(pattern, path)


@given(BRACED, PATHS)
def test_braces_are_as_good_as_any_of_the_patterns(patterns: list[str], path: str) -> None:
    whole = "{" + ",".join(patterns) + "}"
    assert Glob(whole).matches(path) == any(Glob(pattern).matches(path) for pattern in patterns)


@given(st.text(string.ascii_letters + "*?[]{},!^-\\/. \udcff\u00e9", max_size=30), PATHS)
def test_any_text_is_a_pattern_or_refused(pattern: str, path: str) -> None:
    try:
        glob = Glob(pattern)
    except StudioError as error:
        assert error.message.endswith(".")
    else:
        found = glob.matches(path)
        if found and glob.name_ends:
            assert path.endswith(glob.name_ends)


@pytest.mark.parametrize("pattern", ["a*" * 50, "*?" * 50, "**a" * 50, "{a,b}*" * 4, "[ab]*" * 50])
def test_hostile_patterns_take_no_time(pattern: str) -> None:
    """A name of 255 characters; backtracking would not come to an end here."""
    assert not Glob(pattern + "c").matches("a" * 255)
    assert not Glob(f"**/{pattern}c/**/{pattern}c").matches("/".join(["a" * 255] * 10))
