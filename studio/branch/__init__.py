"""For programs that embed the engine: daemons, leaves and journals of their own.

No door and no window loads it. The names stand in `studio.engine.branch` too (contract 10).
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
