"""What came of one part of a release, as the table at its end says it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from system_packages import Problem


class State(Enum):
    BUILT = "built"
    TESTED = "tested"
    UNTRIED = "not tried"
    FAILED = "failed"


class Unavailable(Problem):
    """A tool or right that this machine lacks, in one sentence with the remedy: a part that can't be had
    here is not tried, and none that failed."""


@dataclass(frozen=True)
class Outcome:
    """One line: what, how far it came, in words what was found or why not, and the file it made."""

    what: str
    state: State
    words: str = ""
    file: Path | None = None
