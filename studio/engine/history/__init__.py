"""History of applied plans, and their rollback by new plans."""

from __future__ import annotations

from typing import TYPE_CHECKING

from studio.late_names import late_names

if TYPE_CHECKING:
    from studio.engine.history.commit_messages import CommitMessage, commit_message
    from studio.engine.history.drift_choices import DriftResolution
    from studio.engine.history.history_list import (
        HistoryEntry,
        RollbackEntry,
        count_decided_lines,
        entries,
        rollback_entries,
    )
    from studio.engine.history.rollback import (
        RollbackEffect,
        RollbackFile,
        RollbackPreview,
        preview,
        roll_back,
    )
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

__getattr__ = late_names(
    __name__,
    {
        "studio.engine.history.commit_messages": "CommitMessage commit_message",
        "studio.engine.history.drift_choices": "DriftResolution",
        "studio.engine.history.history_list": (
            "HistoryEntry RollbackEntry count_decided_lines entries rollback_entries"
        ),
        "studio.engine.history.rollback": "RollbackEffect RollbackFile RollbackPreview preview roll_back",
        "studio.engine.history.rollback_plan": "DiskStatus RollbackChoice",
        "studio.engine.project.rollback_titles": "Turn",
    },
)
