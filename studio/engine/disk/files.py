"""Low-level file operations beneath the root: create, exchange, rename, remove, copy metadata.

Every function takes the open project root and a relative path. The folder is opened without following links,
and everything is done through its handle.
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from studio.engine.disk.open_folders import Beneath
from studio.engine.root import EntryKind, open_entry
from studio.limits import FLUSH_EACH_UP_TO
from studio.system import syscalls

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_KEPT_SUFFIX = "~"
_KEPT = os.fsencode(_KEPT_SUFFIX)
# No other user may read it while it is written: the file that
# it replaces may be private, and a crash may leave this one.
UNFINISHED_MODE = 0o600
"""Mode of a file that is being written. Its own bits are set last."""
# EPERM is the answer of FAT, of exfat-fuse 1.3.0, and of a kernel with protected_hardlinks.
_NO_LINK = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NO_ATTRIBUTE = (errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL)


def write_temporary(
    root: Beneath, path: str, data: bytes, *, mode: int, like: str | None = None, flush: bool
) -> None:
    """Write a new file at `path`, exclusively and through no link.

    Owner, access list and extended attributes come from the file at `like`; `mode` is set last, because a
    change of owner clears bits. After a failed flush the file is written anew once: a second flush of the
    same file would report success without the data. Raises OSError; the name is free again then.
    """
    with root.parent(path) as (folder, name):
        try:
            _write_new(root, folder, name, data, mode=mode, like=like, flush=flush)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            _write_new(root, folder, name, data, mode=mode, like=like, flush=flush)


def _write_new(
    root: Beneath, folder: int, name: bytes, data: bytes, *, mode: int, like: str | None, flush: bool
) -> None:
    handle = os.open(name, _CREATE_FLAGS, UNFINISHED_MODE, dir_fd=folder)
    try:
        try:
            give_owner(handle, UNFINISHED_MODE)
            count = os.write(handle, data)
            while count < len(data):
                count += os.write(handle, memoryview(data)[count:])
            # Before the mode, and without shutil.copystat: that copies
            # the old time, by which build tools detect changes.
            if like is not None:
                carry_over(root, like, handle)
            os.fchmod(handle, mode)
            if flush:
                os.fsync(handle)
        finally:
            os.close(handle)
    except OSError:
        os.unlink(name, dir_fd=folder)
        raise


def requested_mode(root: Beneath, path: str, mode: int) -> int:
    """Return the permission bits that the disk stores for `mode`.

    Tested with a file of ours at `path`, which must be free; it is removed again. They differ on a disk that
    keeps none or only some: to chmod, ntfs-3g 2022.10.3 without options and the kernel's vfat answer 0 and
    change nothing. Raises OSError.
    """
    with root.parent(path) as (folder, name):
        handle = os.open(name, _CREATE_FLAGS, UNFINISHED_MODE, dir_fd=folder)
        try:
            os.fchmod(handle, mode)
            return stat.S_IMODE(os.fstat(handle).st_mode)
        finally:
            os.close(handle)
            os.unlink(name, dir_fd=folder)


def make_link(root: Beneath, path: str, target: bytes, *, like: str | None = None, flush: bool) -> None:
    """Create a symbolic link to `target`, which is not resolved.

    Nothing may exist at `path`. The owner comes from the entry at `like`. Raises OSError; the name is free
    again then.
    """
    with root.parent(path) as (folder, name):
        if b"\0" in target:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        os.symlink(target, name, dir_fd=folder)
        try:
            if like is not None:
                _carry_link_owner(root, like, folder, name)
            if flush:
                os.fsync(folder)  # a link can't be flushed itself; its target is stored with its name
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise


def _carry_link_owner(root: Beneath, like: str, folder: int, name: bytes) -> None:
    try:
        with root.parent(like) as (old_folder, old_name):
            source_status = _status(old_folder, old_name)
    except (FileNotFoundError, NotADirectoryError):
        return
    _carry_owner(
        source_status,
        _status(folder, name),
        lambda user, group: os.chown(name, user, group, dir_fd=folder, follow_symlinks=False),
    )


def give_owner(handle: int, rights: int) -> None:
    """Restore owner rights that the process's umask removed from a new file."""
    now = stat.S_IMODE(os.fstat(handle).st_mode)
    if rights & 0o700 & ~now:
        os.fchmod(handle, now | rights & 0o700)


