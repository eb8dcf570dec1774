"""Crash-safe phases of one file change: stage result, install, remove old.

Every function checks the disk before it acts, so that it can be called again after a crash at any point, by
another process.
"""

from __future__ import annotations

import errno
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, suppress

from studio.engine.disk import files, folders
from studio.engine.disk.disk_change import (
    ContentReader,
    DiskChange,
    DiskState,
    disk_state_of,
    has_same_content,
    image_at,
    image_of,
    is_cut_off,
    is_same,
    target_changed_error,
)
from studio.engine.disk.open_folders import Beneath
from studio.errors import DiskFailed, WriteError
from studio.journal.file_image import FileImage
from studio.limits import FLUSH_EACH_UP_TO
from studio.names import show_name
from studio.system.os_errors import wrap_os_errors
from studio.system.syscalls import Unsupported

LEAD = "Nothing was written"
"""Start of each write error's message: all changes are put back."""

# A program that writes the file without end must not block the writer lock forever.
_GIVE_BACK_TIMES = 64


def stage(
    root: Beneath,
    disk_changes: Sequence[DiskChange],
    content: ContentReader,
    safe_point: Callable[[], None],
) -> dict[str, int]:
    """Make new folders, write results beside their targets, flush and verify.

    `safe_point` is called before each result. Returns the permission bits by path where the disk did not keep
    the wanted ones. Raises FileError.
    """
    for change in disk_changes:
        # Where another kind of entry is still there, the folder is made after its removal.
        if change.makes_folder and not change.beneath and change.after is not None:
            with _wrap_errors(change):
                folders.make_folder(root, change.path, change.after.mode)
    results = [item for item in disk_changes if item.after is not None and item.after.sha256 is not None]
    # One by one or together, but all before the first exchange: without their flush
    # (tests.faults.power_cut --without files) 11 of 24 power cuts left a mixed tree.
    flush_each = len(results) <= FLUSH_EACH_UP_TO
    for change in results:
        safe_point()
        with _wrap_errors(change):
            write(root, change, change.after, content, flush=flush_each)
    if not flush_each:
        with wrap_os_errors(LEAD, it="the root folder", role=WriteError):
            files.flush_files(root, [change.temporary for change in results])
    modes: dict[str, int] = {}
    # This reads the page cache: it verifies what was written, not what the disk keeps.
    for change in results:
        with _wrap_errors(change):
            found = _verify_written(root, change, content)
        if change.after is not None and found.mode != change.after.mode:
            modes[change.path] = found.mode
    return modes


def _verify_written(root: Beneath, change: DiskChange, content: ContentReader) -> FileImage:
    """Verify a written result; rewrite it once if it differs.

    Raises OSError (EIO) if it differs again; our file is removed then.
    """
    found = _read_written(root, change)
    if found is not None:
        return found
    files.remove_file(root, change.temporary)
    write(root, change, change.after, content, flush=True)
    found = _read_written(root, change)
    if found is None:
        files.remove_file(root, change.temporary)
        raise OSError(errno.EIO, "the bytes read back differ from those written", change.path)
    return found


def _read_written(root: Beneath, change: DiskChange) -> FileImage | None:
    found = image_at(root, change.temporary)
    return found if found is not None and has_same_content(found, change.after) else None


def _wrap_errors(change: DiskChange) -> AbstractContextManager[None]:
    return wrap_os_errors(LEAD, it=show_name(change.path), path=change.path, role=WriteError)


def write(
    root: Beneath, change: DiskChange, image: FileImage | None, content: ContentReader, *, flush: bool
) -> None:
    """Write an image to the temporary name of its target.

    A file with bytes, mode and attributes, or a link. Raises OSError.
    """
    assert image is not None and image.sha256 is not None
    data = content(image.sha256)
    if image.is_link:
        files.make_link(root, change.temporary, data, like=change.like, flush=flush)
        return
    files.write_temporary(root, change.temporary, data, mode=image.mode, like=change.like, flush=flush)


def carry_out(root: Beneath, change: DiskChange) -> bool:
    """Put a staged result in place; return whether that was atomic.

    Raises Displaced when the target was not the base at that moment (it is restored then), or FileError.
    """
    with _wrap_errors(change):
        return _apply_change(root, change)


def _apply_change(root: Beneath, change: DiskChange) -> bool:
    if change.changes_kind:
        removal, creation = change.parts
        _apply_change(root, removal)
        if change.becomes_folder:
            _make_folder(root, creation)
            return True
        return _apply_change(root, creation)
    if change.is_folder:
        return _apply_folder_change(root, change)
    if change.before is None:
        try:
            return files.put_in_place(root, change.temporary, change.path)
        except FileExistsError as error:
            raise target_changed_error(change) from error
    if change.after is None:
        try:
            files.rename_new(root, change.path, change.temporary)
        except FileNotFoundError as error:
            raise target_changed_error(change) from error
        if not is_same(temporary_image(root, change), change.before):
            with suppress(FileExistsError):  # another program made a new file: that is newer
                files.put_in_place(root, change.temporary, change.path)
            raise target_changed_error(change)
        return True
    try:
        files.exchange(root, change.path, change.temporary)
    except FileNotFoundError as error:
        if root.state(change.path) is not None:
            raise _prepared_gone_error(change) from error
        raise target_changed_error(change) from error
    except Unsupported:
        _replace(root, change)
        return False
    # What came out is compared, not the target before:
    # another program may write between a check and a rename.
    if not is_same(temporary_image(root, change), change.before):
        _exchange_back(root, change)
        raise target_changed_error(change)
    return True


