"""A process that works against the engine: it keeps exchanging a folder with a link.

    python -m tests.faults.rivals exchange|rename FOLDER ONE OTHER STOP

It ends when the file STOP exists and prints what it did as one JSON object.
"""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.system import syscalls

ROOT = Path(__file__).parents[2]
SETTLE_SECONDS = 5.0
_IN_THE_WAY = (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST)


def exchange(folder: Path, one: str, other: str, stop: Path) -> dict[str, int]:
    """Exchange two names of a folder as fast as it goes, an even number of times."""
    handle = os.open(folder, os.O_RDONLY)
    times = 0
    while times % 2 or times % 1000 or not stop.exists():
        syscalls.exchange(handle, os.fsencode(one), os.fsencode(other))
        times += 1
    os.close(handle)
    return {"exchanges": times}


def rename(folder: Path, one: str, other: str, stop: Path) -> dict[str, int]:
    """Put the other in the place of the one and back, by plain renames: for a moment nothing is there."""
    handle = os.open(folder, os.O_RDONLY)
    aside = f"{one}.aside"
    round_trip = ((one, aside), (other, one), (one, other), (aside, one))
    times = 0
    while times % 500 or not stop.exists():
        for old, new in round_trip:
            _rename(handle, old, new)
        times += 1
    os.close(handle)
    return {"exchanges": 2 * times}


def _rename(folder: int, old: str, new: str) -> None:
    """Rename once nothing is in the way: an apply makes a folder that is missing, and takes it back."""
    deadline = time.monotonic() + SETTLE_SECONDS
    while True:
        try:
            os.rename(old, new, src_dir_fd=folder, dst_dir_fd=folder)
            return
        except OSError as error:
            if error.errno not in _IN_THE_WAY or time.monotonic() > deadline:
                raise


class Rival:
    """A running rival; `numbers` is what it printed, once it has ended."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self.numbers: dict[str, int] = {}


@contextmanager
def running(folder: Path, *arguments: str) -> Iterator[Rival]:
    """A rival until the block ends; `folder` is where its stop file goes."""
    stop = folder / "stop"
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.faults.rivals", *arguments, str(stop)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
    )
    rival = Rival(process)
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    try:
        yield rival
    finally:
        stop.touch()
        rival.numbers = json.loads(process.communicate(timeout=60)[0])
        stop.unlink()


def main() -> None:
    print("ready", flush=True)
    how, folder, one, other, stop = sys.argv[1:]
    swap = exchange if how == "exchange" else rename
    print(json.dumps(swap(Path(folder), one, other, Path(stop))))


if __name__ == "__main__":
    main()
