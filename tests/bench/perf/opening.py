"""A small file five folders deep, opened and read beneath the root, against the plain calls by its path."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from pathlib import Path

from studio.engine.root import ProjectRoot
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.engine.root.jail import opening

READS = 5000
_PATH = "source/package/module/inner/part/file.txt"
_CONTENT = b"a small file\n" * 150


def _laid_out(folder: Path) -> Path:
    root = folder / "project"
    file = root / _PATH
    file.parent.mkdir(parents=True)
    file.write_bytes(_CONTENT)
    return root


def _timed(read: Callable[[], object]) -> float:
    started = time.perf_counter()
    for _ in range(READS):
        read()
    return (time.perf_counter() - started) * 1000


def _measured(folder: Path, pairs: int, target: float) -> Comparison:
    file = str(_laid_out(folder) / _PATH)

    def plain() -> bytes:
        handle = os.open(file, os.O_RDONLY)
        size = os.fstat(handle).st_size
        data = os.read(handle, size)
        os.close(handle)
        return data

    with ProjectRoot(folder / "project") as root:
        read, limit = root.read_bytes, 1 << 20
        assert read(_PATH, limit) == plain() == _CONTENT
        ours, peer = compare(lambda: _timed(lambda: read(_PATH, limit)), lambda: _timed(plain), pairs)
    return Comparison("ProjectRoot.read_bytes", "os.open, os.fstat, os.read, os.close", ours, peer, target)


def _with_openat2(folder: Path, pairs: int) -> Comparison:
    return _measured(folder, pairs, 1.5)


def _by_components(folder: Path, pairs: int) -> Comparison:
    with opening("components"):
        return _measured(folder, pairs, 4.0)


OPEN = Benchmark("open", f"{READS} reads of a small file 5 folders deep, with openat2", _with_openat2)
WALK = Benchmark("walk", f"{READS} reads of a small file 5 folders deep, folder by folder", _by_components)
