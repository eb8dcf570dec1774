"""Tests that are run against an installed program, from a folder that holds no source of it.

    python3 -m shipping.chosen_tests install        as root of a Debian: what tests need beside the program
    python3 -m shipping.chosen_tests run            as a user of it: prints what pytest says at its end

Chosen so that a module or a file that was not installed fails at least one: each door, each format, the
engine's way from a text to bytes on disk, and the window with its icons, colours, languages and demo. In a
Debian they use what the .deb brought, in whose folder nothing is changed. Standard library only.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from environments import names_for, pip, variables
from system_packages import Problem, captured, exit_code, libraries, say

from shipping import chroot
from shipping.debian_tree import BUNDLE, EXTRAS
from shipping.parts import Source

CHOSEN = "tests/installed.txt"
"""Which they are, as pytest reads it."""
NEEDED = ("tests", "pyproject.toml")
"""What they need beside the program: pyproject.toml says how pytest is run."""

_SOURCE = "/srv/source"
_PACKAGES = Path("/srv/packages")
_QT = Path("/srv/qt")
_QT_PARTS = ("PySide6/QtTest.abi3.so", "PySide6/Qt/lib/libQt6Test.so.6")
"""What presses keys and buttons in tests, and is no part of the package."""

_PLUGIN = "of_the_package"
_PLUGIN_TEXT = f'''"""Has the tests use what the package brought, and Qt's part for tests beside it."""

import PySide6
import studio

for module in (PySide6, studio):
    assert module.__file__.startswith("{BUNDLE}/"), module.__file__
PySide6.__path__.append("{_QT}/PySide6")
from PySide6 import QtWidgets  # its libraries are those that the part for tests finds
'''


def run(python: Path, source: Path, more: Mapping[str, str] | None = None) -> str:
    """Run them with the packages of `python`, which is told `more` variables; what pytest says at its end.

    Raises Problem where one fails.
    """
    with tempfile.TemporaryDirectory(prefix="exacta-tests-") as name:
        folder, written = Path(name, "outside"), Path(name, "written")
        written.mkdir()
        shutil.copytree(source / NEEDED[0], folder / NEEDED[0])
        shutil.copy(source / NEEDED[1], folder / NEEDED[1])
        environment = {**variables(), **(more or {}), "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(written)}
        words = ["-q", "-p", "no:cacheprovider", f"--basetemp={written}/t", "-n", "2", f"@{CHOSEN}"]
        done = captured([python, "-m", "pytest", *words], environment, folder)
    said = (done.stderr + done.stdout).strip().splitlines()
    if done.returncode:
        say("\n".join(said[-200:]))
        told = [line for line in said if line.startswith(("FAILED", "ERROR"))]
        raise Problem("\n".join(["Tests of the installed program failed:", *told[:20], said[-1]]))
    return said[-1].strip("= ")


def in_debian(suite: str, source: Source, file: Path) -> str:
    """Install the package in a bare Debian and run the tests there; in words. Raises Problem."""
    with chroot.bare(suite) as debian:
        debian.bring(file, "/srv/new.deb")
        debian.install("/srv/new.deb", "git", "python3-pip", *libraries("offscreen"))
        for name in NEEDED:
            debian.bring(source.folder / name, f"{_SOURCE}/{name}")
        # Where the installer reads what the test group of the sources is.
        debian.bring(source.folder / "installer", chroot.OWN)
        debian.bring(source.folder / "pyproject.toml", "/trial/pyproject.toml")
        debian.run_own("shipping.chosen_tests", "install", user="root")
        return debian.run_own("shipping.chosen_tests", "run")


def _install() -> None:
    """By their hashes: packages that the bundle hasn't, and the part of Qt of the version that it has."""
    names = names_for(["test"], EXTRAS) - names_for((), EXTRAS)
    pip("python3", "install", "--target", _PACKAGES, locked=names)
    (_PACKAGES / f"{_PLUGIN}.py").write_text(_PLUGIN_TEXT)
    with tempfile.TemporaryDirectory(prefix="exacta-qt-") as folder:
        pip("python3", "install", "--target", folder, locked=frozenset({"pyside6-essentials"}))
        for part in _QT_PARTS:
            (_QT / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder, part), _QT / part)


def _run() -> None:
    told = {"PYTHONPATH": str(_PACKAGES), "PYTEST_PLUGINS": _PLUGIN}
    print(run(BUNDLE / "bin" / "python3", Path(_SOURCE), told))


if __name__ == "__main__":
    sys.exit(exit_code(_install if sys.argv[1] == "install" else _run))
