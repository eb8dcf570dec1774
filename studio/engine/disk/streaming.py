"""Streamed, atomic write of one file; durable rename of an entry.

No one sees a part of it, a failure leaves everything as it was, and the memory used does not depend on the
file. The folder is held open in between and must still be at its path when the file is put in place.

No request records this file, so no recovery could remove it: it has no name until it is complete, and a
killed process leaves nothing. Where the disk has no O_TMPFILE it has one of our names from the start, which
is in no listing and which no plan may name.
"""

from __future__ import annotations

import errno
import os
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path
from uuid import uuid4

from studio.engine.disk import files, folders
from studio.engine.disk.disk_change import TargetChanged
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.root import ProjectRoot, state_of
from studio.engine.root.opening import FILE_FLAGS, open_beneath
from studio.engine.root.reading import read_status_beneath, unreadable
from studio.names import show_name
from studio.system import syscalls

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_UNNAMED_FLAGS = os.O_WRONLY | os.O_TMPFILE | syscalls.O_CLOEXEC if hasattr(os, "O_TMPFILE") else 0
_OWN_HANDLES = "/proc/self/fd"
# EISDIR is a kernel without O_TMPFILE, which opens the folder; ENOTSUP a disk that can't, such as FUSE.
_NO_UNNAMED = (errno.EOPNOTSUPP, errno.EISDIR, errno.EINVAL, errno.ENOSYS)
# As for any program's new file: the system itself applies the umask.
_MODE_WITHOUT_UMASK = 0o666
_COPY_BYTES = 1 << 20


