"""Writing of a plan's files into the sandbox's overlay or project copy.

In an overlay they are a lower folder between the project and the changes; in a copy they replace the copied
files.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from studio.engine.root.opening import FOLDER_FLAGS, open_beneath
from studio.extras.sandbox.refusals import LayerMethodRefused
from studio.extras.sandbox.values import OverriddenFile
from studio.system import syscalls

_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC


def write_lower_layer(project: int, folder: Path, files: Iterable[OverriddenFile]) -> None:
    """Create an overlay folder that shows these files over the project.

    `project` is a file descriptor. Raises WayRefused where the system permits no whiteouts, or an OSError.
    """
    folder.mkdir()
    _copy_looks(os.fstat(project), folder)
    top = os.open(folder, FOLDER_FLAGS)
    try:
        layer = _Layer(project, top)
        for file in sorted(files, key=_depth_key):
            layer.lay(file)
    finally:
        os.close(top)


def write_into_layer(top: int, files: Iterable[OverriddenFile]) -> None:
    """Put these files into a copy of the project, or its overlay.

    `top` is a file descriptor. Raises OSError.
    """
    overlaid = list(files)
    for file in sorted(filter(_is_gone, overlaid), key=_depth_key, reverse=True):
        _remove_entry(top, file.path)
    for file in sorted(overlaid, key=_depth_key):
        if not _is_gone(file):
            _remove_entry(top, file.path)
            _write_entry(top, top, file)


class _Layer:
    def __init__(self, project: int, top: int) -> None:
        self._project, self._top = project, top
        self._removed: set[str] = set()

    def lay(self, file: OverriddenFile) -> None:
        if not _is_gone(file):
            _write_entry(self._project, self._top, file)
            return
        if any(above in self._removed for above in _list_parents(file.path)):
            return
        self._removed.add(file.path)
        folder = _open_created_folder(self._project, self._top, file.path.rpartition("/")[0])
        try:
            # An overlayfs whiteout; unprivileged users may create this device since Linux 5.8.
            os.mknod(_last_name(file.path), stat.S_IFCHR, 0, dir_fd=folder)
        except PermissionError as error:
            raise LayerMethodRefused(
                "sandbox.way", "The system does not allow overlays to hide files that a plan deletes.", ""
            ) from error
        finally:
            os.close(folder)


def _write_entry(like: int, top: int, file: OverriddenFile) -> None:
    """Create a file or folder; missing parents get the modes of `like`."""
    folder = _open_created_folder(like, top, file.path.rpartition("/")[0])
    try:
        if file.read is None:
            os.mkdir(_last_name(file.path), 0o755, dir_fd=folder)
            return
        handle = os.open(_last_name(file.path), _NEW, 0o600, dir_fd=folder)
        try:
            data = memoryview(file.read())
            while data:
                data = data[os.write(handle, data) :]
            os.fchmod(handle, file.mode & 0o777)
        finally:
            os.close(handle)
    finally:
        os.close(folder)


def _open_created_folder(like: int, top: int, path: str) -> int:
    """Open a folder beneath `top`, creating missing ones."""
    handle, done = os.dup(top), ""
    for name in path.split("/") if path else ():
        done = f"{done}/{name}" if done else name
        try:
            with suppress(FileExistsError):
                os.mkdir(name, 0o755, dir_fd=handle)
                _copy_attributes(like, done, handle, name)
            inner = open_beneath(top, done, FOLDER_FLAGS)
        finally:
            os.close(handle)
        handle = inner
    return handle


def _copy_attributes(like: int, path: str, folder: int, name: str) -> None:
    """Copy the mode and times of the project's folder, if any."""
    try:
        model = open_beneath(like, path, FOLDER_FLAGS)
    except OSError:
        return
    status = os.fstat(model)
    os.close(model)
    os.chmod(name, stat.S_IMODE(status.st_mode) & 0o777 | 0o700, dir_fd=folder)
    os.utime(name, ns=(status.st_atime_ns, status.st_mtime_ns), dir_fd=folder, follow_symlinks=False)


def _remove_entry(top: int, path: str) -> None:
    """Remove a file or an empty folder, if it exists.

    Not everything of the project is in a copy.
    """
    try:
        folder = open_beneath(top, path.rpartition("/")[0], FOLDER_FLAGS)
    except FileNotFoundError:
        return
    try:
        try:
            os.unlink(_last_name(path), dir_fd=folder)
        except FileNotFoundError:
            return
        except (IsADirectoryError, PermissionError):
            with suppress(OSError):  # other files in the folder stay
                os.rmdir(_last_name(path), dir_fd=folder)
    finally:
        os.close(folder)


def _copy_looks(status: os.stat_result, folder: Path) -> None:
    os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
    folder.chmod(stat.S_IMODE(status.st_mode) & 0o777)


def _is_gone(file: OverriddenFile) -> bool:
    return file.read is None and not file.is_folder


def _depth_key(file: OverriddenFile) -> tuple[int, str]:
    return file.path.count("/"), file.path


def _list_parents(path: str) -> Iterable[str]:
    while path := path.rpartition("/")[0]:
        yield path


def _last_name(path: str) -> str:
    return path.rpartition("/")[2]
