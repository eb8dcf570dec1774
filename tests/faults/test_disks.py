"""Full and read-only disks: a sentence, nothing written, and the same plan goes through afterwards (C37)."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.disks import CASES, ROOT, command

EXPECTED = {
    "small_disk": ("disk.DiskFull", "disk is full"),
    "disk_fills_up": ("disk.DiskFull", "disk is full"),
    "tiny_disk": ("disk.DiskFull", "disk is full"),
    "no_entries": ("disk.DiskFull", "disk is full"),
    "entries_run_out": ("disk.DiskFull", "disk is full"),
    "full_state": ("state.full", "is full"),
    "no_room_for_a_store": ("state.full", "is full"),
    "read_only": ("target.unchangeable", "its disk is read-only"),
    "read_only_in_between": ("disk.AccessDenied", "put back"),
    "read_only_state": ("state.unusable", "can't be"),
}


@pytest.fixture(scope="module")
def mounts(tmp_path_factory: pytest.TempPathFactory) -> None:
    """Skip where the machine lets nobody mount."""
    place = tmp_path_factory.mktemp("mount")
    tried = subprocess.run(
        command("mount", "-t", "tmpfs", "tmpfs", str(place)), capture_output=True, check=False
    )
    if tried.returncode != 0:
        pytest.skip("this machine refuses mounts")


@pytest.mark.parametrize("case", CASES)
def test_a_disk_that_says_no(mounts: None, case: str, tmp_path: Path) -> None:
    done = subprocess.run(
        command(sys.executable, "-m", "tests.faults.disks", case, str(tmp_path)),
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
