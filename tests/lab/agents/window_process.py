"""A person's process that is killed at a moment of its work on a plan: opened, approved, or writing.

Run by desk.py as a process of its own, with the project, the plan's id and the moment.
"""

from __future__ import annotations

import os
import signal
import sys

from studio.engine.plan import PersonSource
from studio.workspace import Person, Workspace

REPORTS = 2
"""How often an apply of one file says how far it is before that file is written, and not in its place yet."""


def main(project: str, plan: str, moment: str) -> None:
    reviewer = Workspace.open(project).reviewer(Person(PersonSource.WINDOW, "ada"))
    if moment != "opened":
        reviewer.approve(plan)
    if moment == "writing":
        reports = iter(range(REPORTS))
        reviewer.apply(
            plan, progress=lambda _done, _steps: None if next(reports, None) is not None else _die()
        )
    _die()


def _die() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
