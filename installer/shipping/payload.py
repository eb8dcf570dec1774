"""The program with its own Python and the Qt that it uses, in one folder: what an AppImage holds."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

import environments
from system_packages import Problem, run_quietly

from shipping.outcome import Unavailable
from shipping.source import Source

COMMAND = "studio"
SPECIFICATION = Path("installer/payload/studio.spec")
ICON = Path("resources/icons/studio.svg")


def freeze(source: Source, into: Path) -> Path:
    """Make the folder beneath `into`; returns it. Raises Problem."""
    if sys.platform != "linux":
        raise Problem(f"There is no way to pack the program for {sys.platform}.")
    environments.provide(environments.PAYLOAD)
    with tempfile.TemporaryDirectory(prefix="exacta-payload-") as work:
        run_quietly(
            [
                *(str(environments.PAYLOAD.program("pyinstaller")), "--noconfirm", "--log-level", "WARN"),
                *("--distpath", str(into), "--workpath", work, str(source.folder / SPECIFICATION)),
            ],
            _variables(source),
        )
    return into / COMMAND


def megabytes(folder: Path) -> int:
    """What a folder takes, rounded."""
    files = (each for each in folder.rglob("*") if each.is_file() and not each.is_symlink())
    return round(sum(each.stat().st_size for each in files) / 1_000_000)


def tool(name: str, package: str) -> str:
    """The path of a program that a part needs. Raises Unavailable that names its package of Debian."""
    found = shutil.which(name)
    if found is None:
        raise Unavailable(f"{name} is not installed: apt-get install {package}")
    return found


def _variables(source: Source) -> dict[str, str]:
    """The tree that is packed stands before the checkout that the environment is linked with."""
    return environments.variables() | {
        "PYTHONPATH": str(source.folder),
        "PYTHONHASHSEED": "0",
        "SOURCE_DATE_EPOCH": str(source.epoch),
    }
