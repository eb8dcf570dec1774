"""File watcher status (watching, polling, folder gone) and messages explaining it."""

from __future__ import annotations

import enum
import errno

from studio.limits import WATCH_POLL_SECONDS
from studio.names import show_name
from studio.system.os_errors import reason
from studio.values import Value


class WatchMode(enum.Enum):
    """How changes in the tree are noticed."""

    WATCHING = "watching"
    """As they happen."""
    POLLING = "polling"
    """At least partly only by a scan every few seconds."""
    GONE = "gone"
    """Not at all: the folder is missing."""


class WatchState(Value):
    """Watch status of a tree.

    `reason` is empty where all of it is watched.
    """

    mode: WatchMode = WatchMode.WATCHING
    reason: str = ""


_SECONDS = f"{WATCH_POLL_SECONDS:g}"
_THERE = f"changes there are noticed only by looking every {_SECONDS} seconds"

NO_WATCHER = (
    "The system gives no watcher (fs.inotify.max_user_instances): changes are noticed only "
    f"by looking every {_SECONDS} seconds."
)
NO_WATCH_LEFT = f"The system has no watch left for every folder (fs.inotify.max_user_watches): {_THERE}."


def not_watched(path: str, error: OSError) -> str:
    """Return why the folder at this relative path is not watched."""
    if error.errno == errno.ENOSPC:
        return NO_WATCH_LEFT
    name, it = (f"The folder {show_name(path)}", show_name(path)) if path else ("The project's folder", "it")
    return f"{name} can't be watched ({reason(error, it)}): {_THERE}."


def unexpected_watch_error(path: str) -> str:
    """Return the reason for a watch that failed with an unexpected error."""
    return f"The folder {show_name(path)} can't be watched (see the log): {_THERE}."


def mounted_twice(path: str) -> str:
    """Return why a folder mounted twice is not watched under this name."""
    return f"The folder {show_name(path)} is mounted at a second place in the project: {_THERE}."


def no_events(path: str, kind: str) -> str:
    """Return why a disk without reliable events is scanned regularly."""
    name = f"The folder {show_name(path)}" if path else "The project's folder"
    return f"{name} lies on a disk that may not tell what others write ({kind}): {_THERE}."


def gone(root: str) -> str:
    """Return the sentence for a project folder that is gone."""
    return f"{show_name(root)} is not there any more: it was moved, deleted, replaced or unmounted."
