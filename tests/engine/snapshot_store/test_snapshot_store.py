"""Whole states of a folder: everything is kept, and what changed is found (R122-R126)."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import Capture, ObjectFolder, StoredTree
from tests.engine.snapshot_store.folders import Standing, disturb, standing

NOW = __import__("datetime").datetime(2026, 11, 23, tzinfo=__import__("datetime").UTC)


@pytest.fixture
def objects(tmp_path: Path) -> Iterator[ObjectFolder]:
    with ObjectFolder(tmp_path / "snapshots.git") as opened:
        yield opened


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def captured(folder: Path, objects: ObjectFolder, known: HashCache | None = None) -> StoredTree:
    with ProjectRoot(folder) as root:
        capture = Capture(root, objects, known or HashCache())
        capture.look()
        return StoredTree(objects, capture.keep().tree)


def stored(tree: StoredTree) -> Standing:
    return {
        entry.path: (entry.mode, b"" if entry.is_folder else tree.content(entry)) for entry in tree.entries()
    }


@given(st.integers())
def test_all_of_a_random_folder_is_kept_and_what_changes_is_found(seed: int) -> None:
    """The second look knows what the first one saw, and finds the same as one that knows nothing."""
    import tempfile

    chance = random.Random(seed)
    with tempfile.TemporaryDirectory() as place, ObjectFolder(Path(place, "snapshots.git")) as objects:
        folder = Path(place, "project")
        folder.mkdir()
        known = HashCache()
        disturb(folder, chance, 25)
        before = standing(folder)
        first = captured(folder, objects, known)
        assert stored(first) == before
        disturb(folder, chance, 10)
        after = standing(folder)
        second = captured(folder, objects, known)
        assert stored(second) == after
        assert stored(captured(folder, objects)) == after
        changes = list(first.differences(second))
        assert {change.path for change in changes} == {
            path for path in before.keys() | after.keys() if before.get(path) != after.get(path)
        }
        for change in changes:
            for entry, there in ((change.before, before), (change.after, after)):
                assert (entry and entry.mode) == there.get(change.path, (None,))[0]
                assert entry == (first if there is before else second).entry(change.path)
        assert stored(first) == before
