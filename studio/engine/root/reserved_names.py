"""Names reserved by Windows that a project on POSIX already has."""

from __future__ import annotations

import os
from collections.abc import Callable
from contextlib import suppress

from studio.engine.errors import InvalidPath, StudioError
from studio.engine.names import is_reserved, parse_name
from studio.engine.root.entries import EntryKind, FileState
from studio.engine.root.project import ProjectRoot


class ReservedNames:
    """Finder of entries with reserved names; reads each folder once.

    To stat the entry is not enough: "a.txt:b" may open a stream of a.txt on NTFS (ntfs-3g 2022.10.3 with
    streams_interface=windows), and a volume that folds case takes another name for this one.
    """

    def __init__(self, root: ProjectRoot, state: Callable[[str], FileState | None] | None = None) -> None:
        """Store the sources.

        `state` returns an entry as a layer over the root has it; the root must have it as well.
        """
        self._root = root
        self._state = state or root.state
        self._names: dict[str, frozenset[bytes]] = {}

    def check(self, path: str) -> bool:
        """Return whether a path is one of these names.

        Raises InvalidPath for any other that is refused.
        """
        try:
            parse_name(path)
        except InvalidPath:
            if not self.has(path):
                raise
            return True
        return False

    def has(self, path: str) -> bool:
        """Return whether a path is reserved and exists with exactly this name.

        It must be a file or a folder.
        """
        if os.name != "posix" or not is_reserved(path):
            return False
        try:
            state = self._state(path)
        except (StudioError, OSError):
            return False
        if state is None or state.kind not in (EntryKind.FILE, EntryKind.FOLDER):
            return False
        parts = path.split("/")
        return all(self._is_listed("/".join(parts[:count]), part) for count, part in enumerate(parts))

    def _is_listed(self, folder: str, name: str) -> bool:
        if folder not in self._names:
            names: frozenset[bytes] = frozenset()
            with suppress(StudioError, OSError):
                if not self._root.folds_case_in(folder):
                    with self._root.folder(folder) as handle, os.scandir(handle) as found:
                        names = frozenset(os.fsencode(entry.name) for entry in found)
            self._names[folder] = names
        return os.fsencode(name) in self._names[folder]
