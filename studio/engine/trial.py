"""What came of a command that was run over the project as a plan would leave it (contract 9, `try`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

GONE, FOLDER = None, ""
"""In the results of a trial: nothing will be there, or a folder."""

Results = Mapping[str, str | None]
"""What a plan leaves at each path that it writes: the SHA-256 of the bytes, `FOLDER` or `GONE`."""


@dataclass(frozen=True, slots=True)
class Trial:
    """A fact about exactly these results. Of `exit` and `signal` one is known where it ended by itself.

    `who` ran it, "" for somebody at the command line who did not say. `is_remembered`: a person pressed it in
    the window, and it stands in their own list of commands (`sandbox.try`). `tests` are files that the plan
    itself changes and that look like tests. `ended_by` is what `sandbox.EndedBy` says.
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
    results: Results
    tests: tuple[str, ...]
    output: str

    @property
    def is_good(self) -> bool:
        """Whether the command itself says that all is well."""
        return self.exit == 0
