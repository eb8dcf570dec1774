"""Names of files as names that git's trees can hold, and back (R126).

Git's trees hold UTF-8, and never what some file system takes for `.git`; files may be called anything.
"""

from __future__ import annotations

import os

from studio.engine.names import is_git_alias

_MARK = "%"
"""With it an escaped name begins, and no other; its bytes follow in hex."""


def git_name(name: str) -> str:
    """The name itself where git can hold it, else an escaped one; names are as the system gives them."""
    try:
        name.encode()
    except UnicodeEncodeError:  # surrogates: no UTF-8 on disk
        return _escaped(name)
    return _escaped(name) if name.startswith(_MARK) or is_git_alias(name) else name


def name_of(stored: str) -> str:
    """The name on disk that `git_name` made this of."""
    return os.fsdecode(bytes.fromhex(stored[1:])) if stored.startswith(_MARK) else stored


def git_path(path: str) -> str:
    """A relative path with slashes, name by name."""
    return "/".join(map(git_name, path.split("/")))


def path_of(stored: str) -> str:
    """The path on disk that `git_path` made this of."""
    return "/".join(map(name_of, stored.split("/")))


def _escaped(name: str) -> str:
    return _MARK + os.fsencode(name).hex()
