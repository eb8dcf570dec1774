"""Cache of file hashes, so that repeated scans read only changed files.

Only a hint: equal states suggest equal bytes. Before a write the file is hashed again, whatever is cached.
"""

from __future__ import annotations

import os
import stat
import struct
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping

from msgspec import Struct, field

from studio.values import Value

_STATE = struct.Struct("<3Q2qI")
_MODE = slice(_STATE.size - 4, _STATE.size)
_SHA256 = slice(_STATE.size, _STATE.size + 32)
_OBJECT = slice(_STATE.size + 32, _STATE.size + 52)
RECORD_BYTES = _STATE.size + 52
"""The length of every record."""
REMOVAL_BYTES = 16
_CHANGED = slice(_MODE.start - 8, _MODE.start)
_IDENTITY_BYTES = 16
_NEVER = bytes(8)

# FAT records times to two seconds, Linux before 6.13 to some milliseconds.
YOUNG_NS = 2_000_000_000
"""Age up to which a file may change without new times."""


def pack_state(status: os.stat_result) -> bytes:
    """Return the packed state of an entry.

    It has device, inode, size, times, kind and mode.
    """
    return _STATE.pack(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode
    )


def is_young(status: os.stat_result, asked_ns: int) -> bool:
    """Return whether a file may have changed since with the same times.

    It was read after `asked_ns`.
    """
    return asked_ns - max(status.st_mtime_ns, status.st_ctime_ns) <= YOUNG_NS


def is_changed(before: bytes, now: bytes) -> bool:
    """Return whether size, times, kind or mode of two packed states differ.

    Device and inode are not compared: FUSE disks such as sshfs give a file a new number once the kernel has
    forgotten it. A file that replaced another has another change time.
    """
    return before[_IDENTITY_BYTES:] != now[_IDENTITY_BYTES:]


def record_of(state: bytes, sha256: bytes, object_id: bytes, *, is_certain: bool) -> bytes:
    """Return a record of a file's state and raw hashes.

    The hashes are SHA-256 and git's blob id. Without `is_certain` the change time is omitted, so that the
    file never counts as unchanged.
    """
    if not is_certain:
        state = state[: _CHANGED.start] + _NEVER + state[_MODE]
    return state + sha256 + object_id


def state_of(record: bytes) -> bytes:
    """Return the packed state in a record."""
    return record[: _STATE.size]


def mode_of(record: bytes) -> int:
    """Return kind and permission bits, as `st_mode`."""
    return int.from_bytes(record[_MODE], "little")


def size_of(record: bytes) -> int:
    """Return the size in bytes, of a record or packed state."""
    return _STATE.unpack_from(record)[2]


def object_of(record: bytes) -> bytes:
    """Return git's raw blob id."""
    return record[_OBJECT]


class Counts(Value):
    """Totals of the files in one folder.

    Their bytes, including links, and the number of files by permission bits, executable files separately.
    """

    bytes: int
    files: Mapping[int, int]
    programs: Mapping[int, int]


def _count_records(records: Iterable[bytes]) -> Counts:
    total, files, programs = 0, Counter[int](), Counter[int]()
    for record in records:
        total += size_of(record)
        mode = mode_of(record)
        if stat.S_ISREG(mode):
            (programs if mode & stat.S_IXUSR else files)[stat.S_IMODE(mode)] += 1
    return Counts(total, files, programs)


class CachedFolder(Struct):
    """Cached state of one folder.

    `records` are its files and links by name, `folders` its subfolders. `tree` is git's tree id, b"" where it
    must be made again. `left_out` has by name why something in it can't be stored.
    """

    mode: int = 0o755
    records: dict[str, bytes] = field(default_factory=dict[str, bytes])
    folders: set[str] = field(default_factory=set[str])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    tree: bytes = b""
    _counts: Counts | None = None

    def put(self, name: str, record: bytes) -> None:
        """Set the record of a file or link."""
        self.records[name] = record
        self._counts = None

    def drop(self, name: str) -> bytes | None:
        """Remove and return the record of a name."""
        self._counts = None
        return self.records.pop(name, None)

    def sort_records(self, names: list[str]) -> None:
        """Sort the records in this order, if it names all of them."""
        if names != list(self.records):
            ordered = {name: self.records[name] for name in names}
            if len(ordered) == len(self.records):
                self.records = ordered

    @property
    def counts(self) -> Counts:
        """Cached totals of its files.

        Otherwise each change in another folder would count all of them again.
        """
        if self._counts is None:
            self._counts = _count_records(self.records.values())
        return self._counts


class HashCache:
    """Cached folders beneath one root, by path with slashes.

    "" is the root itself.
    """

    def __init__(self) -> None:
        self.folders: dict[str, CachedFolder] = {}
        self.removal = bytes(REMOVAL_BYTES)
        """The last removal of objects for which the cached ids are valid."""

    def folder(self, path: str) -> CachedFolder:
        """Return the folder, creating it if it is not cached."""
        cached = self.folders.get(path)
        if cached is None:
            cached = self.folders[path] = CachedFolder()
        return cached

    def objects(self) -> Iterator[bytes]:
        """Yield the raw object ids of everything cached.

        The owner of the cache assumes that these objects are stored.
        """
        for folder in self.folders.values():
            yield folder.tree
            yield from map(object_of, folder.records.values())

    def remove(self, path: str) -> None:
        """Remove a folder and its subtree."""
        pending = [path]
        while pending:
            removed = pending.pop()
            cached = self.folders.pop(removed, None)
            if cached is not None:
                pending += [f"{removed}/{name}" if removed else name for name in cached.folders]

    def keep_only(self, objects: Container[bytes]) -> None:
        """Remove files with missing objects, and invalidate missing trees."""
        for path, folder in self.folders.items():
            missing = [name for name, record in folder.records.items() if object_of(record) not in objects]
            for name in missing:
                folder.drop(name)
            if missing or folder.tree not in objects:
                self.outdate(path)

    def outdate(self, path: str) -> None:
        """Invalidate the trees of a folder and all its parents."""
        while True:
            cached = self.folders.get(path)
            if cached is not None:
                if not cached.tree and path:
                    return  # its parents are invalid already
                cached.tree = b""
            if not path:
                return
            path = path.rpartition("/")[0]
