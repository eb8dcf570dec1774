"""Single files beneath the root: written new, exchanged, renamed, removed, flushed.

Every call takes the open project root and a relative path; the folder is reached by its handle, without
following links, and all that is done is done by that handle (design 5).
"""

from __future__ import annotations

import errno
import os
import stat
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from functools import partial

from studio.engine.disk.held import Beneath
from studio.engine.limits import FLUSH_EACH_UP_TO
from studio.engine.root import EntryKind, open_entry
from studio.engine.system import syscalls

_CREATE_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | syscalls.O_NOFOLLOW | syscalls.O_CLOEXEC
_KEPT_SUFFIX = "~"
_KEPT = os.fsencode(_KEPT_SUFFIX)
# Until then nobody else may read it: the file that it
# replaces may be private, and a crash may leave this one.
UNFINISHED_MODE = 0o600
"""Of a file that is being written. Its own bits come last."""
# EPERM is FAT's answer and that of exfat-fuse 1.3.0, and of a kernel that protects files of others.
_NO_LINK = (errno.EPERM, errno.ENOTSUP, errno.EOPNOTSUPP, errno.ENOSYS, errno.EMLINK)
_NO_ATTRIBUTE = (errno.ENODATA, errno.ENOTSUP, errno.EOPNOTSUPP, errno.EPERM, errno.EINVAL)


def write_temporary(
    root: Beneath, path: str, data: bytes, *, mode: int, like: str | None = None, flush: bool
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
    root: Beneath, folder: int, name: bytes, data: bytes, *, mode: int, like: str | None, flush: bool
) -> None:
    handle = os.open(name, _CREATE_FLAGS, UNFINISHED_MODE, dir_fd=folder)
    try:
        try:
            give_owner(handle, UNFINISHED_MODE)
            written = os.write(handle, data)
            while written < len(data):
                written += os.write(handle, memoryview(data)[written:])
            # Before the mode, and without shutil.copystat: that takes
            # the old time along, by which builds tell what is new.
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


def given_mode(root: Beneath, path: str, mode: int) -> int:
    """Return the permission bits that the disk gives a file of ours at `path`, which is free, for `mode`.

    They differ on a disk that keeps none or only some: to chmod, ntfs-3g 2022.10.3 without options and the
    kernel's vfat answer 0 and change nothing. The file is removed again. Raises OSError.
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
    """Make a symbolic link that says `target` at `path`, where nothing is yet; nothing looks where it leads.

    The owner comes from the entry at `like`. Raises OSError; the name is then free again.
    """
    with root.parent(path) as (folder, name):
        if b"\0" in target:
            raise OSError(errno.EINVAL, os.strerror(errno.EINVAL), path)
        os.symlink(target, name, dir_fd=folder)
        try:
            if like is not None:
                _carry_link_owner(root, like, folder, name)
            if flush:
                os.fsync(folder)  # a link itself can't be flushed; its text goes with its name
        except OSError:
            os.unlink(name, dir_fd=folder)
            raise


def _carry_link_owner(root: Beneath, like: str, folder: int, name: bytes) -> None:
    try:
        with root.parent(like) as (old_folder, old_name):
            wanted = _status(old_folder, old_name)
    except (FileNotFoundError, NotADirectoryError):
        return
    _carry_owner(
        wanted,
        _status(folder, name),
        lambda user, group: os.chown(name, user, group, dir_fd=folder, follow_symlinks=False),
    )


def give_owner(handle: int, rights: int) -> None:
    """Give the owner of a file that was just made the rights that the process's umask took from him."""
    now = stat.S_IMODE(os.fstat(handle).st_mode)
    if rights & 0o700 & ~now:
        os.fchmod(handle, now | rights & 0o700)


def carry_over(root: Beneath, like: str, handle: int) -> None:
    """Give the new file the owner, access list, extended attributes and inode flags of the old one, if it is
    still there (R133, promise 5). Raises OSError."""
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
            wanted = _attributes(source)
            present = _attributes(handle)
            for attribute in present.keys() - wanted.keys():  # inherited from the folder's default list
                _try_attribute(lambda name=attribute: os.removexattr(handle, name))
            # An access list comes last: it may take the owner's right to set the user's own attributes.
            for attribute, value in sorted(wanted.items(), key=lambda item: item[0].startswith("system.")):
                if present.get(attribute) != value:
                    _try_attribute(lambda name=attribute, value=value: os.setxattr(handle, name, value))
        wanted_flags, own_flags = syscalls.inode_flags(source), syscalls.inode_flags(handle)
        if (wanted_flags ^ own_flags) & syscalls.KEPT_FLAGS:
            kept = own_flags & ~syscalls.KEPT_FLAGS | wanted_flags & syscalls.KEPT_FLAGS
            _try_attribute(lambda: syscalls.set_inode_flags(handle, kept))
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


def _carry_owner(wanted: os.stat_result, own: os.stat_result, chown: Callable[[int, int], None]) -> None:
    """Give a new entry the owner of the old one, as far as that is ours to do."""
    if (wanted.st_uid, wanted.st_gid) == (own.st_uid, own.st_gid):
        return
    # Only root may give files away; the group may still be ours to set.
    try:
        chown(wanted.st_uid, wanted.st_gid)
    except PermissionError:
        with suppress(PermissionError):
            chown(-1, wanted.st_gid)


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


