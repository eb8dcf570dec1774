"""What the file system says about one entry, the entry itself and not what a link points to."""

from __future__ import annotations

import os
import stat
from dataclasses import dataclass
from enum import Enum


class EntryKind(Enum):
    """What an entry is; a link is never anything else, wherever it leads (Q65)."""

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
"""The tag of a reparse point that Windows calls a mount point; `stat` names it on Windows only."""


@dataclass(frozen=True, slots=True)
class FileState:
    """One entry at one moment: `size` in bytes, `mode` the permission bits, times in nanoseconds."""

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
        """Equal signatures hint at equal bytes; only a hash proves them."""
        # The change time of the inode is among them: a program can set the other time back, and not this one.
        return (self.device, self.inode, self.size, self.modified_ns, self.changed_ns, self.mode)


@dataclass(frozen=True, slots=True)
class Copied:
    """An entry of a project as it was copied, and the copy as it was then, by their signatures."""

    kind: EntryKind
    source: tuple[int, ...]
    copy: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class TreeEntry:
    """One row of the project tree; `path` is relative, with slashes.

    A name that is not UTF-8 on disk has surrogate escapes; `show_name` makes it fit to be shown.
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
    """A folder that a walk could not look into; `reason` is one sentence that names it."""

    path: str
    reason: str


def kind_of(status: os.stat_result) -> EntryKind:
    """What the entry is. A junction of Windows, which is a folder by its mode, is a link (R48)."""
    if getattr(status, "st_reparse_tag", 0) == _JUNCTION:
        return EntryKind.LINK
    return _KINDS.get(stat.S_IFMT(status.st_mode), EntryKind.OTHER)


def state_of(status: os.stat_result) -> FileState:
    """What the system says about an entry: size in bytes, times in nanoseconds."""
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
