"""What an overlay's changes cost, over a large base and over a small one."""

from __future__ import annotations

import shutil
import time
from contextlib import ExitStack
from pathlib import Path

from studio.engine.filesystem import HostFilesystem, OverlayFilesystem
from tests.bench.perf import trees
from tests.bench.perf.comparison import Benchmark, Comparison, compare

_SMALLER = 100
"""How many times smaller the small base is: 500 files of 50,000."""


def _changed(base: HostFilesystem, paths: list[str]) -> OverlayFilesystem:
    """A layer with one change of each of these files, and as many new files."""
    files = OverlayFilesystem(base)
    for number, path in enumerate(paths):
        files.write(f"new/part_{number // 20}/file_{number}.txt", f"new {number}\n")
        match number % 5:
            case 0:
                files.move(path, f"{path}.moved")
            case 1:
                files.delete(path)
            case 2:
                files.copy(path, f"{path}.copied")
            case _:
                files.write(path, f"changed {number}\n", mode="append")
    return files


def _measure(folder: Path, pairs: int) -> Comparison:
    with ExitStack() as stack:
        sizes = (trees.FILES, max(5, trees.FILES // _SMALLER))
        bases: list[HostFilesystem] = []
        for size in sizes:
            (folder / str(size)).mkdir()
            trees.make_tree(folder / str(size), size)
            bases.append(stack.enter_context(HostFilesystem(folder / str(size), read_only=True)))
        large, small = bases
        paths = [match.path for match in small.glob("**")]
        layers = [_changed(base, paths) for base in (large, small)]

        def timed(layer: OverlayFilesystem) -> float:
            started = time.perf_counter()
            steps = layer.changes()
            taken = (time.perf_counter() - started) * 1000
            assert len(steps) == 2 * len(paths)
            return taken

        mine, other = compare(lambda: timed(layers[0]), lambda: timed(layers[1]), pairs)
    for size in sizes:
        shutil.rmtree(folder / str(size))
    ours, peer = (f"changes() over {size} files" for size in sizes)
    return Comparison(ours, peer, mine, other, 1.1)


CHANGES = Benchmark("changes", "1,000 changes of an overlay as steps, by the size of its base", _measure)
