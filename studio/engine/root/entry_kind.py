"""Kinds of file system entries.

Apart from the other values: the search process has no installed packages.
"""

from __future__ import annotations

import os
import stat
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


def kind_of_mode(mode: int) -> EntryKind:
    """Return the kind that an entry's mode states."""
    return _KINDS.get(stat.S_IFMT(mode), EntryKind.OTHER)


def kind_of(status: os.stat_result) -> EntryKind:
    """Return an entry's kind.

    A Windows junction, which is a folder by its mode, is a link.
    """
    kind = kind_of_mode(status.st_mode)
    is_junction = kind is EntryKind.FOLDER and getattr(status, "st_reparse_tag", 0) == _JUNCTION
    return EntryKind.LINK if is_junction else kind
