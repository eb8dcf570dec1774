"""Processes that work against an apply: one keeps writing a file, one keeps exchanging a folder with a link.

    python -m tests.faults.rivals write FILE atomic|in-place careful|blind STOP
    python -m tests.faults.rivals exchange|rename FOLDER ONE OTHER STOP

All end when the file STOP exists and print what they did as one JSON object.
"""

from __future__ import annotations

import errno
import json
import os
import random
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from studio.engine import system

ROOT = Path(__file__).parents[2]
SETTLE_SECONDS = 5.0
_IN_THE_WAY = (errno.EISDIR, errno.ENOTDIR, errno.ENOTEMPTY, errno.EEXIST)
_clock = threading.Event()


def foreign(number: int) -> str:
    """What the rival writes the `number`th time."""
    return f"foreign {number}\n" + "x" * (number % 50) + "\n"


def ours(base: str) -> str:
    """What we write over `base`: it says so."""
    return f"ours over {base.splitlines()[0] if base else '-'}\n"


def write(file: Path, how: str, manner: str, stop: Path) -> dict[str, int]:
    """Rewrite a file again and again.

    A careful rival looks before each write: its last one must still stand, or what we made of that very
    one, or be kept beside it where it was written through a handle to the file that went; it waits for that
    a while, as an exchange may be on its way back. A blind one never looks.
    """
    numbers = {"written": 0, "over_ours": 0, "kept": 0, "lost": 0}
    dice = random.Random(7)
    while not stop.exists():
        if manner == "careful" and numbers["written"]:
            last = foreign(numbers["written"])
            found = _settled(file, (last, ours(last)))
            if found is None:
                numbers["kept" if _is_kept(file, last) else "lost"] += 1
            elif found != last:
                numbers["over_ours"] += 1
        numbers["written"] += 1
        _put(file, foreign(numbers["written"]), how)
        _clock.wait(dice.choice((0, 0, 0.001, 0.003, 0.008, 0.03)))
    return numbers


def _put(file: Path, text: str, how: str) -> None:
    if how == "atomic":
        new = file.with_name(f"{file.name}.rival")
        new.write_text(text)
        new.replace(file)
    else:
        file.write_text(text)


def _settled(file: Path, wanted: tuple[str, ...]) -> str | None:
    deadline = time.monotonic() + SETTLE_SECONDS
    while time.monotonic() < deadline:
        try:
            found = file.read_text()
        except FileNotFoundError:
            continue
        if found in wanted:
            return found
    return None


def _is_kept(file: Path, text: str) -> bool:
    """Whether a file that an apply laid aside, and left there, holds this text."""
    return any(".exacta" in beside.name and beside.read_text() == text for beside in file.parent.iterdir())


def exchange(folder: Path, one: str, other: str, stop: Path) -> dict[str, int]:
    """Exchange two names of a folder as fast as it goes, an even number of times."""
    handle = os.open(folder, os.O_RDONLY)
    times = 0
    while times % 2 or times % 1000 or not stop.exists():
        system.exchange(handle, os.fsencode(one), os.fsencode(other))
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
    what, *rest = sys.argv[1:]
    if what == "write":
        file, how, manner, stop = rest
        numbers = write(Path(file), how, manner, Path(stop))
    else:
        folder, one, other, stop = rest
        swap = exchange if what == "exchange" else rename
        numbers = swap(Path(folder), one, other, Path(stop))
    print(json.dumps(numbers))


if __name__ == "__main__":
    main()
