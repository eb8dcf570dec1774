"""Status messages: one sentence about what just happened."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from studio.ui.desk.recent_decision import RecentDecision


class Tone(Enum):
    """Kind of a status message, which sets its colour and icon."""

    DONE = "done"
    NEWS = "news"
    WARNING = "warning"
    BAD = "bad"


@dataclass(frozen=True, slots=True)
class StatusMessage:
    """Status message; `undo` is the plan that Undo would roll back.

    `decided` is the decision it reports, which Take back voids.
    """

    sentence: str
    tone: Tone = Tone.DONE
    hint: str = ""
    undo: str | None = None
    decided: RecentDecision | None = None
