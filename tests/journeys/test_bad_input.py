"""The window before input that is too large, or that goes: it says so, decides nothing and goes on (C16).

The same trials run large, with a heartbeat, by `python -m tests.perf.bad_input`.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from studio.engine import limits
from studio.engine.draft import PlanDraft
from studio.formats import detect, submission
from tests.bench.perf.bad_input import (
    Trial,
    changing_file,
    huge_patch,
    locked_store,
    long_diff,
    many_hunks,
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
    sizes: list[int] = []
    read = detect.read

    def noting(data: bytes, *words: Any, **named: Any) -> PlanDraft:
        sizes.append(len(data))
        return read(data, *words, **named)

    monkeypatch.setattr(detect, "read", noting)
    trial.size = 3 * most
    huge_patch(trial)
    assert sizes == [most + 1]


def test_a_long_diff_is_read_decided_written_and_taken_back(trial: Trial) -> None:
    """Q17: it is shown whole."""
    trial.size = 3_000_000
    long_diff(trial)


def test_many_hunks_are_read_decided_written_and_taken_back(trial: Trial) -> None:
    trial.size = 5_000
    many_hunks(trial)


def test_a_file_that_changes_and_goes_while_it_is_shown_turns_stale_and_back(trial: Trial) -> None:
    trial.size = 50
    changing_file(trial)


def test_a_store_that_another_process_locks_is_named(trial: Trial) -> None:
    locked_store(trial)


def test_a_project_that_is_moved_away_is_missed_and_found_again(trial: Trial) -> None:
    moved_project(trial)
    assert any("moved, deleted or unmounted" in said for said in trial.said)
