"""What files held when they were last looked at, so that looking at all of them again is quick (Q29).

Only a hint: equal states suggest equal bytes. Whoever writes hashes the file again, whatever is known of it.
"""

from __future__ import annotations

import os
import stat
import struct
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

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

# FAT notes times to two seconds, Linux before 6.13 to some milliseconds.
YOUNG_NS = 2_000_000_000
"""A file that was written so short a time ago may be written again without its times telling (Q29)."""


def pack_state(status: os.stat_result) -> bytes:
    """What tells one state of an entry from another: device, inode, size, times, kind and mode."""
    return _STATE.pack(
        status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_mode
    )


def is_young(status: os.stat_result, asked_ns: int) -> bool:
    """Whether what was read after `asked_ns` may have been written again since, with the same times."""
    return asked_ns - max(status.st_mtime_ns, status.st_ctime_ns) <= YOUNG_NS


def is_changed(before: bytes, now: bytes) -> bool:
    """Return whether size, times, kind or mode of two packed states differ.

    Device and inode are not compared: FUSE disks such as sshfs number a file anew once the kernel has
    forgotten it. A file that was put in the place of another has another change time.
    """
    return before[_IDENTITY_BYTES:] != now[_IDENTITY_BYTES:]


def record_of(state: bytes, sha256: bytes, object_id: bytes, *, is_certain: bool) -> bytes:
    """A file's state with the hashes of its bytes, raw: SHA-256, and the name of git's blob.

    Without `is_certain` the time of its last change is left out, so that it never counts as unchanged.
    """
    if not is_certain:
        state = state[: _CHANGED.start] + _NEVER + state[_MODE]
    return state + sha256 + object_id


def state_of(record: bytes) -> bytes:
    """Return the packed state in it."""
    return record[: _STATE.size]


def mode_of(record: bytes) -> int:
    """Kind and permission bits, as `st_mode`."""
    return int.from_bytes(record[_MODE], "little")


def size_of(record: bytes) -> int:
    """How many bytes it has; of a packed state, too."""
    return _STATE.unpack_from(record)[2]


def object_of(record: bytes) -> bytes:
    """The name of git's blob, raw."""
    return record[_OBJECT]


@dataclass(frozen=True, slots=True)
class Counts:
    """Of the files in one folder: their bytes, links' too, and how many of them have which permission bits,
    of those that can be run by themselves."""

    bytes: int
    files: Mapping[int, int]
    programs: Mapping[int, int]


def _counted(records: Iterable[bytes]) -> Counts:
    total, files, programs = 0, Counter[int](), Counter[int]()
    for record in records:
        total += size_of(record)
        mode = mode_of(record)
        if stat.S_ISREG(mode):
            (programs if mode & stat.S_IXUSR else files)[stat.S_IMODE(mode)] += 1
    return Counts(total, files, programs)


@dataclass(slots=True)
class KnownFolder:
    """One folder as it was last looked at: `records` of its files and links by name, `folders` in it.

    `tree` is the name of git's tree for it, b"" where it must be made anew. `left_out` says by name why
    something in it can't be kept.
    """

    mode: int = 0o755
    records: dict[str, bytes] = field(default_factory=dict[str, bytes])
    folders: set[str] = field(default_factory=set[str])
    left_out: dict[str, str] = field(default_factory=dict[str, str])
    tree: bytes = b""
    _counts: Counts | None = field(default=None, compare=False)

    def put(self, name: str, record: bytes) -> None:
        """Know a file or link from now on."""
        self.records[name] = record
        self._counts = None

    def drop(self, name: str) -> bytes | None:
        """Know it no more; returns what was known."""
        self._counts = None
        return self.records.pop(name, None)

    def put_in_order(self, names: list[str]) -> None:
        """Have its files in this order, where all of them are named."""
        if names != list(self.records):
            ordered = {name: self.records[name] for name in names}
            if len(ordered) == len(self.records):
                self.records = ordered

    @property
    def counts(self) -> Counts:
        """What its files are, counted once: nobody looks at all of them for a change of one elsewhere."""
        if self._counts is None:
            self._counts = _counted(self.records.values())
        return self._counts


class HashCache:
    """All folders beneath one root, by path with slashes; "" is the root itself."""

    def __init__(self) -> None:
        self.folders: dict[str, KnownFolder] = {}
        self.removal = bytes(REMOVAL_BYTES)
        """After which removal of objects it is known where those are that records and trees name."""

    def folder(self, path: str) -> KnownFolder:
        """The folder, made where it is not known yet."""
        known = self.folders.get(path)
        if known is None:
            known = self.folders[path] = KnownFolder()
        return known

    def objects(self) -> Iterator[bytes]:
        """The raw names of git's objects for all that is known: whoever knows takes them for kept."""
        for folder in self.folders.values():
            yield folder.tree
            yield from map(object_of, folder.records.values())

    def forget(self, path: str) -> None:
        """Forget a folder and all beneath it."""
        pending = [path]
        while pending:
            gone = pending.pop()
            known = self.folders.pop(gone, None)
            if known is not None:
                pending += [f"{gone}/{name}" if gone else name for name in known.folders]

    def keep_only(self, objects: Container[bytes]) -> None:
        """Forget the files whose objects are not among these, and have those trees made anew."""
        for path, folder in self.folders.items():
            gone = [name for name, record in folder.records.items() if object_of(record) not in objects]
            for name in gone:
                folder.drop(name)
            if gone or folder.tree not in objects:
                self.outdate(path)

    def outdate(self, path: str) -> None:
        """Have the trees of a folder, and of all above it, made anew."""
        while True:
            known = self.folders.get(path)
            if known is not None:
                if not known.tree and path:
                    return  # and so are those above it
                known.tree = b""
            if not path:
                return
            path = path.rpartition("/")[0]
