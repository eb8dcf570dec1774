"""Runs of the robot: rounds of a seed each, until the time is over or something is found."""

from __future__ import annotations

import argparse
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from PySide6.QtWidgets import QApplication

from tests.conftest import private_environment
from tests.robot.machine import Machine
from tests.robot.person import WATCHES
from tests.robot.stage import Stage

RUNS_PER_ROUND = 25
_STEPS_PER_RUN = 20


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.robot")
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=None)
    parser.add_argument("--keep-going", action="store_true", help="go on after a find, and make none shorter")
    parser.add_argument("--made-only", action="store_true", help="look at what is made, not at jumps")
    chosen = parser.parse_args(words)
    Machine.watches = frozenset() if chosen.made_only else WATCHES
    first = random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed
    with tempfile.TemporaryDirectory() as folder, private_environment(Path(folder)):
        app = QApplication([])
        found = search(app, Path(folder), first, chosen.minutes * 60, keep_going=chosen.keep_going, shrink=not chosen.keep_going)
    return 1 if found else 0


def search(
    app: QApplication,
    folder: Path,
    first: int,
    seconds: float,
    *,
    runs: int = RUNS_PER_ROUND,
    keep_going: bool = False,
    shrink: bool = True,
) -> list[str]:
    """Let the robot work for a time; returns what it found, a text for each seed that failed.

    `runs` are those of one seed; `shrink`: look for the shortest way to what is found, which takes minutes.
    """
    Machine.stage = stage = Stage(app, folder)
    Machine.done = Counter()
    began = time.monotonic()
    number, found = first, list[str]()
    print(f"robot: begins with seed {first}", flush=True)
    try:
        while time.monotonic() - began < seconds:
            text = _round(number, runs, shrink=shrink)
            if text:
                found.append(f"seed {number}\n{text}\nagain: python -m tests.robot --seed {number}")
                print(found[-1], flush=True)
                if not keep_going:
                    break
            number += 1
    finally:
        stage.end()
    minutes = max(time.monotonic() - began, 1.0) / 60
    print(f"robot: seeds {first} to {number}, {minutes:.1f} minutes")
    for what, times in sorted(Machine.done.items()):
        print(f"  {times:7} {what}, {times / minutes:.0f} a minute")
    return found


def _round(number: int, runs: int, *, shrink: bool) -> str:
    """The runs of one seed; what was found, "" for nothing."""
    phases = (Phase.generate, Phase.shrink) if shrink else (Phase.generate,)
    usual = settings(
        max_examples=runs,
        stateful_step_count=_STEPS_PER_RUN,
        deadline=None,
        database=None,
        derandomize=False,
        phases=phases,
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=list(HealthCheck),
    )
    try:
        run_state_machine_as_test(seed(number)(Machine), settings=usual)
    except Exception as error:
        return f"{type(error).__name__}: {error}"
    return ""
