"""Reading and applying diffs, against git with the same diff.

The diffs have the shape of those between releases of public packages: 200 lines for each file, of which
one in ten is new, 43 lines for each hunk, 40 bytes for each line.
"""

from __future__ import annotations

import random
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from studio.engine.diff import apply_strict, compute, format_unified, parse_unified, read_unified
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds

LINES_OF_MUCH = 1_000_000
LINES_OF_ONE_FILE = 100_000
DRY_RUN_FILES = 1_000
DRY_RUN_LINES = 600
_SEED = 7
_WORDS = "if for return self value = None + ( ) name text line with else: def import from".split()


@dataclass(slots=True)
class _Text:
    """Lines of source text, drawn from a store of them."""

    choose: random.Random
    store: list[bytes]

    def lines(self, count: int) -> list[bytes]:
        return self.choose.choices(self.store, k=count)


def _text() -> _Text:
    choose = random.Random(_SEED)

    def line() -> bytes:
        words = " ".join(choose.choices(_WORDS, k=choose.randrange(1, 14)))
        return (" " * 4 * choose.randrange(4) + words).encode() + b"\n"

    return _Text(choose, [line() for _ in range(5_000)])


def make_diff(lines: int) -> bytes:
    """A diff of at least so many lines, as git writes it for many files."""
    text = _text()
    pieces: list[bytes] = []
    made = number = 0
    while made < lines:
        name = b"package/part%02d/module%05d.py" % (number % 50, number)
        file = _new_file(name, text) if text.choose.random() < 0.1 else _changed_file(name, text)
        pieces.append(file)
        made += file.count(b"\n")
        number += 1
    return b"".join(pieces)


def _new_file(name: bytes, text: _Text) -> bytes:
    lines = text.lines(text.choose.randrange(20, 800))
    head = b"diff --git a/%s b/%s\nnew file mode 100644\nindex 0000000..89abcde\n" % (name, name)
    head += b"--- /dev/null\n+++ b/%s\n@@ -0,0 +1,%d @@\n" % (name, len(lines))
    return head + _signed(b"+", lines)


def _changed_file(name: bytes, text: _Text) -> bytes:
    pieces = [b"diff --git a/%s b/%s\nindex 0123456..89abcde 100644\n" % (name, name)]
    pieces.append(b"--- a/%s\n+++ b/%s\n" % (name, name))
    old_start = shift = 0
    for _ in range(text.choose.randrange(1, 9)):
        old_start += text.choose.randrange(10, 200)
        body = b""
        old = new = 0
        for _ in range(text.choose.randrange(1, 5)):
            around, removed, added = 3, text.choose.randrange(0, 12), text.choose.randrange(1, 14)
            body += _signed(b" ", text.lines(around)) + _signed(b"-", text.lines(removed))
            body += _signed(b"+", text.lines(added))
            old, new = old + around + removed, new + around + added
        body += _signed(b" ", text.lines(3))
        old, new = old + 3, new + 3
        pieces.append(
            b"@@ -%d,%d +%d,%d @@ def work(self) -> None:\n" % (old_start, old, old_start + shift, new)
        )
        pieces.append(body)
        old_start += old
        shift += new - old
    return b"".join(pieces)


def _signed(sign: bytes, lines: list[bytes]) -> bytes:
    return b"".join([sign + line for line in lines])


def _timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return (time.perf_counter() - started) * 1000


def _read(lines: int, target: float) -> Callable[[Path, int], Comparison]:
    def measure(folder: Path, pairs: int) -> Comparison:
        diff = make_diff(min(lines, LINES_OF_MUCH))
        patch = folder / "change.diff"
        patch.write_bytes(diff)
        variables = environment(folder)
        numstat = ["git", "apply", "--numstat", str(patch)]
        mine, other = compare(
            lambda: _timed(lambda: read_unified(diff)), lambda: milliseconds(numstat, variables), pairs
        )
        return Comparison("read_unified", "git apply --numstat, a whole process", mine, other, target)

    return measure


