"""Writes of single placements: stage, put in place, finish.

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
    displaced,
    has_same_content,
    image_at,
    image_of,
    is_cut_off,
    is_same,
)
from studio.engine.disk.held import Beneath
from studio.engine.errors import DiskFailed, WriteError
from studio.engine.limits import FLUSH_EACH_UP_TO
from studio.engine.names import show_name
from studio.engine.plan import FileImage
from studio.engine.system.os_errors import wrap_os_errors
from studio.engine.system.syscalls import Unsupported

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
    for placement in disk_changes:
        # Where another kind of entry is still there, the folder is made after its removal.
        if placement.makes_folder and not placement.beneath and placement.after is not None:
            with _told(placement):
                folders.make_folder(root, placement.path, placement.after.mode)
    results = [item for item in disk_changes if item.after is not None and item.after.sha256 is not None]
    # One by one or together, but all before the first exchange: without their flush
    # (tests.faults.power_cut --without files) 11 of 24 power cuts left a mixed tree.
    few = len(results) <= FLUSH_EACH_UP_TO
    for placement in results:
        safe_point()
        with _told(placement):
            write(root, placement, placement.after, content, flush=few)
    if not few:
        with wrap_os_errors(LEAD, it="the project", role=WriteError):
            files.flush_files(root, [placement.temporary for placement in results])
    modes: dict[str, int] = {}
    # This reads the page cache: it verifies what was written, not what the disk keeps.
    for placement in results:
        with _told(placement):
            found = _verified(root, placement, content)
        if placement.after is not None and found.mode != placement.after.mode:
            modes[placement.path] = found.mode
    return modes


def _verified(root: Beneath, placement: DiskChange, content: ContentReader) -> FileImage:
    """Verify a written result; rewrite it once if it differs.

    Raises OSError (EIO) if it differs again; our file is removed then.
    """
    found = _written(root, placement)
    if found is not None:
        return found
    files.remove_file(root, placement.temporary)
    write(root, placement, placement.after, content, flush=True)
    found = _written(root, placement)
    if found is None:
        files.remove_file(root, placement.temporary)
        raise OSError(errno.EIO, "the bytes read back are not those that were written", placement.path)
    return found


def _written(root: Beneath, placement: DiskChange) -> FileImage | None:
    found = image_at(root, placement.temporary)
    return found if found is not None and has_same_content(found, placement.after) else None


def _told(placement: DiskChange) -> AbstractContextManager[None]:
    return wrap_os_errors(LEAD, it=show_name(placement.path), path=placement.path, role=WriteError)


def write(
    root: Beneath, placement: DiskChange, image: FileImage | None, content: ContentReader, *, flush: bool
) -> None:
    """Write an image to the temporary name of its target.

    A file with bytes, mode and attributes, or a link. Raises OSError.
    """
    assert image is not None and image.sha256 is not None
    data = content(image.sha256)
    if image.is_link:
        files.make_link(root, placement.temporary, data, like=placement.like, flush=flush)
        return
    files.write_temporary(root, placement.temporary, data, mode=image.mode, like=placement.like, flush=flush)


def carry_out(root: Beneath, placement: DiskChange) -> bool:
    """Put a staged result in place; return whether that was atomic.

    Raises Displaced when the target was not the base at that moment (it is restored then), or FileError.
    """
    with _told(placement):
        return _carried_out(root, placement)


def _carried_out(root: Beneath, placement: DiskChange) -> bool:
    if placement.changes_kind:
        going, coming = placement.parts
        _carried_out(root, going)
        if placement.becomes_folder:
            _make_folder(root, coming)
            return True
        return _carried_out(root, coming)
    if placement.is_folder:
        return _carried_out_folder(root, placement)
    if placement.before is None:
        try:
            return files.put_in_place(root, placement.temporary, placement.path)
        except FileExistsError as error:
            raise displaced(placement) from error
    if placement.after is None:
        try:
            files.rename_new(root, placement.path, placement.temporary)
        except FileNotFoundError as error:
            raise displaced(placement) from error
        if not is_same(kept_image(root, placement), placement.before):
            with suppress(FileExistsError):  # another program made a new file: that is newer
                files.put_in_place(root, placement.temporary, placement.path)
            raise displaced(placement)
        return True
    try:
        files.exchange(root, placement.path, placement.temporary)
    except FileNotFoundError as error:
        if root.state(placement.path) is not None:
            raise _prepared_gone(placement) from error
        raise displaced(placement) from error
    except Unsupported:
        _replace(root, placement)
        return False
    # What came out is compared, not the target before:
    # another program may write between a check and a rename.
    if not is_same(kept_image(root, placement), placement.before):
        _give_back(root, placement)
        raise displaced(placement)
    return True


def _carried_out_folder(root: Beneath, placement: DiskChange) -> bool:
    """Remove a folder, or set its bits.

    A new folder was made before the files in it, unless something else was above it then.
    """
    if placement.after is None:
        _remove_folder(root, placement)
        return True
    if placement.before is None:
        if placement.beneath:
            _make_folder(root, placement)
        return True
    try:
        if not folders.change_mode(root, placement.path, placement.before.mode, placement.after.mode):
            raise displaced(placement)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise displaced(placement) from error
    return False  # not atomic: the bits are read, then changed


def _prepared_gone(placement: DiskChange) -> DiskFailed:
    return DiskFailed(
        "disk.prepared_gone",
        f"{LEAD}: another program removed the file prepared for {show_name(placement.path)}.",
        "Find out what cleans up in that folder, and apply again.",
        path=placement.path,
    )


def _give_back(root: Beneath, placement: DiskChange) -> None:
    """Exchange what came out back into place.

    If another program wrote again meanwhile, the newest is put in place: what comes out is ours, or else
    newer than what went in. An older one stays and is reported as `strange`.
    """
    expected = placement.after
    with suppress(FileNotFoundError):  # another program removed the file: that is newer still
        for _ in range(_GIVE_BACK_TIMES):
            going_in = kept_image(root, placement)
            files.exchange(root, placement.path, placement.temporary)
            if is_written(root, placement, kept_image(root, placement), expected):
                return
            expected = going_in


def _replace(root: Beneath, placement: DiskChange) -> None:
    """Replace without an exchange: compare before, and the linked old file after."""
    if not is_same(image_at(root, placement.path), placement.before):
        raise displaced(placement)
    files.replace(root, placement.path, placement.temporary, keep=True)
    # A write between that check and the rename is in the linked file: it has the old inode.
    kept = files.kept_paths(root, placement.temporary)
    if kept and not is_same(image_at(root, kept[0]), placement.before):
        files.replace(root, placement.path, kept[0], keep=False)
        raise displaced(placement)


def _make_folder(root: Beneath, placement: DiskChange) -> None:
    assert placement.after is not None
    try:
        folders.make_folder(root, placement.path, placement.after.mode)
    except FileExistsError as error:
        raise displaced(placement) from error


def _remove_folder(root: Beneath, placement: DiskChange) -> None:
    try:
        folders.remove_folder(root, placement.path)
    except OSError as error:
        if error.errno not in (errno.ENOTEMPTY, errno.EEXIST, errno.ENOENT, errno.ENOTDIR):
            raise
        if not placement.if_empty:
            raise displaced(placement) from error


def finish(root: Beneath, placement: DiskChange) -> tuple[str, ...]:
    """Remove the replaced old file; return the paths with other contents."""
    strange: list[str] = []
    if placement.is_folder:
        return ()
    for path in files.kept_paths(root, placement.temporary):
        found = image_at(root, path)
        if found is None:
            continue
        is_ours = has_same_content(found, placement.before) or has_same_content(found, placement.after)
        # An empty one is a truncated write of ours, or holds nothing to lose.
        if is_ours or (found.size == 0 and not found.is_folder):
            files.remove_file(root, path)
        else:
            strange.append(path)
    return tuple(strange)


def complete_folder(root: Beneath, placement: DiskChange) -> None:
    """Finish a folder's creation after a crash, or its removal if empty."""
    if (placement.makes_folder or placement.becomes_folder) and placement.after is not None:
        folders.complete_folder(root, placement.path, placement.after.mode)
    elif placement.if_empty:
        _remove_folder(root, placement)


