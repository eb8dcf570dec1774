"""From spawn to the first paint, and to the version."""

from __future__ import annotations

import json
import os
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, installed, milliseconds, output, studio

_WIDTH, _HEIGHT = 1440, 900
_PEER = Path(__file__).with_name("one_label.py")


def _start(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    demo = _demo(folder, variables)

    def one_label() -> float:
        return float(output([sys.executable, str(_PEER), str(_WIDTH), str(_HEIGHT)], variables))

    ours, peer = compare(lambda: _first_paint(studio(), demo, variables), one_label, pairs)
    return Comparison(
        "studio --project DEMO", f"a QMainWindow of {_WIDTH} x {_HEIGHT} with one label", ours, peer, 1.25
    )


def _installed_start(folder: Path, pairs: int) -> Comparison:
    variables, program = environment(folder), installed()
    demo = _demo(folder, variables)
    ours, peer = compare(
        lambda: _first_paint(program, demo, variables),
        lambda: _first_paint(studio(), demo, variables),
        pairs,
    )
    return Comparison(f"{program} --project DEMO", "the same in the checkout", ours, peer, 1.1)


def _demo(folder: Path, variables: Mapping[str, str]) -> Path:
    demo = folder / "demo"
    output([studio(), "demo", "--dir", str(demo), "--smoke"], variables)
    return demo


def _first_paint(program: str, project: Path, variables: Mapping[str, str]) -> float:
    return float(
        json.loads(output([program, "--project", str(project), "--smoke"], variables))["first_paint_ms"]
    )


def _version(folder: Path, pairs: int) -> Comparison:
    return _version_of(studio(), sys.executable, folder, pairs)


def _installed_version(folder: Path, pairs: int) -> Comparison:
    # The Python of the system, by which a package of the system is run.
    return _version_of(installed(), shutil.which("python3", path=os.defpath) or sys.executable, folder, pairs)


def _version_of(program: str, python: str, folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    ours, peer = compare(
        lambda: milliseconds([program, "--version"], variables),
        lambda: milliseconds([python, "-c", "pass"], variables),
        pairs,
    )
    return Comparison(f"{Path(program).name} --version", f"{Path(python).name} -c pass", ours, peer, 2.0)


def _fs_read(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    project = folder / "project"
    project.mkdir()
    (project / "studio.yaml").write_text("schema_version: 1\n")
    (project / "small.txt").write_text("a line\n" * 20)
    command = [studio(), "--project", str(project), "fs", "read", "small.txt"]
    output(command, variables)  # the project's store is made once
    ours, peer = compare(
        lambda: milliseconds(command, variables),
        lambda: milliseconds([sys.executable, "-c", "pass"], variables),
        pairs,
    )
    return Comparison("studio fs read FILE", "python -c pass", ours, peer, 10.0)


START = Benchmark("start", "spawn to first paint of the main window, offscreen", _start)
VERSION = Benchmark("version", "a whole process that says its version", _version)
INSTALLED_START = Benchmark(
    "installed-start", "the first paint of an installed program (STUDIO_INSTALLED)", _installed_start
)
INSTALLED_VERSION = Benchmark(
    "installed-version", "its version, as a whole process (STUDIO_INSTALLED)", _installed_version
)
FS_READ = Benchmark("fs-read", "a whole process that reads a small file for an agent", _fs_read)
