"""In-memory filesystem: file tree, storage backend, and state for snapshots.

Contents are immutable and shared; a reader keeps the one it was opened on, whatever is written meanwhile.
"""

from __future__ import annotations

import errno
import itertools
import os
import time

from msgspec import field
from msgspec.structs import replace

from studio.engine.filesystem.backing import Backing, Entries
from studio.engine.filesystem.base import BackedFilesystem
from studio.engine.filesystem.content import Content, ContentReading, ContentWriting
from studio.engine.filesystem.memory_snapshots import MemorySnapshots
from studio.engine.filesystem.types import FilesystemSnapshot, PathLimits, WriteMode
from studio.engine.root import EntryKind, FileState
from studio.names import folded
from studio.values import Value

FILE_MODE = 0o644
FOLDER_MODE = 0o755

_serial = itertools.count(1)


def next_serial() -> int:
    """Return a number that no other entry in memory has had."""
    return next(_serial)


class MemoryFile(Value):
    """One version of a file.

    `serial` is unique, so that equal states mean equal bytes.
    """

    name: str
    content: Content
    mode: int = FILE_MODE
    created_ns: int = field(default_factory=time.time_ns)
    modified_ns: int = field(default_factory=time.time_ns)
    serial: int = field(default_factory=next_serial)

    @property
    def state(self) -> FileState:
        return state_in_memory(EntryKind.FILE, len(self.content), self.mode, self.serial, self.modified_ns)

    def written(self, content: Content) -> MemoryFile:
        """Return the same file with other bytes."""
        return replace(self, content=content, modified_ns=time.time_ns(), serial=next_serial())


class MemoryFolder:
    """A folder; its entries are keyed by their (perhaps case-folded) names.

    It may be modified only while its `turn` is the current one; later turns modify a copy.
    """

    def __init__(self, name: str, turn: int = 0) -> None:
        self.name = name
        self.turn = turn
        self.entries: dict[str, MemoryFile | MemoryFolder] = {}
        self.created_ns = self.modified_ns = time.time_ns()
        self.serial = next_serial()

    def copied(self, turn: int) -> MemoryFolder:
        """Return a copy that may be modified in another turn."""
        copied = MemoryFolder(self.name, turn)
        copied.entries = dict(self.entries)
        copied.created_ns, copied.modified_ns, copied.serial = self.created_ns, self.modified_ns, self.serial
        return copied

    @property
    def state(self) -> FileState:
        return state_in_memory(EntryKind.FOLDER, 0, FOLDER_MODE, self.serial, self.modified_ns)

    def put(self, key: str, node: MemoryFile | MemoryFolder) -> None:
        """Add or replace an entry."""
        self.entries[key] = node
        self.modified_ns = time.time_ns()

    def pop(self, key: str) -> MemoryFile | MemoryFolder:
        """Remove and return an entry. Raises KeyError where there is none."""
        self.modified_ns = time.time_ns()
        return self.entries.pop(key)


class InMemoryFilesystem(BackedFilesystem):
    """A filesystem in memory, gone with the object.

    With `windows` names follow the rules of Windows: case is ignored but preserved, names invalid on Windows
    are refused.
    """

    def __init__(
        self, *, read_only: bool = False, windows: bool = False, limits: PathLimits | None = None
    ) -> None:
        backing = MemoryBacking(windows=windows)
        super().__init__(backing, read_only=read_only, limits=limits or PathLimits())
        self._snapshots = MemorySnapshots(backing, "mem")

    def snapshot(self, tag: str | None = None) -> FilesystemSnapshot:
        """Store the current state at no cost: unchanged parts are shared."""
        return self._snapshots.snapshot(tag)

    def restore(self, snapshot: FilesystemSnapshot) -> None:
        """Restore a snapshot.

        Raises SnapshotRestoreError, AccessDenied where the filesystem is read-only.
        """
        self._check_may_change("")
        self._snapshots.restore(snapshot)


