"""A kept state comes back whole, as often as it is asked for, on every backend."""

from __future__ import annotations

import gc
import random
from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from studio.engine.filesystem import InMemoryFilesystem, OverlayFilesystem, SnapshotableFilesystem
from studio.engine.filesystem.memory import MemoryFile, MemoryFolder
from studio.errors import AccessDenied, SnapshotRestoreError, StudioError
from tests.engine.filesystem.backends import Tree, put

NAMES = ("a", "b", "c")
START: Tree = {"a/b": b"one", "a/c/a": b"two", "b": b"three", "c/b": None}


def memory(*, read_only: bool = False) -> InMemoryFilesystem:
    return InMemoryFilesystem(read_only=read_only)


def overlay(*, read_only: bool = False) -> OverlayFilesystem:
    base = InMemoryFilesystem()
    put(base, START)
    return OverlayFilesystem(base, read_only=read_only)


Make = Callable[..., SnapshotableFilesystem]
BACKENDS = pytest.mark.parametrize("make", [memory, overlay])


def held(filesystem: SnapshotableFilesystem) -> Tree:
    found: Tree = {}
    pending = [""]
    while pending:
        for entry in filesystem.list(pending.pop()):
            if entry.is_directory:
                found[entry.path] = None
                pending.append(entry.path)
            else:
                found[entry.path] = filesystem.read_bytes(entry.path).content
    return found


def disturb(filesystem: SnapshotableFilesystem, chance: random.Random, times: int) -> None:
    """Try so many operations; those that make no sense change nothing."""
    for _ in range(times):
        one, other = ("/".join(chance.choices(NAMES, k=chance.randint(1, 3))) for _ in range(2))
        try:
            match chance.randrange(6):
                case 0:
                    filesystem.mkdir(one)
                case 1:
                    filesystem.delete(one, recursive=True)
                case 2:
                    filesystem.move(one, other, overwrite=True)
                case 3:
                    filesystem.copy(one, other)
                case 4:
                    filesystem.write_bytes(one, b"+", mode="append")
                case _:
                    filesystem.write_bytes(one, chance.randbytes(3))
        except StudioError:
            continue


@BACKENDS
@settings(max_examples=60)
@given(seed=st.integers())
def test_each_state_comes_back_in_any_order(make: Make, seed: int) -> None:
    chance = random.Random(seed)
    filesystem = make()
    kept = []
    for _ in range(4):
        disturb(filesystem, chance, 12)
        kept.append((filesystem.snapshot(), held(filesystem)))
    for snapshot, before in chance.choices(kept, k=6):
        filesystem.restore(snapshot)
        assert held(filesystem) == before
        disturb(filesystem, chance, 5)


@BACKENDS
def test_a_snapshot_says_what_it_is(make: Make) -> None:
    filesystem = make()
    first, second = filesystem.snapshot("before the tests"), filesystem.snapshot()
    assert isinstance(filesystem, SnapshotableFilesystem)
    assert first.tag == "before the tests" and second.tag is None
    assert first.snapshot_id != second.snapshot_id and first.commit_ref != second.commit_ref
    assert first.root_path == filesystem.root and first.git_dir is None
    assert first.created_at <= second.created_at


@BACKENDS
def test_another_one_s_snapshot_is_not_known(make: Make) -> None:
    filesystem, other = make(), make()
    filesystem.snapshot()
    filesystem.write_bytes("a/b", b"mine")
    kept = other.snapshot()
    other_state = held(filesystem)
    with pytest.raises(SnapshotRestoreError):
        filesystem.restore(kept)
    assert held(filesystem) == other_state


def test_what_is_only_read_is_not_brought_back() -> None:
    for filesystem in (memory(read_only=True), overlay(read_only=True)):
        kept = filesystem.snapshot()
        with pytest.raises(AccessDenied):
            filesystem.restore(kept)


def test_a_snapshot_in_memory_shares_what_does_not_change() -> None:
    """A hundred snapshots of a thousand files hold each file once, and each folder that changed."""
    gc.collect()
    before = Counter(type(each) for each in gc.get_objects())  # of earlier tests, which something holds
    filesystem = memory()
    for number in range(1000):
        filesystem.write_bytes(f"{number % 10}/{number}", b"x")
    for number in range(100):
        filesystem.write_bytes("0/0", b"%d" % number)
        filesystem.snapshot()
    kinds = Counter(type(each) for each in gc.get_objects())
    assert kinds[MemoryFile] - before[MemoryFile] <= 1000 + 100
    assert kinds[MemoryFolder] - before[MemoryFolder] <= 11 + 2 * 100
