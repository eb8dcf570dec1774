"""Tests that are run against an installed program, from a folder that holds no source of it.

Chosen so that a module or a file that was not installed fails at least one: each door, each format, the
engine's way from a text to bytes on disk, and the window with its icons, colours, languages and demo.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from environments import variables
from system_packages import Problem, say

FILES = (
    "tests/doors/mcp/test_server.py",
    "tests/doors/test_blame.py",
    "tests/doors/test_completion.py",
    "tests/doors/test_demo.py",
    "tests/doors/test_fs.py",
    "tests/doors/test_older_journals.py",
    "tests/doors/test_rolling_back.py",
    "tests/doors/test_snapshots.py",
    "tests/engine/apply/test_gateway.py",
    "tests/engine/git_data",
    "tests/formats/test_detect.py",
    "tests/formats/test_replies.py",
    "tests/journeys/test_deciding.py",
    "tests/journeys/test_first_day.py",
    "tests/journeys/test_language.py",
)
NEEDED = ("tests", "pyproject.toml")
"""What they need beside the program: pyproject.toml says how pytest is run."""


def run(python: Path, source: Path, folder: Path, more: Mapping[str, str] | None = None) -> str:
    """Run them with the packages of `python`, which is told `more` variables; what pytest says at its end.

    Raises Problem where one fails.
    """
    for name in NEEDED:
        kind = shutil.copytree if (source / name).is_dir() else shutil.copy
        kind(source / name, folder / name)
    absent = [name for name in FILES if not (folder / name).exists()]
    if absent:
        raise Problem(f"Tests that were chosen are not there: {', '.join(absent)}.")
    with tempfile.TemporaryDirectory(prefix="exacta-") as written:
        environment = {**variables(), **(more or {}), "QT_QPA_PLATFORM": "offscreen", "TMPDIR": written}
        words = ["-q", "-p", "no:cacheprovider", "-m", "not network and not root", f"--basetemp={written}/t"]
        done = subprocess.run(
            [str(python), "-m", "pytest", *words, "-n", str(min(2, os.cpu_count() or 1)), *FILES],
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
    said = done.stdout.strip().splitlines()
    if done.returncode:
        say("\n".join(said[-200:]))
        told = [line for line in said if line.startswith(("FAILED", "ERROR tests/"))]
        raise Problem("\n".join(["Tests of the installed program failed:", *told[:20], said[-1]]))
    return said[-1].strip("= ")
