"""What one process knew of a folder's files is known to the next, or nothing is."""

from __future__ import annotations

import os
import random
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings, strategies as st
from msgspec.structs import asdict

from studio.engine.root import ProjectRoot
from studio.engine.root.hash_cache import HashCache
from studio.engine.snapshot_store import Capture, ObjectFolder, read_hashes, write_hashes
from tests.engine.snapshot_store.folders import disturb


@settings(max_examples=25)
@given(seed=st.integers())
def test_all_that_is_known_comes_back(seed: int) -> None:
    with tempfile.TemporaryDirectory() as place, ObjectFolder(Path(place, "objects")) as objects:
        folder, file = Path(place, "folder"), Path(place, "hashes")
        folder.mkdir()
        disturb(folder, random.Random(seed), 20)
        (folder / os.fsdecode(b"odd \xff\n")).write_bytes(b"odd")
        (folder / "within" / ".git").mkdir(parents=True)
        known = HashCache()
        with ProjectRoot(folder) as root:
            capture = Capture(root, objects, known)
            capture.scan()
            before = capture.store()
            write_hashes(file, known)
            again = read_hashes(file)
            assert stored(again) == stored(known)
            later = Capture(root, objects, again)
            later.scan_paths(())
            assert later.store().tree == before.tree


def stored(cache: HashCache) -> object:
    """What is written of the folders: all but the counts, which are made from it."""
    return {path: {**asdict(folder), "_counts": None} for path, folder in cache.folders.items()}


@pytest.mark.parametrize("damage", [lambda d: d[:-1], lambda d: d[:99], lambda d: b"", lambda d: d + b"\0"])
def test_a_damaged_file_tells_nothing(damage: Callable[[bytes], bytes], tmp_path: Path) -> None:
    known = HashCache()
    known.folder("").tree = b"t" * 20
    known.folder("a").tree = b"a" * 20
    file = tmp_path / "hashes"
    write_hashes(file, known)
    assert stored(read_hashes(file)) == stored(known)
    file.write_bytes(damage(file.read_bytes()))
    assert not read_hashes(file).folders
    file.unlink()
    assert not read_hashes(file).folders


def test_a_forgotten_project_stays_forgotten(tmp_path: Path) -> None:
    write_hashes(tmp_path / "gone" / "hashes", HashCache())
    assert not (tmp_path / "gone").exists()
