"""Runs of pytest: in folders of their own, shared by processes, and without root's rights where that is
what the tests are about.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from environments import ENGINE, MAIN, Environment, variables
from locked import ROOT
from system_packages import captured, say

WITHOUT_QT = ("tests/engine", "tests/formats")
"""What must run where no Qt is installed, and so has nothing to gain from a second run beside it."""

WORKERS = "2"
"""Processes that share a whole test run: every machine has so many cores, and no test starts more."""

WORKERS_THAT_WAIT = "4"
"""The same where half of the time is waiting: for windows, other processes and clocks."""

PACKAGING = "tests/packaging"
"""Tests of the packages: a whole run leaves them out where they passed on just these files."""

PACKAGING_PASSED = MAIN.folder / "packaging-passed"
"""Which files those were. A new checkout has none, so CI runs all."""

QUICK = "tests/quick.txt"
"""What is quick and says most, as pytest reads it: a file of every folder of tests that holds a layer."""
MEASURES = "tests/formats/test_detect.py::test_four_times_the_blocks_take_about_four_times_as_long"
"""Compares times of large texts: a tenth of the whole set, and less sure beside other work."""

NOBODY = 65534
TESTS_FAILED = 1
"""Exit code of pytest: tests ran, and some failed."""

ROOT_ALONE = "root"
"""The mark of tests that prove more, or anything at all, where root runs them."""


class User(NamedTuple):
    """Somebody who runs tests: the words before a command that make it theirs, and what to call them."""

    prefix: tuple[str, ...]
    name: str
    has_own_home: bool


def run_whole() -> int:
    """Every test: those of the engine and the formats without Qt, then all others; 0 where all passed.

    Root, whom no permission stops, would not see the faults that all others meet: where root runs this, the
    first are run by a user without privileges, and by root only what needs root.
    """
    user = unprivileged_user()
    name = f", as {user.name}" if user is not None else ""
    codes = [run(ENGINE, f"the engine and the formats, without Qt{name}", WITHOUT_QT, user=user)]
    if user is not None:
        what = "the engine and the formats that need root"
        codes.append(run(ENGINE, what, [*WITHOUT_QT, "-m", ROOT_ALONE]))
    rest = [f"--ignore={folder}" for folder in (*WITHOUT_QT, PACKAGING)]
    codes.append(run(MAIN, "all the rest", rest, workers=WORKERS_THAT_WAIT))
    codes.append(run_packaging())
    return next((code for code in codes if code), 0)


def run_quick() -> int:
    """Run the quick set, after saying what is left out; 0 where all passed."""
    chosen = (ROOT / QUICK).read_text(encoding="utf-8").split()
    every = {file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py")}
    left_out = {file.rpartition("/")[0] for file in every.difference(chosen)}
    left_out -= {file.rpartition("/")[0] for file in chosen}
    say(f"The quick set: {len(every.intersection(chosen))} of {len(every)} files of tests.")
    folders = ", ".join(sorted(left_out))
    say(f"Left out is all of {folders}, and of the others what takes long. Before a commit: test")
    return run(MAIN, "the quick set", [f"@{QUICK}", "-m", "not network", "--deselect", MEASURES])


def run_packaging() -> int:
    """The tests of the packages, unless they passed on these files before; 0 where none failed."""
    now = digest(ROOT / "installer", ROOT / PACKAGING, ROOT / "pyproject.toml")
    if PACKAGING_PASSED.is_file() and PACKAGING_PASSED.read_text() == now:
        say("Left out: the tests of the packages, which passed since installer was last changed")
        return 0
    code = run(MAIN, "the packages", [PACKAGING], workers=WORKERS_THAT_WAIT)
    if code == 0:
        PACKAGING_PASSED.write_text(now)
    return code


def digest(*paths: Path) -> str:
    """One number for the names and bytes of these files, and of all in these folders but bytecode."""
    made = hashlib.sha256()
    for file in (file for path in paths for file in (path, *sorted(path.rglob("*")))):
        if file.is_file() and file.suffix != ".pyc":
            content = file.read_bytes()
            made.update(f"{file.relative_to(ROOT).as_posix()} {len(content)}\n".encode() + content)
    return made.hexdigest()


def run(
    environment: Environment,
    what: str,
    selection: Sequence[str],
    *,
    workers: str = WORKERS,
    user: User | None = None,
) -> int:
    """Run what pytest's arguments select, shared by processes, after saying so: `.ci/run` counts it."""
    say(f"Tests: {what}")
    return run_pytest(environment, ["--numprocesses", workers, *selection], user=user)


