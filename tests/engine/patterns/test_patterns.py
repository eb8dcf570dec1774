"""Patterns as in .gitignore, compared with git itself."""

from __future__ import annotations

import os
import random
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from studio.engine.patterns import PatternList, PatternRefused, parse_pattern
from studio.names import folded
from tests.tools import check_ignore

NAMES = ["a", "b", "ab", "foo", "foo.c", ".x", "a]", "A", "b-c", "a b", "x!", "#h", "bar.py"]
PIECES = [
    *["a", "b", "foo", "*", "?", "/", "/", "**", "[ab]", "[!a]", "[a-c]", ".c", ".", "\\*", "\\a", "-"],
    *["[[:alpha:]]", "[]a]", "[^]b]", "***", "[a-]", " ", "\\ ", "[b-a]", "[[:x]", "*.py", "/**/"],
]


def git(folder: Path, *arguments: str, given: bytes = b"") -> bytes:
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("GIT_")},
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_NOSYSTEM": "1",
    }
    done = subprocess.run(
        ["git", "-C", str(folder), *arguments], input=given, capture_output=True, check=False, env=environment
    )
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    git(tmp_path, "init", "-q")
    return tmp_path


def ignored(repository: Path, patterns: Sequence[str], paths: Sequence[str]) -> set[str]:
    (repository / ".gitignore").write_text("".join(f"{pattern}\n" for pattern in patterns))
    given = b"\0".join(path.encode() for path in paths)
    found = git(repository, "check-ignore", "--no-index", "--stdin", "-z", given=given)
    return {path.decode() for path in found.split(b"\0") if path}


def test_generated_patterns_decide_as_git_does(repository: Path) -> None:
    choose = random.Random(20)
    compared = matched = 0
    for _ in range(120):
        patterns = some_patterns(choose)
        paths = sorted({"/".join(choose.choices(NAMES, k=choose.randint(1, 4))) for _ in range(60)})
        ours = PatternList(patterns)
        expected = ignored(repository, patterns, paths)
        assert {path for path in paths if ours.match(path)} == expected, patterns
        compared += len(paths)
        matched += len(expected)
    assert compared > 5000
    assert compared / 10 < matched < compared * 9 / 10


def some_patterns(choose: random.Random) -> list[str]:
    wanted = choose.randint(1, 6)
    patterns: list[str] = []
    while len(patterns) < wanted:
        text = "".join(choose.choices(PIECES, k=choose.randint(1, 5)))
        text = choose.choice(["", "", "", "!"]) + text + choose.choice(["", "", "", "/"])
        # Git drops the literal start before it looks at stars, which makes a special "**" of such a one.
        special = any(f"{before}**" in text.lstrip("!/") for before in "abco.-") or "*** " in text
        if not special and is_taken(text) and not text.lstrip("!").startswith("./"):
            patterns.append(text)
    return patterns


def is_taken(text: str) -> bool:
    try:
        parse_pattern(text)
    except PatternRefused:
        return False
    return True


REAL_RULES = """
*.py[cod]
__pycache__/
/build
/dist/*
!/dist/keep.txt
*.log
!important.log
logs/**/*.tmp
**/cache/
docs/_build/
.env*
!.env.example
node_modules
src/**/generated/*.ts
!src/**/generated/index.ts
*~
\\#*#
tmp/
!tmp/keep/
[Tt]humbs.db
*.sw[a-p]
/a/*/c
vendor/**
""".split()
REAL_FOLDERS = [
    "",
    "src",
    "src/app/generated",
    "src/generated",
    "dist",
    "dist/sub",
    "docs/_build",
    "logs/x/y",
]
REAL_FOLDERS += [
    "tmp/keep",
    "a/b/c",
    "a/b",
    "vendor",
    "x/cache",
    "x/node_modules/y",
    "build",
    "x/build",
    "logs",
]
REAL_FILES = ["main.py", "main.pyc", "keep.txt", "other.txt", "x.log", "important.log", "x.tmp", ".env", "c"]
REAL_FILES += [
    ".env.example",
    "index.ts",
    "other.ts",
    "notes~",
    "#x#",
    "Thumbs.db",
    "thumbs.db",
    ".x.swp",
    "cache",
]


def test_rules_as_people_write_them_decide_as_git_does(repository: Path) -> None:
    paths = [f"{folder}/{file}".lstrip("/") for folder in REAL_FOLDERS for file in REAL_FILES]
    ours = PatternList(REAL_RULES)
    expected = ignored(repository, REAL_RULES, paths)
    assert {path for path in paths if ours.match(path)} == expected
    assert len(expected) > 100


