"""`run` and `test` from an empty checkout on, without a network: what is installed, said, and mended.

The packages are made here, and so is the project that they are for; the installer is the real one.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tools.mounts import mounted_read_only
from tests.tools.rights import IS_ROOT

ROOT = Path(__file__).parents[2]

PROJECT = """
[build-system]
requires = []
build-backend = "backend"
backend-path = ["installer"]

[project]
name = "exacta-studio"
version = "1"
dependencies = ["windows-of-glass>=1"]

[dependency-groups]
build = ["nails"]
test = ["rulers", "pytest"]
check = ["lenses"]
"""

# An editable wheel: a path to the checkout, and the program.
BACKEND = """
import zipfile
from pathlib import Path

INFO = "exacta_studio-1.dist-info"

def build_editable(wheel_directory, config_settings=None, metadata_directory=None):
    name = "exacta_studio-1-py3-none-any.whl"
    with zipfile.ZipFile(Path(wheel_directory, name), "w") as wheel:
        wheel.writestr("exacta_studio.pth", str(Path.cwd()))
        wheel.writestr(f"{INFO}/METADATA", "Metadata-Version: 2.1\\nName: exacta-studio\\nVersion: 1\\n")
        wheel.writestr(f"{INFO}/WHEEL", "Wheel-Version: 1.0\\nRoot-Is-Purelib: true\\nTag: py3-none-any\\n")
        wheel.writestr(f"{INFO}/entry_points.txt", "[console_scripts]\\nstudio = program:main\\n")
        wheel.writestr(f"{INFO}/RECORD", "")
    return name
"""
PROGRAM = "def main():\n    import windows_of_glass, glass\n    print('the window of', __file__)\n"

LOCKED = {
    "glass": ["windows-of-glass"],
    "lenses": [],
    "nails": [],
    "pytest": [],
    "rulers": [],
    "wood": ["lenses", "rulers"],
    "windows-of-glass": ["exacta-studio"],
}
"""Packages, and what needs them: as in the real lock, what stands in a group alone names nothing."""


def wheel(folder: Path, name: str) -> str:
    """A package of one module as a wheel in `folder`; its SHA-256."""
    module = name.replace("-", "_")
    file = folder / f"{module}-1-py3-none-any.whl"
    info = f"{module}-1.dist-info"
    body = "print('tests ran')\n" if name == "pytest" else ""
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr(f"{module}/__init__.py", body)
        archive.writestr(f"{module}/__main__.py", "")
        archive.writestr(f"{info}/METADATA", f"Metadata-Version: 2.1\nName: {name}\nVersion: 1\n")
        archive.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        archive.writestr(f"{info}/RECORD", "")
    return hashlib.sha256(file.read_bytes()).hexdigest()


def lock_text(hashes: dict[str, str]) -> str:
    blocks: list[str] = []
    for name, needed_by in LOCKED.items():
        lines = [f"{name}==1 \\", f"    --hash=sha256:{hashes[name]}"]
        if len(needed_by) == 1:
            lines.append(f"    # via {needed_by[0]}")
        elif needed_by:
            lines += ["    # via", *(f"    #   {each}" for each in needed_by)]
        blocks.append("\n".join(lines) + "\n")
    return "".join(blocks)


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout of the little project with the real installer, and its packages beside it."""
    copy = tmp_path / "checkout"
    ignored = shutil.ignore_patterns("__pycache__", "requirements.lock")
    shutil.copytree(ROOT / "installer", copy / "installer", ignore=ignored)
    (copy / "pyproject.toml").write_text(PROJECT)
    (copy / "program.py").write_text(PROGRAM)
    (copy / "installer" / "backend.py").write_text(BACKEND)
    wheels = tmp_path / "wheels"
    wheels.mkdir()
    hashes = {name: wheel(wheels, name) for name in LOCKED}
    (copy / "installer" / "requirements.lock").write_text(lock_text(hashes))
    return copy


def dev(
    checkout: Path, *words: str, prefix: tuple[str, ...] = (), network: bool = True
) -> subprocess.CompletedProcess[str]:
    """One command of the installer. The packages are a folder: that is all the network there is."""
    packages = {"PIP_FIND_LINKS": str(checkout.parent / "wheels")} if network else {}
    return subprocess.run(
        [*prefix, sys.executable, "installer/dev.py", "--no-system", *words],
        cwd=checkout,
        env={**os.environ, "PIP_NO_INDEX": "1", "QT_QPA_PLATFORM": "offscreen", **packages},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )


def installed(checkout: Path) -> set[str]:
    """What lies in the environment, without what every environment has."""
    (site,) = checkout.glob(".venv/lib/python*/site-packages")
    return {folder.name.partition("-")[0] for folder in site.glob("*.dist-info")} - {"pip", "setuptools"}


