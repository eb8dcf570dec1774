"""The wheel and the sdist: built from a clean tree, the same bytes each time, and installed as people do."""

from __future__ import annotations

import shutil
import sys
import tempfile
from functools import partial
from pathlib import Path

import environments
from dev import python_of
from environments import MAIN, RUN, Environment, names_for, pip
from system_packages import Problem, libraries, run_quietly

from shipping import chroot, trial
from shipping.chroot import USER
from shipping.parts import Outcome, Source, State, Unavailable, attempts
from shipping.trial import Trial

PYTHONS = ("3.11", "3.12", "3.13")
"""What the program is said to run with; `pyproject.toml` lists the same."""
OWN_PYTHON = "{}.{}".format(*sys.version_info)

FROM_THE_SYSTEM = ("python3-venv", *libraries("offscreen", "x11"))
"""Debian's packages that it needs; docs/install.md lists the same."""

INSTALLERS = {
    "pipx": (f"install --python {sys.executable}", {"PIPX_HOME": "home", "PIPX_BIN_DIR": "bin"}),
    "uv": (
        f"tool install --no-python-downloads --no-config --python {sys.executable}",
        {"UV_TOOL_DIR": "tools", "UV_TOOL_BIN_DIR": "bin", "UV_CACHE_DIR": "cache"},
    ),
}
"""What a person may install programs with: its words, and its variables that name folders."""


def build(source: Source, into: Path) -> list[Outcome]:
    """Build both, and once more in another place from the sdist. Raises Problem for other bytes."""
    environments.provide(RUN, larger=MAIN)
    with tempfile.TemporaryDirectory(prefix="exacta-wheel-") as made:
        first = _built(source.folder, into, source.epoch)
        run_quietly(["tar", "-x", "-C", made, "-f", first["sdist"]])
        unpacked = Path(made, first["sdist"].name.removesuffix(".tar.gz"))
        second = _built(unpacked, Path(made, "second"), source.epoch)
        for kind, file in first.items():
            if file.read_bytes() != second[kind].read_bytes():
                raise Problem(f"The {kind} built from the sdist has other bytes: it is not reproducible.")
    words = "equal bytes from the sdist in another place"
    return [Outcome(kind, State.BUILT, words, file) for kind, file in first.items()]


def try_out(source: Source, into: Path, is_quick: bool) -> list[Outcome]:
    """Install and use the wheel by each Python, pipx, uv and in bare Debians; briefly by this Python."""
    tries = {
        **{f"wheel on Python {each}": partial(_on_python, each) for each in PYTHONS},
        **{f"{name} install": partial(_by_tool, name) for name in INSTALLERS},
        **{f"wheel in Debian {suite}": partial(_in_debian, suite) for suite in chroot.SUITES},
    }
    if is_quick:
        tries = {f"wheel on Python {OWN_PYTHON}": partial(_on_python, OWN_PYTHON, is_quick=True)}
    wheel = next(into.glob("*.whl"))
    with tempfile.TemporaryDirectory(prefix="exacta-installed-", ignore_cleanup_errors=True) as made:
        place = Path(made).resolve()
        return attempts((what, partial(do, source, wheel, place), None) for what, do in tries.items())


def python_for(version: str) -> list[str]:
    """The words that start a Python of this version. Raises Unavailable."""
    python = python_of(version) if version != OWN_PYTHON else [sys.executable]
    if python is None:
        raise Unavailable(f"There is no Python {version} here: python{version} is not on the path.")
    return python


def _built(folder: Path, into: Path, epoch: int) -> dict[str, Path]:
    """Have hatchling make the wheel and the sdist of a tree."""
    variables = {**environments.variables(), "SOURCE_DATE_EPOCH": str(epoch)}
    run_quietly([RUN.program("python"), "-m", "hatchling", "build", "--directory", into], variables, folder)
    return {"wheel": next(into.glob("*.whl")), "sdist": next(into.glob("*.tar.gz"))}


def _on_python(version: str, source: Source, wheel: Path, made: Path, is_quick: bool = False) -> str:
    """Install the locked packages and our wheel, use it without and with extras, run chosen tests."""
    environment = Environment(made / version, ("test",))
    environments.make(environment, python_for(version))
    python = environment.program("python")
    pip(python, "install", locked=names_for(()))
    pip(python, "install", "--no-deps", wheel)
    installed = Trial([str(environment.program("studio"))], made / f"{version}-trial")
    installed.walk(source.version, has_extras=False)
    pip(python, "install", locked=environment.names)
    pip(python, "check")
    installed.use_extras()
    tests = "" if is_quick else f"; tests outside of the checkout: {trial.run_tests(python, source.folder)}"
    return f"installed from hashes, used, without and with its extras{tests}"


def _by_tool(name: str, source: Source, wheel: Path, made: Path) -> str:
    """Have a tool of the path or the package index install the wheel, and use that. Raises Unavailable."""
    words, folders = INSTALLERS[name]
    found = shutil.which(name)
    if found is None:
        environment = Environment(made / f"{name}-itself", ())
        environments.make(environment)
        try:
            pip(environment.program("python"), "install", name)
        except Problem as problem:
            raise Unavailable(f"{name} is not here and can't be had from the package index.") from problem
        found = str(environment.program(name))
    places = {variable: str(made / name / folder) for variable, folder in folders.items()}
    run_quietly([found, *words.split(), f"{wheel}[all]"], environments.variables() | places)
    Trial([str(made / name / "bin" / "studio")], made / f"{name}-trial").walk(source.version)
    return "installed with all extras, used"


def _in_debian(suite: str, source: Source, wheel: Path, _made: Path) -> str:
    """Install it as a user of a bare Debian by its own Python, and use it."""
    with chroot.bare(suite) as debian:
        debian.install(*FROM_THE_SYSTEM)
        brought = f"/var/lib/{wheel.name}"
        debian.bring(wheel, brought)
        install = f"python3 -m venv environment && environment/bin/pip install --quiet '{brought}[all]'"
        debian.run("sh", "-c", install, user=USER, variables=chroot.network())
        program = f"/home/{USER}/environment/bin/studio"
        debian.run_trial(source, source.version, "trial", program)
        debian.show(program)
    return "installed by pip with all extras beside Debian's Python, used by a user, seen on a screen"
