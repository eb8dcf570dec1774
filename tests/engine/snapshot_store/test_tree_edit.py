"""A kept state changed path by path is the state that those paths came from."""

from __future__ import annotations

import random
import stat
from pathlib import Path

import pytest

from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import Capture, ObjectFolder, StoredEntry, StoredTree, TreeEdit
from tests.engine.snapshot_store.folders import disturb


def kept(folder: Path, objects: ObjectFolder) -> StoredTree:
    with ProjectRoot(folder) as root:
        capture = Capture(root, objects, HashCache())
        capture.scan()
        return StoredTree(objects, capture.store().tree)


def listed(tree: StoredTree) -> dict[str, StoredEntry]:
    return {entry.path: entry for entry in tree.entries()}


@pytest.mark.parametrize("seed", range(12))
def test_what_differs_put_makes_the_other_state(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)
    folder = tmp_path / "project"
    folder.mkdir()
    with ObjectFolder(tmp_path / "objects") as objects:
        disturb(folder, chance, 25)
        before = kept(folder, objects)
        disturb(folder, chance, 15)
        after = kept(folder, objects)
        edit = TreeEdit(objects, before)
        bits = {entry.path: stat.S_IMODE(entry.mode) for entry in after.entries() if entry.is_folder}
        for found in before.differences(after):
            edit.put(found.path, found.after, bits)
        made = StoredTree(objects, edit.write().tree)
        assert listed(made) == listed(after)
        assert not list(made.differences(after)) or made.manifest.usual_modes != after.manifest.usual_modes


def test_a_file_put_alone_brings_its_folders(tmp_path: Path) -> None:
    """And one taken away leaves them, empty ones too."""
    folder = tmp_path / "project"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "c.txt").write_bytes(b"one")
    with ObjectFolder(tmp_path / "objects") as objects:
        before = kept(folder, objects)
        file = before.entry("a/b/c.txt")
        assert file is not None
        edit = TreeEdit(objects, before)
        edit.put("a/b/c.txt", None, {})
        assert edit.is_empty_folder("a/b") and not edit.is_empty_folder("a")
        edit.put("x/y/z", StoredEntry("x/y/z", file.mode, file.object_id), {"x": 0o700})
        made = listed(StoredTree(objects, edit.write().tree))
        assert {path: stat.S_IMODE(entry.mode) for path, entry in made.items() if entry.is_folder} == {
            "a": 0o755,
            "a/b": 0o755,
            "x": 0o700,
            "x/y": 0o755,
        }
        assert made["x/y/z"].object_id == file.object_id and "a/b/c.txt" not in made