def kept_is_base(root: Beneath, placement: DiskChange) -> bool:
    """Return whether the replaced file, if it exists, can be removed.

    It must hold the base or our result.
    """
    if placement.is_folder or placement.before is None:
        return True
    kept = kept_image(root, placement)
    return kept is None or is_same(kept, placement.before) or is_same(kept, placement.after)


def is_written(root: Beneath, placement: DiskChange, now: FileImage | None, image: FileImage | None) -> bool:
    """Return whether the current image is `image` as this disk stores it.

    On a disk without permission bits a file has others than it was given.
    """
    if is_same(now, image):
        return True
    if now is None or image is None or now.is_folder or now.is_link or not has_same_content(now, image):
        return False
    # Under a name of ours, which is removed with the placement after a kill at this point.
    probe = next((path for path in files.own_paths(placement.temporary) if root.state(path) is None), None)
    with suppress(OSError):
        return probe is not None and files.requested_mode(root, probe, image.mode) == now.mode
    return False


def settled_state_of(root: Beneath, placement: DiskChange) -> DiskState:
    """Return the disk state, also where the disk keeps no permission bits."""
    if is_reserved(root, placement):
        return DiskState.NEITHER
    place = disk_state_of(root, placement)
    before, after = placement.before, placement.after
    # Where only the bits change, such a disk has the file as before.
    is_of_bits = before is not None and not before.is_folder and has_same_content(before, after)
    if place is DiskState.NEITHER or (place is DiskState.BEFORE and is_of_bits):
        return DiskState.AFTER if is_written(root, placement, image_of(root, placement), after) else place
    return place


def is_reserved(root: Beneath, placement: DiskChange) -> bool:
    """Return whether a crash left our empty file at the path.

    Only on a disk without links.
    """
    is_new = placement.before is None or placement.after is None
    return (
        is_new
        and not placement.is_folder
        and not is_cut_off(root, placement)
        and files.is_reserved(root, placement.temporary, placement.path)
    )


def kept_image(root: Beneath, placement: DiskChange) -> FileImage | None:
    """Return the image of our own file for a target.

    It is the old file, or the result not yet in place.
    """
    for path in files.own_paths(placement.temporary):
        image = image_at(root, path)
        if image is not None:
            return image
    return None
