"""What just happened, as one sentence for the status bar."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.ui.desk.made import MadeDecision


class Tone(Enum):
    """How a happening is shown: its bar's colour and icon."""

    DONE = "done"
    NEWS = "news"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class Happening:
    """One sentence about what just happened; `undo` is the plan that Undo would take back.

    `decided` is the decision it tells of, which Take back voids.
    """

    sentence: str
    tone: Tone = Tone.DONE
    hint: str = ""
    undo: str | None = None
    decided: MadeDecision | None = None
