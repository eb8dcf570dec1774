"""Limits of watching a project, of what is observed in it and of its snapshots."""

from __future__ import annotations

from typing import Final

WATCH_COALESCE_SECONDS: Final = 0.1
"""How long changes on disk are gathered before they are told on."""

WATCH_POLL_SECONDS: Final = 5.0
"""How often it is told to look at what can't be watched, and looked whether the project's folder is there."""

WATCH_RESCAN_SECONDS: Final = 300.0
"""How often it is told to look at everything although it is watched: no watcher sees a change through a hard
link elsewhere, or a disk that was mounted."""

WATCH_PATHS_UP_TO: Final = 10_000
"""Most paths of changes on disk that are gathered; more are told as their folders, or as everything."""

OBSERVED_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes that snapshots, and the baseline of observed changes, may take. Can be set."""

SNAPSHOT_LOCK_SECONDS: Final = 120.0
"""How long a call waits for a snapshot, or a look at the project, of another process."""

SNAPSHOT_TAG_CHARACTERS: Final = 200
"""Most characters of a snapshot's tag."""
