"""Full and read-only disks: a sentence, nothing written, and the same plan goes through afterwards."""

from __future__ import annotations

from typing import Any

import pytest

from tests.faults.bench import outcomes_of
from tests.faults.disks import CASES

EXPECTED = {
    "small_disk": ("disk.full", "is full"),
    "disk_fills_up": ("disk.full", "is full"),
    "tiny_disk": ("disk.full", "is full"),
    "no_entries": ("disk.full", "is full"),
    "entries_run_out": ("disk.full", "is full"),
    "full_state": ("state.full", "is full"),
    "no_room_for_a_store": ("state.full", "is full"),
    "read_only": ("target.unchangeable", "its disk is read-only"),
    "read_only_in_between": ("apply.not_put_back", "restored"),
    "read_only_state": ("state.unusable", "can't be"),
}


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    return outcomes_of("tests.faults.disks", tmp_path_factory.mktemp("disks"))


@pytest.mark.parametrize("case", CASES)
def test_a_disk_that_says_no(case: str, outcomes: dict[str, Any]) -> None:
    seen = outcomes[case]
    assert isinstance(seen, dict), seen
    code, words = EXPECTED[case]
    told = seen["apply"]["told"]
    assert told[0] == code and words in told[1] and told[1].endswith(".") and told[2]
    assert seen["apply"]["untouched"]
    assert seen.get("state", "approved") in ("approved", "paused")
    assert seen["again"] == "completed"
    if "propose" in seen:
        assert seen["propose"]["told"][0] == code and seen["plans"] == 1
