"""From spawn to the first paint, and to the version."""

from __future__ import annotations

import json
import sys
from pathlib import Path

from tests.perf.comparison import Benchmark, Comparison, compare
from tests.perf.processes import environment, milliseconds, output, studio

_WIDTH, _HEIGHT = 1440, 900
_PEER = Path(__file__).with_name("one_label.py")


def _start(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    demo = folder / "demo"
    output([studio(), "demo", "--dir", str(demo), "--smoke"], variables)

    def first_paint() -> float:
        shown = json.loads(output([studio(), "--project", str(demo), "--smoke"], variables))
        return float(shown["first_paint_ms"])

    def one_label() -> float:
        return float(output([sys.executable, str(_PEER), str(_WIDTH), str(_HEIGHT)], variables))

    ours, peer = compare(first_paint, one_label, pairs)
    return Comparison(
        "studio --project DEMO", f"a QMainWindow of {_WIDTH} x {_HEIGHT} with one label", ours, peer, 1.6
    )


def _version(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    ours, peer = compare(
        lambda: milliseconds([studio(), "--version"], variables),
        lambda: milliseconds([sys.executable, "-c", "pass"], variables),
        pairs,
    )
    return Comparison("studio --version", "python -c pass", ours, peer, 2.0)


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
    return Comparison("studio fs read FILE", "python -c pass", ours, peer, 8.0)


START = Benchmark("start", "spawn to first paint of the main window, offscreen", _start)
VERSION = Benchmark("version", "a whole process that says its version", _version)
FS_READ = Benchmark("fs-read", "a whole process that reads a small file for an agent", _fs_read)
