"""Snapshots of a project's complete state, which a plan can restore."""

from studio.extras.snapshots.folder import SnapshotFolder
from studio.extras.snapshots.records import BASELINE, SnapshotRecord
from studio.extras.snapshots.restoring import RestorePreview
from studio.extras.snapshots.snapshots import DiskUse, SnapshotChange, SnapshotDecisions, Snapshots

__all__ = [
    "BASELINE",
    "DiskUse",
    "RestorePreview",
    "SnapshotChange",
    "SnapshotDecisions",
    "SnapshotFolder",
    "SnapshotRecord",
    "Snapshots",
]
