"""The only writer of project files: temporary files, atomic exchanges, folders, flushes, locks.

Every call takes the open project root and a relative path; the folder is reached by its handle, without
following links, and all that is done is done by that handle (design 5). What to do in which order is
`branch.placing`'s business; this module does one thing at a time and says what went wrong.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import sys
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from studio.engine import system
from studio.engine.errors import Refused, TimedOut
from studio.engine.limits import FLUSH_EACH_UP_TO, LOCK_TIMEOUT_SECONDS
from studio.engine.root import ProjectRoot, state_of

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | system.O_NOFOLLOW | system.O_CLOEXEC
_READ_FLAGS = os.O_RDONLY | system.O_NOFOLLOW | system.O_NONBLOCK | system.O_CLOEXEC
_KEPT_SUFFIX = "~"
_NO_ATTRIBUTE = (errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL)


def sha256(data: bytes) -> str:
    """The hash by which contents are known, in lower-case hex (C25)."""
    return hashlib.sha256(data).hexdigest()


def write_temporary(
    root: ProjectRoot, path: str, data: bytes, *, mode: int, like: str | None = None, flush: bool
) -> None:
    """Write `data` as a new file at `path`, exclusively and never through a link (R127).

    Owner, access list and extended attributes come from the file at `like`; `mode` is set last, because a
    change of owner clears bits. After a failed flush the file is written anew once: a second flush of the
    same file would report success without the data. Raises OSError; the name is then free again.
    """
    with root.parent(path) as (folder, name):
        try:
            _write_new(root, folder, name, data, mode=mode, like=like, flush=flush)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            _write_new(root, folder, name, data, mode=mode, like=like, flush=flush)


def _write_new(
    root: ProjectRoot, folder: int, name: bytes, data: bytes, *, mode: int, like: str | None, flush: bool
) -> None:
    handle = os.open(name, _CREATE_FLAGS, 0o600, dir_fd=folder)
    try:
        try:
            view = memoryview(data)
            while view:
                view = view[os.write(handle, view) :]
            if like is not None:
                _carry_over(root, like, handle)
            os.fchmod(handle, mode)
            if flush:
                os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise


def _carry_over(root: ProjectRoot, like: str, handle: int) -> None:
    """Give the new file the owner, access list and extended attributes of the old one (R133, promise 5)."""
    with root.parent(like) as (folder, name):
        source = os.open(name, _READ_FLAGS, dir_fd=folder)
    try:
        status, own = os.fstat(source), os.fstat(handle)
        if (status.st_uid, status.st_gid) != (own.st_uid, own.st_gid):
            # Only root may give files away; the group may still be ours to set.
            try:
                os.fchown(handle, status.st_uid, status.st_gid)
            except PermissionError:
                with suppress(PermissionError):
                    os.fchown(handle, -1, status.st_gid)
        if sys.platform == "linux":
            wanted = _attributes(source)
            present = _attributes(handle)
            for attribute in present.keys() - wanted.keys():  # inherited from the folder's default list
                _try_attribute(lambda name=attribute: os.removexattr(handle, name))
            for attribute, value in wanted.items():
                if present.get(attribute) != value:
                    _try_attribute(lambda name=attribute, value=value: os.setxattr(handle, name, value))
    finally:
        os.close(source)


def _attributes(handle: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(handle, name) for name in os.listxattr(handle)}
    except OSError as error:
        if error.errno in _NO_ATTRIBUTE:
            return {}
        raise


def _try_attribute(call: Callable[[], None]) -> None:
    """Security labels may be set by the system alone; those the kernel refuses us stay as it made them."""
    try:
        call()
    except OSError as error:
        if error.errno not in _NO_ATTRIBUTE:
            raise


def flush_files(root: ProjectRoot, paths: Iterable[str]) -> None:
    """Make the files' bytes durable: one flush each for a few, one per file system for many (design 5.4)."""
    listed = tuple(paths)
    if len(listed) > FLUSH_EACH_UP_TO:
        try:
            for path in _one_per_device(root, listed):
                with root.parent(path) as (folder, _):
                    system.flush_file_system(folder)
        except system.Unsupported:
            pass
        else:
            return
    for path in listed:
        with root.parent(path) as (folder, name):
            handle = os.open(name, _READ_FLAGS, dir_fd=folder)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)


def _one_per_device(root: ProjectRoot, paths: Iterable[str]) -> Iterator[str]:
    seen: set[int] = set()
    for path in paths:
        state = root.state(path)
        if state is not None and state.device not in seen:
            seen.add(state.device)
            yield path


def flush_folders(root: ProjectRoot, folders: Iterable[str]) -> None:
    """Make the names in these folders durable; one that is gone meanwhile needs none."""
    for path in sorted(set(folders)):
        try:
            with root.folder(path) as handle:
                os.fsync(handle)
        except FileNotFoundError:
            continue


def exchange(root: ProjectRoot, path: str, temporary: str) -> None:
    """Swap the file at `temporary` with the one at `path`, in the same folder, atomically.

    Raises Unsupported where the file system can't: then `replace` stands in.
    """
    with root.parent(path) as (folder, target):
        system.exchange(folder, os.fsencode(temporary.rpartition("/")[2]), target)


def replace(root: ProjectRoot, path: str, temporary: str, *, keep: bool) -> None:
    """Put the file at `temporary`, in the same folder, in the place of `path` ("non-exclusive", design 5.5).

    With `keep` the old file is linked to a kept name before, where links exist.
    """
    with root.parent(path) as (folder, target):
        name = os.fsencode(temporary.rpartition("/")[2])
        if keep:
            kept = name + os.fsencode(_KEPT_SUFFIX)
            with suppress(OSError):
                os.link(target, kept, src_dir_fd=folder, dst_dir_fd=folder, follow_symlinks=False)
        os.rename(name, target, src_dir_fd=folder, dst_dir_fd=folder)


