"""What a watcher told, a second process that changes its tree, and what the kernel knows of the watches."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable, Collection, Iterator, Set
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Self

from studio.extras.observed import Watcher, WatchMode, WatchState
from studio.extras.observed.unwatched import Unwatched

SECONDS = 20
EVERYTHING = ""
_MARK = "mark-"


class Heard:
    """Gathers what is told; everything is the empty path."""

    def __init__(self) -> None:
        self.paths: set[str] = set()
        self.calls = 0
        self.rounds = 0
        """How often the watcher has begun to see whether there is something to tell."""
        self._told = threading.Condition()
        self._marks = count(1)

    def __call__(self, paths: frozenset[str]) -> None:
        with self._told:
            self.calls += 1
            self.paths |= paths or {EVERYTHING}
            self._told.notify_all()

    def until(self, done: Callable[[], bool]) -> bool:
        """Wait until something that was told makes it true."""
        with self._told:
            return self._told.wait_for(done, SECONDS)

    def has(self, *paths: str) -> bool:
        """Wait until each of these paths itself was told."""
        return self.until(lambda: self.paths.issuperset(paths))

    def settled(self, root: Path) -> set[str]:
        """What is told of all that has happened in the tree so far, in the kernel's order; forgets it."""
        mark = f"{_MARK}{next(self._marks)}"
        (root / mark).touch()
        (root / mark).unlink()
        assert self.until(lambda: mark in self.paths or EVERYTHING in self.paths)
        with self._told:
            told = {path for path in self.paths if not path.startswith(_MARK)}
            self.paths.clear()
        return told

    def stays_silent(self) -> bool:
        """Whether a whole round of the watcher, begun after this, tells nothing."""
        calls, rounds = self.calls, self.rounds
        assert self.until(lambda: self.rounds >= rounds + 2)
        return self.calls == calls

    def begin_round(self) -> None:
        with self._told:
            self.rounds += 1
            self._told.notify_all()

    def forget(self) -> None:
        with self._told:
            self.paths.clear()


def covers(told: Set[str], path: str) -> bool:
    """Whether the path was told, or a folder that holds it."""
    parts = path.split("/")
    return any("/".join(parts[:length]) in told for length in range(1, len(parts) + 1))


class Known:
    """Who knows of each folder whether it is ignored."""

    def __init__(self, is_ignored: Callable[[str], bool]) -> None:
        self._is_ignored = is_ignored

    def guess(self, folder: str) -> bool:
        """No guess, but what a test says."""
        return self._is_ignored(folder)

    def ask_for(self, folders: Collection[str]) -> None:
        """Nothing is unknown."""


def unwatched(is_ignored: Callable[[str], bool]) -> Unwatched:
    """What is left out where each folder is known."""
    return Unwatched(lambda: Known(is_ignored))


class _Counting(Unwatched):
    """What is left out; asked once in each round, before what there is is told."""

    def __init__(self, is_ignored: Callable[[str], bool], heard: Heard) -> None:
        super().__init__(lambda: Known(is_ignored))
        self._heard = heard

    def ask(self) -> list[str]:
        self._heard.begin_round()
        return super().ask()


@contextmanager
def watching(
    root: Path, is_ignored: Callable[[str], bool] = lambda _path: False
) -> Iterator[tuple[Watcher, Heard]]:
    """A tree that is watched, and what is told of it."""
    heard = Heard()
    watcher = Watcher(root, heard, _Counting(is_ignored, heard))
    watcher.start()
    try:
        yield watcher, heard
    finally:
        watcher.stop()


def reaches(heard: Heard, watcher: Watcher, mode: WatchMode) -> WatchState:
    """The state, once it was told that the tree is watched in this way."""
    assert heard.until(lambda: watcher.state.mode is mode), watcher.state
    return watcher.state


def watched_inodes() -> list[int]:
    """The inodes of the folders that this process watches, as the kernel counts them."""
    return sorted(
        int(line.split()[2].removeprefix("ino:"), 16)
        for file in Path("/proc/self/fdinfo").iterdir()
        for line in _lines(file)
        if line.startswith("inotify wd:")
    )


def _lines(file: Path) -> list[str]:
    try:
        return file.read_text().splitlines()
    except OSError:  # closed meanwhile
        return []


def folder_inodes(root: Path) -> list[int]:
    """The inodes of a tree's folders, links not followed."""
    return sorted(Path(folder).stat().st_ino for folder, _, _ in os.walk(root))


_PROGRAM = """
import json, os, shutil, sys
def write(path, text="text"):
    with open(path, "w") as file:
        file.write(text)
def append(path):
    with open(path, "a") as file:
        file.write("more")
def grow(path, folders):
    for name in folders:
        os.makedirs(os.path.join(path, name))
        write(os.path.join(path, name, "file.txt"))
def fill(path, first, last):
    for number in range(first, last):
        write(os.path.join(path, f"{number}.txt"), "")
def touch(count, *paths):
    for number in range(count):
        os.utime(paths[number % len(paths)])
does = dict(write=write, append=append, grow=grow, fill=fill, touch=touch, mkdir=os.mkdir, rename=os.rename,
    remove=os.remove, rmtree=shutil.rmtree, symlink=os.symlink, link=os.link, chmod=os.chmod,
    replace=os.replace, truncate=os.truncate)
os.chdir(sys.argv[1])
for line in sys.stdin:
    for name, *rest in json.loads(line):
        try:
            does[name](*rest)
        except OSError:
            pass
    print(flush=True)
"""


class Outside:
    """Another process in the folder: `do` hands it a list of what to do, [name, arguments…] each; one that
    fails is passed over."""

    def __init__(self, folder: Path) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-I", "-S", "-c", _PROGRAM, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def begin(self, *does: tuple[object, ...]) -> None:
        """Let it do these things, while we go on."""
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(does) + "\n")
        self._process.stdin.flush()

    def done(self) -> None:
        """Wait until it has done what was begun."""
        assert self._process.stdout is not None
        assert self._process.stdout.readline() == "\n"

    def do(self, *does: tuple[object, ...]) -> None:
        self.begin(*does)
        self.done()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_reason: object) -> None:
        self._process.communicate()