def run_pytest(environment: Environment, passed_on: Sequence[str], *, user: User | None = None) -> int:
    """Run pytest offscreen in the checkout, with this process's output; return its exit code.

    All that the tests write lies in a temporary folder of this run. It stays only where a test failed.
    """
    folder = Path(tempfile.mkdtemp(prefix="exacta-"))
    environ = {**variables(), "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(folder)}
    command = [str(environment.program("python")), "-m", "pytest"]
    if not any(word.startswith("--basetemp") for word in passed_on):
        command.append(f"--basetemp={folder / 't'}")
    if not os.access(ROOT, os.W_OK) or (user is not None and user.has_own_home):
        command += ["-p", "no:cacheprovider"]
        environ["PYTHONPYCACHEPREFIX"] = str(folder / "bytecode")
    if user is not None:
        environ |= home_of(user, folder)
        command = [*user.prefix, *command]
    has_failed = False
    try:
        code = subprocess.call([*command, *passed_on], cwd=ROOT, env=environ)
        has_failed = code == TESTS_FAILED
    finally:
        if not has_failed:
            remove(folder)
    if has_failed:
        say(f"What the tests that failed left behind lies in {folder}")
    return code


def remove(folder: Path) -> None:
    """Remove a folder of tests, also what tests closed to their own user; what won't go stays."""
    for above, names, _ in os.walk(folder):
        for path in (Path(above, name) for name in names):
            if not path.is_symlink():
                path.chmod(stat.S_IRWXU)
    shutil.rmtree(folder, ignore_errors=True)


def unprivileged_user() -> User | None:
    """Who runs the engine's tests where root runs this script; None where somebody else does, or root can't
    become anybody else."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0 or shutil.which("setpriv") is None:
        return None
    nobody = User(
        ("setpriv", f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups", "--inh-caps=-all"),
        "a user without privileges",
        has_own_home=True,
    )
    # Where the checkout or its Python lies in root's own home, nobody else can reach it.
    powerless = User(
        ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--securebits=+noroot"),
        "root without root's privileges",
        has_own_home=False,
    )
    # setpriv itself may reach what the one it becomes may not: only what that one starts tells.
    reach = "import subprocess, sys, pytest, studio, tests; subprocess.check_call([sys.executable, '-c', ''])"
    probe = [str(ENGINE.program("python")), "-B", "-c", reach]
    for user in (nobody, powerless):
        if captured([*user.prefix, *probe], variables(), ROOT).returncode == 0:
            return user
    say("Note: root's privileges can't be put down here, so the tests of the engine run with them")
    return None


def home_of(user: User, folder: Path) -> dict[str, str]:
    """What the environment of a user says who has no home: one in `folder`, which becomes theirs."""
    if not user.has_own_home:
        return {}
    home = folder / "home"
    home.mkdir()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "exacta-studio-tests"
    if cache.is_dir():
        shutil.copytree(cache, home / "cache")
    for path in (folder, home, *home.rglob("*")):
        os.chown(path, NOBODY, NOBODY)
    return {
        "HOME": str(home),
        "STUDIO_TEST_CACHE": str(home / "cache"),
        "XDG_CACHE_HOME": "",
        "XDG_CONFIG_HOME": "",
    }
