"""Escaping of file names that git trees can't hold.

Git trees hold UTF-8, and no name that some file system takes for `.git`; files can have any name.
"""

from __future__ import annotations

import os

from studio.names import is_git_alias

_MARK = "%"
"""First character of escaped names only; the bytes follow in hex."""


def git_name(name: str) -> str:
    """Return the name as git can hold it, escaped where needed.

    `name` is as the system returns it.
    """
    try:
        name.encode()
    except UnicodeEncodeError:  # surrogates: not UTF-8 on disk
        return _escape(name)
    return _escape(name) if name.startswith(_MARK) or is_git_alias(name) else name


def name_of(stored: str) -> str:
    """Return the file name that `git_name` encoded."""
    return os.fsdecode(bytes.fromhex(stored[1:])) if stored.startswith(_MARK) else stored


def git_path(path: str) -> str:
    """Encode each segment of a relative path."""
    return "/".join(map(git_name, path.split("/")))


def path_of(stored: str) -> str:
    """Return the path that `git_path` encoded."""
    return "/".join(map(name_of, stored.split("/")))


def _escape(name: str) -> str:
    return _MARK + os.fsencode(name).hex()
