"""Style, types and layers, as the tools see them with the settings of pyproject.toml."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def check(*command: str) -> None:
    """A tool that fails without a word found nothing: it is started once more.

    Node.js, which runs pyright, ended by a segmentation fault in one of about 70 runs by machines.
    """
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if not done.stdout and not done.stderr:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_ruff() -> None:
    check(sys.executable, "-m", "ruff", "check", "--output-format=concise", "--no-cache", ".")


@pytest.mark.timeout(1200)
def test_pyright() -> None:
    """Strict for engine, formats and doors, standard elsewhere."""
    check(sys.executable, "-m", "pyright", "--pythonpath", sys.executable)


def test_import_contracts() -> None:
    """The engine knows no network; `__main__` is above ui and doors, these above formats and engine."""
    check(str(Path(sys.executable).with_name("lint-imports")), "--no-cache")


def test_no_silenced_finding() -> None:
    """A finding is mended, or its rule is changed for all in pyproject.toml."""
    silencers = ("# type: " + "ignore", "# pyright: " + "ignore", "# no" + "qa", "# pragma: " + "no cover")
    found = [
        f"{file.relative_to(ROOT)}: {silencer}"
        for folder in ("studio", "tests", "installer")
        for file in sorted((ROOT / folder).rglob("*.py"))
        for silencer in silencers
        if silencer in file.read_text(encoding="utf-8")
    ]
    assert not found, "\n".join(found)