def kept_paths(root: ProjectRoot, temporary: str) -> tuple[str, ...]:
    """Which of the paths that our own files for one target can have are taken, the displaced one first."""
    return tuple(path for path in (temporary, temporary + _KEPT_SUFFIX) if root.state(path) is not None)


def rename_new(root: ProjectRoot, old: str, new: str) -> None:
    """Rename to a path where nothing is yet; FileExistsError if something is."""
    with root.parent(old) as (old_folder, source), root.parent(new) as (new_folder, target):
        try:
            system.rename_new(old_folder, source, new_folder, target)
        except system.Unsupported:
            # A link fails when the name is taken, as the rename should.
            os.link(source, target, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
            os.unlink(source, dir_fd=old_folder)


def remove_file(root: ProjectRoot, path: str) -> None:
    """Remove one name; nothing happens if it is gone."""
    with suppress(FileNotFoundError), root.parent(path) as (folder, name):
        os.unlink(name, dir_fd=folder)


def make_folder(root: ProjectRoot, path: str, mode: int) -> None:
    """Make one folder in an existing one. Raises FileExistsError."""
    with root.parent(path) as (folder, name):
        os.mkdir(name, mode=mode, dir_fd=folder)
    with root.folder(path) as handle:
        _set_folder_mode(handle, mode)


def complete_folder(root: ProjectRoot, path: str, mode: int) -> None:
    """Give a folder the permission bits that the umask took from it when it was made.

    A folder whose bits are anything else than `mode` less some is somebody's business and stays.
    """
    with root.folder(path) as handle:
        now = stat.S_IMODE(os.fstat(handle).st_mode)
        if now & ~stat.S_ISGID == mode & ~stat.S_ISGID & ~system.creation_mask():
            _set_folder_mode(handle, mode)


def _set_folder_mode(handle: int, mode: int) -> None:
    now = stat.S_IMODE(os.fstat(handle).st_mode)
    wanted = mode | now & stat.S_ISGID  # inherited from the folder above
    if now != wanted:
        os.fchmod(handle, wanted)


def remove_folder(root: ProjectRoot, path: str) -> None:
    """Remove one empty folder. Raises OSError (ENOTEMPTY) if it holds anything."""
    with root.parent(path) as (folder, name):
        os.rmdir(name, dir_fd=folder)


def obstacle(root: ProjectRoot, path: str) -> str:
    """Why the nearest existing folder of `path`, or the file itself, can't be changed; "" if it can.

    Looks at write permission, immutable and append-only attributes, and mount points (R128, design 5.2).
    """
    folder = path.rpartition("/")[0]
    while folder and root.state(folder) is None:
        folder = folder.rpartition("/")[0]
    with root.folder(folder) as handle:
        if os.fstatvfs(handle).f_flag & os.ST_RDONLY:
            return "its disk is read-only"
        if not os.access(
            ".", os.W_OK | os.X_OK, dir_fd=handle, effective_ids=os.access in os.supports_effective_ids
        ):
            return "its folder may not be written to"
        if system.is_unchangeable(handle):
            return "its folder is marked unchangeable"
        above = os.fstat(handle)
    with root.parent(path) if root.state(path) is not None else _nothing() as found:
        if found is None:
            return ""
        parent, name = found
        state = state_of(os.stat(name, dir_fd=parent, follow_symlinks=False))
        if state.device != above.st_dev:
            return "it is a mount point"
        with suppress(OSError):
            handle = os.open(name, _READ_FLAGS, dir_fd=parent)
            try:
                if system.is_unchangeable(handle):
                    return "it is marked unchangeable"
            finally:
                os.close(handle)
    return ""


@contextmanager
def _nothing() -> Generator[None]:
    yield None


def free_space(root: ProjectRoot, path: str) -> tuple[int, int]:
    """Free bytes and free entries for us on the file system of the nearest existing folder of `path`."""
    folder = path.rpartition("/")[0]
    while folder and root.state(folder) is None:
        folder = folder.rpartition("/")[0]
    with root.folder(folder) as handle:
        status = os.fstatvfs(handle)
    # A file system without a fixed table of entries reports none at all.
    entries = status.f_favail if status.f_files else sys.maxsize
    return status.f_bavail * status.f_frsize, entries


@contextmanager
def writer_lock(file: Path, *, timeout: float = LOCK_TIMEOUT_SECONDS) -> Generator[None]:
    """Hold the project's one writer lock: a lock of the operating system, gone with its process (R134).

    Raises TimedOut after `timeout` seconds, Refused when the lock's file can't be used.
    """
    try:
        handle = os.open(file, os.O_RDWR | os.O_CREAT | system.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Refused(
            "lock.unusable",
            f"Nothing was written: the lock {file} can't be taken: {error.strerror}.",
            "Check the permissions of its folder, and the disk.",
        ) from error
    try:
        deadline = time.monotonic() + timeout
        pause = 0.005
        while not _try_lock(handle):
            if time.monotonic() >= deadline:
                raise TimedOut(
                    "lock.held",
                    "Another Exacta Studio process is writing to this project.",
                    "Wait until it has finished and try again.",
                )
            time.sleep(pause)
            pause = min(pause * 2, 0.2)
        yield
    finally:
        with suppress(OSError):  # the lock is gone with the handle in any case
            os.close(handle)


def _try_lock(handle: int) -> bool:
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
    import fcntl

    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True
