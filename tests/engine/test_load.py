"""A sample of `python -m tests.tools.load`: nothing lost and nothing twice, at sizes that fit a test run."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.tools.load import PARTS

SAMPLES = {"steps": 300, "plans": 60, "entries": 5_000, "submitters": 3}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=pytest.mark.process if each == "submitters" else ()) for each in PARTS]
)
def test_a_sample(tmp_path: Path, name: str) -> None:
    part, _ = PARTS[name]
    assert part(tmp_path, SAMPLES[name])