class MemoryBacking(Backing):
    """Storage primitives over a tree of folders in memory."""

    def __init__(self, *, windows: bool = False) -> None:
        self._windows = windows
        self._top = MemoryFolder("")
        self._turn = 0

    def capture_state(self) -> MemoryFolder:
        """Return the tree; later changes copy each folder first."""
        self._turn += 1
        return self._top

    def restore_state(self, stored: MemoryFolder) -> None:
        """Restore a tree."""
        self._turn += 1
        self._top = stored

    @property
    def root(self) -> str:
        return "/"

    @property
    def windows(self) -> bool:
        return self._windows

    def node(self, path: str) -> FileState | None:
        found = self._find_node(path)
        return None if found is None else found.state

    def created_ns(self, path: str) -> int | None:
        found = self._find_node(path)
        return None if found is None else found.created_ns

    def entries(self, path: str) -> Entries:
        nodes = self._require_folder(path).entries.values()
        return Entries(
            tuple(sorted(node.name for node in nodes if isinstance(node, MemoryFile))),
            tuple(sorted(node.name for node in nodes if isinstance(node, MemoryFolder))),
        )

    def open(self, path: str) -> ContentReading:
        return ContentReading(self._require_file(path).content)

    def _require_file(self, path: str) -> MemoryFile:
        found = self._find_node(path)
        if found is None:
            raise system_error(errno.ENOENT, path)
        if isinstance(found, MemoryFolder):
            raise system_error(errno.EISDIR, path)
        return found

    def start(self, path: str, mode: WriteMode) -> ContentWriting:
        self._require_folder(path.rpartition("/")[0])  # raises where there is none
        return ContentWriting(lambda content: self._store_file(path, content, mode))

    def _store_file(self, path: str, content: Content, mode: WriteMode) -> None:
        folder, name = self._find_parent(path)
        found = folder.entries.get(self._folded_name(name))
        if isinstance(found, MemoryFolder):
            raise system_error(errno.EISDIR, path)
        if found is None:
            folder.put(self._folded_name(name), MemoryFile(name, content))
            return
        if mode is WriteMode.CREATE:
            raise system_error(errno.EEXIST, path)
        whole = found.content.followed_by(content) if mode is WriteMode.APPEND else content
        folder.put(self._folded_name(name), found.written(whole))

    def make_folder(self, path: str) -> None:
        folder, name = self._find_parent(path)
        if self._folded_name(name) in folder.entries:
            raise system_error(errno.EEXIST, path)
        folder.put(self._folded_name(name), MemoryFolder(name, self._turn))

    def remove(self, path: str, *, recursive: bool) -> None:
        folder, name = self._find_parent(path)
        found = folder.entries.get(self._folded_name(name))
        if found is None:
            raise system_error(errno.ENOENT, path)
        if isinstance(found, MemoryFolder) and found.entries and not recursive:
            raise system_error(errno.ENOTEMPTY, path)
        folder.pop(self._folded_name(name))

    def move(self, source: str, destination: str, *, replace: bool) -> None:
        old_folder, old_name = self._find_parent(source)
        new_folder, new_name = self._find_parent(destination)
        old_key, new_key = self._folded_name(old_name), self._folded_name(new_name)
        if old_key not in old_folder.entries:
            raise system_error(errno.ENOENT, source)
        is_same_entry = old_folder is new_folder and old_key == new_key
        if new_key in new_folder.entries and not replace and not is_same_entry:
            raise system_error(errno.EEXIST, destination)
        node = old_folder.pop(old_key)
        if isinstance(node, MemoryFile):
            node = _with_name(node, new_name)
        else:
            node = self._make_own(node)
            node.name = new_name
        new_folder.put(new_key, node)

    def copy(self, source: str, destination: str, *, replace: bool) -> None:
        file = self._require_file(source)
        folder, name = self._find_parent(destination)
        existing = folder.entries.get(self._folded_name(name))
        if existing is not None and not replace:
            raise system_error(errno.EEXIST, destination)
        if isinstance(existing, MemoryFolder):
            raise system_error(errno.EISDIR, destination)
        folder.put(
            self._folded_name(name), MemoryFile(existing.name if existing else name, file.content, file.mode)
        )

    def _folded_name(self, name: str) -> str:
        return folded(name) if self._windows else name

    def _find_node(self, path: str) -> MemoryFile | MemoryFolder | None:
        node: MemoryFile | MemoryFolder | None = self._top
        for name in path.split("/") if path else ():
            if not isinstance(node, MemoryFolder):
                return None
            node = node.entries.get(self._folded_name(name))
        return node

    def _require_folder(self, path: str) -> MemoryFolder:
        found = self._find_node(path)
        if found is None:
            raise system_error(errno.ENOENT, path)
        if not isinstance(found, MemoryFolder):
            raise system_error(errno.ENOTDIR, path)
        return found

    def _find_parent(self, path: str) -> tuple[MemoryFolder, str]:
        """Return the modifiable parent folder of a path, and the last name."""
        above, _, name = path.rpartition("/")
        self._require_folder(above)
        folder = self._top = self._make_own(self._top)
        for part in above.split("/") if above else ():
            below = folder.entries[self._folded_name(part)]
            assert isinstance(below, MemoryFolder)
            own = folder.entries[self._folded_name(part)] = self._make_own(below)
            folder = own
        return folder, name

    def _make_own(self, folder: MemoryFolder) -> MemoryFolder:
        return folder if folder.turn == self._turn else folder.copied(self._turn)


def _with_name(file: MemoryFile, name: str) -> MemoryFile:
    return replace(file, name=name)


def state_in_memory(kind: EntryKind, size: int, mode: int, serial: int, modified_ns: int) -> FileState:
    """Return the state of an entry in memory."""
    return FileState(
        kind=kind,
        size=size,
        mode=mode,
        device=0,
        inode=serial,
        links=1,
        user=0,
        group=0,
        modified_ns=modified_ns,
        changed_ns=modified_ns,
    )


def system_error(number: int, path: str) -> OSError:
    """Return the OSError that a disk would raise."""
    return OSError(number, os.strerror(number), path)
