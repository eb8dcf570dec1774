"""History of applied plans, and their rollback by new plans."""

from studio.engine.history.commit_message import CommitMessage, commit_message
from studio.engine.history.dismissal import check_dismissible
from studio.engine.history.drift_choices import DriftResolution
from studio.engine.history.entries import (
    HistoryEntry,
    RollbackEntry,
    count_decided_lines,
    entries,
    rollback_entries,
)
from studio.engine.history.journal_search import JournalFound
from studio.engine.history.journal_view import JournalView, write_journal
from studio.engine.history.preview import RollbackEffect, RollbackFile, RollbackPreview, preview, roll_back
from studio.engine.history.rollback_plan import DiskStatus, RollbackChoice
from studio.engine.project.turns import Turn
from studio.engine.store.chain import ChainReport
from studio.engine.store.journal import JournalRow

__all__ = [
    "ChainReport",
    "CommitMessage",
    "DiskStatus",
    "DriftResolution",
    "HistoryEntry",
    "JournalFound",
    "JournalRow",
    "JournalView",
    "RollbackChoice",
    "RollbackEffect",
    "RollbackEntry",
    "RollbackFile",
    "RollbackPreview",
    "Turn",
    "check_dismissible",
    "commit_message",
    "count_decided_lines",
    "entries",
    "preview",
    "roll_back",
    "rollback_entries",
    "write_journal",
]
