"""How well a tree is watched, and the sentences for what keeps it from being watched whole."""

from __future__ import annotations

import enum
import errno
from dataclasses import dataclass

from studio.engine.limits import WATCH_POLL_SECONDS
from studio.engine.names import show_name
from studio.engine.system.os_errors import reason


class WatchMode(enum.Enum):
    """How a change in the tree comes to be told."""

    WATCHING = "watching"
    """As it happens."""
    POLLING = "polling"
    """In the whole tree or in a part of it only by a hint to look, every few seconds."""
    GONE = "gone"
    """Not at all: the folder is not there."""


@dataclass(frozen=True, slots=True)
class WatchState:
    """How well a tree is watched now; `reason` is a sentence, empty where the whole tree is watched."""

    mode: WatchMode = WatchMode.WATCHING
    reason: str = ""


_SECONDS = f"{WATCH_POLL_SECONDS:g}"
_THERE = f"changes there are noticed only by looking every {_SECONDS} seconds"

NO_WATCHER = (
    "The system gives no watcher (fs.inotify.max_user_instances): "
    f"changes are noticed only by looking every {_SECONDS} seconds."
)
NO_WATCH_LEFT = f"The system has no watch left for every folder (fs.inotify.max_user_watches): {_THERE}."


def not_watched(path: str, error: OSError) -> str:
    """Why the folder at this relative path is not watched."""
    if error.errno == errno.ENOSPC:
        return NO_WATCH_LEFT
    name, it = (f"The folder {show_name(path)}", show_name(path)) if path else ("The project's folder", "it")
    return f"{name} can't be watched ({reason(error, it)}): {_THERE}."


def not_known(path: str) -> str:
    """Why a folder is not watched about which nothing could be found out."""
    return f"The folder {show_name(path)} can't be watched, the log says why: {_THERE}."


def mounted_twice(path: str) -> str:
    """Why a folder that has a second name is not watched under this one."""
    return f"The folder {show_name(path)} is mounted at a second place in the project: {_THERE}."


def tells_nothing(path: str, kind: str) -> str:
    """Why what lies at this relative path is looked at, though it may be watched."""
    name = f"The folder {show_name(path)}" if path else "The project's folder"
    return f"{name} lies on a disk that may not tell what others write ({kind}): {_THERE}."


def gone(root: str) -> str:
    """What there is to say of a tree that is not there."""
    return f"{show_name(root)} is not there any more: it was moved, deleted, replaced or unmounted."
