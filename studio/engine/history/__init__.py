"""What was applied, and its inverse: a rollback is itself a plan in the history (design 1, contract 6)."""

from studio.engine.history.listing import HistoryEntry, RollbackEntry, entries, rollback_entries
from studio.engine.history.preview import RollbackEffect, RollbackFile, RollbackPreview, preview
from studio.engine.history.rolling_back import roll_back
from studio.engine.history.ways import WayOut, WayPreview, look_at

__all__ = [
    "HistoryEntry",
    "RollbackEffect",
    "RollbackEntry",
    "RollbackFile",
    "RollbackPreview",
    "WayOut",
    "WayPreview",
    "entries",
    "look_at",
    "preview",
    "roll_back",
    "rollback_entries",
]
