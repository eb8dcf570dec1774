"""Value types of file system entries, and conversion from stat."""

from __future__ import annotations

import os
import stat

from studio.engine.root.entry_kind import EntryKind, kind_of
from studio.values import Value


class FileState(Value, gc=False):
    """State of an entry: `size` in bytes, permission bits, times in nanoseconds."""

    kind: EntryKind
    size: int
    mode: int
    device: int
    inode: int
    links: int
    user: int
    group: int
    modified_ns: int
    changed_ns: int

    @property
    def signature(self) -> tuple[int, ...]:
        """Tuple whose equality suggests equal bytes; only a hash proves them."""
        # Includes ctime: a program can set mtime back, but not this.
        return (self.device, self.inode, self.size, self.modified_ns, self.changed_ns, self.mode)


class Copied(Value):
    """Signatures of a copied project entry and its copy, when copied."""

    kind: EntryKind
    source: tuple[int, ...]
    copy: tuple[int, ...]


class TreeEntry(Value, gc=False):
    """One entry of a folder; `path` is relative, with slashes.

    A name that is not UTF-8 on disk has surrogate escapes; `show_name` makes it printable.
    """

    path: str
    is_folder: bool
    size: int
    is_link: bool

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]


class Unseen(Value):
    """A folder that a walk could not read, with a sentence why."""

    path: str
    reason: str


def state_of(status: os.stat_result) -> FileState:
    """Return a `FileState` from a stat result."""
    return FileState(
        kind_of(status),
        status.st_size,
        stat.S_IMODE(status.st_mode),
        status.st_dev,
        status.st_ino,
        status.st_nlink,
        status.st_uid,
        status.st_gid,
        status.st_mtime_ns,
        status.st_ctime_ns,
    )
