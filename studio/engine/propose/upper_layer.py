"""Reader of an overlay's upper folder, as hostile input.

Besides changed files it holds whiteouts (character devices 0:0), which delete a path of the project, and
folders marked opaque, which hide everything that the project has in them.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Collection, Container, Iterator
from functools import partial
from typing import Final

from studio.engine.draft import DraftStep
from studio.engine.propose.comparison import Comparison, Layer, yield_with_parents
from studio.engine.propose.tree_draft import build_kept_filter
from studio.engine.root import EntryKind, FileState, ProjectRoot, TreeEntry

_OPAQUE: Final = ("user.overlay.opaque", "trusted.overlay.opaque")


class UpperLayer(Layer):
    """An upper folder as a `ChangedTree`; a whiteout counts as nothing."""

    def __init__(self, root: ProjectRoot) -> None:
        super().__init__(root)
        self._deleted: dict[str, Collection[str]] = {}

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        listed = self._root.list_folder(path, up_to=up_to)
        deleted = frozenset(entry.path for entry in listed if self._is_whiteout(entry))
        self._deleted[path] = deleted
        return tuple(entry for entry in listed if entry.path not in deleted)

    def state(self, path: str) -> FileState | None:
        found = super().state(path)
        is_gone = found is not None and found.kind is EntryKind.DEVICE and self._is_zero_device(path)
        return None if is_gone else found

    def deletions(self, comparison: Comparison) -> Iterator[DraftStep]:
        """Yield deletes of what the command removed in the listed folders."""
        opaque: set[str] = set()
        for folder, deleted in self._deleted.items():
            if not opaque.isdisjoint(yield_with_parents(folder)) or not _is_folder(
                comparison.context.root, folder
            ):
                continue
            if self._is_opaque(folder):
                # Nothing of the project is visible in it, at any depth.
                opaque.add(folder)
                yield from comparison.deletions_in(folder, build_kept_filter(self))
            elif deleted:
                yield from comparison.deletions_in(folder, partial(_is_beside, deleted))

    def _is_opaque(self, folder: str) -> bool:
        with self._root.folder(folder) as handle:
            return any(_read_attribute(handle, name) == b"y" for name in _OPAQUE)

    def _is_whiteout(self, entry: TreeEntry) -> bool:
        # A device has size 0 and most files don't: those are not checked twice.
        return (
            not entry.is_folder and not entry.is_link and not entry.size and self._is_zero_device(entry.path)
        )

    def _is_zero_device(self, path: str) -> bool:
        try:
            with self._root.parent(path) as (handle, name):
                status = os.stat(name, dir_fd=handle, follow_symlinks=False)
        except OSError:  # removed meanwhile, while the command still runs
            return False
        return stat.S_ISCHR(status.st_mode) and status.st_rdev == 0


def _is_folder(project: ProjectRoot, path: str) -> bool:
    state = project.state(path)
    return state is not None and state.kind is EntryKind.FOLDER


def _is_beside(deleted: Container[str], entry: TreeEntry) -> bool:
    """Return whether an entry is not deleted, nor beneath a deleted path."""
    return not any(path in deleted for path in yield_with_parents(entry.path))


def _read_attribute(handle: int, name: str) -> bytes:
    try:
        return os.getxattr(handle, name)
    except OSError:
        return b""