def _apply_folder_change(root: Beneath, change: DiskChange) -> bool:
    """Remove a folder, or set its bits.

    A new folder was made before the files in it, unless something else was above it then.
    """
    if change.after is None:
        _remove_folder(root, change)
        return True
    if change.before is None:
        if change.beneath:
            _make_folder(root, change)
        return True
    try:
        if not folders.change_mode(root, change.path, change.before.mode, change.after.mode):
            raise target_changed_error(change)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise target_changed_error(change) from error
    return False  # not atomic: the bits are read, then changed


def _prepared_gone_error(change: DiskChange) -> DiskFailed:
    return DiskFailed(
        "disk.prepared_gone",
        f"{LEAD}: another program removed the file prepared for {show_name(change.path)}.",
        "Stop the program that cleans up that folder, then apply again.",
        path=change.path,
    )


def _exchange_back(root: Beneath, change: DiskChange) -> None:
    """Exchange what came out back into place.

    If another program wrote again meanwhile, the newest is put in place: what comes out is ours, or else
    newer than what went in. An older one stays and is reported as `foreign_paths`.
    """
    expected = change.after
    with suppress(FileNotFoundError):  # another program removed the file: that is newer still
        for _ in range(_GIVE_BACK_TIMES):
            incoming = temporary_image(root, change)
            files.exchange(root, change.path, change.temporary)
            if is_written(root, change, temporary_image(root, change), expected):
                return
            expected = incoming


def _replace(root: Beneath, change: DiskChange) -> None:
    """Replace without an exchange: compare before, and the linked old file after."""
    if not is_same(image_at(root, change.path), change.before):
        raise target_changed_error(change)
    files.replace(root, change.path, change.temporary, keep=True)
    # A write between that check and the rename is in the linked file: it has the old inode.
    existing = files.existing_temporary_paths(root, change.temporary)
    if existing and not is_same(image_at(root, existing[0]), change.before):
        files.replace(root, change.path, existing[0], keep=False)
        raise target_changed_error(change)


def _make_folder(root: Beneath, change: DiskChange) -> None:
    assert change.after is not None
    try:
        folders.make_folder(root, change.path, change.after.mode)
    except FileExistsError as error:
        raise target_changed_error(change) from error


def _remove_folder(root: Beneath, change: DiskChange) -> None:
    try:
        folders.remove_folder(root, change.path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            raise
        if not change.if_empty:
            raise target_changed_error(change) from error


def finish(root: Beneath, change: DiskChange) -> tuple[str, ...]:
    """Remove the replaced old file; return the paths with other contents."""
    foreign: list[str] = []
    if change.is_folder:
        return ()
    for path in files.existing_temporary_paths(root, change.temporary):
        found = image_at(root, path)
        if found is None:
            continue
        is_ours = has_same_content(found, change.before) or has_same_content(found, change.after)
        # An empty one is a truncated write of ours, or holds nothing to lose.
        if is_ours or (found.size == 0 and not found.is_folder):
            files.remove_file(root, path)
        else:
            foreign.append(path)
    return tuple(foreign)


def complete_folder(root: Beneath, change: DiskChange) -> None:
    """Finish a folder's creation after a crash, or its removal if empty."""
    if (change.makes_folder or change.becomes_folder) and change.after is not None:
        folders.complete_folder(root, change.path, change.after.mode)
    elif change.if_empty:
        _remove_folder(root, change)


def is_temporary_base(root: Beneath, change: DiskChange) -> bool:
    """Return whether the replaced file, if it exists, can be removed.

    It must hold the base or our result.
    """
    if change.is_folder or change.before is None:
        return True
    image = temporary_image(root, change)
    return image is None or is_same(image, change.before) or is_same(image, change.after)


def is_written(root: Beneath, change: DiskChange, now: FileImage | None, image: FileImage | None) -> bool:
    """Return whether the current image is `image` as this disk stores it.

    On a disk without permission bits a file has others than it was given.
    """
    if is_same(now, image):
        return True
    if now is None or image is None or now.is_folder or now.is_link or not has_same_content(now, image):
        return False
    # Under a name of ours, which is removed with the change after a kill at this point.
    probe = next((path for path in files.temporary_paths(change.temporary) if root.state(path) is None), None)
    with suppress(OSError):
        return probe is not None and files.requested_mode(root, probe, image.mode) == now.mode
    return False


def settled_state_of(root: Beneath, change: DiskChange) -> DiskState:
    """Return the disk state, also where the disk keeps no permission bits."""
    if is_reserved(root, change):
        return DiskState.NEITHER
    state = disk_state_of(root, change)
    before, after = change.before, change.after
    # Where only the bits change, such a disk has the file as before.
    is_of_bits = before is not None and not before.is_folder and has_same_content(before, after)
    if state is DiskState.NEITHER or (state is DiskState.BEFORE and is_of_bits):
        return DiskState.AFTER if is_written(root, change, image_of(root, change), after) else state
    return state


def is_reserved(root: Beneath, change: DiskChange) -> bool:
    """Return whether a crash left our empty file at the path.

    Only on a disk without links.
    """
    is_new = change.before is None or change.after is None
    return (
        is_new
        and not change.is_folder
        and not is_cut_off(root, change)
        and files.is_reserved(root, change.temporary, change.path)
    )


def temporary_image(root: Beneath, change: DiskChange) -> FileImage | None:
    """Return the image of our own file for a target.

    It is the old file, or the result not yet in place.
    """
    for path in files.temporary_paths(change.temporary):
        image = image_at(root, path)
        if image is not None:
            return image
    return None
