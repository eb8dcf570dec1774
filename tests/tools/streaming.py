"""`python -m tests.tools.streaming [MEBIBYTES]` streams a large file through every backend, and its memory.

1,024 MiB unless another size is given, and at most 64 MiB of added memory. Each backend works in
a process of its own: the file is written, appended to, moved, copied, read in chunks and by lines, and
replaced. Exit code 1 when a backend needed more, or gave back other bytes.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import chain
from pathlib import Path

from studio.engine.filesystem import HostFilesystem, InMemoryFilesystem, OverlayFilesystem
from studio.engine.filesystem.base import BackedFilesystem

ALLOWED_MEBIBYTES = 64
KINDS = ("host", "memory", "overlay")
_BLOCK = 1 << 20
_WRITTEN_AT_ONCE = 65_536


def _peak_bytes() -> int:
    """The most memory that this process has held; of Linux what is its own and not its parent's."""
    status = Path("/proc/self/status")
    if status.exists():
        line = next(line for line in status.read_text(encoding="ascii").splitlines() if "VmHWM" in line)
        return int(line.split()[1]) * 1024
    import resource

    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def _text(mebibytes: int) -> Iterator[bytes]:
    """Lines of text that no two megabytes share, in pieces that cut lines."""
    known = random.Random(7)
    for number in range(mebibytes):
        line = b"%08d %s\n" % (number, known.randbytes(60).hex().encode())
        block = (line * (_BLOCK // len(line) + 1))[:_BLOCK]
        for at in range(0, _BLOCK, _WRITTEN_AT_ONCE):
            yield block[at : at + _WRITTEN_AT_ONCE]


def _write(files: BackedFilesystem, mebibytes: int) -> None:
    with files.open_write("dir/file") as writer:
        for piece in _text(mebibytes):
            writer.write(piece)


def stream(kind: str, folder: Path, mebibytes: int) -> float:
    """Stream through one backend in this process; the memory that was added, in MiB.

    An overlay has a base that holds the file, so that the first append must bring it up.
    """
    with HostFilesystem(folder) as host:
        files = {"host": host, "memory": InMemoryFilesystem(), "overlay": OverlayFilesystem(host)}[kind]
        if kind == "overlay":
            _write(host, mebibytes)
        files.write("warm", "x")
        files.read("warm")
        before = _peak_bytes()
        if kind != "overlay":
            _write(files, mebibytes)
        with files.open_write("dir/file", "append") as writer:
            writer.write(b"\nend\n")
        files.move("dir/file", "moved")
        files.copy("moved", "copied")
        expected, read = hashlib.sha256(), hashlib.sha256()
        for piece in chain(_text(mebibytes), [b"\nend\n"]):
            expected.update(piece)
        with files.open_read("copied") as reader:
            for chunk in reader:
                read.update(chunk)
        assert read.digest() == expected.digest(), "other bytes came back"
        with files.open_text("copied") as text:
            lines = sum(1 for _ in text)
        window = files.read("copied", offset=lines - 1)
        assert (window.content, window.total_lines) == ("end", lines), "other lines came back"
        with files.open_read("copied") as reader, files.open_write("copied") as writer:
            for chunk in reader:
                writer.write(chunk)
        assert files.stat("copied").size_bytes == mebibytes * _BLOCK + 5
        return (_peak_bytes() - before) / _BLOCK


def added_mebibytes(kind: str, mebibytes: int) -> float:
    """Stream through one backend in a process of its own, in a folder that is gone afterwards."""
    with tempfile.TemporaryDirectory(prefix="studio-streaming-") as folder:
        (Path(folder) / "root").mkdir()
        done = subprocess.run(
            [sys.executable, "-m", "tests.tools.streaming", str(mebibytes), kind, f"{folder}/root"],
            env={**os.environ, "TMPDIR": folder},
            cwd=Path(__file__).parents[2],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
    return float(done.stdout)


def main(words: list[str]) -> int:
    mebibytes = int(words[0]) if words else 1024
    if len(words) == 3:
        print(stream(words[1], Path(words[2]), mebibytes))
        return 0
    over = 0
    for kind in KINDS:
        started = time.perf_counter()
        added = added_mebibytes(kind, mebibytes)
        over += added > ALLOWED_MEBIBYTES
        taken = time.perf_counter() - started
        print(
            f"{kind:8} {mebibytes} MiB streamed, {added:5.1f} MiB of memory added, {taken:.1f} s", flush=True
        )
    return 1 if over else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
