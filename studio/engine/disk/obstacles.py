"""Pre-write checks for obstacles: read-only disks, permissions, mounts, name lengths, free space."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from types import TracebackType
from typing import NamedTuple

from studio.engine.disk.open_folders import HeldFolders
from studio.engine.root import ProjectRoot, open_entry
from studio.system import syscalls
from studio.values import Value

_HANDLES_NEEDED = 24
"""Handles for the folders held at a time, files in them, and the store."""


class Obstacle(NamedTuple):
    """Why something can't be changed, as a clause, and what to do."""

    reason: str
    hint: str


_READ_ONLY = Obstacle("its disk is read-only", "Make the disk writable, then try again.")
_FOLDER_DENIED = Obstacle(
    "its folder is not writable", "Change the permissions of the folder, then try again."
)
_FOLDER_UNCHANGEABLE = Obstacle(
    "its folder is marked immutable", "Remove that attribute from the folder (chattr -i -a), then try again."
)
_UNCHANGEABLE = Obstacle("it is marked immutable", "Remove that attribute (chattr -i -a), then try again.")
_MOUNT_POINT = Obstacle("it is a mount point", "Unmount it and try again, or exclude this file.")
_OTHER_DISK = Obstacle(
    "its folder is a mount point or on a mounted disk, and can't be removed",
    "Unmount that disk and try again, or exclude the folder.",
)


class _Folder(Value):
    """The nearest existing folder above a target.

    `longest` is the bytes a name may have there (0: unknown), `obstacle` why nothing in it can be changed.
    """

    path: str
    device: int
    longest: int
    obstacle: Obstacle | None


class Obstacles:
    """Checks targets beneath one root; inspects every folder only once."""

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._held = HeldFolders(root)
        self._mounts = root.mounts()
        self._folders: dict[str, _Folder] = {}

    def __enter__(self) -> Obstacles:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._held.__exit__(kind, error, trace)

    def of(self, path: str, temporary: str = "", beneath: str = "") -> Obstacle | None:
        """Return why a path can't be changed, None if it can.

        Checks the nearest existing folder and the file itself: write permission, immutable and append-only
        attributes, mount points, the length of the names and, for our own file at `temporary`, that it is on
        the same disk, because a rename can't cross disks. `beneath` is the parent path that becomes a folder
        first: until then nothing is there.
        """
        folder = self._nearest_folder(beneath or path)
        if folder.obstacle is not None:
            return folder.obstacle
        longest = _longest_name(path, folder.path, temporary)
        if 0 < folder.longest < longest:
            return Obstacle(
                f"its disk allows names of {folder.longest} bytes, and {longest} are needed",
                "Choose a shorter name.",
            )
        if not temporary:
            return self._of_entry(path, folder)
        temporary_folder = self._nearest_folder(temporary)
        if temporary_folder.obstacle is not None:
            return temporary_folder.obstacle
        if temporary_folder.device != folder.device:
            return _OTHER_DISK
        return self._of_entry(path, folder)

    def _of_entry(self, path: str, folder: _Folder) -> Obstacle | None:
        if folder.path != path.rpartition("/")[0]:
            return None
        with suppress(FileNotFoundError, NotADirectoryError), self._held.parent(path) as (parent, name):
            status = os.stat(name, dir_fd=parent, follow_symlinks=False)
            # Linux answers EBUSY to a rename over a mount point, which would stop the
            # apply half-way. What is mounted from the same disk has the same device.
            if status.st_dev != folder.device or path in self._mounts:
                return _MOUNT_POINT
            with suppress(OSError):
                handle = open_entry(parent, name)
                try:
                    if syscalls.is_unchangeable(handle):
                        return _UNCHANGEABLE
                finally:
                    os.close(handle)
        return None

    def _nearest_folder(self, path: str) -> _Folder:
        """Return the nearest existing folder above a path."""
        parent = path.rpartition("/")[0]
        if parent not in self._folders:
            self._folders[parent] = _inspect_folder(self._root, _existing_folder(self._root, path))
        return self._folders[parent]


def _inspect_folder(root: ProjectRoot, path: str) -> _Folder:
    with root.folder(path) as handle:
        disk = os.fstatvfs(handle)
        obstacle = None
        # First: a read-only disk denies access as well, and the permissions would be blamed.
        if disk.f_flag & os.ST_RDONLY:
            obstacle = _READ_ONLY
        elif not os.access(
            ".", os.W_OK | os.X_OK, dir_fd=handle, effective_ids=os.access in os.supports_effective_ids
        ):
            obstacle = _FOLDER_DENIED
        elif syscalls.is_unchangeable(handle):
            obstacle = _FOLDER_UNCHANGEABLE
        return _Folder(path, os.fstat(handle).st_dev, disk.f_namemax, obstacle)


def _existing_folder(root: ProjectRoot, path: str) -> str:
    """Return the path of the nearest existing folder above a path."""
    folder = path.rpartition("/")[0]
    while folder and root.state(folder) is None:
        folder = folder.rpartition("/")[0]
    return folder


def _longest_name(path: str, folder: str, temporary: str) -> int:
    """Return the bytes of the longest name that is created.

    Of the file, of missing parent folders, or of our own file.
    """
    missing = path.removeprefix(folder).strip("/").split("/")
    last_name = temporary.rpartition("/")[2]
    return max(len(os.fsencode(name)) for name in (*missing, last_name))


def check_handles() -> None:
    """Check that enough files can be opened to write or undo.

    Raises OSError (EMFILE, ENFILE).
    """
    syscalls.check_handles(_HANDLES_NEEDED)


def free_space(root: ProjectRoot, path: str) -> tuple[int, int]:
    """Return the free bytes and entries on a path's file system.

    Those available to this user, at the nearest existing folder of `path`.
    """
    with root.folder(_existing_folder(root, path)) as handle:
        status = os.fstatvfs(handle)
    # A file system without a fixed inode table reports 0 inodes.
    entries = status.f_favail if status.f_files else sys.maxsize
    return status.f_bavail * status.f_frsize, entries
