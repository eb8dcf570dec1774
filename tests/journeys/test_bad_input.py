"""The window before input that is too large, or that goes: it says so, decides nothing and goes on (C16).

The same trials run large, with a heartbeat, by `python -m tests.perf.bad_input`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.engine import limits
from studio.engine.draft import PlanDraft
from studio.formats import amounts, detect, submission
from tests.bench.perf.bad_input import (
    Trial,
    changing_file,
    huge_patch,
    long_diff,
    moved_project,
)
from tests.journeys.desktop import Desktop


@pytest.fixture
def trial(tmp_path: Path, desktop: Desktop) -> Trial:
    return Trial(tmp_path, desktop, 1)


def test_a_patch_that_is_too_large_is_refused_and_read_no_further(
    trial: Trial, monkeypatch: pytest.MonkeyPatch
) -> None:
    most = 1 << 20
    monkeypatch.setattr(limits, "SUBMISSION_BYTES", most)
    monkeypatch.setattr(detect, "SUBMISSION_BYTES", most)
    monkeypatch.setattr(submission, "SUBMISSION_BYTES", most)
    monkeypatch.setattr(amounts, "SUBMISSION_BYTES", most)
    sizes: list[int] = []
    read = detect.read

    def noting(data: bytes, *words: Any, **named: Any) -> PlanDraft:
        sizes.append(len(data))
        return read(data, *words, **named)

    monkeypatch.setattr(detect, "read", noting)
    trial.size = 3 * most
    huge_patch(trial)
    assert sizes == [most + 1]


def test_what_is_long_changes_or_goes_is_named_and_decided_in_the_end(trial: Trial) -> None:
    """Each on a project of its own; a long diff is shown whole (Q17)."""
    for do, size in ((long_diff, 300_000), (changing_file, 5), (moved_project, 1)):
        each = Trial(trial.folder / do.__name__, trial.desktop, size)
        each.folder.mkdir()
        do(each)
    assert any("moved, deleted or unmounted" in said for said in each.said)
