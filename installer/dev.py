"""The two commands of a checkout: run the program, run its tests.

    python3 installer/dev.py [--no-system] run [what studio takes]
    python3 installer/dev.py [--no-system] test [--quick | what pytest takes]

Each says what is missing and installs it first: system packages (never with --no-system) and, into .venv
of the checkout, packages of installer/requirements.lock; `run` no more than the window needs. `test`
without arguments runs all tests but those of tests/lab and tests/bench, and those of tests/packaging only
where installer changed since they passed: those of the engine and the formats in .venv-engine, where no Qt
is installed, all others in .venv. `test --quick` takes about a minute and says what it leaves out.

Needs any Python from 3.8 on to start, and finds a Python 3.11 or newer by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import environments
import system_packages
from environments import ENGINE, MAIN, ROOT, RUN, Environment, digest, variables
from system_packages import captured, exit_code, say

OLDEST_PYTHON = (3, 11)
NEWER_PYTHONS = ("3.13", "3.12", "3.11", "3.14")
WITHOUT_QT = ("tests/engine", "tests/extras", "tests/formats", "tests/program", "tests/system", "tests/text")
"""What must run where no Qt is installed, and so has nothing to gain from a second run beside it."""
PACKAGING = "tests/packaging"
PACKAGING_PASSED = MAIN.folder / "packaging-passed"
"""The digest of the files on which those passed last. A new checkout has none, so CI runs all."""
QUICK = "tests/quick.txt"
"""What is quick and says most, as pytest reads it: a file of every folder of tests that holds a layer."""
NO_PRIVILEGES = ("setpriv", "--bounding-set=-all", "--inh-caps=-all", "--securebits=+noroot")
"""Starts a command as root whom permissions stop as they stop all others."""


def main(arguments: list[str]) -> int:
    may_install = True
    while arguments[:1] == ["--no-system"]:
        may_install, arguments = False, arguments[1:]
    if arguments[:1] not in (["run"], ["test"]):
        say(__doc__ or "")
        return 2
    if sys.version_info < OLDEST_PYTHON:
        return start_again_with_newer_python()
    return exit_code(lambda: run_command(arguments[0], arguments[1:], may_install))


def run_command(command: str, words: list[str], may_install: bool) -> int:
    """Install what is missing, then become `studio` or run pytest with these words."""
    system_packages.provide(command, may_install)
    if command == "run":
        environments.provide(RUN, larger=MAIN)
        return hand_over([str(RUN.program("studio")), *words], variables())
    environments.provide(MAIN)
    if words == ["--quick"]:
        return run_quick()
    return run_pytest(MAIN, words) if words else run_whole()


def start_again_with_newer_python(script: Path = Path(__file__)) -> int:
    """Hand the same command of a script to a Python of 3.11 or newer, or say where to get one."""
    newer = next(filter(None, map(python_of, NEWER_PYTHONS)), None)
    if newer is None:
        say(
            f"Exacta Studio needs Python 3.11 or newer; this is Python {sys.version.split()[0]} "
            "and no newer one was found. Install one, for instance with: apt-get install python3.11 "
            "python3.11-venv, dnf install python3.11, brew install python@3.13, or winget install "
            "Python.Python.3.13."
        )
        return 1
    say(f"Using {newer[0]}: Python 3.11 or newer is needed")
    return hand_over([*newer, str(script.resolve()), *sys.argv[1:]], dict(os.environ))


def hand_over(command: list[str], variables: dict[str, str]) -> int:
    """Become another program, or wait for its end on Windows: Ctrl-C ends one process."""
    if sys.platform != "win32":
        os.execve(command[0], command, variables)
    # The console sends Ctrl-C to both. As KeyboardInterrupt it would lose the exit code of what was started.
    signal.signal(signal.SIGINT, lambda *_: None)
    return subprocess.call(command, env=variables)


def python_of(version: str) -> list[str] | None:
    """Return the words that start a Python of this version, such as "3.12"; None without one."""
    name, *options = ["py", "-" + version] if sys.platform == "win32" else ["python" + version]
    command = [shutil.which(name) or "", *options]
    probe = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    # A version manager's stand-in is on PATH for every version, also for those it has not installed.
    if command[0] and subprocess.call([*command, "-c", probe], stderr=subprocess.DEVNULL) == 0:
        return command
    return None


def run_whole() -> int:
    """Run every test, those of the engine without Qt; return the first exit code that is not 0.

    No permission stops root, who would not see the faults that all others meet: where root runs this, those
    are run without root's privileges, and with them only what needs root.
    """
    environments.provide(ENGINE)
    prefix = without_privileges()
    name = ", as root without root's privileges" if prefix else ""
    codes = [run(ENGINE, f"the engine and the formats, without Qt{name}", [*WITHOUT_QT], prefix=prefix)]
    if prefix:
        codes.append(run(ENGINE, "the engine and the formats that need root", [*WITHOUT_QT, "-m", "root"]))
    rest = [f"--ignore={folder}" for folder in (*WITHOUT_QT, PACKAGING)]
    codes += [run(MAIN, "all the rest", rest, workers=4), run_packaging()]
    return next(filter(None, codes), 0)


def run_quick() -> int:
    """Run the quick set, after saying what is excluded; return the exit code."""
    chosen = set((ROOT / QUICK).read_text(encoding="utf-8").split())
    every = {file.relative_to(ROOT).as_posix() for file in (ROOT / "tests").rglob("test_*.py")}
    rest, own = ({file.rpartition("/")[0] for file in files} for files in (every - chosen, chosen))
    say(f"The quick set: {len(every & chosen)} of {len(every)} files of tests.")
    say(f"Left out is all of {', '.join(sorted(rest - own))}, and of the others what takes long.")
    return run(MAIN, "the quick set", [f"@{QUICK}"])


def run_packaging() -> int:
    """Run the tests of the packages, unless they passed on these files; return the exit code."""
    tops = (ROOT / "installer", ROOT / PACKAGING, ROOT / "pyproject.toml")
    files = [file for top in tops for file in (top, *sorted(top.rglob("*"))) if file.suffix != ".pyc"]
    now = digest(part for file in files if file.is_file() for part in (str(file), file.read_bytes()))
    if PACKAGING_PASSED.is_file() and PACKAGING_PASSED.read_text() == now:
        say("Left out: the tests of the packages, which passed since installer was last changed")
        return 0
    code = run(MAIN, "the packages", [PACKAGING], workers=4)
    if code == 0:
        PACKAGING_PASSED.write_text(now)
    return code


def run(where: Environment, what: str, words: list[str], workers: int = 2, prefix: Sequence[str] = ()) -> int:
    """Run what pytest's words select, shared by processes, after saying so: `.ci/run` counts it.

    Every machine has two cores; four processes share what waits half of the time, as for windows and clocks.
    """
    say(f"Tests: {what}")
    return run_pytest(where, ["--numprocesses", str(workers), *words], prefix)


def run_pytest(where: Environment, words: list[str], prefix: Sequence[str] = ()) -> int:
    """Run pytest offscreen in the checkout, with this process's output; return its exit code.

    All that the tests write is in a temporary folder of this run. It stays only where a test failed.
    """
    # It also removes what tests closed to their own user. Short: the name of a socket has a hundred bytes.
    with tempfile.TemporaryDirectory(prefix="exacta-", ignore_cleanup_errors=True) as folder:
        environ = {**variables(), "QT_QPA_PLATFORM": "offscreen", "TMPDIR": folder}
        command = [*prefix, str(where.program("python")), "-m", "pytest", f"--basetemp={folder}/t"]
        if prefix or not os.access(ROOT, os.W_OK):
            command += ["-p", "no:cacheprovider"]
        code = subprocess.call([*command, *words], cwd=ROOT, env=environ)
        if code == 1:  # of pytest: tests ran, and some failed
            kept = Path(folder).rename(f"{folder}-failed")
            say(f"What the tests that failed left behind is in {kept}")
    return code


def without_privileges() -> Sequence[str]:
    """Return the words that put down root's privileges; none where it isn't root, or can't."""
    if not sys.platform.startswith("linux") or os.geteuid() != 0:
        return ()
    # setpriv itself may reach what it starts may not.
    reach = "import subprocess, sys, pytest, studio, tests; subprocess.check_call([sys.executable, '-c', ''])"
    probe = [*NO_PRIVILEGES, ENGINE.program("python"), "-B", "-c", reach]
    if shutil.which("setpriv") is not None and captured(probe, variables(), ROOT).returncode == 0:
        return NO_PRIVILEGES
    say("Note: root's privileges can't be put down here, so the tests of the engine run with them")
    return ()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
