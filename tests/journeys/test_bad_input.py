"""The window before input that is too large, or that goes: it says so, decides nothing and goes on.

The same trials run large, with a heartbeat, by `python -m tests.perf.bad_input`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.engine.draft import PlanDraft
from studio.formats import count_checks, detect, limits, submission
from studio.ui.review import submission as pasted
from tests.bench.perf.bad_input import (
    Trial,
    changing_file,
    huge_patch,
    long_diff,
    moved_project,
)
from tests.journeys.desktop import Desktop


def test_what_is_too_large_is_read_no_further_and_what_changes_or_goes_is_named(
    tmp_path: Path, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each on a project of its own; a long diff is shown whole."""
    most = 1 << 20
    for module in (limits, detect, submission, count_checks, pasted):
        monkeypatch.setattr(module, "SUBMISSION_BYTES", most)
    sizes: list[int] = []
    read = detect.read

    def noting(data: bytes, *words: Any, **named: Any) -> PlanDraft:
        sizes.append(len(data))
        return read(data, *words, **named)

    monkeypatch.setattr(detect, "read", noting)
    trials = ((huge_patch, 3 * most), (long_diff, 300_000), (changing_file, 5), (moved_project, 1))
    said: list[str] = []
    for do, size in trials:
        trial = Trial(tmp_path / do.__name__, desktop, size)
        trial.folder.mkdir()
        do(trial)
        said += trial.said
        assert sizes[0] == most + 1
    assert any("moved, deleted or unmounted" in each for each in said)
