"""What is told where a whole tree is watched (macOS, Windows): nothing of what is left out."""

from __future__ import annotations

import pytest

from studio.extras.observed.unwatched import find_reported_path


@pytest.mark.parametrize(
    ("path", "told"),
    [
        ("a/b.txt", "a/b.txt"),
        ("out", "out"),
        ("out/a.o", None),
        ("out/deep/a.o", None),
        (".git", ".git"),
        (".git/HEAD", ".git"),
        (".git/objects/ab/cd", None),
        ("sub/.git/index", "sub/.git"),
        (".gitignore", ".gitignore"),
    ],
)
def test_a_path_is_told_under(path: str, told: str | None) -> None:
    assert find_reported_path(path, lambda folder: folder == "out") == told
