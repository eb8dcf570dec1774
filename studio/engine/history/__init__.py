"""History of applied plans, and their rollback by new plans."""

from studio.engine.history.commit_message import CommitMessage, commit_message
from studio.engine.history.drift_choices import DriftResolution
from studio.engine.history.entries import (
    HistoryEntry,
    RollbackEntry,
    count_decided_lines,
    entries,
    rollback_entries,
)
from studio.engine.history.rollback import RollbackEffect, RollbackFile, RollbackPreview, preview, roll_back
from studio.engine.history.rollback_plan import DiskStatus, RollbackChoice
from studio.engine.project.rollback_titles import Turn

__all__ = [
    "CommitMessage",
    "DiskStatus",
    "DriftResolution",
    "HistoryEntry",
    "RollbackChoice",
    "RollbackEffect",
    "RollbackEntry",
    "RollbackFile",
    "RollbackPreview",
    "Turn",
    "commit_message",
    "count_decided_lines",
    "entries",
    "preview",
    "roll_back",
    "rollback_entries",
]