@pytest.mark.timeout(400)  # makes an environment twice: two minutes beside other work
def test_from_nothing_to_the_window_and_the_tests(checkout: Path, tmp_path: Path) -> None:
    first = dev(checkout, "run")
    assert (first.returncode, first.stdout) == (0, f"the window of {checkout / 'program.py'}\n")
    assert first.stderr == (
        "Making the environment .venv\n"
        "Installing 3 Python packages into .venv, each checked against its hash: "
        "at most about 100 MB to download and 310 MB on disk\n"
    )
    window = {"windows_of_glass", "glass", "nails", "exacta_studio"}
    assert installed(checkout) == window, "no tools of the tests"
    assert dev(checkout, "run", network=False).stderr == ""

    tests = dev(checkout, "test", "--version")
    assert (tests.returncode, tests.stdout) == (0, "tests ran\n")
    assert "Installing 7 Python packages into .venv" in tests.stderr
    assert installed(checkout) == window | {"lenses", "pytest", "rulers", "wood"}
    assert dev(checkout, "run", network=False).stderr == "", "more than enough is enough"

    # A package that somebody removed.
    (site,) = checkout.glob(".venv/lib/python*/site-packages")
    shutil.rmtree(site / "glass")
    alone = dev(checkout, "run", network=False)
    assert (alone.returncode, alone.stdout) == (1, "")
    assert "ERROR: No matching distribution found for glass==1" in alone.stderr
    assert "connect to the network" in alone.stderr.splitlines()[-1]
    mended = dev(checkout, "run")
    assert (mended.returncode, mended.stdout) == (0, first.stdout)
    assert mended.stderr.startswith("Missing in .venv, and installed again: glass\n")

    # A checkout that was moved, with its environment.
    moved = checkout.rename(tmp_path / "elsewhere")
    there = dev(moved, "run")
    assert (there.returncode, there.stdout) == (0, f"the window of {moved / 'program.py'}\n")
    assert there.stderr == first.stderr, "the environment knows its old place, and is made anew"

    # One that may only be read is good enough for what is installed already.
    again = dev(moved, "run", prefix=read_only(moved))
    assert (again.returncode, again.stdout, again.stderr) == (0, there.stdout, "")


def read_only(folder: Path) -> tuple[str, ...]:
    """A command that runs another one where nothing can be written beneath a folder."""
    if IS_ROOT:
        return mounted_read_only(folder)
    return ("sh", "-c", 'chmod -R a-w "$0"; "$@"; code=$?; chmod -R u+w "$0"; exit $code', str(folder))


@pytest.fixture
def in_the_way(checkout: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """Something that is no environment where one is to be made."""
    place = checkout / ".venv"
    if request.param == "file":
        place.write_text("mine")
    elif request.param == "link":
        place.symlink_to("nowhere")
    else:
        place.mkdir()
        (place / "diary.txt").write_text("mine")
    yield place
    assert place.is_symlink() or place.is_file() or (place / "diary.txt").read_text() == "mine"


@pytest.mark.parametrize("in_the_way", ["file", "link", "folder"], indirect=True)
def test_what_is_in_the_way_is_named_and_left(checkout: Path, in_the_way: Path) -> None:
    done = dev(checkout, "run")
    sentence = f"{in_the_way} is no Python environment: move it away, then run the command again.\n"
    assert (done.returncode, done.stdout, done.stderr) == (1, "", sentence)


def test_a_read_only_checkout_without_an_environment(checkout: Path) -> None:
    done = dev(checkout, "run", prefix=read_only(checkout))
    assert (done.returncode, done.stdout) == (1, "")
    begin, sentence = done.stderr.splitlines()
    assert begin == "Making the environment .venv"
    assert sentence.startswith(f"{checkout / '.venv'}: ") and sentence.endswith(" Mend that, then try again.")


@pytest.mark.parametrize("package", ["platformdirs", "zstandard", "PySide6"])
def test_the_program_says_what_its_installation_lacks(package: str, tmp_path: Path) -> None:
    """As after `pip uninstall`: .venv/bin/studio is started as ever."""
    words = ["demo", "--smoke"] if package == "PySide6" else ["plans"]
    start = f"import sys; sys.modules[{package!r}] = None; from studio.__main__ import main; sys.exit(main())"
    environ = {name: value for name, value in os.environ.items() if name != "STUDIO_STATE_DIR"}
    done = subprocess.run(
        [sys.executable, "-c", start, *words],
        cwd=tmp_path,
        env={**environ, "QT_QPA_PLATFORM": "offscreen"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("studio: A part of Exacta Studio's installation is missing: ")
    assert package in done.stderr
    assert done.stderr.endswith(". Install it again; in a checkout, python3 installer/dev.py run does.\n")
    assert done.stderr.count("\n") == 1
