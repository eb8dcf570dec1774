"""The program with its own Python and the Qt that it uses, in one folder: what an AppImage, the installer for
Windows and the bundle for macOS hold. It is made for the system that this runs on."""

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
KNOWN = ("linux", "win32", "darwin")


def freeze(source: Source, into: Path) -> Path:
    """Make the folder, or on macOS the bundle, beneath `into`; returns it. Raises Problem."""
    if sys.platform not in KNOWN:
        raise Problem(f"There is no way to pack the program for {sys.platform}.")
    environments.provide(environments.PAYLOAD)
    with tempfile.TemporaryDirectory(prefix="exacta-payload-") as work:
        told = _variables(source)
        if sys.platform != "linux":  # where icons are files beside the program
            icon = Path(work, "studio.icns" if sys.platform == "darwin" else "studio.ico")
            draw(source, icon)
            told["STUDIO_ICON"] = str(icon)
        run_quietly(
            [
                *(str(environments.PAYLOAD.program("pyinstaller")), "--noconfirm", "--log-level", "WARN"),
                *("--distpath", str(into), "--workpath", work, str(source.folder / SPECIFICATION)),
            ],
            told,
        )
    bundle = into / "Exacta Studio.app"
    return bundle if bundle.exists() else into / COMMAND


def draw(source: Source, file: Path) -> None:
    """Make an .ico or .icns of the program's drawing."""
    environments.provide(environments.PAYLOAD)
    script = source.folder / SPECIFICATION.with_name("icons.py")
    run_quietly(
        [str(environments.PAYLOAD.program("python")), str(script), str(source.folder / ICON), str(file)],
        _variables(source) | {"QT_QPA_PLATFORM": "offscreen"},
    )


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