class NewContent:
    """Content of a file being written; end it with `finish` or `discard`.

    After an error of `write` only `discard` may follow.
    """

    def __init__(self, root: ProjectRoot, path: str, *, exclusive: bool = False) -> None:
        """Start a file in the folder of `path`.

        With `exclusive` nothing may be at `path`, now or at the end. A replaced file passes on its owner,
        access list, extended attributes and mode. Raises FileExistsError, LeadsOutside, NotAFile, or another
        OSError.
        """
        self._root = root
        self._path = path
        self._exclusive = exclusive
        self._above, _, name = path.rpartition("/")
        self._name = os.fsencode(name)
        self._temporary = os.fsencode(temporary_name(str(uuid4()), 0))
        self._before = self._target()
        self._is_continued = False
        with root.folder(self._above) as folder:
            self._folder = os.dup(folder)
        mode = files.UNFINISHED_MODE if self._before else _MODE_WITHOUT_UMASK
        try:
            self._handle, self._is_named = self._new_file(mode)
        except OSError:
            os.close(self._folder)
            raise
        try:
            files.give_owner(self._handle, mode)
            if self._before:
                files.carry_over(root, path, self._handle)
        except OSError:
            self.discard()
            raise

    def write(self, data: bytes) -> None:
        """Append bytes. Raises OSError."""
        count = os.write(self._handle, data)
        if count < len(data):
            view = memoryview(data)[count:]
            while view:
                view = view[os.write(self._handle, view) :]

    def write_present(self) -> None:
        """Append the file's current bytes, so that later ones follow them.

        The file must not change before `finish`. Raises OSError.
        """
        if self._before is None:
            return
        self._is_continued = True
        handle = open_beneath(self._root.handle, self._path, FILE_FLAGS)
        try:
            self.write_from(handle)
        finally:
            os.close(handle)

    def write_from(self, handle: int) -> None:
        """Append the rest of an open file. Raises OSError."""
        while part := os.read(handle, _COPY_BYTES):
            self.write(part)

    def finish(self, *, mode: int | None = None) -> None:
        """Flush the bytes, put them in place atomically, flush the folder.

        `mode` are the permission bits, else those of the replaced file. Raises FileExistsError, NotAFile or
        LeadsOutside for what is there by now, Displaced where a continued file has changed, FileNotFoundError
        where the folder is no longer at its path, or another OSError; what was written is gone then.
        """
        try:
            now = self._target()
            if self._is_continued and (now is None or _signature(now) != _signature(self._before)):
                raise _changed(self._path)
            last = now or self._before
            if mode is None and last is not None:
                mode = stat.S_IMODE(last.st_mode)
            if mode is not None:
                os.fchmod(self._handle, mode)
            os.fsync(self._handle)
            self._check_folder()
            if not self._exclusive:
                self._replace()
            elif self._is_named:
                files.rename_new_in(self._folder, self._temporary, self._folder, self._name)
            else:
                self._give_name(self._name)
        except BaseException:
            self.discard()
            raise
        try:
            os.fsync(self._folder)
        finally:
            self._close()

    def discard(self) -> None:
        """Discard the new content; everything stays as it was."""
        if self._is_named:
            with suppress(OSError):
                os.unlink(self._temporary, dir_fd=self._folder)
        self._close()

    def _new_file(self, mode: int) -> tuple[int, bool]:
        """Return our file's handle, and whether it already has a name."""
        if can_name_later():
            try:
                return os.open(b".", _UNNAMED_FLAGS, mode, dir_fd=self._folder), False
            except OSError as error:
                if error.errno not in _NO_UNNAMED:
                    raise
        return os.open(self._temporary, _CREATE_FLAGS, mode, dir_fd=self._folder), True

    def _give_name(self, name: bytes) -> None:
        """Link the unnamed file. Raises FileExistsError if the name is taken."""
        # With a folder's handle Python 3.11 calls linkat, which follows /proc to the open
        # file; a plain os.link links the entry of /proc itself and fails with EXDEV.
        os.link(f"{_OWN_HANDLES}/{self._handle}", name, dst_dir_fd=self._folder, follow_symlinks=True)

    def _replace(self) -> None:
        # A link replaces nothing, so the file needs a name of ours first, to be renamed from.
        if not self._is_named:
            self._give_name(self._temporary)
            self._is_named = True
        os.rename(self._temporary, self._name, src_dir_fd=self._folder, dst_dir_fd=self._folder)

    def _target(self) -> os.stat_result | None:
        """Return the status of the file to replace, None if missing.

        Raises for anything but a regular file, and for any entry if `exclusive`.
        """
        try:
            status = read_status_beneath(self._root.handle, self._path)
        except FileNotFoundError:
            return None
        if self._exclusive:
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), self._path)
        if not stat.S_ISREG(status.st_mode):
            raise unreadable(status, 0, self._path, folder=self._root.handle)
        return status

    def _check_folder(self) -> None:
        with self._root.folder(self._above) as folder:
            if not os.path.samestat(os.fstat(folder), os.fstat(self._folder)):
                raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), self._path)

    def _close(self) -> None:
        for handle in (self._handle, self._folder):
            with suppress(OSError):  # flushed, or discarded
                os.close(handle)


@cache
def can_name_later() -> bool:
    """Return whether a file can be unnamed until it is complete."""
    return bool(_UNNAMED_FLAGS) and Path(_OWN_HANDLES).is_dir()


def _signature(status: os.stat_result | None) -> tuple[int, ...]:
    return () if status is None else state_of(status).signature


def _changed(path: str) -> TargetChanged:
    return TargetChanged(
        "stream.changed",
        f"{show_name(path)} changed while it was appended to.",
        "Check the file, then write again.",
        path=path,
    )


def move(root: ProjectRoot, old: str, new: str, *, replace: bool) -> None:
    """Rename an entry and flush both folders; `replace` allows an existing target.

    Raises FileExistsError, or another OSError.
    """
    if replace:
        with root.parent(old) as (old_folder, source), root.parent(new) as (new_folder, target):
            os.rename(source, target, src_dir_fd=old_folder, dst_dir_fd=new_folder)
    else:
        files.rename_new(root, old, new)
    folders.flush_folders(root, [old.rpartition("/")[0], new.rpartition("/")[0]])
