"""Value types of file system entries: kind, state, and conversion from stat."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import Enum


class EntryKind(Enum):
    """Kind of an entry; a link is always LINK, whatever its target."""

    FILE = "file"
    FOLDER = "folder"
    LINK = "link"
    PIPE = "pipe"
    SOCKET = "socket"
    DEVICE = "device"
    OTHER = "other"


_KINDS = {
    stat.S_IFREG: EntryKind.FILE,
    stat.S_IFDIR: EntryKind.FOLDER,
    stat.S_IFLNK: EntryKind.LINK,
    stat.S_IFIFO: EntryKind.PIPE,
    stat.S_IFSOCK: EntryKind.SOCKET,
    stat.S_IFCHR: EntryKind.DEVICE,
    stat.S_IFBLK: EntryKind.DEVICE,
}
_JUNCTION = 0xA0000003
"""Reparse tag of a Windows mount point; `stat` has it there only."""


@dataclass(frozen=True, slots=True)
class FileState:
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


@dataclass(frozen=True, slots=True)
class Copied:
    """Signatures of a copied project entry and its copy, when copied."""

    kind: EntryKind
    source: tuple[int, ...]
    copy: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TreeEntry:
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


@dataclass(frozen=True, slots=True)
class Unseen:
    """A folder that a walk could not read, with a sentence why."""

    path: str
    reason: str


def kind_of(status: os.stat_result) -> EntryKind:
    """Return an entry's kind.

    A Windows junction, which is a folder by its mode, is a link.
    """
    if getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        return EntryKind.LINK
    return _KINDS.get(stat.S_IFMT(status.st_mode), EntryKind.OTHER)


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
