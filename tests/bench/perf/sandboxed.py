"""`python -m tests.perf.sandboxed [FILES]`: a command in the sandbox that changes so many files (10,000).

How long after its end its one plan waits, what memory `studio run` takes, and how long the open window is
held up when the plan comes, and is looked at, filtered and approved. Exit code 1 when a target is missed: no
stall above 50 ms, one plan of all steps.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.bench.perf.confining import CHANGES
from tests.bench.perf.stalls import Heartbeat, heard_desktop, statement
from tests.bench.perf.trees import make_tree
from tests.tools.sandboxed import PYTHON

if TYPE_CHECKING:
    from tests.journeys.person import Person

FILES = 10_000
_LOOKED_AT = 20
_SECONDS = 300


def _run(project: Path) -> dict[str, Any]:
    """What `studio run` says of the command, with the seconds it took in all."""
    words = ["--project", str(project), "--json", "run", "--", PYTHON, "-I", "-S", "-c", CHANGES]
    begun = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "studio", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        check=True,
    )
    return {**json.loads(done.stdout), "seconds": time.perf_counter() - begun}


def _review(person: Person, heartbeat: Heartbeat, propose: Callable[[], object]) -> dict[str, list[float]]:
    """Wait for the plan beside the process that makes it, and look at it as somebody does."""
    from studio.ui.actions.actions import Action
    from tests.journeys.hands import wait_for

    desk = person.desk
    taken: dict[str, list[float]] = {}

    def timed(name: str, do: Callable[[], object], done: Callable[[], object]) -> None:
        heartbeat.during = name
        begun = time.perf_counter()
        do()
        wait_for(done, name, _SECONDS)
        taken.setdefault(name, []).append((time.perf_counter() - begun) * 1000)

    def shows(number: int) -> bool:
        step = desk.queue.current_step
        return (
            step is not None
            and step.number == number
            and desk.shown.painted_revision.startswith(step.revision)
        )

    timed("the run, until it is in the queue", propose, person.queue_ids)
    timed("its first file", lambda: person.click_step(person.queue_ids()[0], 1), lambda: shows(1))
    for number in range(2, _LOOKED_AT + 2):
        timed("next file shown", lambda: person.press("J"), lambda at=number: shows(at))
    tools = person.panes.queue.tools
    timed(
        "filtering by path",
        lambda: tools.row.field.setText("module_0003"),
        lambda: person.panes.queue.model.hidden,
    )
    timed("all again", tools.show_all, lambda: not person.panes.queue.model.hidden)
    person.wait_until_on("approve_undecided")
    timed(
        "approving all",
        desk.decisions.approve_undecided,
        person.control.actions[Action("apply")].isEnabled,
    )
    return taken


def main(words: list[str]) -> int:
    from concurrent.futures import Future, ThreadPoolExecutor

    from tests.bench.perf.processes import environment

    files = int(words[0]) if words else FILES
    with tempfile.TemporaryDirectory(prefix="studio-sandboxed-") as name, ThreadPoolExecutor(1) as other:
        folder = Path(name)
        os.environ.update(environment(folder))
        make_tree(folder / "project", files)
        heartbeat, ran = Heartbeat(), list[Future[dict[str, Any]]]()
        with heard_desktop(heartbeat) as desktop:
            person = desktop.open(folder / "project")
            taken = _review(person, heartbeat, lambda: ran.append(other.submit(_run, folder / "project")))
        plan = ran[0].result()
    command = plan["command"]
    after = plan["seconds"] - command["seconds"]
    memory = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    print(f"studio run: {len(plan['steps'])} steps of {files} files in one plan, {plan['state']}")
    print(f"  {command['seconds']:.2f} s the command, {after:.2f} s all else, {memory:.0f} MiB at most")
    said, is_met = statement(heartbeat, taken)
    print(said)
    return 0 if is_met and len(plan["steps"]) == files else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
