"""A sample of the file changes that `python -m tests.tools.real_changes` goes through."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tools.mutations import MUTATIONS
from tests.tools.packages import Versions, docutils, generated
from tests.tools.real_changes import changes_of, go_through


@pytest.mark.parametrize(
    ("make", "sample"), [pytest.param(docutils, 100, marks=pytest.mark.network), (generated, 80)]
)
def test_changes_apply_as_with_git_and_damaged_ones_are_refused(
    make: Callable[[Path], Versions], sample: int, tmp_path: Path
) -> None:
    versions = make(tmp_path)
    changes = changes_of(versions)[:sample]
    assert len(changes) == sample
    seen = go_through(versions.name, changes, tmp_path / "work")
    print(seen)
    assert not seen.failures
    assert seen.refused == sample * len(MUTATIONS)
