"""Full and read-only disks: a sentence, nothing written, and the same plan goes through afterwards (R128)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.disks import CASES, ROOT
from tests.tools.mounts import namespace

EXPECTED = {
    "small_disk": ("disk.full", "is full"),
    "disk_fills_up": ("disk.full", "is full"),
    "tiny_disk": ("disk.full", "is full"),
    "no_entries": ("disk.full", "is full"),
    "entries_run_out": ("disk.full", "is full"),
    "full_state": ("state.full", "is full"),
    "no_room_for_a_store": ("state.full", "is full"),
    "read_only": ("target.unchangeable", "its disk is read-only"),
    "read_only_in_between": ("apply.not_put_back", "put back"),
    "read_only_state": ("state.unusable", "can't be"),
}


@pytest.mark.parametrize("case", CASES)
def test_a_disk_that_says_no(case: str, tmp_path: Path) -> None:
    done = subprocess.run(
        [*namespace(), sys.executable, "-m", "tests.faults.disks", case, str(tmp_path)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    seen = json.loads(done.stdout)
    code, words = EXPECTED[case]
    told = seen["apply"]["told"]
    assert told[0] == code and words in told[1] and told[1].endswith(".") and told[2]
    assert seen["apply"]["untouched"]
    assert seen.get("state", "approved") in ("approved", "paused")
    assert seen["again"] == "completed"
    if "propose" in seen:
        assert seen["propose"]["told"][0] == code and seen["plans"] == 1
