"""A sample of the real file changes that `python -m tests.real_changes` goes through (promise 6, R140)."""

from __future__ import annotations

from pathlib import Path

from tests.mutations import MUTATIONS
from tests.packages import docutils
from tests.real_changes import changes_of, go_through

SAMPLE = 200


def test_changes_of_docutils_apply_as_with_git_and_damaged_ones_are_refused(tmp_path: Path) -> None:
    changes = changes_of(docutils(tmp_path))[:SAMPLE]
    assert len(changes) == SAMPLE
    seen = go_through("docutils", changes, tmp_path / "work")
    print(seen)
    assert not seen.failures
    assert seen.refused == SAMPLE * len(MUTATIONS)
