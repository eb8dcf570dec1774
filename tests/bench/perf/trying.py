"""From the press on *Try* to the first word of the command, over a large project."""

from __future__ import annotations

import json
import multiprocessing
import time
from contextlib import closing
from pathlib import Path

import pytest

from studio.formats.submission import SubmittedText, read_submission
from studio.ui.command_process import CommandOutput, Ended, Order, run_next
from studio.workspace import Workspace
from tests.bench.perf import trees
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.confining import WORDS, first_word_alone
from tests.tools.sandboxed import opened

MORE_MS = 300.0
"""So much later than the command alone."""
_STEPS = 50


def _try(folder: Path, pairs: int) -> Comparison:
    """The process is ready, as the window has it ready from the moment at which the field is opened."""
    project = folder / "project"
    project.mkdir()
    trees.make_tree(project, trees.FILES)
    opened(project).close()
    steps = [{"op": "create", "path": f"new/{n}.txt", "content": f"{n}\n"} for n in range(_STEPS)]
    text = SubmittedText(json.dumps({"title": "A plan", "steps": steps}).encode())
    spawn = multiprocessing.get_context("spawn")

    def tried() -> float:
        ours, theirs = spawn.Pipe()
        process = spawn.Process(target=run_next, args=(theirs, project), daemon=True)
        process.start()
        theirs.close()
        time.sleep(1.0)
        started = time.perf_counter()
        ours.send(Order(WORDS, plan=plan.id, steps=tuple(range(1, _STEPS + 1)), proposes=False))
        while not isinstance(said := ours.recv(), CommandOutput):
            assert not isinstance(said, Ended)
        taken = (time.perf_counter() - started) * 1000
        process.join()
        ours.close()
        return taken

    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        with closing(Workspace.open(project)) as workspace:
            limits = workspace.config.limits
            plan = workspace.proposer.propose(read_submission([text], limits=limits))
        ours, peer = compare(tried, lambda: first_word_alone() + MORE_MS, pairs)
    return Comparison(
        f"a plan of {_STEPS} steps tried over {trees.FILES} files",
        f"the command alone, and {MORE_MS:g} ms",
        ours,
        peer,
        1.0,
    )


TRYING = Benchmark("try", "from the press on Try to the command's first word", _try)