def carry_over(root: Beneath, like: str, handle: int) -> None:
    """Copy owner, access list, attributes and inode flags to a new file.

    From the file at `like`, if it still exists. Raises OSError.
    """
    try:
        with root.parent(like) as (folder, name):
            source = _open_unless_link(folder, name)
            if source is None:
                _carry_owner(_status(folder, name), os.fstat(handle), partial(os.fchown, handle))
                return
    except (FileNotFoundError, NotADirectoryError):
        return
    try:
        _carry_owner(os.fstat(source), os.fstat(handle), partial(os.fchown, handle))
        if sys.platform == "linux":
            attributes = _attributes(source)
            present = _attributes(handle)
            for attribute in present.keys() - attributes.keys():  # inherited from the folder's default list
                _try_attribute(lambda name=attribute: os.removexattr(handle, name))
            # An access list is set last: it may remove the owner's right to set user attributes.
            for attribute, value in sorted(
                attributes.items(), key=lambda item: item[0].startswith("system.")
            ):
                if present.get(attribute) != value:
                    _try_attribute(lambda name=attribute, value=value: os.setxattr(handle, name, value))
        wanted_flags, own_flags = syscalls.inode_flags(source), syscalls.inode_flags(handle)
        if (wanted_flags ^ own_flags) & syscalls.KEPT_FLAGS:
            flags = own_flags & ~syscalls.KEPT_FLAGS | wanted_flags & syscalls.KEPT_FLAGS
            _try_attribute(lambda: syscalls.set_inode_flags(handle, flags))
    finally:
        os.close(source)


def _open_unless_link(folder: int, name: bytes) -> int | None:
    try:
        return open_entry(folder, name)
    except OSError as error:
        if error.errno != errno.ELOOP:
            raise
        return None


def _status(folder: int, name: bytes) -> os.stat_result:
    return os.stat(name, dir_fd=folder, follow_symlinks=False)


def _carry_owner(old: os.stat_result, new: os.stat_result, chown: Callable[[int, int], None]) -> None:
    """Copy the owner of the old entry as far as permitted."""
    if (old.st_uid, old.st_gid) == (new.st_uid, new.st_gid):
        return
    # Only root may give files away; the group may still be ours to set.
    try:
        chown(old.st_uid, old.st_gid)
    except PermissionError:
        with suppress(PermissionError):
            chown(-1, old.st_gid)


def _attributes(handle: int) -> dict[str, bytes]:
    try:
        return {name: os.getxattr(handle, name) for name in os.listxattr(handle)}
    except OSError as error:
        if error.errno in _NO_ATTRIBUTE:
            return {}
        raise


def _try_attribute(call: Callable[[], None]) -> None:
    """Set an attribute; ignore it where the kernel refuses.

    Security labels, for one, are set by the system alone.
    """
    try:
        call()
    except OSError as error:
        if error.errno not in _NO_ATTRIBUTE:
            raise


def flush_files(root: Beneath, paths: Iterable[str]) -> None:
    """Make the bytes of files and links durable.

    One flush each for a few, one per file system for many.
    """
    # A flush of the file system also waits for what other programs wrote: too much for a few files.
    all_paths = tuple(paths)
    if len(all_paths) > FLUSH_EACH_UP_TO:
        try:
            for path in _one_per_device(root, all_paths):
                with root.parent(path) as (folder, _):
                    syscalls.flush_file_system(folder)
        except syscalls.Unsupported:
            pass
        else:
            return
    for path in all_paths:
        with root.parent(path) as (folder, name):
            handle = _open_unless_link(folder, name)
            try:
                os.fsync(folder if handle is None else handle)
            finally:
                if handle is not None:
                    os.close(handle)


def _one_per_device(root: Beneath, paths: Iterable[str]) -> Iterator[str]:
    # A plan may span another disk mounted in the project, and each flush covers one file system.
    devices: set[int] = set()
    for path in paths:
        state = root.state(path)
        if state is not None and state.device not in devices:
            devices.add(state.device)
            yield path


def exchange(root: Beneath, path: str, temporary: str) -> None:
    """Swap the files at `temporary` and `path` atomically.

    Raises Unsupported where the file system can't; use `replace` then.
    """
    with root.parent(path) as (folder, target):
        if temporary.rpartition("/")[0] == path.rpartition("/")[0]:
            syscalls.exchange(folder, os.fsencode(temporary.rpartition("/")[2]), target)
            return
        with root.parent(temporary) as (own_folder, name):
            syscalls.exchange(own_folder, name, target, folder)


def replace(root: Beneath, path: str, temporary: str, *, keep: bool) -> None:
    """Rename `temporary` over `path`, non-exclusively.

    With `keep` the old file is first linked to a kept name, where links exist.
    """
    with root.parent(temporary) as (own_folder, name), root.parent(path) as (folder, target):
        if keep:
            kept_name = name + _KEPT
            # FAT has no hard links: then only the base in the store can be restored.
            with suppress(OSError):
                os.link(target, kept_name, src_dir_fd=folder, dst_dir_fd=own_folder, follow_symlinks=False)
        os.rename(name, target, src_dir_fd=own_folder, dst_dir_fd=folder)


