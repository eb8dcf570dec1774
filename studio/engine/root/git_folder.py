"""Git's folders, known by what they hold and not by what they are called (contract 8).

Git's own test (`is_git_directory`) asks for `HEAD` beside `objects` and `refs`, or for `HEAD` beside a
`commondir` that leads to them; it wants no `config`, but runs what one says once it is there. Here the names
alone count, whatever they are: that takes more folders for git's than git does, and never fewer.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import Final

from studio.engine.names import folded, is_git_alias

_HEAD: Final = "HEAD"
# A plan could lay out a bare repository with core.fsmonitor in its configuration, and git status ran that.
_REPOSITORY: Final = ("objects", "refs")
_WORKTREE: Final = ("commondir",)
_KEYS: Final = {folded(name): name for name in (_HEAD, *_REPOSITORY, *_WORKTREE)}


def what_makes_it(names: Collection[str]) -> tuple[str, ...]:
    """Which of these names make a folder one of git's; none if they don't."""
    if _HEAD in names:
        for rest in (_REPOSITORY, _WORKTREE):
            if all(name in names for name in rest):
                return (_HEAD, *rest)
    return ()


def names_on_disk(folder: int, *, whole: bool) -> frozenset[str]:
    """Which of the names that count the open folder holds, in any spelling its volume takes for them.

    Unless the `whole` is wanted, none for a folder without HEAD: it is not git's.
    """
    if not whole and not _is_there(_HEAD, folder):
        return frozenset()
    return frozenset(name for name in _KEYS.values() if _is_there(name, folder))


def names_planned(paths: Iterable[str]) -> Mapping[str, frozenset[str]]:
    """By folder (as `folded`), which of the names that count the paths put there, in any spelling."""
    found: dict[str, frozenset[str]] = {}
    for path in paths:
        parts = folded(path).split("/")
        for count, part in enumerate(parts):
            if part in _KEYS:
                folder = "/".join(parts[:count])
                found[folder] = found.get(folder, frozenset()) | {_KEYS[part]}
    return found


def is_within_git(folder: Path) -> bool:
    """Whether a folder is one of git's or lies in one, by its name or by what it holds."""
    return any(
        is_git_alias(above.name)
        or what_makes_it({name for name in _KEYS.values() if os.path.lexists(above / name)})
        for above in (folder, *folder.parents)
    )


def lies_in_git_folder(root: Path) -> bool:
    """Whether a folder lies beneath one of git's, as hooks do, and not in a worktree of its own there."""
    for folder in (root, *root.parents):
        if os.path.lexists(folder / ".git"):
            return False
        names = {name for name in _KEYS.values() if folder != root and os.path.lexists(folder / name)}
        if what_makes_it(names):
            return True
    return False


def _is_there(name: str, folder: int) -> bool:
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except FileNotFoundError:
        return False
    except OSError:
        return True  # it can't be told: then it counts
    return True
