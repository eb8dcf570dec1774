"""Runs of pytest: in folders of their own, shared by processes, and without root's rights where that is
what the tests are about.

Standard library only: nothing else is there yet when this runs.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path

from environments import ENGINE, MAIN, ROOT, Environment, variables
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

NO_PRIVILEGES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--securebits=+noroot")
"""Starts a command as root whom permissions stop as they stop all others."""


def run_whole() -> int:
    """Every test: those of the engine and the formats without Qt, then all others; 0 where all passed.

    Root, whom no permission stops, would not see the faults that all others meet: where root runs this, the
    first are run without root's privileges, and with them only what needs root.
    """
    prefix = without_privileges()
    name = ", as root without root's privileges" if prefix else ""
    codes = [run(ENGINE, f"the engine and the formats, without Qt{name}", WITHOUT_QT, prefix=prefix)]
    if prefix:
        codes.append(run(ENGINE, "the engine and the formats that need root", [*WITHOUT_QT, "-m", "root"]))
    rest = [f"--ignore={folder}" for folder in (*WITHOUT_QT, PACKAGING)]
    codes.append(run(MAIN, "all the rest", rest, WORKERS_THAT_WAIT))
    codes.append(run_packaging())
    return next((code for code in codes if code), 0)


def run_quick() -> int:
    """Run the quick set, after saying what is left out; 0 where all passed."""
    chosen = set((ROOT / QUICK).read_text(encoding="utf-8").split())
    every = {file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py")}
    folders = [{file.rpartition("/")[0] for file in files} for files in (every - chosen, chosen)]
    say(f"The quick set: {len(every & chosen)} of {len(every)} files of tests.")
    left_out = ", ".join(sorted(folders[0] - folders[1]))
    say(f"Left out is all of {left_out}, and of the others what takes long. Before a commit: test")
    return run(MAIN, "the quick set", [f"@{QUICK}"])


def run_packaging() -> int:
    """The tests of the packages, unless they passed on these files before; 0 where none failed."""
    now = digest(ROOT / "installer", ROOT / PACKAGING, ROOT / "pyproject.toml")
    if PACKAGING_PASSED.is_file() and PACKAGING_PASSED.read_text() == now:
        say("Left out: the tests of the packages, which passed since installer was last changed")
        return 0
    code = run(MAIN, "the packages", [PACKAGING], WORKERS_THAT_WAIT)
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
    selection: Iterable[str],
    workers: str = WORKERS,
    prefix: tuple[str, ...] = (),
) -> int:
    """Run what pytest's arguments select, shared by processes, after saying so: `.ci/run` counts it."""
    say(f"Tests: {what}")
    return run_pytest(environment, ["--numprocesses", workers, *selection], prefix)


def run_pytest(environment: Environment, passed_on: Iterable[str], prefix: tuple[str, ...] = ()) -> int:
    """Run pytest offscreen in the checkout, with this process's output; return its exit code.

    All that the tests write lies in a temporary folder of this run. It stays only where a test failed.
    """
    folder = Path(tempfile.mkdtemp(prefix="exacta-"))
    environ = {**variables(), "QT_QPA_PLATFORM": "offscreen", "TMPDIR": str(folder)}
    # Short: the name of a socket has a hundred bytes.
    command = [*prefix, str(environment.program("python")), "-m", "pytest", f"--basetemp={folder / 't'}"]
    if prefix or not os.access(ROOT, os.W_OK):
        command += ["-p", "no:cacheprovider"]
    has_failed = False
    try:
        code = subprocess.call([*command, *passed_on], cwd=ROOT, env=environ)
        has_failed = code == 1  # of pytest: tests ran, and some failed
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
                path.chmod(0o700)
    shutil.rmtree(folder, ignore_errors=True)


def without_privileges() -> tuple[str, ...]:
    """The words before a command that put down root's privileges; none where nobody has them, or it can't."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return ()
    # setpriv itself may reach what it starts may not.
    reach = "import subprocess, sys, pytest, studio, tests; subprocess.check_call([sys.executable, '-c', ''])"
    probe = [*NO_PRIVILEGES, ENGINE.program("python"), "-B", "-c", reach]
    if shutil.which("setpriv") is not None and captured(probe, variables(), ROOT).returncode == 0:
        return NO_PRIVILEGES
    say("Note: root's privileges can't be put down here, so the tests of the engine run with them")
    return ()
