"""What a bill of materials lists and is compared with, and what the wheel needs beside itself."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging.test_installer import installer_module

ROOT = Path(__file__).parents[2]


@pytest.fixture
def bill(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    return installer_module("shipping.bill", monkeypatch)


def bills(folder: Path, **versions: str) -> dict[str, Path]:
    """A bill for Python 3.11 that lists these packages."""
    file = folder / "bill.json"
    listed = [{"name": name.replace("_", "-"), "version": version} for name, version in versions.items()]
    file.write_text(json.dumps({"components": listed}))
    return {"3.11": file}


def deb(folder: Path, monkeypatch: pytest.MonkeyPatch, *names: str) -> Path:
    """A package with these files, as dpkg-deb lists them."""
    listing = "".join(f"drwxr-xr-x root/root         0 2026-01-01 00:00 ./usr/{name}/\n" for name in names)
    (folder / "listing").write_text(listing)
    program = folder / "programs" / "dpkg-deb"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec cat "{folder}/listing"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}{os.pathsep}{os.environ['PATH']}")
    return folder / "made.deb"


PACKAGES = "lib/exacta-studio/lib/python3.11/site-packages"


@pytest.mark.parametrize(
    "case",
    [
        (["pyside6_essentials-6.11.3"], "tested", "it holds the 1 packages of the bill for Python 3.11"),
        (
            ["pyside6_essentials-6.12.0"],
            "failed",
            "not in it: pyside6-essentials 6.11.3; in it alone: pyside6",
        ),
        ([], "failed", "not in it: pyside6-essentials 6.11.3; in it alone: nothing"),
        (
            ["pyside6_essentials-6.11.3", "six-1.17.0"],
            "failed",
            "not in it: nothing; in it alone: six 1.17.0",
        ),
    ],
)
def test_a_package_holds_what_its_bill_lists(
    bill: ModuleType,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    case: tuple[list[str], str, str],
) -> None:
    held, state, words = case
    names = [f"{PACKAGES}/{each}.dist-info" for each in ("exacta_studio-0.1.0", *held)]
    # Folders that only look like what a package says of itself.
    names += [f"{PACKAGES}/x-1.dist-info/licenses", "share/doc/y-1.dist-info"]
    file = deb(tmp_path, monkeypatch, *names)
    (outcome,) = bill.compared(file, bills(tmp_path, PySide6_Essentials="6.11.3"))
    assert (outcome.what, outcome.state.value) == ("bill of materials of made.deb", state)
    assert words in outcome.words


def test_a_package_is_compared_with_the_bill_of_its_own_python(
    bill: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = deb(tmp_path, monkeypatch, f"{PACKAGES.replace('3.11', '3.13')}/six-1.17.0.dist-info")
    (outcome,) = bill.compared(file, bills(tmp_path, six="1.17.0"))
    assert (outcome.state.value, outcome.words) == (
        "not tried",
        "there is no bill of materials for Python 3.13",
    )


def test_the_installation_page_names_what_the_wheel_needs_of_debian(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exactly what it is tried with."""
    needs = installer_module("shipping.wheel", monkeypatch).FROM_THE_SYSTEM
    said = re.sub(r"\s*\\\n\s*", " ", (ROOT / "docs/install.md").read_text("utf-8"))
    assert f"\nsudo apt install {' '.join(needs)}\n" in said
