"""Linux cgroup (version 2) that limits the memory of a sandboxed command.

It limits what all processes of a command use together, which no per-process limit can. systemd delegates a
subtree to each user and to services that ask for it (`Delegate=`); the rest of the tree is not ours.
"""

from __future__ import annotations

import os
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.limits import SANDBOX_END_SECONDS, SANDBOX_MEMORY_SHARE
from studio.system.closing import Closing

_MOUNT: Final = Path("/sys/fs/cgroup")
_OWN: Final = Path("/proc/self/cgroup")
_NAME: Final = "exacta-run-"
_HANDED_OVER: Final = ("user.delegate", "trusted.delegate")
_LOOK_SECONDS: Final = 0.01


class ControlGroup(Closing):
    """A new cgroup; closing it kills its processes and removes it."""

    def __init__(self, parent: Path, limits: Mapping[str, str]) -> None:
        """Create it in a delegated group and write `limits` to its files.

        Raises OSError.
        """
        _remove_dead_groups(parent)
        self._folder = parent / f"{_NAME}{uuid.uuid4().hex}"
        self._folder.mkdir()
        try:
            for name, value in limits.items():
                _write_value(self._folder / name, value)
        except OSError:
            self.close()
            raise

    def add_process(self, process: int) -> None:
        """Move a process, and all that it starts later, into the group.

        Raises OSError.
        """
        _write_value(self._folder / "cgroup.procs", str(process))

    def close(self) -> None:
        """Kill the processes in it and remove it.

        If that fails, the next run removes it.
        """
        with suppress(OSError):
            _write_value(self._folder / "cgroup.kill", "1")
        deadline = time.monotonic() + SANDBOX_END_SECONDS
        while not _is_removed(self._folder) and time.monotonic() < deadline:
            time.sleep(_LOOK_SECONDS)


def memory_group() -> ControlGroup | None:
    """Create a group with a shared memory limit, or return None."""
    parent = delegated_group(_MOUNT, _OWN)
    if parent is None:
        return None
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    # Kill all processes together: a command must not go on without one of its own.
    limits = {"memory.max": str(int(pages * SANDBOX_MEMORY_SHARE)), "memory.oom.group": "1"}
    try:
        return ControlGroup(parent, limits)
    except OSError:
        return None


def delegated_group(mount: Path, own: Path) -> Path | None:
    """Return the nearest ancestor group in which we may limit memory."""
    for folder in _yield_ancestors(mount, own):
        if not os.access(folder, os.W_OK) or not os.access(folder / "cgroup.procs", os.W_OK):
            return None
        if os.geteuid() == 0 and not _is_handed_over(folder):  # root can write to systemd's groups, too
            continue
        with suppress(OSError):
            if "memory" in (folder / "cgroup.subtree_control").read_text("ascii").split():
                return folder
    return None


def _yield_ancestors(mount: Path, own: Path) -> Iterator[Path]:
    """Yield this process's group and its ancestors; none without cgroup v2."""
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


def _remove_dead_groups(parent: Path) -> None:
    """Remove groups of killed runs; one with live processes can't be removed."""
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


def _write_value(file: Path, text: str) -> None:
    with file.open("r+b", buffering=0) as stream:
        stream.write(text.encode("ascii"))
