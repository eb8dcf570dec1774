"""Detection of git repositories and linked worktrees' main checkout, without running git.

The rules are those of git's setup.c and refs.c, compared with git 2.39.5 in the tests. A directory counts by
its HEAD alone: tools that mark a project make no `objects` and `refs`, and an empty directory marks nothing.
"""

from __future__ import annotations

import os
import re
import stat
from pathlib import Path
from typing import Final

from studio.engine.root.foreign_file import read_foreign_file
from studio.errors import Refused, StudioError
from studio.names import show_name

# Git reads 255 bytes of HEAD, ignores what follows the name, and accepts no link file above 1 MiB.
_HEAD_BYTES: Final = 255
_LINK_BYTES: Final = 1 << 20
_HEAD: Final = re.compile(rb"ref:[ \t\r\n]*refs/|[0-9a-fA-F]{40}")
_LINK: Final = b"gitdir: "


def has_repository(folder: Path) -> bool:
    """Return whether git would stop its search at this folder's `.git`.

    Raises Refused for a `.git` file that leads to no repository: git ends there with an error, too.
    """
    dot_git = folder / ".git"
    try:
        kind = dot_git.stat().st_mode
    except OSError:
        return False
    if stat.S_ISDIR(kind):
        return _has_head(dot_git)
    # Git up to 2.39 at least climbs past a pipe, a socket or a device of this name.
    if not stat.S_ISREG(kind):
        return False
    if not _names_repository(dot_git):
        raise Refused(
            "root.git_file",
            f"{show_name(str(dot_git))} points to no git repository.",
            "Repair or remove it, or name the project folder.",
        )
    return True


def _has_head(repository: Path) -> bool:
    head = repository / "HEAD"
    try:
        if head.is_symlink():
            return head.readlink().as_posix().startswith("refs/")
        return _HEAD.match(read_foreign_file(head, _HEAD_BYTES, whole=False)) is not None
    except (OSError, Refused):
        return False


def _names_repository(link: Path) -> bool:
    """Return whether a `.git` file names a valid repository.

    It may be a linked worktree's, or a whole one.
    """
    try:
        data = read_foreign_file(link, _LINK_BYTES)
        named = data.rstrip(b"\r\n")
        if not named.startswith(_LINK) or named == _LINK:
            return False
        repository = link.parent / os.fsdecode(named.removeprefix(_LINK))
        shared = _find_common_folder(repository)
        is_whole = all((shared / name).is_dir() for name in ("objects", "refs"))
    except (OSError, Refused, ValueError):  # ValueError: a path with NUL
        return False
    return is_whole and _has_head(repository)


def _find_common_folder(repository: Path) -> Path:
    """Return the folder with a linked worktree's `objects` and `refs`.

    For other repositories it is their own. Raises OSError, Refused.
    """
    try:
        named = read_foreign_file(repository / "commondir", _LINK_BYTES).rstrip(b"\r\n")
    except FileNotFoundError:
        return repository
    return repository / os.fsdecode(named)


def main_checkout(folder: Path) -> Path | None:
    """Return the main checkout of a linked worktree, else None."""
    try:
        named = read_foreign_file(folder / ".git", _LINK_BYTES).rstrip(b"\r\n")
        if not named.startswith(_LINK):
            return None
        shared = _find_common_folder(folder / os.fsdecode(named.removeprefix(_LINK))).resolve()
    except (OSError, StudioError, ValueError):
        return None
    return shared.parent if shared.name == ".git" and shared.parent != folder else None
