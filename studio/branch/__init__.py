"""Daemons, leaves and journals for programs that embed the engine.

The doors and the window don't import it. `studio.engine.branch` exports the same names, for existing
programs.
"""

from studio.branch.daemon import Daemon, DaemonStateError, DaemonStatus, FailureOccurred, StatusChanged
from studio.branch.file_journal import FileJournal
from studio.branch.leaf_daemon import LeafDaemon
from studio.branch.leaves import (
    MockFS,
    MockFSConfig,
    MockFSDaemon,
    PosixFSDaemon,
    WindowsFS,
    WindowsFSConfig,
    WindowsFSDaemon,
)

__all__ = [
    "Daemon",
    "DaemonStateError",
    "DaemonStatus",
    "FailureOccurred",
    "FileJournal",
    "LeafDaemon",
    "MockFS",
    "MockFSConfig",
    "MockFSDaemon",
    "PosixFSDaemon",
    "StatusChanged",
    "WindowsFS",
    "WindowsFSConfig",
    "WindowsFSDaemon",
]
