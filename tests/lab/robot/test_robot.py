"""A sample of the robot's work; `python -m tests.robot` is the whole."""

from __future__ import annotations

import random
from pathlib import Path

from hypothesis import settings
from PySide6.QtWidgets import QApplication

from tests.lab.robot.machine import Machine
from tests.lab.robot.running import Search, search

SECONDS = 22.0
"""The last round goes on for a while after that."""
_USUAL_SEED = 19
"""In its first round, which is gone through however slow the machine is, the person decides twice."""


def test_nothing_is_made_that_no_key_was_pressed_for(qapp: QApplication, tmp_path: Path) -> None:
    """Prose and keys that are meant, beside another process."""
    seed = _USUAL_SEED if settings().derandomize else random.SystemRandom().randrange(10**6)
    found = search(qapp, tmp_path, Search(seed, SECONDS, runs=4, shrink=False))
    assert not found, "\n\n".join(found)
    done = ["letters of prose", "keys that were meant", "acts of the other process"]
    for what in (*done, "decisions") if seed == _USUAL_SEED else done:
        assert Machine.done[what], f"the robot did nothing of this: {what}"
