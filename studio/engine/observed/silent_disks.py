"""Disks that others write to without a word to this machine's watchers: networks, other systems' hosts."""

from __future__ import annotations

import os
from pathlib import Path

from studio.engine.system.syscalls import mounts

# As /proc/self/mountinfo calls them. An overlay is none: who writes through it is heard, and nearly every
# container lies on one.
_KINDS = frozenset(
    "nfs nfs4 cifs smb3 smbfs 9p virtiofs ceph afs coda lustre gpfs beegfs ocfs2 gfs2 orangefs pvfs2 ncpfs "
    "vboxsf vmhgfs prl_fs drvfs fuse fuseblk".split()
)


def silent_disks(root: Path) -> dict[str, str]:
    """Relative paths beneath (and with "") the resolved root where such a disk begins, with its kind."""
    found: dict[str, str] = {}
    top, prefix = os.fsencode(root), os.fsencode(root).rstrip(b"/") + b"/"
    around, length = "", -1
    for place, kind in mounts():
        if place.startswith(prefix):
            found[os.fsdecode(place.removeprefix(prefix))] = kind
        elif (top == place or prefix.startswith(place.rstrip(b"/") + b"/")) and len(place) >= length:
            around, length = kind, len(place)
    found[""] = around
    return {path: kind for path, kind in found.items() if _is_silent(kind)}


def _is_silent(kind: str) -> bool:
    return kind.partition(".")[0] in _KINDS
