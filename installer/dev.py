"""The two commands of a checkout: run the program, run its tests.

    python3 installer/dev.py [--no-system] run [what studio takes]
    python3 installer/dev.py [--no-system] test [--quick | what pytest takes]

Each says what is missing and installs it first: system packages (never with --no-system) and, into .venv
of the checkout, packages of installer/requirements.lock; `run` no more than the window needs. `test`
without arguments runs all tests but those of tests/lab and tests/bench, and those of tests/packaging only
where installer changed since they passed: those of the engine and the formats in .venv-engine, where no Qt
is installed, all others in .venv. `test --quick` takes about a minute and says
what it leaves out.

Needs any Python from 3.8 on to start, and finds a Python 3.11 or newer by itself.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

OLDEST_PYTHON = (3, 11)
NEWER_PYTHONS = ("3.13", "3.12", "3.11", "3.14")


def main(arguments: list[str]) -> int:
    may_install = True
    while arguments and arguments[0] == "--no-system":
        may_install = False
        arguments = arguments[1:]
    if not arguments or arguments[0] not in ("run", "test"):
        print(__doc__, file=sys.stderr)
        return 2
    if sys.version_info < OLDEST_PYTHON:
        return start_again_with_newer_python()
    from system_packages import exit_code

    command = run if arguments[0] == "run" else test
    return exit_code(lambda: command(arguments[1:], may_install))


def run(passed_on: list[str], may_install: bool) -> int:
    """Install what is missing, then hand this process over to `studio` with the arguments given."""
    import environments
    import system_packages

    system_packages.provide("run", may_install)
    environments.provide(environments.RUN, larger=environments.MAIN)
    return hand_over([str(environments.RUN.program("studio")), *passed_on], environments.variables())


def test(passed_on: list[str], may_install: bool) -> int:
    """Install what is missing, then run pytest; the exit code is that of the first run that failed."""
    import environments
    import system_packages
    import testing

    system_packages.provide("test", may_install)
    environments.provide(environments.MAIN)
    if passed_on == ["--quick"]:
        return testing.run_quick()
    if passed_on:
        return testing.run_pytest(environments.MAIN, passed_on)
    environments.provide(environments.ENGINE)
    return testing.run_whole()


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
    """Become another program where the system can do that, else wait for its end: Ctrl-C ends one process,
    and none goes on behind it."""
    if sys.platform != "win32":
        os.execve(command[0], command, variables)
    # The console tells it to both, and what was started says how it ended. Raised while that is read,
    # KeyboardInterrupt would lose it.
    signal.signal(signal.SIGINT, lambda *_: None)
    return subprocess.call(command, env=variables)


def python_of(version: str) -> list[str] | None:
    """The words that start a Python of this version, such as "3.12"; None where there is none."""
    launcher = ["py", "-" + version] if sys.platform == "win32" else ["python" + version]
    program = shutil.which(launcher[0])
    if program is None:
        return None
    command = [program, *launcher[1:]]
    probe = f"import sys; sys.exit('%d.%d' % sys.version_info[:2] != {version!r})"
    # A version manager's stand-in is on PATH for every version, also for those it has not installed.
    fits = subprocess.call([*command, "-c", probe], stderr=subprocess.DEVNULL) == 0
    return command if fits else None


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
