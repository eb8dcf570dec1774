"""A seeded sample of the sweep (tests/faults/sweep.py): no kill and no error leaves a mixed tree (promise 2).

The whole sweep is `python -m tests.faults.sweep`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.faults.sweep import PARTS

ROOT = Path(__file__).parents[2]
SAMPLES = {"recovery": 5, "recovery-of-rollback": 5}
SAMPLE = 30


@pytest.mark.parametrize("part", PARTS)
def test_nothing_mixed_at_sampled_points(part: str, tmp_path: Path) -> None:
    """R132, R134, design 5: all old or all new, nothing left over, and the plan's state agrees."""
    sample = SAMPLES.get(part, SAMPLE)
    command = [sys.executable, "-m", "tests.faults.sweep", "--folder", str(tmp_path), "--part", part]
    done = subprocess.run(
        [*command, "--sample", str(sample), "--seed", "20"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    print(done.stdout, done.stderr)
    assert done.returncode == 0
    numbers = json.loads(done.stdout.splitlines()[-1])["parts"][part]
    assert numbers["points"] >= sample
    assert numbers.get("old", 0) + numbers.get("new", 0) == numbers["points"]
