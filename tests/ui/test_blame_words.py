"""The words of the window mark what a shallow clone does not know."""

from __future__ import annotations

from datetime import UTC, datetime

from studio.extras.reader import BlamedLines, Origin
from studio.ui.reading.blame_gutter import author_of, lines_words


def test_the_oldest_commit_of_a_shallow_clone_is_marked() -> None:
    lines = BlamedLines(1, 2, Origin.GIT, who="Somebody", commit="0123456789", is_boundary=True)
    assert author_of(lines) == "^Somebody"
    assert "or an older commit" in lines_words(lines, datetime(2024, 1, 1, tzinfo=UTC))
