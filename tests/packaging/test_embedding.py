"""The programs of docs/embedding.md against the wheel as it is installed: typed, and running."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import msgspec
import pytest

from tests.engine.test_embedding_programs import ROOT, write_programs


@pytest.fixture(scope="module")
def python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python that has our wheel, and of this environment what the wheel needs."""
    made = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(made)]
    subprocess.run(build, cwd=ROOT, check=True, capture_output=True)
    environment = made / "environment"
    venv.create(environment)
    packages = Path(sysconfig.get_path("purelib", "venv", {"base": str(environment)}))
    with zipfile.ZipFile(next(made.glob("*.whl"))) as wheel:
        wheel.extractall(packages)
    (packages / "needed.pth").write_text(str(Path(msgspec.__file__).parents[1]))
    return environment / "bin" / "python"


def run(folder: Path, *words: str | Path) -> str:
    """Run a command that finds no checkout on its path."""
    done = subprocess.run(
        [*map(str, words)],
        cwd=folder,
        env={name: value for name, value in os.environ.items() if name != "PYTHONPATH"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_programs_are_typed_for_pyright(python: Path, tmp_path: Path) -> None:
    write_programs(tmp_path)
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"typeCheckingMode": "strict"}))
    run(tmp_path, sys.executable, "-m", "pyright", "--pythonpath", python)


def test_the_programs_are_typed_for_mypy(python: Path, tmp_path: Path) -> None:
    files = write_programs(tmp_path)
    run(tmp_path, sys.executable, "-m", "mypy", "--strict", "--python-executable", python, *files)


def test_the_programs_run_on_the_installed_wheel(python: Path, tmp_path: Path) -> None:
    for file in write_programs(tmp_path):
        run(tmp_path, python, file)
    where = run(tmp_path, python, "-c", "import studio; print(studio.__file__)")
    assert Path(where.strip()).is_relative_to(python.parents[1])
