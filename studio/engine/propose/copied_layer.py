"""What a command wrote in a copy of the project, whatever happened to the project meanwhile.

Only an entry that is not as it was when it was copied is the command's change: its inode, size, times and
mode tell that, and no program can set the time of the last change of an inode (ctime).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Final

from studio.engine.draft import DraftStep
from studio.engine.errors import StudioError
from studio.engine.propose.comparison import Comparison, Layer, with_above
from studio.engine.propose.tree_draft import kept_in
from studio.engine.root import Copied, EntryKind, ProjectRoot, TreeEntry, state_of

_MODE: Final = -1
"""Where the mode is in a signature."""


class CopiedLayer(Layer):
    """A copy as a `ChangedTree` that lists what was written since it was made, and the folders above that."""

    def __init__(self, root: ProjectRoot, copied: Mapping[str, Copied]) -> None:
        super().__init__(root)
        self._copied = copied
        self._is_kept = kept_in(self)
        self._written = {
            above
            for path, entry in (("", None), *copied.items())
            if (entry is None or entry.kind is EntryKind.FOLDER) and self._is_written_in(path)
            for above in with_above(path)
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
        """The steps for what was copied and the command took away."""
        return comparison.deletions_in("", self._is_kept_or_new)

    def _is_kept_or_new(self, entry: TreeEntry) -> bool:
        copied = self._copied.get(entry.path)
        is_new = copied is None or (copied.kind is EntryKind.FOLDER) != entry.is_folder
        return is_new or self._is_kept(entry)

    def _is_written_in(self, folder: str) -> bool:
        """Whether an entry of this folder is not as it was copied; also where nobody can look."""
        prefix = f"{folder}/" if folder else ""
        try:
            with self._root.folder(folder) as handle, os.scandir(handle) as entries:
                return not all(self._is_as_copied(prefix + entry.name, handle) for entry in entries)
        except (FileNotFoundError, NotADirectoryError, StudioError):
            return False  # gone, or a link now: the folder above it is written
        except OSError:
            return True

    def _is_as_copied(self, path: str, folder: int) -> bool:
        copied = self._copied.get(path)
        if copied is None:
            return False
        try:
            state = state_of(os.stat(path.rpartition("/")[2], dir_fd=folder, follow_symlinks=False))
        except OSError:  # gone meanwhile, where the command still runs
            return False
        if state.kind is EntryKind.FOLDER:
            return copied.kind is state.kind and copied.copy[_MODE] == state.mode
        return copied.copy == state.signature