def _memory(_: Path, pairs: int) -> Comparison:
    diff = make_diff(LINES_OF_MUCH)

    def added() -> float:
        tracemalloc.start()
        try:
            patches = read_unified(diff)
            _, peak = tracemalloc.get_traced_memory()
        finally:
            tracemalloc.stop()
        assert patches
        return peak / 2**20

    mine, other = compare(added, lambda: len(diff) / 2**20, pairs)
    return Comparison("most memory added while reading", "the diff", mine, other, 1.0, unit="MiB")


def _guard(_: Path, pairs: int) -> Comparison:
    diff = make_diff(min(10_000, LINES_OF_MUCH))
    mine, other = compare(
        lambda: _timed(lambda: parse_unified(diff)), lambda: _timed(lambda: read_unified(diff)), pairs
    )
    return Comparison("with the second reader", "without it", mine, other)


def _edited(lines: list[bytes], text: _Text, every: int) -> list[bytes]:
    """About one line of so many replaced, removed or followed by a new one."""
    edited: list[bytes] = []
    for line in lines:
        kind = text.choose.randrange(every * 3)
        if kind > 2:
            edited.append(line)
        elif kind:
            edited += text.lines(kind)
    return edited


def _one_file(folder: Path, pairs: int) -> Comparison:
    text = _text()
    lines = text.lines(LINES_OF_ONE_FILE)
    base, result = b"".join(lines), b"".join(_edited(lines, text, 55))
    file, patch = folder / "file.txt", folder / "change.diff"
    patch.write_bytes(format_unified(compute(base, result), file.name, file.name))
    variables = environment(folder)
    git = ["git", "-C", str(folder), "apply", "--whitespace=nowarn", patch.name]

    def in_place(apply: Callable[[], float]) -> float:
        file.write_bytes(base)
        taken = apply()
        assert file.read_bytes() == result
        return taken

    def ours() -> None:
        (change,) = read_unified(patch.read_bytes())
        file.write_bytes(apply_strict(file.read_bytes(), change))

    mine, other = compare(
        lambda: in_place(lambda: _timed(ours)), lambda: in_place(lambda: milliseconds(git, variables)), pairs
    )
    return Comparison("read, applied and written", "git apply, a whole process", mine, other, 0.10)


def _dry_run(folder: Path, pairs: int) -> Comparison:
    text = _text()
    root, patch = folder / "tree", folder / "change.diff"
    root.mkdir()
    pieces: list[bytes] = []
    for number in range(DRY_RUN_FILES):
        name, lines = f"file{number:04d}.txt", text.lines(DRY_RUN_LINES)
        base, result = b"".join(lines), b"".join(_edited(lines, text, 55))
        (root / name).write_bytes(base)
        pieces.append(format_unified(compute(base, result), name, name))
    patch.write_bytes(b"".join(pieces))
    variables = environment(folder)
    git = ["git", "-C", str(root), "apply", "--check", "--whitespace=nowarn", str(patch)]

    def ours() -> None:
        for change in read_unified(patch.read_bytes()):
            apply_strict((root / change.path).read_bytes(), change)

    mine, other = compare(lambda: _timed(ours), lambda: milliseconds(git, variables), pairs)
    return Comparison("read and applied in memory", "git apply --check, a whole process", mine, other, 1.5)


READ_FEW = Benchmark("read-10k", "a diff of 10,000 lines read strictly", _read(10_000, 0.6))
READ_MUCH = Benchmark("read-1m", "a diff of 1,000,000 lines read strictly", _read(1_000_000, 2.2))
READ_MEMORY = Benchmark("read-memory", "memory for reading a diff of 1,000,000 lines", _memory)
GUARD = Benchmark("guard", "a diff of 10,000 lines read with and without the second reader", _guard)
PATCH_ONE = Benchmark("patch-one", "a file of 100,000 lines patched", _one_file)
PATCH_DRY = Benchmark("patch-dry", "1,000 files of 600 lines patched in memory", _dry_run)
