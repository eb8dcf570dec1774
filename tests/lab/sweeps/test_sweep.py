"""A seeded sample of the sweep (tests/faults/sweep.py): no kill and no error leaves a mixed tree.

The whole sweep is `python -m tests.faults.sweep`.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.faults.sweep import ERRORS, PARTS

ROOT = Path(__file__).parents[3]
SAMPLE = 6
SEED = 20
WITHOUT_LINKS = [part for part in PARTS if part.endswith("without-links")]

FORGETFUL = """
import os, sys
from tests.faults import disk_calls, sweep
del disk_calls.DISK_CALLS[os, "fchmod"]
sys.exit(sweep.main(["--part", "counts", "--sample", "1", "--folder", sys.argv[1]]))
"""


def sample_of(parts: list[str], tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Output and numbers of one run over these parts, in a process of its own: it forks and is traced."""
    arguments = [
        *(word for part in parts for word in ("--part", part)),
        "--sample",
        str(SAMPLE),
        "--seed",
        str(SEED),
        "--folder",
        str(tmp_path_factory.mktemp("sweep")),
    ]
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.sweep", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout, done.stderr
    return done.stdout, json.loads(done.stdout.splitlines()[-1])["parts"]


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return sample_of([part for part in PARTS if part not in WITHOUT_LINKS], tmp_path_factory)


@pytest.fixture(scope="module")
def sampled_without_links(tmp_path_factory: pytest.TempPathFactory) -> Any:
    return sample_of(WITHOUT_LINKS, tmp_path_factory)


def test_strace_and_our_own_table_count_the_same_calls(sampled: Any) -> None:
    """No call of ours that changes a project escapes the sweep."""
    output, parts = sampled
    print(output)
    numbers = parts["counts"]
    assert numbers["failures"] == 0
    assert numbers["agreed"] == numbers["points"] == 10


def test_a_call_that_our_table_lacks_is_seen(tmp_path: Path) -> None:
    """The counts are apart once the table forgets one."""
    command = [sys.executable, "-c", FORGETFUL, str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["parts"]["counts"]["apart"] >= 3


def assert_whole(part: str, sampled: Any) -> None:
    output, parts = sampled
    print(f"{SAMPLE} points of each part, seed {SEED}:\n{output}")
    numbers = parts[part]
    assert numbers["failures"] == 0
    assert numbers["points"] >= SAMPLE // 2
    assert numbers.get("old", 0) + numbers.get("new", 0) == numbers["points"]


@pytest.mark.parametrize("part", [part for part in PARTS if part not in ("counts", *WITHOUT_LINKS)])
def test_nothing_mixed_at_sampled_points(part: str, sampled: Any) -> None:
    """All old or all new, nothing left over, and the plan's state agrees."""
    assert_whole(part, sampled)


@pytest.mark.parametrize("part", WITHOUT_LINKS)
def test_nothing_mixed_where_a_new_name_is_reserved(part: str, sampled_without_links: Any) -> None:
    assert_whole(part, sampled_without_links)


ERROR_PARTS = [part for part in PARTS if part.startswith("errors") and part not in WITHOUT_LINKS]


@pytest.mark.parametrize("part", ERROR_PARTS)
def test_every_kind_of_error_is_among_them(part: str, sampled: Any) -> None:
    """ENOSPC, EDQUOT, EIO, EACCES, EROFS and EMFILE, as many of each."""
    kinds = sampled[1][part]["kinds"]
    assert set(kinds) == set(ERRORS) and min(kinds.values()) >= SAMPLE // len(ERRORS)
