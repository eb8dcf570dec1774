"""Detection of git directories by their contents, not their names.

Git's own test (`is_git_directory`) requires `HEAD` beside `objects` and `refs`, or beside a `commondir` that
leads to them; it needs no `config`, but runs what one says once it is there. Here the names alone count,
whatever they are: that accepts more folders than git does, and never fewer.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from studio.names import folded, is_git_alias

_HEAD: Final = "HEAD"
# A plan could create a bare repository with core.fsmonitor in its configuration, and git status ran that.
_REPOSITORY: Final = ("objects", "refs")
_WORKTREE: Final = ("commondir",)
_KEYS: Final = {folded(name): name for name in (_HEAD, *_REPOSITORY, *_WORKTREE)}


def find_git_names(names: Collection[str]) -> tuple[str, ...]:
    """Return the names that make a folder a git directory, if any."""
    if _HEAD in names:
        for rest in (_REPOSITORY, _WORKTREE):
            if all(name in names for name in rest):
                return (_HEAD, *rest)
    return ()


def find_names_on_disk(folder: int, *, whole: bool) -> frozenset[str]:
    """Return which relevant names an open folder has, in any spelling.

    Spellings are those that its volume accepts. Unless the `whole` is wanted, none for a folder without HEAD:
    it is no git directory.
    """
    if not whole and not _is_there(_HEAD, folder):
        return frozenset()
    return frozenset(name for name in _KEYS.values() if _is_there(name, folder))


def find_planned_names(paths: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """Return the relevant names that paths would create, by `folded` folder."""
    found: dict[str, frozenset[str]] = {}
    for path in paths:
        parts = folded(path).split("/")
        for count, part in enumerate(parts):
            if part in _KEYS:
                folder = "/".join(parts[:count])
                found[folder] = found.get(folder, frozenset()) | {_KEYS[part]}
    return found


def is_within_git(folder: Path) -> bool:
    """Return whether a folder is, or is inside, a git directory.

    By its name or by its contents.
    """
    return any(
        is_git_alias(above.name)
        or find_git_names({name for name in _KEYS.values() if os.path.lexists(above / name)})
        for above in (folder, *folder.parents)
    )


def is_in_git_folder(root: Path) -> bool:
    """Return whether a folder is beneath a git directory, as hooks are.

    A worktree of its own in there is not.
    """
    for folder in (root, *root.parents):
        if os.path.lexists(folder / ".git"):
            return False
        names = {name for name in _KEYS.values() if folder != root and os.path.lexists(folder / name)}
        if find_git_names(names):
            return True
    return False


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # unknown, so it counts as present
    return True