def temporary_paths(temporary: str) -> tuple[str, str]:
    """Return the paths that our files for one target can have.

    The replaced old file's comes first.
    """
    return temporary, temporary + _KEPT_SUFFIX


def existing_temporary_paths(root: Beneath, temporary: str) -> tuple[str, ...]:
    """Return which of our possible paths for one target are taken."""
    return tuple(path for path in temporary_paths(temporary) if root.state(path) is not None)


def rename_new(root: Beneath, old: str, new: str) -> None:
    """Rename to a free path. Raises FileExistsError if it is taken."""
    with root.parent(old) as (old_folder, source), root.parent(new) as (new_folder, target):
        rename_new_in(old_folder, source, new_folder, target)


def rename_new_in(old_folder: int, source: bytes, new_folder: int, target: bytes) -> None:
    """Rename to a free name, by the handles of two folders.

    Raises as `rename_new`. Where the disk can neither do that nor link, a crash may leave an empty file or
    folder at the new name.
    """
    try:
        _rename_or_link(old_folder, source, new_folder, target)
    except syscalls.Unsupported:
        _rename_reserved(old_folder, source, new_folder, target)


def put_in_place(root: Beneath, temporary: str, path: str) -> bool:
    """Rename our file to a free path; return whether that was atomic.

    Raises FileExistsError if the path is taken. False where another program could have written in between:
    the disk can neither rename so nor link, and an empty file reserves the path for a moment. Ours has its
    second name then, by which `is_reserved` detects that.
    """
    with root.parent(temporary) as (own_folder, name), root.parent(path) as (folder, target):
        try:
            _rename_or_link(own_folder, name, folder, target)
        except syscalls.Unsupported:
            _put_reserved(own_folder, name, folder, target)
            return False
        return True


def _rename_or_link(old_folder: int, source: bytes, new_folder: int, target: bytes) -> None:
    """Rename without replacing, or link. Raises Unsupported if neither works."""
    try:
        syscalls.rename_new(old_folder, source, new_folder, target)
    except syscalls.Unsupported:
        try:
            # A link fails when the name is taken, as the rename should.
            os.link(source, target, src_dir_fd=old_folder, dst_dir_fd=new_folder, follow_symlinks=False)
        except OSError as error:
            if error.errno in _NO_LINK:
                raise syscalls.Unsupported("linkat") from error
            raise
        os.unlink(source, dir_fd=old_folder)


def _rename_reserved(old_folder: int, source: bytes, new_folder: int, target: bytes) -> None:
    """Reserve the new name with an empty entry and rename over it.

    Fails when the name is taken.
    """
    is_folder = stat.S_ISDIR(_status(old_folder, source).st_mode)
    if is_folder:
        os.mkdir(target, 0o700, dir_fd=new_folder)
    else:
        os.close(os.open(target, _CREATE_FLAGS, UNFINISHED_MODE, dir_fd=new_folder))
    try:
        os.rename(source, target, src_dir_fd=old_folder, dst_dir_fd=new_folder)
    except OSError:
        if is_folder:
            os.rmdir(target, dir_fd=new_folder)
        else:
            os.unlink(target, dir_fd=new_folder)
        raise


def _put_reserved(own_folder: int, name: bytes, folder: int, target: bytes) -> None:
    with suppress(FileNotFoundError):
        _status(folder, target)
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), os.fsdecode(target))
    second = name.removesuffix(_KEPT) + _KEPT
    if second != name:
        os.rename(name, second, src_dir_fd=own_folder, dst_dir_fd=own_folder)
        # Durable before the empty file exists, which recovery recognizes by it.
        os.fsync(own_folder)
    try:
        _rename_reserved(own_folder, second, folder, target)
    except OSError:
        if second != name:
            os.rename(second, name, src_dir_fd=own_folder, dst_dir_fd=own_folder)
        raise
    if not os.path.samestat(os.fstat(own_folder), os.fstat(folder)):
        # Else a flush of our own folder alone could leave the empty file and lose ours.
        os.fsync(folder)


def is_reserved(root: Beneath, temporary: str, path: str) -> bool:
    """Return whether a crash in `put_in_place` left our empty file at `path`."""
    first, second = temporary_paths(temporary)
    if root.state(second) is None or root.state(first) is not None:
        return False
    state = root.state(path)
    return state is not None and state.kind is EntryKind.FILE and state.size == 0


def remove_file(root: Beneath, path: str) -> None:
    """Remove one name; ignore a missing one."""
    with suppress(FileNotFoundError), root.parent(path) as (folder, name):
        os.unlink(name, dir_fd=folder)
