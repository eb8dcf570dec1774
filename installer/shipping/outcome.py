"""What came of one part of a release, as the table at its end says it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from pathlib import Path


class State(Enum):
    BUILT = "built"
    TESTED = "tested"
    UNTRIED = "not tried"
    FAILED = "failed"


@dataclass(frozen=True)
class Outcome:
    """One line: what, how far it came, in words what was found or why not, and the file it made."""

    what: str
    state: State
    words: str = ""
    file: Path | None = None
