"""Snapshots of a project's complete state, which a plan can restore."""

from studio.engine.snapshots.records import BASELINE, SnapshotRecord
from studio.engine.snapshots.restoring import RestorePreview
from studio.engine.snapshots.snapshots import DiskUse, SnapshotChange, SnapshotDecisions, Snapshots

__all__ = [
    "BASELINE",
    "DiskUse",
    "RestorePreview",
    "SnapshotChange",
    "SnapshotDecisions",
    "SnapshotRecord",
    "Snapshots",
]
