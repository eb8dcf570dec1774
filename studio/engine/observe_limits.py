"""Limits of watching a project, of what is observed in it and of its snapshots."""

from __future__ import annotations

from typing import Final

WATCH_COALESCE_SECONDS: Final = 0.05
"""How long changes on disk are gathered before they are told on."""

WATCH_POLL_SECONDS: Final = 5.0
"""How often it is told to look at what can't be watched, and looked whether the project's folder is there."""

WATCH_RESCAN_SECONDS: Final = 300.0
"""How often it is told to look at everything although it is watched: no watcher sees a change through a hard
link elsewhere, or a disk that was mounted."""

WATCH_PATHS_UP_TO: Final = 10_000
"""Most paths of changes on disk that are gathered; more are told as their folders, or as everything."""

OBSERVED_CLOSED_UP_TO: Final = 2000
"""Observed changes that are kept after a person decided them; older ones are forgotten."""

GROUPED_FROM: Final = 10
"""So many changes that were seen together are one row, with a name."""

GROUPED_SECONDS: Final = 3.0
"""A burst goes on as long as no pause in it is longer."""

HINT_SECONDS: Final = 60.0
"""What was allowed or written so short a time before a change is named beside it."""

HINTED_WORDS_UP_TO: Final = 80
"""Characters of a command that such a hint names."""

GIT_SECONDS: Final = 60.0
"""Changes that git made are looked for among those first seen so short a time before it said so."""

OBSERVED_BYTES: Final = 1024 * 1024 * 1024
"""Most bytes that snapshots, and the baseline of observed changes, may take. Can be set."""

OBJECTS_COUNTED_SECONDS: Final = 60.0
"""For so long it is remembered how many bytes snapshots take, as far as this process makes them."""

HASHES_KEPT_AFTER_FILES: Final = 1_000
"""So many files that were read are known to the next process at once, fewer when this one ends."""

NAMED_LOSSES_UP_TO: Final = 3
"""So many paths are named of which the baseline's bytes are gone; of others the number."""

SNAPSHOT_LOCK_SECONDS: Final = 120.0
"""How long a call waits for a snapshot, or a look at the project, of another process."""

SNAPSHOT_TAG_CHARACTERS: Final = 200
"""Most characters of a snapshot's tag."""

WATCH_PULSE_SECONDS: Final = 0.5
"""So often who tells of changes looks whether others noted any; a change on the disk tells at once."""

OBSERVED_COUNTED_UP_TO: Final = 200
"""Of so many new observed changes at a time the window counts the lines."""
