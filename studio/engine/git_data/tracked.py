"""Search for folders denied by name in which a commit has files."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from studio.engine.git_data.blame import CannotRead
from studio.engine.limits import GIT_FOLDERS_UP_TO
from studio.engine.policy import may_be_opened
from studio.engine.system.git_library import loadable

with loadable():
    import pygit2

_may_be_opened: Final = lru_cache(maxsize=4096)(may_be_opened)


@dataclass(frozen=True, slots=True)
class _TreeFiles:
    """Search result of a tree: whether it has files, and which folders.

    The folders are those that are opened, relative to the tree.
    """

    has_files: bool = False
    folders: tuple[str, ...] = ()


_NOTHING: Final = _TreeFiles()
_newest_found: dict[pygit2.Oid, _TreeFiles] = {}
"""Result of the latest search: 7,000 folders take 0.4 s."""


def tracked_folders(tree: pygit2.Tree, within: str) -> list[str]:
    """Return the folders that are opened because HEAD has files in them.

    They are beneath the folder `within` the tree ("": all of it). Raises CannotRead where there are more than
    any project has, and what pygit2 raises.
    """
    if within:
        try:
            found = tree[within]
        except KeyError:
            return []
        if not isinstance(found, pygit2.Tree):
            return []
        tree = found
    found = _newest_found.get(tree.id)
    if found is None:
        found = _search(tree, {})
        _newest_found.clear()
        _newest_found[tree.id] = found
    return list(found.folders)


def _search(tree: pygit2.Tree, cache: dict[pygit2.Oid, _TreeFiles]) -> _TreeFiles:
    # Cached by object: ten trees that each name the next one ten times are a commit of 10^10 paths.
    found = cache.get(tree.id)
    if found is not None:
        return found
    has_files, folders = False, list[str]()
    for entry in tree:
        if not isinstance(entry, pygit2.Tree):
            has_files = has_files or isinstance(entry, pygit2.Blob)  # anything else is a submodule
            continue
        subtree = _search(entry, cache)
        if not subtree.has_files:
            continue
        has_files = True
        name = os.fsdecode(entry.raw_name or b"")
        if _may_be_opened(name):
            folders.append(name)
        folders += (f"{name}/{folder}" for folder in subtree.folders)
        if len(folders) > GIT_FOLDERS_UP_TO:
            raise CannotRead(f"A commit has more than {GIT_FOLDERS_UP_TO} such folders.")
    found = cache[tree.id] = _TreeFiles(has_files, tuple(folders)) if has_files else _NOTHING
    return found
