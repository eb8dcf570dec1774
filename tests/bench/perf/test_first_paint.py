"""Nothing is loaded before the first paint that it does not need; no clock is asked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.perf.processes import environment

LATE = frozenset(
    "asyncio concurrent ctypes hashlib hypothesis json msgspec multiprocessing platformdirs pygit2 pygments "
    "qasync rapidfuzz ruamel sqlite3 ssl subprocess tomllib unidiff uuid watchdog zstandard".split()
)
"""Packages that cost milliseconds and that an empty window does without."""

QT = frozenset(("QtCore", "QtGui", "QtSvg", "QtWidgets"))
BENEATH = frozenset(
    f"studio.{module}"
    for module in (
        "engine errors extras formats late_names limits names open_window program program.app_folders"
        " program.own_program resources"
    ).split()
)
"""All that the frame of a window knows below it: the start page shows names, and starts the demo.

Of engine, extras and formats that is the package alone, which hands out its names late.
"""

_LIST_AT_FIRST_PAINT = """
import os, sys
import studio.ui.app.main

def tell():
    print("\\n".join(sorted(sys.modules)), flush=True)
    os._exit(0)

# Asked for at the moment of the first paint, and not before.
studio.ui.app.main.milliseconds_since_spawn = tell
from studio.__main__ import main
main()
os._exit(70)
"""


@pytest.fixture(params=["a project", "the start page"])
def loaded(request: pytest.FixtureRequest, tmp_path: Path) -> frozenset[str]:
    """The modules of a real process at its first paint."""
    project = tmp_path / "project"
    project.mkdir()
    words = ["--project", str(project)] if request.param == "a project" else []
    done = subprocess.run(
        [sys.executable, "-c", _LIST_AT_FIRST_PAINT, *words, "--smoke"],
        env=environment(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return frozenset(done.stdout.split())


def test_what_is_slow_to_load_comes_after_the_first_paint(loaded: frozenset[str]) -> None:
    assert "studio.ui.window.main_window" in loaded
    assert LATE & {name.partition(".")[0] for name in loaded} == set()


def test_the_frame_knows_little_of_qt_and_of_the_engine(loaded: frozenset[str]) -> None:
    qt = {name.removeprefix("PySide6.") for name in loaded if name.startswith("PySide6.Qt")}
    assert qt == QT
    ours = {name for name in loaded if name.startswith("studio.")}
    above = ("studio.ui", "studio.doors", "studio.__main__")
    assert {name for name in ours if not name.startswith(above)} <= BENEATH
    doors = {name for name in loaded if name.startswith("studio.doors.")}
    of_commands = ("", ".console", ".console.output", ".parser", ".command_table")
    assert doors == {f"studio.doors.cli{module}" for module in of_commands}
