"""What of a tree is not watched: it would take the watches that others need, and tell what nobody reviews."""

from __future__ import annotations

from collections.abc import Callable

IsIgnored = Callable[[str], bool]
"""Whether the folder at a relative path, and all beneath it, is not watched."""

_GIT_FOLDER = ".git"


def is_git(path: str) -> bool:
    """Whether it is the folder of a repository. What git does at its top (HEAD, index, the locks of both) is
    told under this one path, and nothing that lies deeper: every commit, checkout and rebase shows there."""
    return path.rpartition("/")[2] == _GIT_FOLDER


def told_of(path: str, is_ignored: IsIgnored) -> str | None:
    """Under which path a change is told where a whole tree is watched; None where it is not."""
    parts = path.split("/")
    for length in range(1, len(parts)):
        folder = "/".join(parts[:length])
        if is_git(folder):
            return folder if length == len(parts) - 1 else None
        if is_ignored(folder):
            return None
    return path
