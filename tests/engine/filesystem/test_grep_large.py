"""Files that are too large to be held as a whole are searched piece by piece."""

from __future__ import annotations

from pathlib import Path

import pytest

from studio.engine.filesystem import HostFilesystem, searching
from studio.engine.filesystem.grep_pattern import read_expression
from tests.engine.filesystem.backends import Make

LINES = b"".join(b"line %d\n" % number for number in range(2000))
TREE = {"docs/a.txt": b"a word\n", "docs/large.txt": LINES + b"a word\n", "docs/z.txt": b"the word\n"}
SLOW = r"(w|wo|o)+rd$"


@pytest.fixture
def small_room(monkeypatch: pytest.MonkeyPatch) -> None:
    """More than 1,000 bytes are large here."""
    monkeypatch.setattr(searching, "SEARCH_WHOLE_BYTES", 1000)


@pytest.mark.usefixtures("small_room")
@pytest.mark.parametrize("limit", [1, 2, 3, 10])
def test_a_large_file_has_the_same_lines(make: Make, limit: int) -> None:
    filesystem = make(dict(TREE))
    found = filesystem.grep("word", "docs", max_matches=limit)
    assert [(match.path, match.line_number) for match in found] == [
        ("docs/a.txt", 1), ("docs/large.txt", 2001), ("docs/z.txt", 1),
    ][:limit]  # fmt: skip
    assert found.truncated is (limit < 3)
    (match,) = filesystem.grep("word", "docs/large.txt")
    assert (match.line_number, match.line_content) == (2001, "a word")
    assert not filesystem.grep("word", "docs/large.txt", glob="*.md")


@pytest.mark.usefixtures("small_room")
def test_a_large_binary_file_has_none(make: Make) -> None:
    filesystem = make({"large": b"\0" + LINES, "late": LINES + b"\xff"})
    assert not filesystem.grep("line 7") and not filesystem.grep("line 7", "large")


@pytest.mark.usefixtures("small_room")
def test_what_can_not_be_searched_is_told(make: Make) -> None:
    """On disk a process of its own reads the file; elsewhere it would have to be handed over whole."""
    assert not read_expression(SLOW).is_simple
    filesystem = make(dict(TREE))
    found = filesystem.grep(SLOW, "docs/large.txt")
    seen = [match.line_number for match in found] or [entry.reason for entry in found.unseen]
    assert seen in ([2001], ["docs/large.txt is too large for this regular expression."])


@pytest.mark.parametrize("start", [b"", b"a word\n" * 2000], ids=["empty", "text"])
@pytest.mark.parametrize("expression", ["word", SLOW])
def test_a_sparse_giant_takes_no_memory(project: Path, start: bytes, expression: str) -> None:
    with (project / "giant").open("wb") as file:
        file.write(start)
        file.truncate(1 << 40)
    with HostFilesystem(project, read_only=True) as filesystem:
        assert not filesystem.grep(expression, "giant")
