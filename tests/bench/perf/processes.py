"""Processes to measure, started as on a person's machine: warm bytecode caches, folders of their own."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import IO

SLOWEST_SECONDS = 120
INSTALLED = "STUDIO_INSTALLED"
"""The variable that names a program which some package installed, to be measured beside the checkout's."""
_NOT_FOR_MEASURED = ("PYTHONDONTWRITEBYTECODE", "PYTHONPROFILEIMPORTTIME", "PYTHONUNBUFFERED", "PYTHONPATH")


def studio() -> str:
    """The installed command beside the Python that runs this."""
    name = "studio.exe" if sys.platform == "win32" else "studio"
    return str(Path(sys.executable).with_name(name))


class NotInstalledError(Exception):
    """The program that is to be measured is not named."""


def installed() -> str:
    """The command that a package installed. Raises NotInstalledError."""
    command = os.environ.get(INSTALLED)
    if not command:
        raise NotInstalledError(f"Name the installed program in {INSTALLED}, such as /usr/bin/studio.")
    return command


def environment(folder: Path) -> dict[str, str]:
    """Variables for measured processes: state and configuration lie in `folder`, windows in memory."""
    variables = {name: value for name, value in os.environ.items() if name not in _NOT_FOR_MEASURED}
    variables["STUDIO_STATE_DIR"] = str(folder / "state")
    variables["STUDIO_CONFIG_DIR"] = str(folder / "config")
    variables["QT_QPA_PLATFORM"] = "offscreen"
    return variables


def output(command: list[str], variables: Mapping[str, str]) -> str:
    """What the process prints; it is told in STUDIO_SPAWNED_NS when it was started.

    Raises CalledProcessError with its own words when it fails.
    """
    spawned = {**variables, "STUDIO_SPAWNED_NS": str(time.monotonic_ns())}
    done = subprocess.run(
        command, env=spawned, capture_output=True, text=True, timeout=SLOWEST_SECONDS, check=False
    )
    if done.returncode != 0:
        raise subprocess.CalledProcessError(done.returncode, command, done.stdout, done.stderr)
    return done.stdout


def milliseconds(command: list[str], variables: Mapping[str, str], given: IO[bytes] | None = None) -> float:
    """How long the process lives, from before it is spawned until it was waited for; `given` is its input."""
    started = time.perf_counter()
    # Without a time limit: Python waits for one in steps of up to 50 ms.
    code = subprocess.call(
        command, env=dict(variables), stdin=given, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    taken = (time.perf_counter() - started) * 1000
    if code != 0:
        raise subprocess.CalledProcessError(code, command)
    return taken
