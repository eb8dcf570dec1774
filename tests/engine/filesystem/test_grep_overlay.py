"""A search through a layer over a project finds what opening every file of the layer would find."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings, strategies as st

from studio.engine.filesystem import HostFilesystem, InMemoryFilesystem, OverlayFilesystem
from studio.engine.filesystem.globbing import Glob
from studio.engine.filesystem.grep import Lines, Search
from studio.engine.filesystem.grep_pattern import read_expression
from studio.engine.filesystem.searching import lines_beneath, lines_by_opening
from studio.errors import StudioError

BASE = {
    "a.txt": "word a\n",
    "docs/b.md": "word b\n",
    "docs/deep/c.txt": "word c\nword again\n",
    "docs/deep/d.py": "none\n",
    "src/e.py": "word e\n",
    "src-old/f.py": "word f\n",
}
PATHS = [*BASE, "docs", "docs/deep", "src", "src-old", "new.txt", "docs/new.txt", "moved", "moved/deep/x.txt"]
OPERATIONS = st.lists(
    st.one_of(
        st.tuples(st.just("write"), st.sampled_from(PATHS), st.sampled_from(["word own\n", "none\n"])),
        st.tuples(st.just("delete"), st.sampled_from(PATHS), st.just("")),
        st.tuples(st.just("move"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
        st.tuples(st.just("copy"), st.sampled_from(PATHS), st.sampled_from(PATHS)),
    ),
    max_size=6,
)


def carry_out(filesystem: OverlayFilesystem, operation: str, path: str, other: str) -> None:
    """Whatever is refused changes nothing."""
    try:
        if operation == "write":
            filesystem.write(path, other)
        elif operation == "delete":
            filesystem.delete(path, recursive=True)
        elif operation == "move":
            filesystem.move(path, other, overwrite=True)
        else:
            filesystem.copy(path, other, overwrite=True)
    except StudioError:
        pass


def both_ways(
    filesystem: OverlayFilesystem, folder: str, glob: str | None, limit: int
) -> tuple[Lines, Lines]:
    search = Search(read_expression("word"), None if glob is None else Glob(glob), limit)
    backing = filesystem.backing
    return lines_beneath(backing, folder, search), lines_by_opening(backing, folder, search)


@pytest.fixture
def base(project: Path) -> HostFilesystem:
    filesystem = HostFilesystem(project)
    for path, content in BASE.items():
        filesystem.write(path, content)
    return filesystem


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    OPERATIONS, st.sampled_from(["", "docs", "moved"]), st.sampled_from([None, "**/*.txt"]), st.integers(1, 9)
)
def test_both_ways_find_the_same(
    base: HostFilesystem, operations: list[tuple[str, str, str]], folder: str, glob: str | None, limit: int
) -> None:
    overlay = OverlayFilesystem(base)
    for operation in operations:
        carry_out(overlay, *operation)
    fast, slow = both_ways(overlay, folder, glob, limit)
    assert fast == slow


@settings(max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(OPERATIONS, OPERATIONS)
def test_so_they_do_through_two_layers(
    base: HostFilesystem, below: list[tuple[str, str, str]], above: list[tuple[str, str, str]]
) -> None:
    lower = OverlayFilesystem(base)
    upper = OverlayFilesystem(lower)
    for operation in below:
        carry_out(lower, *operation)
    for operation in above:
        carry_out(upper, *operation)
    fast, slow = both_ways(upper, "", None, 100)
    assert fast == slow


def test_a_search_sees_ones_own_proposals(base: HostFilesystem) -> None:
    overlay = OverlayFilesystem(base)
    overlay.write("a.txt", "no more\n")
    overlay.delete("src", recursive=True)
    overlay.move("docs", "papers")
    overlay.write("new.txt", "a new word\n")
    found = overlay.grep("word")
    assert [match.path for match in found] == [
        *("new.txt", "papers/b.md", "papers/deep/c.txt", "papers/deep/c.txt", "src-old/f.py")
    ]
    assert base.grep("word")[0].path == "a.txt"


def test_hidden_matches_do_not_use_up_the_limit(base: HostFilesystem) -> None:
    for number in range(20):
        base.write(f"0{number:02d}.txt", "word\n")
    overlay = OverlayFilesystem(base)
    for number in range(20):
        overlay.delete(f"0{number:02d}.txt")
    assert [match.path for match in overlay.grep("word", max_matches=2)] == ["a.txt", "docs/b.md"]
    assert overlay.grep("word", max_matches=2).truncated
    assert not overlay.grep("word", max_matches=7).truncated


def test_spellings_of_one_file_are_hidden_together() -> None:
    base = InMemoryFilesystem(windows=True)
    base.write("Docs/Read Me.txt", "word\n")
    overlay = OverlayFilesystem(base)
    overlay.write("DOCS/read me.TXT", "none\n")
    assert overlay.grep("word") == ()
    fast, slow = both_ways(overlay, "docs", None, 10)
    assert fast == slow
