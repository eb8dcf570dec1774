"""Make the lock file anew after a change of pyproject.toml, and measure what its packages take.

    python3 installer/make_lock.py [--upgrade]     needs `uv` on the PATH
    python3 installer/make_lock.py --sizes         only measure

Versions stay as they are where they still fit; with --upgrade they become the newest that fit.
"""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from environments import Environment, variables
from locked import LOCK, ROOT, SIZES, lock_of, names_for, normalized
from system_packages import Problem, run_quietly, say

_GROUPS = ("build", "test", "check", "payload", "release")
_FOR_BROWSERS = ("httpx2-jsfetch",)
"""What packages need in a browser's Python alone, where no desktop program runs."""
_MEASURE = """
import importlib.metadata, json
sizes = {}
for found in importlib.metadata.distributions():
    files = [found.locate_file(file) for file in found.files or ()]
    sizes[found.metadata["Name"]] = sum(file.stat().st_size for file in files if file.is_file())
print(json.dumps(sizes))
"""


def main(words: list[str]) -> int:
    if not set(words) <= {"--upgrade", "--sizes"}:
        print(__doc__, file=sys.stderr)
        return 2
    try:
        if "--sizes" not in words:
            export("--upgrade" in words)
        measure()
    except Problem as problem:
        say(str(problem))
        return 1
    return 0


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
    run_quietly([*words, "--upgrade"] if upgrade else words, variables(), folder=ROOT)


def measure() -> None:
    """Download and install everything beside the checkout, and write down how many kilobytes that were."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "lock").write_text(lock_of(names_for(_GROUPS)), encoding="utf-8")
        environment = Environment(folder / "venv", _GROUPS)
        run_quietly([sys.executable, "-m", "venv", str(environment.folder)], variables())
        pip = [str(environment.program("python")), "-m", "pip", "--disable-pip-version-check"]
        options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", str(folder / "lock")]
        say("Downloading and installing every package to measure it")
        run_quietly([*pip, "download", "--dest", str(folder / "wheels"), *options], variables())
        run_quietly([*pip, "install", *options], variables())
        answer = subprocess.check_output([str(environment.program("python")), "-c", _MEASURE])
        installed = {normalized(name): size for name, size in json.loads(answer).items()}
        downloaded = {
            normalized(wheel.name.split("-")[0]): wheel.stat().st_size
            for wheel in (folder / "wheels").iterdir()
        }
    sizes = {
        name: [round(size / 1000), round(installed[name] / 1000)] for name, size in sorted(downloaded.items())
    }
    lines = ",\n".join(f"    {json.dumps(name)}: {json.dumps(pair)}" for name, pair in sizes.items())
    measured_on = f"{platform.system()}, Python {platform.python_version()}"
    SIZES.write_text(
        f'{{\n  "measured_on": {json.dumps(measured_on)},\n  "kilobytes": {{\n{lines}\n  }}\n}}\n',
        encoding="utf-8",
    )
    say(f"{SIZES.name}: {len(sizes)} packages")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
