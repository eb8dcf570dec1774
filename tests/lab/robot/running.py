"""Runs of the robot: rounds of a seed each, until the time is over or something is found."""

from __future__ import annotations

import argparse
import random
import subprocess
import sys
import tempfile
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from hypothesis import HealthCheck, Phase, Verbosity, seed, settings
from hypothesis.stateful import run_state_machine_as_test
from PySide6.QtCore import qInstallMessageHandler
from PySide6.QtWidgets import QApplication

from tests.conftest import private_environment
from tests.journeys.xvfb import screen
from tests.lab.robot.machine import Machine
from tests.lab.robot.person import WATCHES
from tests.lab.robot.stage import Stage

_STEPS_PER_RUN = 20
_AN_HOUR, _ON_A_SCREEN = 60.0, 5.0
"""Minutes, unless told."""


@dataclass(frozen=True, slots=True)
class Search:
    """How to look: from which seed, for how many seconds, with how many runs to a seed.

    `keep_going`: after a find, too. `shrink`: look for the shortest way to what is found (minutes).
    `threads`: with the window's own, so that no run can be repeated exactly.
    """

    seed: int
    seconds: float
    runs: int = 25
    keep_going: bool = False
    shrink: bool = True
    threads: bool = False


def main(words: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.robot", description="See tests/lab/robot.")
    parser.add_argument("--minutes", type=float, help="how long; without it an hour, on a screen 5 minutes")
    parser.add_argument("--seed", type=int, help="where to begin; without it anywhere")
    parser.add_argument("--keep-going", action="store_true", help="go on after a find, and make none shorter")
    parser.add_argument("--made-only", action="store_true", help="look at what is made, not at jumps")
    parser.add_argument("--threads", action="store_true", help="with the window's own threads")
    parser.add_argument("--xvfb", action="store_true", help="with real keys on an X server")
    chosen = parser.parse_args(words)
    if chosen.xvfb:
        return _on_screen([word for word in words if word != "--xvfb"], chosen.minutes)
    qInstallMessageHandler(_pass_on)
    Machine.watches = frozenset() if chosen.made_only else WATCHES
    how = Search(
        seed=random.SystemRandom().randrange(10**6) if chosen.seed is None else chosen.seed,
        seconds=60 * (_AN_HOUR if chosen.minutes is None else chosen.minutes),
        runs=5 if chosen.threads else 25,
        keep_going=chosen.keep_going,
        shrink=not (chosen.keep_going or chosen.threads),
        threads=chosen.threads,
    )
    with tempfile.TemporaryDirectory() as folder, private_environment(Path(folder)):
        return 1 if search(QApplication([]), Path(folder), how) else 0


def _pass_on(_kind: object, _context: object, message: str) -> None:
    """Qt's messages, but for what the offscreen platform says of every window."""
    if "propagateSizeHints" not in message:
        print(message, file=sys.stderr)


def _on_screen(words: list[str], minutes: float | None) -> int:
    """The same in a process that has a screen, a window manager and a keyboard."""
    with screen() as environment:
        if environment is None:
            return 2
        time_to_go = [] if minutes is not None else ["--minutes", str(_ON_A_SCREEN)]
        command = [sys.executable, "-m", "tests.lab.robot", "--threads", *time_to_go, *words]
        return subprocess.run(command, env=environment, check=False).returncode


def search(app: QApplication, folder: Path, how: Search) -> list[str]:
    """Let the robot work for a time; returns what it found, a text for each seed that failed."""
    Machine.stage = stage = Stage(app, folder, threads=how.threads)
    Machine.done = Counter()
    began = time.monotonic()
    number, found = how.seed, list[str]()
    print(f"robot: begins with seed {number}", flush=True)
    try:
        while time.monotonic() - began < how.seconds and (how.keep_going or not found):
            text = _round(number, how)
            if text:
                found.append(f"seed {number}\n{text}\nagain: python -m tests.robot --seed {number}")
                print(found[-1], flush=True)
            number += 1
    finally:
        stage.end()
    minutes = max(time.monotonic() - began, 1.0) / 60
    print(f"robot: seeds {how.seed} to {number - 1}, {minutes:.1f} minutes, {len(found)} found something")
    for what, times in sorted(Machine.done.items()):
        print(f"  {times:7} {what}, {times / minutes:.0f} a minute")
    return found


def _round(number: int, how: Search) -> str:
    """The runs of one seed; what was found, "" for nothing."""
    usual = settings(
        max_examples=how.runs,
        stateful_step_count=_STEPS_PER_RUN,
        deadline=None,
        database=None,
        derandomize=False,
        phases=(Phase.generate, Phase.shrink) if how.shrink else (Phase.generate,),
        print_blob=False,
        report_multiple_bugs=False,
        verbosity=Verbosity.quiet,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large),
    )
    try:
        run_state_machine_as_test(seed(number)(Machine), settings=usual)
    except Exception as error:
        # With threads a run that is gone again may end otherwise: then hypothesis gives a group of both.
        every = (error, *error.exceptions) if isinstance(error, ExceptionGroup) else (error,)
        return "\n".join(f"{type(each).__name__}: {each}" for each in every)
    return ""
