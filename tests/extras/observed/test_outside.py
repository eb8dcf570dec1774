"""Whatever another process does in a tree, however fast: what differs afterwards was told."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from studio.extras.observed import WatchState
from tests.extras.observed.heard import (
    EVERYTHING,
    Outside,
    covers,
    folder_inodes,
    watched_inodes,
    watching,
)

NAMES = ("a", "b", "c")
PATHS = [*NAMES, *map("/".join, product(NAMES, NAMES)), *map("/".join, product("ab", "bc", "ca"))]
path = st.sampled_from(PATHS)
# No hard links: what is written under one name is told under that name alone.
DOES = st.one_of(
    st.tuples(st.sampled_from(["write", "append", "mkdir", "remove", "rmtree"]), path),
    st.tuples(st.just("grow"), path, st.lists(st.sampled_from(["a/b", "c", "b/b/c"]), min_size=1)),
    st.tuples(st.sampled_from(["rename", "replace"]), path, path),
    st.tuples(st.just("symlink"), st.sampled_from([".", "..", "a", "../b"]), path),
    st.tuples(st.just("chmod"), path, st.sampled_from([0o700, 0o755])),
    st.tuples(st.just("truncate"), path, st.integers(0, 3)),
)


def tree(root: Path) -> dict[str, tuple[int, str | bytes]]:
    """Each path with its mode and what it holds, links not followed."""
    found: dict[str, tuple[int, str | bytes]] = {}
    for folder, folders, files in os.walk(root):
        for name in (*folders, *files):
            file = Path(folder, name)
            mode = file.lstat().st_mode
            if stat.S_ISREG(mode):
                held: str | bytes = file.read_bytes()
            else:
                held = str(file.readlink()) if stat.S_ISLNK(mode) else ""
            found[file.relative_to(root).as_posix()] = (mode, held)
    return found


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("project")


@pytest.fixture(scope="module")
def outside(project: Path) -> Iterator[Outside]:
    """One process for all examples; it lives as long as they do."""
    with Outside(project) as process:
        yield process


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(batches=st.lists(st.lists(DOES, min_size=1, max_size=12), min_size=1, max_size=3))
def test_what_differs_was_told(
    batches: list[list[tuple[object, ...]]], project: Path, outside: Outside
) -> None:
    outside.do(*(("rmtree", name) for name in NAMES), *(("remove", name) for name in NAMES))
    outside.do(("grow", "a", ["b/c"]), ("grow", "b", ["c"]), ("grow", ".", ["c"]))
    with watching(project) as (watcher, heard):
        for batch in batches:
            before = tree(project)
            outside.do(*batch)
            told = heard.settled(project)
            after = tree(project)
            differing = {at for at in {*before, *after} if before.get(at) != after.get(at)}
            assert {at for at in differing if not covers(told, at)} == set()
            assert EVERYTHING not in told, "nothing was lost: no need to look everywhere"
            assert watched_inodes() == folder_inodes(project)
        folders = [at for at, (mode, _) in tree(project).items() if stat.S_ISDIR(mode)]
        outside.do(*(("write", f"{at}/late") for at in folders))
        assert heard.settled(project) == {f"{at}/late" for at in folders}
        assert watcher.state == WatchState()
