"""What a command left in the upper folder of an overlay, read as hostile input.

Beside changed files stand there whiteouts (character devices 0:0), which mean that a path of the project is
gone, and folders marked opaque, which hide all that the project has in them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Container, Iterator
from functools import partial
from typing import Final

from studio.engine.draft import DraftStep
from studio.engine.propose.comparison import Comparison
from studio.engine.propose.tree_draft import kept_in
from studio.engine.root import EntryKind, FileState, ProjectRoot, TreeEntry

_OPAQUE: Final = ("user.overlay.opaque", "trusted.overlay.opaque")


class UpperLayer:
    """An upper folder as a `ChangedTree`: where a whiteout stands nothing is."""

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root

    def list_folder(self, path: str) -> tuple[TreeEntry, ...]:
        return tuple(entry for entry in self._root.list_folder(path) if not self._is_whiteout(entry))

    def state(self, path: str) -> FileState | None:
        found = self._root.state(path)
        is_gone = found is not None and found.kind is EntryKind.DEVICE and self._is_zero_device(path)
        return None if is_gone else found

    def digest(self, path: str) -> tuple[str, FileState] | None:
        return self._root.digest(path)

    def read_bytes(self, path: str, limit: int) -> bytes:
        return self._root.read_bytes(path, limit)

    def link_target(self, path: str) -> bytes | None:
        return self._root.link_target(path)

    def deletions(self, comparison: Comparison) -> Iterator[DraftStep]:
        """The steps for what the project has and the command took away. Raises OSError."""
        pending = [""]
        while pending:
            folder = pending.pop()
            if self._is_opaque(folder):
                # Nothing of the project shows in it, at whatever depth.
                yield from comparison.deletions_in(folder, kept_in(self))
                continue
            gone: set[str] = set()
            for entry in self._root.list_folder(folder):
                if entry.is_folder:
                    pending.append(entry.path)
                elif self._is_whiteout(entry):
                    gone.add(entry.path)
            if gone:
                yield from comparison.deletions_in(folder, partial(_is_beside, gone))

    def _is_opaque(self, folder: str) -> bool:
        with self._root.folder(folder) as handle:
            return any(_attribute(handle, name) == b"y" for name in _OPAQUE)

    def _is_whiteout(self, entry: TreeEntry) -> bool:
        return not entry.is_folder and not entry.is_link and self._is_zero_device(entry.path)

    def _is_zero_device(self, path: str) -> bool:
        with self._root.parent(path) as (handle, name):
            status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _is_beside(gone: Container[str], entry: TreeEntry) -> bool:
    """Whether an entry is none of what is gone, nor beneath it."""
    path = entry.path
    while path not in gone and path:
        path = path.rpartition("/")[0]
    return not path


def _attribute(handle: int, name: str) -> bytes:
    try:
        return os.getxattr(handle, name)
    except OSError:
        return b""
