"""What was applied, and its inverse: a rollback is itself a plan in the history (design 1, contract 6)."""

from studio.engine.history.decided import decided_counts
from studio.engine.history.drift_choices import WayOut
from studio.engine.history.entries import HistoryEntry, RollbackEntry, entries, rollback_entries
from studio.engine.history.outlook import RollbackChoice, RollbackStanding
from studio.engine.history.preview import RollbackEffect, RollbackFile, RollbackPreview, preview
from studio.engine.history.rollback import roll_back

__all__ = [
    "HistoryEntry",
    "RollbackChoice",
    "RollbackEffect",
    "RollbackEntry",
    "RollbackFile",
    "RollbackPreview",
    "RollbackStanding",
    "WayOut",
    "decided_counts",
    "entries",
    "preview",
    "roll_back",
    "rollback_entries",
]
