"""A model of a disk on which only what was flushed is certain, and what a power cut may leave of it.

A flush of a file makes its bytes, size and mode certain, not its name; a flush of a folder makes the names
in it certain. A rename between two folders is there as a whole or not at all while neither is flushed;
flushing one makes what it says about that one certain. `syncfs` does all of that for one side: project and
state may lie on different disks. Whatever is not certain may be on the disk or not, in any combination, and
the newest write may be torn.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path

from studio.system.syscalls import creation_mask
from tests.faults.bench import Bench, Saved, Tree
from tests.faults.recording import Call

SIDES = ("project", "state")
_NOT_KEPT = ("-shm", ".lock")
"""Files without meaning after a power cut: SQLite makes its index anew, a lock is gone with its holder."""


@dataclass(slots=True)
class Node:
    """A file or folder; `names` are those in a folder."""

    is_folder: bool
    mode: int
    data: bytes = b""
    names: dict[str, int] = field(default_factory=dict)


Nodes = dict[int, Node]


@dataclass(frozen=True, slots=True)
class Change:
    """What one call does: to one node, or to names (`names`: folder, name, node or None)."""

    node: int = 0
    names: tuple[tuple[int, str, int | None], ...] = ()
    offset: int | None = None
    data: bytes = b""
    size: int | None = None
    mode: int | None = None

    @property
    def is_write(self) -> bool:
        return self.offset is not None

    def split(self, flushed: set[int]) -> tuple[Change | None, Change | None]:
        """What of it is certain once these nodes are flushed, and what is not yet."""
        if not self.names:
            return (self, None) if self.node in flushed else (None, self)
        done = tuple(item for item in self.names if item[0] in flushed)
        left = tuple(item for item in self.names if item[0] not in flushed)
        return Change(names=done) if done else None, Change(names=left) if left else None

    def torn(self, share: float) -> Change:
        """Only the beginning of the bytes arrived."""
        return Change(self.node, offset=self.offset, data=self.data[: int(len(self.data) * share)])

    def apply(self, nodes: Nodes) -> None:
        for folder, name, node in self.names:
            if node is None:
                nodes[folder].names.pop(name, None)
            else:
                nodes[folder].names[name] = node
        if self.names:
            return
        target = nodes[self.node]
        if self.offset is not None:
            before = target.data[: self.offset].ljust(self.offset, b"\0")
            target.data = before + self.data + target.data[self.offset + len(self.data) :]
        if self.size is not None:
            target.data = target.data[: self.size].ljust(self.size, b"\0")
        if self.mode is not None:
            target.mode = self.mode


def _copied(nodes: Nodes) -> Nodes:
    return {
        number: Node(node.is_folder, node.mode, node.data, dict(node.names)) for number, node in nodes.items()
    }


class Disk:
    """Both sides of a bench: as every process sees them, and what of that is certain."""

    def __init__(self, bench: Bench, start: Saved) -> None:
        """What is there at the start is certain."""
        self._folder = bench.project.parent
        self._mask = creation_mask()
        assert (bench.project, bench.state) == tuple(self._folder / side for side in SIDES)
        self.live: Nodes = {0: Node(is_folder=True, mode=0o755)}
        for side, tree in zip(SIDES, (start.project, start.state), strict=True):
            self._make(Path(side), Node(is_folder=True, mode=0o755))
            for name, (kind, mode, data) in sorted(tree.items()):
                if not name.endswith(_NOT_KEPT):
                    self._make(Path(side, name), Node(kind == "folder", mode, data))
        self.certain = _copied(self.live)
        self.pending: list[Change] = []
        """What is not certain yet, in order."""

    def _make(self, path: Path, node: Node) -> int:
        number = len(self.live)
        self.live[number] = node
        self.live[self._find(path.parent)].names[path.name] = number
        return number

    def _find(self, path: Path) -> int:
        number = 0
        for name in path.parts:
            number = self.live[number].names[name]
        return number

    def is_inside(self, call: Call) -> bool:
        """Whether a call is about a file of either side that matters."""
        return all(
            path.is_relative_to(self._folder)
            and path.relative_to(self._folder).parts[:1] in {(side,) for side in SIDES}
            and not path.name.endswith((*_NOT_KEPT, " (deleted)"))
            for path in call.paths
        )

    def play(self, call: Call) -> None:
        """Do what a call does."""
        paths = [path.relative_to(self._folder) for path in call.paths]
        match call.name:
            case "fsync" | "fdatasync":
                self._flush({self._find(paths[0])})
            case "syncfs":
                self._flush(set(self._below(self._find(Path(paths[0].parts[0])))))
            case "fchown" | "fsetxattr" | "fremovexattr":
                pass  # no part of what is compared
            case _:
                change = self._change(call, paths)
                if change is not None:
                    change.apply(self.live)
                    self.pending.append(change)

    def _change(self, call: Call, paths: list[Path]) -> Change | None:
        match call.name:
            case "openat":
                return self._opened(call, paths[0])
            case "mkdir" | "mkdirat":
                return self._new(paths[0], Node(is_folder=True, mode=call.number & ~self._mask))
            case "write" | "pwrite64":
                return Change(self._find(paths[0]), offset=call.number, data=call.data)
            case "ftruncate":
                return Change(self._find(paths[0]), size=call.number)
            case "fchmod" | "chmod":
                return Change(self._find(paths[0]), mode=call.number)
            case "unlink" | "rmdir" | "unlinkat":
                return Change(names=(self._name(paths[0], None),))
            case "link" | "linkat":
                return Change(names=(self._name(paths[1], self._find(paths[0])),))
            case "rename" | "renameat" | "renameat2":
                other = self._find(paths[1]) if "EXCHANGE" in call.flags else None
                moved = self._find(paths[0])
                return Change(names=(self._name(paths[0], other), self._name(paths[1], moved)))
            case _:
                raise ValueError(f"nobody knows what {call.name} does to a disk")

    def _opened(self, call: Call, path: Path) -> Change | None:
        try:
            number = self._find(path)
        except KeyError:
            return self._new(path, Node(is_folder=False, mode=call.number & ~self._mask))
        return Change(number, size=0) if "O_TRUNC" in call.flags and self.live[number].data else None

    def _new(self, path: Path, node: Node) -> Change:
        number = len(self.live)
        self.live[number] = node
        self.certain[number] = Node(node.is_folder, node.mode)
        return Change(names=(self._name(path, number),))

    def _name(self, path: Path, node: int | None) -> tuple[int, str, int | None]:
        return self._find(path.parent), path.name, node

    def _below(self, number: int) -> Iterator[int]:
        yield number
        for below in self.live[number].names.values():
            yield from self._below(below)

    def _flush(self, flushed: set[int]) -> None:
        still: list[Change] = []
        for change in self.pending:
            done, left = change.split(flushed)
            if done is not None:
                done.apply(self.certain)
            if left is not None:
                still.append(left)
        self.pending = still

    def image(self, kept: Iterable[Change]) -> Saved:
        """The disk that has all that is certain, and these changes."""
        nodes = _copied(self.certain)
        for change in kept:
            change.apply(nodes)
        return _saved(nodes)

    def seen(self) -> Saved:
        """The disk as every process sees it."""
        return _saved(self.live)


def _saved(nodes: Nodes) -> Saved:
    project, state = (_tree(nodes, nodes[0].names[side], "") for side in SIDES)
    return Saved(dict(project), dict(state))


def _tree(nodes: Nodes, folder: int, above: str) -> Iterator[tuple[str, tuple[str, int, bytes]]]:
    for name, number in sorted(nodes[folder].names.items()):
        node = nodes[number]
        yield above + name, ("folder" if node.is_folder else "file", node.mode, node.data)
        if node.is_folder:
            yield from _tree(nodes, number, f"{above}{name}/")


def without_locks(tree: Tree) -> Tree:
    """The files that matter after a power cut."""
    return {name: entry for name, entry in tree.items() if not name.endswith(_NOT_KEPT)}


def key_of(image: Saved) -> bytes:
    """The same for equal images."""
    found = hashlib.sha256()
    for tree in (image.project, image.state):
        for name, (kind, mode, data) in sorted(tree.items()):
            found.update(f"{name}\0{kind}\0{mode}\0{len(data)}\0".encode("utf-8", "surrogateescape"))
            found.update(data)
        found.update(b"\0\0")
    return found.digest()


@dataclass(slots=True)
class Images:
    """The images of a recorded run, each one once; the numbers count while they are drawn.

    `subsets` counts in how many ways something was dropped, `sampled` after how many calls not in every way.
    """

    start: Saved
    calls: tuple[Call, ...]
    subsets_up_to: int
    dice: random.Random
    points: int = 0
    subsets: int = 0
    sampled: int = 0

    def draw(self, bench: Bench, leave_out: Callable[[Call], bool] = lambda _: False) -> Iterator[Saved]:
        """For every prefix of the calls what a cut may leave; calls that are left out do not happen."""
        disk = Disk(bench, self.start)
        seen: set[bytes] = set()
        for call in self.calls:
            if not disk.is_inside(call) or leave_out(call):
                continue
            before = len(disk.pending)
            disk.play(call)
            self.points += 1
            for kept in self._subsets(list(disk.pending), before):
                self.subsets += 1
                image = disk.image(kept)
                key = key_of(image)
                if key not in seen:
                    seen.add(key)
                    yield image

    def _subsets(self, pending: list[Change], before: int) -> Iterator[list[Change]]:
        """Every subset of what is pending, or so many. Without what the newest call added to the `before`
        it is one of the point before."""
        older, newest = pending[:before], pending[before:]
        if 2 ** len(older) <= self.subsets_up_to:
            chosen: Iterable[Iterable[Change]] = (
                some for size in range(len(older) + 1) for some in combinations(older, size)
            )
        else:
            self.sampled += 1
            chosen = self._sample(older)
        for some in chosen:
            yield [*some, *newest]
            if newest and newest[0].is_write:
                yield [*some, newest[0].torn(self.dice.choice((0.25, 0.5, 0.9)))]

    def _sample(self, older: list[Change]) -> Iterator[list[Change]]:
        """None and all, all but one, one alone; the others as the dice fall."""
        count = len(older)
        fixed: list[list[Change]] = [[], older]
        fixed += [[*older[:place], *older[place + 1 :]] for place in range(count)]
        fixed += [[change] for change in older]
        if len(fixed) > self.subsets_up_to:
            fixed = [*fixed[:2], *self.dice.sample(fixed[2:], max(0, self.subsets_up_to - 2))]
        yield from fixed
        for _ in range(self.subsets_up_to - len(fixed)):
            share = self.dice.random()
            yield [change for change in older if self.dice.random() < share]
