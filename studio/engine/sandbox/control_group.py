"""A control group of the kernel (version 2) around a command, where the system has handed us a part of them.

It limits what all processes of a command take together, which no limit of a single process can. systemd hands
a part of the tree to each user and to services that ask for one (`Delegate=`); other parts are none of ours.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.engine.limits import SANDBOX_END_SECONDS, SANDBOX_MEMORY_SHARE
from studio.engine.system.closing import Closing

_MOUNT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")
_NAME: Final = "exacta-run-"
_HANDED_OVER: Final = ("user.delegate", "trusted.delegate")
_LOOK_SECONDS: Final = 0.01


class ControlGroup(Closing):
    """A new group; close it: what is in it ends, and it goes."""

    def __init__(self, parent: Path, limits: Mapping[str, str]) -> None:
        """Make one in a group of ours, with these files of it set. Raises OSError."""
        _sweep(parent)
        self._folder = parent / f"{_NAME}{uuid.uuid4().hex}"
        self._folder.mkdir()
        try:
            for name, value in limits.items():
                _write(self._folder / name, value)
        except OSError:
            self.close()
            raise

    def take(self, process: int) -> None:
        """Put a process into it; all that it starts from then on is in it, too. Raises OSError."""
        _write(self._folder / "cgroup.procs", str(process))

    def close(self) -> None:
        """End what is in it, and remove it; where that fails the next one removes it."""
        with suppress(OSError):
            _write(self._folder / "cgroup.kill", "1")
        deadline = time.monotonic() + SANDBOX_END_SECONDS
        while not _is_removed(self._folder) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)


def memory_group() -> ControlGroup | None:
    """A group that limits the memory of all in it together; None where none is to be had."""
    parent = delegated_group(_MOUNT, _OWN)
    if parent is None:
        return None
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    # Together, or a command would go on without the one of its processes that was ended.
    limits = {"memory.max": str(int(pages * SANDBOX_MEMORY_SHARE)), "memory.oom.group": "1"}
    try:
        return ControlGroup(parent, limits)
    except OSError:
        return None


def delegated_group(mount: Path, own: Path) -> Path | None:
    """The nearest group above this process in which we may make one that limits memory."""
    for folder in _groups_above(mount, own):
        if not os.access(folder, os.W_OK) or not os.access(folder / "cgroup.procs", os.W_OK):
            return None
        if os.geteuid() == 0 and not _is_handed_over(folder):  # root may write to what is systemd's, too
            continue
        with suppress(OSError):
            if "memory" in (folder / "cgroup.subtree_control").read_text("ascii").split():
                return folder
    return None


def _groups_above(mount: Path, own: Path) -> Iterator[Path]:
    """The group of this process, and those around it; none without a version 2."""
    try:
        lines = own.read_text("utf-8", "surrogateescape").splitlines()
    except OSError:
        return
    path = next((line.removeprefix("0::/") for line in lines if line.startswith("0::/")), None)
    if path is None or not (mount / "cgroup.controllers").exists():
        return
    folder = mount / path
    while folder.is_relative_to(mount):
        yield folder
        folder = folder.parent


def _is_handed_over(folder: Path) -> bool:
    for name in _HANDED_OVER:
        with suppress(OSError):
            if os.getxattr(folder, name) == b"1":
                return True
    return False


def _sweep(parent: Path) -> None:
    """Remove groups of runs that were killed; one in which something is can't be removed."""
    for folder in parent.glob(f"{_NAME}*"):
        _is_removed(folder)


def _is_removed(folder: Path) -> bool:
    try:
        folder.rmdir()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return True


def _write(file: Path, text: str) -> None:
    with file.open("r+b", buffering=0) as stream:
        stream.write(text.encode("ascii"))
