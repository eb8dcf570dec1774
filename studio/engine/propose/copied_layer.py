"""Changes that a command made in a copy of the project.

They don't depend on what happened to the project meanwhile: only an entry that differs from its state when
copied is a change of the command. Inode, size, times and mode show that, and no program can set ctime, the
time of an inode's last change.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final

from studio.engine.draft import DraftStep
from studio.engine.errors import StudioError
from studio.engine.propose.comparison import Comparison, Layer, yield_with_parents
from studio.engine.propose.tree_draft import build_kept_filter
from studio.engine.root import Copied, EntryKind, ProjectRoot, TreeEntry, state_of

_MODE: Final = -1
"""Index of the mode in a signature."""


class CopiedLayer(Layer):
    """A copy as a `ChangedTree` that lists what was written since copying.

    It also lists the parent folders of that.
    """

    def __init__(self, root: ProjectRoot, copied: Mapping[str, Copied]) -> None:
        super().__init__(root)
        self._copied = copied
        self._is_kept = build_kept_filter(self)
        self._written = {
            above
            for path, entry in (("", None), *copied.items())
            if (entry is None or entry.kind is EntryKind.FOLDER) and self._is_written_in(path)
            for above in yield_with_parents(path)
        }

    def list_folder(self, path: str, *, up_to: int | None = None) -> tuple[TreeEntry, ...]:
        listed = self._root.list_folder(path, up_to=up_to)
        with self._root.folder(path) as handle:
            return tuple(
                entry
                for entry in listed
                if entry.path in self._written or not self._is_as_copied(entry.path, handle)
            )

    def deletions(self, comparison: Comparison) -> Iterator[DraftStep]:
        """Yield the steps for what was copied and the command removed."""
        return comparison.deletions_in("", self._is_kept_or_new)

    def _is_kept_or_new(self, entry: TreeEntry) -> bool:
        copied = self._copied.get(entry.path)
        is_new = copied is None or (copied.kind is EntryKind.FOLDER) != entry.is_folder
        return is_new or self._is_kept(entry)

    def _is_written_in(self, folder: str) -> bool:
        """Return whether an entry of this folder differs from its copied state.

        Also true where the folder can't be read.
        """
        prefix = f"{folder}/" if folder else ""
        try:
            with self._root.folder(folder) as handle, os.scandir(handle) as entries:
                return not all(self._is_as_copied(prefix + entry.name, handle) for entry in entries)
        except (FileNotFoundError, NotADirectoryError, StudioError):
            return False  # gone, or a link now: then its parent folder has changed
        except OSError:
            return True

    def _is_as_copied(self, path: str, folder: int) -> bool:
        copied = self._copied.get(path)
        if copied is None:
            return False
        try:
            state = state_of(os.stat(path.rpartition("/")[2], dir_fd=folder, follow_symlinks=False))
        except OSError:  # removed meanwhile, while the command still runs
            return False
        if state.kind is EntryKind.FOLDER:
            return copied.kind is state.kind and copied.copy[_MODE] == state.mode
        return copied.copy == state.signature