def flush_files(root: Beneath, paths: Iterable[str]) -> None:
    """Make the bytes of files, and links, durable: one flush each for a few, one per file system for many
    (design 5.4)."""
    # A flush of the file system waits for what other programs
    # wrote as well: for a few files that is too much.
    listed = tuple(paths)
    if len(listed) > FLUSH_EACH_UP_TO:
        try:
            for path in _one_per_device(root, listed):
                with root.parent(path) as (folder, _):
                    syscalls.flush_file_system(folder)
        except syscalls.Unsupported:
            pass
        else:
            return
    for path in listed:
        with root.parent(path) as (folder, name):
            handle = _open_unless_link(folder, name)
            try:
                os.fsync(folder if handle is None else handle)
            finally:
                if handle is not None:
                    os.close(handle)


def _one_per_device(root: Beneath, paths: Iterable[str]) -> Iterator[str]:
    # A plan may reach into another disk that is mounted in the project, and its flush covers one file system.
    seen: set[int] = set()
    for path in paths:
        state = root.state(path)
        if state is not None and state.device not in seen:
            seen.add(state.device)
            yield path


def exchange(root: Beneath, path: str, temporary: str) -> None:
    """Swap the file at `temporary` with the one at `path` atomically.

    Raises Unsupported where the file system can't: then `replace` stands in.
    """
    with root.parent(path) as (folder, target):
        if temporary.rpartition("/")[0] == path.rpartition("/")[0]:
            syscalls.exchange(folder, os.fsencode(temporary.rpartition("/")[2]), target)
            return
        with root.parent(temporary) as (own_folder, name):
            syscalls.exchange(own_folder, name, target, folder)


def replace(root: Beneath, path: str, temporary: str, *, keep: bool) -> None:
    """Put the file at `temporary` in the place of `path` ("non-exclusive", design 5.5).

    With `keep` the old file is linked to a kept name before, where links exist.
    """
    with root.parent(temporary) as (own_folder, name), root.parent(path) as (folder, target):
        if keep:
            kept = name + _KEPT
            # FAT knows no links: then the base in the store is all there is to go back to.
            with suppress(OSError):
                os.link(target, kept, src_dir_fd=folder, dst_dir_fd=own_folder, follow_symlinks=False)
        os.rename(name, target, src_dir_fd=own_folder, dst_dir_fd=folder)


def own_paths(temporary: str) -> tuple[str, str]:
    """The paths that our own files for one target can have, that of the displaced one first."""
    return temporary, temporary + _KEPT_SUFFIX


def kept_paths(root: Beneath, temporary: str) -> tuple[str, ...]:
    """Which of the paths that our own files for one target can have are taken."""
    return tuple(path for path in own_paths(temporary) if root.state(path) is not None)


def rename_new(root: Beneath, old: str, new: str) -> None:
    """Rename to a path where nothing is yet; FileExistsError if something is."""
    with root.parent(old) as (old_folder, source), root.parent(new) as (new_folder, target):
        rename_new_in(old_folder, source, new_folder, target)


def rename_new_in(old_folder: int, source: bytes, new_folder: int, target: bytes) -> None:
    """As `rename_new`, by the handles of two folders.

    A crash may leave an empty file or folder at the new name where the disk can neither do that nor link.
    """
    try:
        _rename_or_link(old_folder, source, new_folder, target)
    except syscalls.Unsupported:
        _rename_reserved(old_folder, source, new_folder, target)


def put_in_place(root: Beneath, own: str, path: str) -> bool:
    """Rename a file of ours to a path where nothing is yet; FileExistsError if something is.

    False where somebody could have come between: the disk can neither rename so nor link, and an empty file
    reserves the path for a moment. Ours has its second name then, by which `is_reserved` finds that.
    """
    with root.parent(own) as (own_folder, name), root.parent(path) as (folder, target):
        try:
            _rename_or_link(own_folder, name, folder, target)
        except syscalls.Unsupported:
            _put_reserved(own_folder, name, folder, target)
            return False
        return True


def _rename_or_link(old_folder: int, source: bytes, new_folder: int, target: bytes) -> None:
    """Raises Unsupported where the disk can do neither."""
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
    """Make something empty at the new name, which fails when it is taken, and rename over that."""
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
        # Durable before there is anything to be known by it.
        os.fsync(own_folder)
    try:
        _rename_reserved(own_folder, second, folder, target)
    except OSError:
        if second != name:
            os.rename(second, name, src_dir_fd=own_folder, dst_dir_fd=own_folder)
        raise
    if not os.path.samestat(os.fstat(own_folder), os.fstat(folder)):
        # Else a flush of our own folder alone could leave the empty file, and ours nowhere.
        os.fsync(folder)


def is_reserved(root: Beneath, own: str, path: str) -> bool:
    """Whether a crash in `put_in_place` left an empty file of ours at the path."""
    first, second = own_paths(own)
    if root.state(second) is None or root.state(first) is not None:
        return False
    state = root.state(path)
    return state is not None and state.kind is EntryKind.FILE and state.size == 0


def remove_file(root: Beneath, path: str) -> None:
    """Remove one name; nothing happens if it is gone."""
    with suppress(FileNotFoundError), root.parent(path) as (folder, name):
        os.unlink(name, dir_fd=folder)
