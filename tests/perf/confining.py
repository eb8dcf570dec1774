"""From the wish to run a command in the sandbox to what it first prints, beside the command alone."""

from __future__ import annotations

import subprocess
import time
from pathlib import Path

import pytest

from studio.engine.sandbox import Command
from tests.perf.comparison import Benchmark, Comparison, compare
from tests.perf.trees import make_tree
from tests.tools.sandboxed import opened

MORE_MS = 60.0
"""So much longer it may take."""

_WORDS = ("/bin/echo", "begun")


def _begin(folder: Path, pairs: int) -> Comparison:
    project = folder / "project"
    project.mkdir()
    make_tree(project, 1_000)

    def sandboxed() -> float:
        told: list[float] = []
        started = time.perf_counter()
        with opened(project) as sandbox:
            sandbox.run(Command(_WORDS), heard=lambda _: told.append(time.perf_counter()))
        return (told[0] - started) * 1000

    def alone() -> float:
        started = time.perf_counter()
        with subprocess.Popen(_WORDS, stdout=subprocess.PIPE) as process:
            assert process.stdout is not None
            process.stdout.read(1)
            told = time.perf_counter()
        return (told - started) * 1000 + MORE_MS

    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        ours, peer = compare(sandboxed, alone, pairs)
    return Comparison(
        "a layer made, and a command begun in it", f"the command alone, and {MORE_MS:g} ms", ours, peer, 1.0
    )


CONFINING = Benchmark("sandbox", "a command's first word from the sandbox, over 1,000 files", _begin)
