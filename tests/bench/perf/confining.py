"""A command in the sandbox: how soon it begins, and how soon what it left is a plan that waits."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from studio.engine.plan import Plan, StepState
from studio.engine.propose.layer_draft import LayerChanges
from studio.extras.sandbox import Command, LayerKind
from studio.formats.submission import SubmittedText, read_submission
from studio.workspace import Workspace
from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.trees import make_tree
from tests.tools.sandboxed import PYTHON, opened

MORE_MS = 60.0
"""So much longer it may take."""
FILES = 5_000
"""So many files a command changes."""

WORDS = ("/bin/echo", "begun")
CHANGES = """
import os
for above, _, names in os.walk("."):
    for name in names:
        with open(os.path.join(above, name), "a") as file:
            file.write("one line more\\n")
"""


def first_word_alone() -> float:
    """Milliseconds until the command says its first word, started by nobody else."""
    started = time.perf_counter()
    with subprocess.Popen(WORDS, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.read(1)
        told = time.perf_counter()
    return (told - started) * 1000


def _begin(folder: Path, pairs: int) -> Comparison:
    project = folder / "project"
    project.mkdir()
    make_tree(project, 1_000)

    def sandboxed() -> float:
        told: list[float] = []
        started = time.perf_counter()
        with opened(project) as sandbox:
            sandbox.run(Command(WORDS), on_output=lambda _: told.append(time.perf_counter()))
        return (told[0] - started) * 1000

    with pytest.MonkeyPatch.context() as patch:
        for variable in ("STUDIO_STATE_DIR", "STUDIO_CONFIG_DIR"):
            patch.setenv(variable, str(folder / "own"))
        ours, peer = compare(sandboxed, lambda: first_word_alone() + MORE_MS, pairs)
    return Comparison(
        "a layer made, and a command begun in it", f"the command alone, and {MORE_MS:g} ms", ours, peer, 1.0
    )


def _propose(folder: Path, pairs: int) -> Comparison:
    """Each turn has a store of its own: the same plan a second time would be found there."""
    project, config = folder / "project", folder / "config"
    project.mkdir()
    make_tree(project, FILES)
    config.mkdir()
    (config / "config.yaml").write_text(f"limits: {{steps: {FILES}}}\n")
    turns = iter(range(1_000_000))

    def timed(propose: Callable[[Workspace], Plan | None]) -> float:
        patch.setenv("STUDIO_STATE_DIR", str(folder / f"state-{next(turns)}"))
        with closing(Workspace.open(project)) as workspace:
            started = time.perf_counter()
            plan = propose(workspace)
            taken = (time.perf_counter() - started) * 1000
        assert plan is not None and [step.state for step in plan.steps] == [StepState.PENDING] * FILES
        return taken

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_CONFIG_DIR", str(config))
        patch.setenv("STUDIO_STATE_DIR", str(folder / "run"))
        since = time.time_ns()
        with opened(project) as sandbox:
            outcome = sandbox.run(Command((PYTHON, "-I", "-S", "-c", CHANGES)))
            assert outcome.exit == 0, outcome.output
            upper = sandbox.layer.path
            assert sandbox.layer.kind is LayerKind.OVERLAY
            found = LayerChanges(upper, copied=None, since_ns=since, title="Much")
            steps = [
                {"op": "modify", "path": path.relative_to(upper).as_posix(), "content": path.read_text()}
                for path in sorted(upper.rglob("*"))
                if path.is_file()
            ]
            text = json.dumps({"title": "Much", "steps": steps}).encode()
            ours, peer = compare(
                lambda: timed(
                    lambda workspace: workspace.proposer.propose_layer(
                        found, workspace.proposer.open_session("python", "run")
                    )
                ),
                lambda: timed(
                    lambda workspace: workspace.proposer.propose(
                        read_submission([SubmittedText(text)], limits=workspace.config.limits)
                    )
                ),
                pairs,
            )
    return Comparison(
        f"an upper layer of {FILES} files to a pending plan", "the same plan as JSON", ours, peer, 2.0
    )


CONFINING = (
    Benchmark("sandbox", "a command's first word from the sandbox, over 1,000 files", _begin),
    Benchmark("sandbox-plan", "what a command changed in 5,000 files as a plan that waits", _propose),
)
