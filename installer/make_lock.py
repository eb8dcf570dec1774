"""Make the lock file anew after a change of pyproject.toml, and measure what its packages take.

    python3 installer/make_lock.py [--upgrade]     needs `uv` on the PATH
    python3 installer/make_lock.py --sizes         only measure

Versions stay as they are where they still fit; with --upgrade they become the newest that fit.
"""

from __future__ import annotations

import json
import platform
import shutil
import sys
import tempfile
from importlib.metadata import Distribution
from pathlib import Path

from environments import Environment, install, make, pip_locked, variables
from locked import LOCK, ROOT, SIZES, installed, normalized
from system_packages import Problem, exit_code, run_quietly, say

_GROUPS = ("build", "test", "check", "payload", "release")
_FOR_BROWSERS = ("httpx2-jsfetch",)
"""What packages need in a browser's Python alone, where no desktop program runs."""


def main(words: list[str]) -> int:
    if not set(words) <= {"--upgrade", "--sizes"}:
        print(__doc__, file=sys.stderr)
        return 2
    return exit_code(lambda: make_anew(words))


def make_anew(words: list[str]) -> None:
    if "--sizes" not in words:
        export("--upgrade" in words)
    measure()


def export(upgrade: bool) -> None:
    """Write the lock file: no addresses of package indexes, as uv's own file has them."""
    if shutil.which("uv") is None:
        raise Problem("The lock is made with uv, which is not there: pip install uv, then run this again.")
    # Of what is there, uv keeps what still fits.
    words = ["uv", "pip", "compile", "--no-header", "--universal", "--generate-hashes", "--quiet"]
    words += ["--output-file", str(LOCK), "pyproject.toml"]
    for group in _GROUPS:
        words += ["--group", group]
    for name in _FOR_BROWSERS:
        words += ["--no-emit-package", name]
    run_quietly([*words, "--upgrade"] if upgrade else words, variables(), ROOT)


def measure() -> None:
    """Download and install everything beside the checkout, and write down how many kilobytes that were."""
    with tempfile.TemporaryDirectory() as name:
        environment, wheels = Environment(Path(name, "venv"), _GROUPS), Path(name, "wheels")
        say("Downloading and installing every package to measure it")
        make(environment)
        install(environment, environment.names)
        pip = [environment.program("python"), "-m", "pip", "--disable-pip-version-check"]
        pip_locked(pip, ["download", "--dest", wheels], environment.names)
        downloaded = {normalized(wheel.name.split("-")[0]): _size(wheel) for wheel in wheels.iterdir()}
        there = installed(environment.packages)
        sizes = {
            name: [round(size / 1000), round(_installed_size(there[name]) / 1000)]
            for name, size in sorted(downloaded.items())
        }
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(pair)}" for name, pair in sizes.items())
    measured_on = f"{platform.system()}, Python {platform.python_version()}"
    SIZES.write_text(
        f'{{\n  "measured_on": {json.dumps(measured_on)},\n  "kilobytes": {{\n{lines}\n  }}\n}}\n',
        encoding="utf-8",
    )
    say(f"{SIZES.name}: {len(sizes)} packages")


def _installed_size(package: Distribution) -> int:
    return sum(_size(Path(str(package.locate_file(file)))) for file in package.files or ())


def _size(file: Path) -> int:
    return file.stat().st_size if file.is_file() else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
