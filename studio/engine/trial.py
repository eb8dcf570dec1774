"""Outcome of a command, such as tests, run with a plan's results."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from studio.values import Value

GONE, FOLDER = None, ""
"""Results of a trial at a path: nothing, or a folder."""

TrialResults = Mapping[str, str | None]
"""What a plan leaves at each path that it writes.

The SHA-256 of the bytes, `FOLDER` or `GONE`.
"""


class Trial(Value):
    """Outcome of a command on exactly these results.

    Where it ended by itself, either `exit` or `signal` is set. `who` ran it, "" where the command line was
    not given a name. `is_remembered`: a person started it in the window, and it is in their own list of
    commands (`sandbox.try`). `tests` are files that the plan itself changes and that look like tests.
    `ended_by` is a value of `sandbox.EndedBy`.
    """

    plan: str
    made: datetime
    who: str
    is_remembered: bool
    argv: tuple[str, ...]
    exit: int | None
    signal: int | None
    ended_by: str
    seconds: float
    way: str
    network: bool
    results: TrialResults
    tests: tuple[str, ...]
    output: str

    @property
    def is_good(self) -> bool:
        """Whether the command exited with 0."""
        return self.exit == 0