@pytest.mark.parametrize(
    ("pattern", "path", "held"),
    [
        ("bin/", "bin/x", True),
        ("bin/", "src/bin/x", True),
        ("bin/", "bin", False),
        ("./bin", "bin/x", True),
        ("./bin", "src/bin/x", True),
        ("././bin/", "bin/x", True),
        ("/bin", "src/bin/x", False),
        ("a/b", "x/a/b", False),
        ("**/a/b", "x/a/b", True),
        ("**/a/b", "a/b", True),
        ("a/**", "a", False),
        ("a/**", "a/b/c", True),
        ("a/**/b", "a/b", True),
        ("a/**/b", "a/x/y/b", True),
        ("*", "x/y", True),
        ("a*b*c", "axxbyyc", True),
        ("a*b*c", "axxbyy", False),
        ("*.tar.gz", "x.tar.tar.gz", True),
        ("\\!a", "!a", True),
        ("\\#a", "#a", True),
        ("a\\ ", "a ", True),
        ("a  ", "a", True),
        ("[[:digit:]]", "7", True),
        ("a/[/]b", "a/b", False),
    ],
)
def test_single_patterns(pattern: str, path: str, held: bool) -> None:
    assert (PatternList([pattern]).match(path) is not None) is held


def test_only_what_lies_below_the_root_counts() -> None:
    """A project that itself lives under a folder named bin works; paths are relative to it."""
    assert PatternList(["bin/"]).match("src/main.py") is None


def test_a_matched_folder_holds_everything_beneath() -> None:
    patterns = PatternList(["private/", "!private/readme.md"])
    assert patterns.match("private/readme.md") is not None
    assert patterns.match("private", folder=True) is not None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "/",
        "!",
        "   ",
        "#comment",
        "a//b",
        "//a",
        "a\\",
        "[a",
        "[",
        "[]",
        "[[:nothing:]]",
        "a/../b",
        "..",
        ".",
        "x" * 1025,
    ],
)
def test_patterns_that_could_never_match_are_refused(text: str) -> None:
    with pytest.raises(PatternRefused) as refused:
        parse_pattern(text)
    assert refused.value.code == "config.pattern"
    assert refused.value.message.startswith('The pattern "')


SPELLINGS = ["SECRETS/x", "Secrets/x", "secrets./x", "secrets /x", "\u017fecrets/x", "sec\u200crets/x"]


@pytest.mark.parametrize("path", SPELLINGS)
def test_ignoring_case_meets_every_spelling(path: str) -> None:
    """What some file system takes for the same name is held; an exact rule holds only itself."""
    assert PatternList(["secrets/"], ignore_case=True).match(path)
    assert PatternList(["secrets/"]).match(path) is None


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*.KEY", "a.key"),
        ("Stra\u00dfe/", "STRASSE/x"),
        ("caf\u00e9*", "CAFE\u0301.txt"),
        ("[A-C]x", "bX"),
        ("[[:upper:]]x", "ax"),
        ("[\u00e4]x", "\u00c4X"),
        ("?", "\u00df"),
        ("*.env.", "x.env"),
    ],
)
def test_ignoring_case_folds_patterns_too(pattern: str, path: str) -> None:
    held = PatternList([pattern], ignore_case=True).match(path)
    assert (held is not None) is (pattern != "*.env.")


def test_taking_back_is_exact_even_when_case_is_ignored() -> None:
    patterns = PatternList(["*.key", "!public.key"], ignore_case=True)
    assert patterns.match("public.key") is None
    assert patterns.match("PUBLIC.KEY") is not None


@given(st.text(max_size=30), st.lists(st.text("ab./*? ", min_size=1, max_size=6), min_size=1, max_size=4))
def test_any_text_is_a_pattern_or_refused(text: str, parts: list[str]) -> None:
    for ignore_case in (False, True):
        try:
            patterns = PatternList([text], ignore_case=ignore_case)
        except PatternRefused:
            continue
        patterns.match("/".join(parts))


@given(st.text("aB.c\u00e9\u00df", min_size=1, max_size=8))
def test_a_literal_pattern_holds_its_own_name_in_every_case(name: str) -> None:
    if name.strip(".") and not name.endswith("."):
        patterns = PatternList([name], ignore_case=True)
        for spelled in (name, name.upper(), name.lower(), folded(name)):
            assert patterns.match(spelled), spelled


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("*a" * 100 + "b", "a" * 5000),
        ("**/a/" * 30 + "b", "a/" * 2000 + "c"),
        ("?*" * 200 + "x", "y" * 4000),
    ],
)
def test_hostile_patterns_take_little_time(pattern: str, path: str) -> None:
    began = time.process_time()
    assert PatternList([pattern]).match(path) is None
    assert time.process_time() - began < 2.0


def test_names_of_installed_packages_are_ignored_as_git_does(tmp_path: Path) -> None:
    """A sample of `python -m tests.tools.check_ignore`, which takes a large release and its own files."""
    paths = check_ignore.installed_paths()[::7]
    choose = random.Random(35)
    made = check_ignore.made_lists(REAL_RULES, paths, choose)
    outcome = check_ignore.compare([next(made) for _ in range(6)], paths, tmp_path)
    assert outcome.differences == ()
    assert outcome.paths > 100
    assert 0 < outcome.ignored < outcome.answers
