"""Disks that come, go, fold case or show a folder twice, beneath a tree that is watched (R126)."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.tools.mounts import mounted, mounted_ignoring_case, mounted_keeping_case

pytestmark = pytest.mark.root

ROOT = Path(__file__).parents[3]


def run(prefix: tuple[str, ...], part: str, project: Path) -> None:
    command = [*prefix, sys.executable, "-m", "tests.engine.observed.mounting", part, str(project)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("part", ["coming", "twice", "overlaid", "looked_at_beside"])
def test_what_is_mounted_is_watched_or_looked_at(part: str, project: Path) -> None:
    run(mounted(":", project), part, project)


@pytest.mark.parametrize("part", ["folding", "looked_at_folding"])
def test_a_disk_that_folds_case(part: str, project: Path) -> None:
    run(mounted_ignoring_case(project), part, project)


def test_a_disk_that_keeps_no_permission_bits(project: Path) -> None:
    run(mounted_ignoring_case(project), "rolled_back", project)


def test_a_disk_that_folds_case_and_keeps_it(project: Path) -> None:
    run(mounted_keeping_case(project), "respelled", project)
