"""Copying of a project into the sandbox where no overlayfs is available."""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from studio.engine.root.entries import Copied, state_of
from studio.engine.root.opening import FILE_FLAGS, FOLDER_FLAGS, open_beneath
from studio.extras.sandbox.refusals import LayerMethodRefused
from studio.extras.sandbox.values import CopySize, Layer, LayerKind
from studio.system import syscalls

if sys.platform != "win32":
    import fcntl

_CLONE: Final = 0x4004_9409
_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_EXCL | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_UNREADABLE: Final = (errno.EACCES, errno.EPERM)


def copy_size(project: int) -> CopySize:
    """Return the size of a copy; holes in files don't count."""
    files = total = 0
    folders = [""]
    while folders:
        for path, status in _walk_entries(project, folders.pop()):
            if stat.S_ISDIR(status.st_mode):
                folders.append(path)
            elif stat.S_ISREG(status.st_mode):
                files += 1
                total += min(status.st_size, status.st_blocks * 512)
    return CopySize(files, total)


def copy_project(project: int, target: Path, *, shares_blocks: bool) -> Layer:
    """Copy a folder: bytes, times, symbolic links, and modes without setuid.

    `project` is a file descriptor, `target` is created. Raises WayRefused where blocks are to be shared and
    can't be, or an OSError.
    """
    target.mkdir(mode=0o700)
    with open_top(target) as top:
        return _Copy(project, top, shares_blocks=shares_blocks).made(target)


class _Copy:
    def __init__(self, project: int, top: int, *, shares_blocks: bool) -> None:
        self._project = project
        self._top = top
        self._shares_blocks = shares_blocks
        self._copied: dict[str, Copied] = {}
        self._unreadable: set[str] = set()

    def made(self, target: Path) -> Layer:
        folders: list[tuple[str, os.stat_result]] = [("", os.fstat(self._project))]
        for above, _ in folders:  # the list grows during the loop
            for path, status in _walk_entries(self._project, above, self._unreadable):
                if stat.S_ISDIR(status.st_mode):
                    with self._open_folder(above) as folder:
                        os.mkdir(_last_name(path), 0o700, dir_fd=folder)
                    folders.append((path, status))
                elif stat.S_ISREG(status.st_mode):
                    self._copy_file(above, path)
                elif stat.S_ISLNK(status.st_mode):
                    self._copy_link(above, path, status)
        # Deepest first: writing into a folder would change a time that is already set.
        for path, status in reversed(folders):
            with self._open_folder(path) as folder:
                os.utime(folder, ns=(status.st_atime_ns, status.st_mtime_ns))
                os.fchmod(folder, status.st_mode & 0o777)
                if path and path not in self._unreadable:
                    self._copied[path] = _copied(status, os.fstat(folder))
        return Layer(LayerKind.COPY, target, self._copied)

    def _copy_file(self, above: str, path: str) -> None:
        try:
            source = open_beneath(self._project, path, FILE_FLAGS)
        except OSError as error:
            if error.errno not in _UNREADABLE:
                raise
            return
        try:
            with self._open_folder(above) as folder:
                copy = os.open(_last_name(path), _NEW, 0o600, dir_fd=folder)
            try:
                status = os.fstat(source)
                self._copy_bytes(source, copy, status.st_size)
                os.fchmod(copy, status.st_mode & 0o777)
                os.utime(copy, ns=(status.st_atime_ns, status.st_mtime_ns))
                copied = _copied(status, os.fstat(copy))
            finally:
                os.close(copy)
        finally:
            os.close(source)
        self._copied[path] = copied

    def _copy_bytes(self, source: int, copy: int, size: int) -> None:
        if self._shares_blocks:
            if size:
                _clone_blocks(source, copy)
            return
        os.ftruncate(copy, size)
        for start, end in _find_data_ranges(source, size):
            place = os.lseek(copy, start, os.SEEK_SET)
            # Not copy_file_range: it copies nothing from another file system mounted in the project.
            while place < end and (length := os.sendfile(copy, source, place, end - place)):
                place += length

    def _copy_link(self, above: str, path: str, status: os.stat_result) -> None:
        with suppress(FileNotFoundError), self._open_folder(above) as folder:
            with _open_beneath(self._project, above) as parent:
                leads_to = os.readlink(_last_name(path), dir_fd=parent)
            os.symlink(leads_to, _last_name(path), dir_fd=folder)
            times = (status.st_atime_ns, status.st_mtime_ns)
            os.utime(_last_name(path), ns=times, dir_fd=folder, follow_symlinks=False)
            copy = os.stat(_last_name(path), dir_fd=folder, follow_symlinks=False)
            self._copied[path] = _copied(status, copy)

    @contextmanager
    def _open_folder(self, path: str) -> Generator[int]:
        with _open_beneath(self._top, path) as handle:
            yield handle


def _clone_blocks(source: int, copy: int) -> None:
    try:
        fcntl.ioctl(copy, _CLONE, source)
    except OSError as error:
        raise LayerMethodRefused(
            "sandbox.way",
            f"The disk can't share blocks of files: {os.strerror(error.errno or 0)}.",
            "",
        ) from error


def _find_data_ranges(handle: int, size: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each data range of a sparse file."""
    start = 0
    while start < size:
        try:
            start = os.lseek(handle, start, os.SEEK_DATA)
        except OSError as error:
            if error.errno == errno.ENXIO:  # the rest is a hole
                return
            raise
        end = min(os.lseek(handle, start, os.SEEK_HOLE), size)
        yield start, end
        start = end


def _walk_entries(
    top: int, folder: str, unreadable: set[str] | None = None
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield path and status of a folder's entries, relative to the top."""
    try:
        with _open_beneath(top, folder) as handle, os.scandir(handle) as entries:
            for entry in entries:
                with suppress(FileNotFoundError):
                    status = entry.stat(follow_symlinks=False)
                    yield f"{folder}/{entry.name}" if folder else entry.name, status
    except PermissionError:
        if unreadable is not None:
            unreadable.add(folder)


@contextmanager
def open_top(folder: Path) -> Generator[int]:
    """Open the top folder of a layer."""
    handle = os.open(folder, FOLDER_FLAGS)
    try:
        yield handle
    finally:
        os.close(handle)


@contextmanager
def _open_beneath(top: int, path: str) -> Generator[int]:
    handle = open_beneath(top, path, FOLDER_FLAGS)
    try:
        yield handle
    finally:
        os.close(handle)


def _last_name(path: str) -> str:
    return path.rpartition("/")[2]


def _copied(source: os.stat_result, copy: os.stat_result) -> Copied:
    state = state_of(copy)
    return Copied(state.kind, state_of(source).signature, state.signature)
