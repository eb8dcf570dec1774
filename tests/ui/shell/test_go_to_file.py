"""Go to file searches in a process beside the window, and that process loads no more than it needs."""

from __future__ import annotations

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

from studio.ui.finders.file_search import find_files
from studio.ui.runner import Runner

SEARCH = """
import pickle, sys
job = pickle.load(sys.stdin.buffer)
assert job().paths[0] == "deep/er.txt", job().paths
print(*(name for name in sys.modules if name.startswith("studio")))
"""


def test_the_process_beside_loads_the_listing_and_not_the_engine(desktop: Any, tmp_path: Path) -> None:
    """With the engine's face it took 330 ms more until the first name was found."""
    jobs: list[Any] = []

    class BaselineProgress(Runner):
        def compute_apart(self, function: Any, *args: Any, then: Any = None, failed: Any = None) -> None:
            jobs.append(function)

    finder = desktop.panes.go_to_file
    (desktop.desk.project.root_path / "deep").mkdir()
    (desktop.desk.project.root_path / "deep/er.txt").write_text("x")
    desktop.desk.project.runner = BaselineProgress(immediate=True)
    finder.search("er.txt")
    (job,) = jobs
    assert job.func is find_files
    done = subprocess.run(
        [sys.executable, "-c", SEARCH], input=pickle.dumps(job), capture_output=True, check=True
    )
    loaded = done.stdout.decode().split()
    assert "studio.workspace" not in loaded and len(loaded) <= 43, loaded
