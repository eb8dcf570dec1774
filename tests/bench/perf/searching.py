"""Listing and searching 50,000 files, against ripgrep on the same tree."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from studio.engine.filesystem import FileEntry, HostFilesystem
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep_workers import shared_workers
from studio.engine.filesystem.host_backing import HostBacking
from tests.bench.perf import trees
from tests.bench.perf.comparison import Benchmark, Comparison, compare

_EVERYTHING = ("rg", "--no-config", "-uu")
_REGULAR = r"\bquick\w+_lantern = \d"


def _against_rg(
    folder: Path,
    pairs: int,
    ours: Callable[[HostFilesystem], int],
    words: tuple[str, ...],
    *,
    name: str,
    target: float,
) -> Comparison:
    """Ours in this process against `rg` as a whole process; both must come to as many results."""
    root = folder / "tree"
    root.mkdir()
    trees.make_tree(root)
    filesystem = HostFilesystem(root, read_only=True)
    command = [*_EVERYTHING, *words]

    def peer() -> tuple[float, int]:
        started = time.perf_counter()
        done = subprocess.run(command, cwd=root, capture_output=True, check=True)
        return (time.perf_counter() - started) * 1000, done.stdout.count(b"\n")

    expected = peer()[1]

    def measured() -> float:
        started = time.perf_counter()
        found = ours(filesystem)
        taken = (time.perf_counter() - started) * 1000
        assert found == expected > 0
        return taken

    with closing(filesystem):
        mine, other = compare(measured, lambda: peer()[0], pairs)
    shared_workers().close()
    return Comparison(name, f"{' '.join(command)}, a whole process", mine, other, target)


def _names(folder: Path, pairs: int) -> Comparison:
    every_file = Glob("**")

    def ours(filesystem: HostFilesystem) -> int:
        backing = filesystem.backing
        assert isinstance(backing, HostBacking)
        return len(backing.files_beneath("", every_file).paths)

    return _against_rg(
        folder, pairs, ours, ("--files",), name="HostBacking.files_beneath, sorted", target=0.7
    )


def _entries(folder: Path, pairs: int) -> Comparison:
    def ours(filesystem: HostFilesystem) -> int:
        entries: list[FileEntry] = []
        pending = ["."]
        while pending:
            listed = filesystem.list(pending.pop())
            pending += (entry.path for entry in listed if entry.is_directory)
            entries += (entry for entry in listed if entry.is_file)
        return len(entries)

    return _against_rg(
        folder, pairs, ours, ("--files",), name="HostFilesystem.list, folder by folder", target=3.0
    )


def _matches(folder: Path, pairs: int) -> Comparison:
    def ours(filesystem: HostFilesystem) -> int:
        return len(filesystem.glob("**"))

    return _against_rg(
        folder, pairs, ours, ("--files",), name="HostFilesystem.glob of every file", target=3.0
    )


def _grep(text: str, target: float, *, ripgrep: bool) -> Callable[[Path, int], Comparison]:
    def measure(folder: Path, pairs: int) -> Comparison:
        from studio.engine.filesystem import grep

        def ours(filesystem: HostFilesystem) -> int:
            return len(filesystem.grep(text))

        finder = grep.find_ripgrep
        if not ripgrep:
            grep.find_ripgrep = lambda root: None
        try:
            name = f"HostFilesystem.grep, {'asking ripgrep' if ripgrep else 'without ripgrep'}"
            return _against_rg(folder, pairs, ours, (text,), name=name, target=target)
        finally:
            grep.find_ripgrep = finder

    return measure


NAMES = Benchmark("names", f"the names of {trees.FILES:,} files", _names)
ENTRIES = Benchmark("entries", f"{trees.FILES:,} files as FileEntry", _entries)
GLOB = Benchmark("glob", f"{trees.FILES:,} files as GlobMatch", _matches)
GREP = Benchmark("grep", f"a word in {trees.FILES:,} files", _grep(trees.RARE, 1.15, ripgrep=True))
GREP_REGULAR = Benchmark(
    "grep-regular", f"an expression in {trees.FILES:,} files", _grep(_REGULAR, 1.15, ripgrep=True)
)
GREP_ALONE = Benchmark(
    "grep-alone",
    f"a word in {trees.FILES:,} files, warm processes",
    _grep(trees.RARE, 2.5, ripgrep=False),
)
