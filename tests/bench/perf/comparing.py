"""Comparing lines beside `git diff --no-index`, words beside cutting lines into words, and counting rows.

The small files are written to disk first: both sides of a pair read them, git as a process of its own.
Ours compares in the child process that is already there, as in the window.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

from studio.engine.diff import compute
from studio.extras.diff_view.rows import side_by_side
from studio.extras.diff_view.words import word_spans
from studio.text import Lines
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment

LINES = 100_000
HUNKS = 25_000
_PAIRS_ON_SCREEN = 60
_SEED = 11
_WORDS = "if for return self value = None + ( ) name text line with else: def import from".split()
_TOKENS = re.compile(r"\w+|\s+|[^\w\s]")
_REPEATS = 20

Texts = tuple[bytes, bytes]


def _source(choose: random.Random) -> list[bytes]:
    """Lines as in a program: many words in common, most lines alone in their file."""
    return [
        b"    " * choose.randrange(4)
        + " ".join(choose.choices(_WORDS, k=choose.randrange(2, 9))).encode()
        + b" %d\n" % choose.randrange(LINES)
        for _ in range(LINES)
    ]


def _edited() -> Texts:
    """Two lines of a hundred are changed, gone or new."""
    choose = random.Random(_SEED)
    old = _source(choose)
    new: list[bytes] = []
    for line in old:
        fate = choose.random()
        if fate > 0.006:
            new.append(line)
        elif fate > 0.003:
            new.append(line.replace(b" ", b"  ", 1))
        if fate < 0.02 and fate > 0.014:
            new.append(b"new line %d\n" % choose.randrange(LINES))
        if 0.006 < fate < 0.014:
            new[-1] = line[:-1] + b" edited\n"
    return b"".join(old), b"".join(new)


def _same() -> Texts:
    return b"a line\n" * LINES, b"a line\n" * (LINES + LINES // 20)


def _ten_symbols() -> Texts:
    choose = random.Random(_SEED)
    symbols = [b"%d\n" % number for number in range(10)]
    return b"".join(choose.choices(symbols, k=LINES)), b"".join(choose.choices(symbols, k=LINES))


def _disjoint() -> Texts:
    old, new = (b"".join(b"%s line %d\n" % (name, n) for n in range(LINES)) for name in (b"old", b"new"))
    return old, new


def _shuffled() -> Texts:
    old = [b"line %d\n" % number for number in range(LINES)]
    new = random.Random(_SEED).sample(old, k=LINES)
    return b"".join(old), b"".join(new)


def _lines(make: Callable[[], Texts], target: float, folder: Path, pairs: int) -> Comparison:
    files = folder / "old.txt", folder / "new.txt"
    for file, text in zip(files, make(), strict=True):
        file.write_bytes(text)
    variables = {**environment(folder), "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", "diff", "--no-index", "--text", *map(str, files)]

    def ours() -> float:
        started = time.perf_counter()
        diff = compute(files[0].read_bytes(), files[1].read_bytes())
        taken = (time.perf_counter() - started) * 1000
        assert diff.is_exact
        assert diff.hunks
        return taken

    def git() -> float:
        started = time.perf_counter()
        code = subprocess.call(command, env=variables, stdout=subprocess.DEVNULL)
        taken = (time.perf_counter() - started) * 1000
        assert code == 1
        return taken

    mine, other = compare(ours, git, pairs)
    return Comparison("both files read and compared", "git diff --no-index", mine, other, target)


def _changed_pairs() -> list[tuple[str, str]]:
    """Lines of about 60 characters, in which one to three words are changed, gone or new."""
    choose = random.Random(_SEED)
    pairs: list[tuple[str, str]] = []
    for _ in range(_PAIRS_ON_SCREEN):
        words = choose.choices(_WORDS, k=choose.randrange(10, 16))
        changed = list(words)
        for _ in range(choose.randrange(1, 4)):
            place = choose.randrange(len(changed))
            changed[place] = choose.choice(["", f"new_{changed[place]}", choose.choice(_WORDS), "a new"])
        pairs.append(("        " + " ".join(words), "        " + " ".join(changed)))
    return pairs


def _words(_: Path, pairs: int) -> Comparison:
    shown = _changed_pairs()

    def spans() -> float:
        started = time.perf_counter()
        for _ in range(_REPEATS):
            for old, new in shown:
                word_spans(old, new)
        return (time.perf_counter() - started) * 1000 / _REPEATS

    def tokens() -> float:
        started = time.perf_counter()
        for _ in range(_REPEATS):
            for old, new in shown:
                _TOKENS.findall(old)
                _TOKENS.findall(new)
        return (time.perf_counter() - started) * 1000 / _REPEATS

    mine, other = compare(spans, tokens, pairs)
    return Comparison("word spans of 60 pairs", "cutting the same lines into words", mine, other, 1.5)


def _rows(_: Path, pairs: int) -> Comparison:
    old = [b"line %d\n" % number for number in range(10 * HUNKS)]
    new = [b"new %d\n" % number if number % 10 == 5 else line for number, line in enumerate(old)]
    diff = compute(b"".join(old), b"".join(new))
    assert len(diff.hunks) == HUNKS

    def rows() -> float:
        started = time.perf_counter()
        side_by_side(diff)
        return (time.perf_counter() - started) * 1000

    def lines() -> float:
        started = time.perf_counter()
        Lines(diff.base)
        Lines(diff.result)
        return (time.perf_counter() - started) * 1000

    mine, other = compare(rows, lines, pairs)
    return Comparison(f"the rows of {HUNKS:,} hunks counted", "finding the lines of both sides", mine, other)


def _of_lines(name: str, what: str, make: Callable[[], Texts], target: float) -> Benchmark:
    return Benchmark(name, what, partial(_lines, make, target))


COMPARING = (
    _of_lines("diff-lines", "100,000 lines with 2 % edits compared", _edited, 1.0),
    _of_lines("diff-same", "100,000 equal lines and 5 % more of them", _same, 2.0),
    _of_lines("diff-ten", "100,000 lines of ten symbols at random", _ten_symbols, 2.0),
    _of_lines("diff-disjoint", "100,000 lines with nothing in common", _disjoint, 2.0),
    _of_lines("diff-shuffled", "100,000 lines in another order", _shuffled, 2.0),
    Benchmark("words", "60 changed pairs of lines marked word by word", _words),
    Benchmark("rows", "a diff of 25,000 hunks made ready for the screen", _rows),
)
