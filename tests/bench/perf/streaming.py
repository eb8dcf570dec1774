"""A gigabyte through the streams of the protocol, against `cp` and a flush."""

from __future__ import annotations

import os
import shutil
import time
from contextlib import closing
from pathlib import Path

from studio.engine.filesystem import HostFilesystem
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, milliseconds

BYTES = 1 << 30
_PART = 1 << 20


def _copy(folder: Path, pairs: int) -> Comparison:
    root = folder / "tree"
    root.mkdir()
    part = os.urandom(_PART)
    with (root / "source").open("wb") as source:
        for _ in range(max(1, BYTES // _PART)):
            source.write(part)
        source.flush()
        os.fsync(source.fileno())
    filesystem = HostFilesystem(root)
    variables = environment(folder)

    def ours() -> float:
        started = time.perf_counter()
        with filesystem.open_read("source") as reader, filesystem.open_write("target") as writer:
            for chunk in reader:
                writer.write(chunk)
        return _checked((time.perf_counter() - started) * 1000)

    def peer() -> float:
        copied = ["cp", str(root / "source"), str(root / "target")]
        flushed = ["sync", str(root / "target")]
        return _checked(milliseconds(copied, variables) + milliseconds(flushed, variables))

    def _checked(taken: float) -> float:
        target = root / "target"
        assert target.stat().st_size == (root / "source").stat().st_size
        target.unlink()
        return taken

    with closing(filesystem):
        mine, other = compare(ours, peer, pairs)
    shutil.rmtree(root)
    return Comparison("open_read to open_write, in chunks of 64 KiB", "cp, then sync of it", mine, other, 1.5)


STREAM = Benchmark("stream", "a file of 1 GiB copied and flushed", _copy)
