"""Disks that come, go, fold case or show a folder twice, beneath a tree that is watched."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.mounts import mounted, mounted_ignoring_case, mounted_keeping_case

pytestmark = pytest.mark.root

ROOT = Path(__file__).parents[3]


def run(prefix: tuple[str, ...], project: Path, *parts: str) -> None:
    """In one process: each part has a folder of its own."""
    command = [*prefix, sys.executable, "-m", "tests.extras.observed.mounting", str(project), *parts]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_what_is_mounted_is_watched_or_looked_at(project: Path) -> None:
    run(mounted(":", project), project, "coming", "twice", "overlaid", "looked_at_beside")


def test_a_disk_that_folds_case_and_keeps_no_permission_bits(project: Path) -> None:
    run(mounted_ignoring_case(project), project, "folding", "looked_at_folding", "rolled_back")


def test_a_disk_that_folds_case_and_keeps_it(project: Path) -> None:
    run(mounted_keeping_case(project), project, "respelled")
