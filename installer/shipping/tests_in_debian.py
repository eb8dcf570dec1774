"""The chosen tests, run by an ordinary user of a Debian with the packages that the .deb brought.

    python3 -m shipping.tests_in_debian install        as root: what tests need beside the program
    python3 -m shipping.tests_in_debian run            as the user: prints what pytest says at its end

Nothing in the package's folder is changed: what tests need lies in folders of its own. Standard library only.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from environments import pip_locked
from locked import names_for
from system_packages import OFFSCREEN, exit_code

from shipping import chosen_tests, chroot
from shipping.debian_bundle import BUNDLE, EXTRAS, PIP
from shipping.source import Source

_TOOLS = ("git", "python3-pip", *sorted(need.apt for need in OFFSCREEN if need.kind == "library"))
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


def tried(suite: str, source: Source, file: Path) -> str:
    """Install the package in a bare Debian and run the tests there; in words. Raises Problem."""
    with chroot.bare(suite) as debian:
        debian.bring(file, "/srv/new.deb")
        debian.install("/srv/new.deb", *_TOOLS)
        for name in chosen_tests.NEEDED:
            debian.bring(source.folder / name, f"{_SOURCE}/{name}")
        # Where the installer reads what the test group of the sources is.
        debian.bring(source.folder / "installer", chroot.OWN)
        debian.bring(source.folder / "pyproject.toml", "/trial/pyproject.toml")
        debian.run_own("shipping.tests_in_debian", "install", user="root")
        return debian.run_own("shipping.tests_in_debian", "run")


def _install() -> None:
    """By their hashes: packages that the bundle hasn't, and the part of Qt of the version that it has."""
    names = names_for(["test"], EXTRAS) - names_for((), EXTRAS)
    pip_locked(PIP, ["install", "--target", _PACKAGES], names)
    (_PACKAGES / f"{_PLUGIN}.py").write_text(_PLUGIN_TEXT)
    with tempfile.TemporaryDirectory(prefix="exacta-qt-") as folder:
        pip_locked(PIP, ["install", "--target", folder], frozenset({"pyside6-essentials"}))
        for part in _QT_PARTS:
            (_QT / part).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(Path(folder, part), _QT / part)


def _run() -> str:
    told = {"PYTHONPATH": str(_PACKAGES), "PYTEST_PLUGINS": _PLUGIN}
    with tempfile.TemporaryDirectory(prefix="exacta-tests-") as folder:
        return chosen_tests.run(BUNDLE / "bin" / "python3", Path(_SOURCE), Path(folder), told)


if __name__ == "__main__":
    sys.exit(exit_code(lambda: _install() if sys.argv[1] == "install" else print(_run())))
