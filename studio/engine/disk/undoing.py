"""Restoration of old file contents after a failed or interrupted apply.

From the replaced file where it still exists, else from the store. Every function checks the disk before it
acts, so that it can be called again after a crash at any point, by another process.
"""

from __future__ import annotations

from contextlib import suppress

from studio.engine.disk import files, folders
from studio.engine.disk.disk_change import (
    ContentReader,
    DiskChange,
    DiskState,
    has_same_content,
    image_at,
    image_of,
    is_cut_off,
    is_same,
)
from studio.engine.disk.disk_writes import is_reserved, is_written, settled_state_of, temporary_image, write
from studio.engine.disk.open_folders import Beneath
from studio.errors import Refused
from studio.system.syscalls import Unsupported
from studio.values import Value


class PutBack(Value):
    """Result of restoring a target.

    `is_left`: it holds neither base nor result and was left as it is. `foreign_paths` are paths of our own
    files that stay because they hold what another program wrote.
    """

    is_left: bool
    foreign_paths: tuple[str, ...] = ()


def put_back(root: Beneath, change: DiskChange, content: ContentReader) -> PutBack:
    """Restore a target's old content, from the replaced file or the store.

    A target that holds neither its base nor its result was changed by another program and is left alone, and
    so is a temporary file with unknown bytes.
    """
    if is_cut_off(root, change):
        # What is above was restored before this, unless another program's file is there by now.
        foreign = () if change.is_folder else _discard_temporary(root, change, content)
        return PutBack(change.before is not None, foreign)
    if change.changes_kind:
        return _restore_kind(root, change, content)
    if is_reserved(root, change):
        files.remove_file(root, change.path)
    state = settled_state_of(root, change)
    if change.is_folder:
        return PutBack(is_left=not _restore_folder(root, change, state))
    if state is DiskState.AFTER:
        _undo_change(root, change, content)
    is_left = not is_same(image_of(root, change), change.before)
    return PutBack(is_left, _discard_temporary(root, change, content))


def _restore_kind(root: Beneath, change: DiskChange, content: ContentReader) -> PutBack:
    """Undo a kind change: the creation first, then the removal.

    A crash may have left nothing at the path.
    """
    removal, creation = change.parts
    foreign = (
        *put_back(root, creation, content).foreign_paths,
        *put_back(root, removal, content).foreign_paths,
    )
    return PutBack(not is_same(image_at(root, change.path), change.before), foreign)


def _restore_folder(root: Beneath, change: DiskChange, state: DiskState) -> bool:
    """Restore a folder; return False where its bits are not ours.

    They are neither the old nor the new ones: another program set them.
    """
    if change.before is not None and change.after is not None:
        if state is not DiskState.AFTER:
            return state is DiskState.BEFORE
        return folders.change_mode(root, change.path, change.after.mode, change.before.mode)
    if change.before is None:
        if state is DiskState.AFTER:
            # What another program put into the new folder meanwhile keeps it.
            with suppress(OSError):
                folders.remove_folder(root, change.path)
    elif state is DiskState.AFTER:
        folders.make_folder(root, change.path, change.before.mode)
    elif state is DiskState.BEFORE:
        folders.complete_folder(root, change.path, change.before.mode)
    return True


def _undo_change(root: Beneath, change: DiskChange, content: ContentReader) -> None:
    if change.before is None:
        _undo_create(root, change, content)
        return
    existing = next(
        (
            path
            for path in files.existing_temporary_paths(root, change.temporary)
            if _is_restorable(root, path, change, content)
        ),
        None,
    )
    # A killed restore may have left a truncated file under
    # our name; it is removed before a new one is written.
    if existing is None:
        _discard_temporary(root, change, content)
        write(root, change, change.before, content, flush=True)
        existing = change.temporary
    if change.after is None:
        files.put_in_place(root, existing, change.path)
        return
    try:
        files.exchange(root, change.path, existing)
    except Unsupported:
        files.replace(root, change.path, existing, keep=False)


def _undo_create(root: Beneath, change: DiskChange, content: ContentReader) -> None:
    """Undo a create.

    The name it is moved to may still be taken, by a link to it that a crash left.
    """
    if _discard_temporary(root, change, content):
        return
    files.rename_new(root, change.path, change.temporary)
    if not is_written(root, change, temporary_image(root, change), change.after):
        with suppress(FileExistsError):  # another program made a new file: that is newer
            files.put_in_place(root, change.temporary, change.path)


def _is_restorable(root: Beneath, path: str, change: DiskChange, content: ContentReader) -> bool:
    """Return whether our own file is the old one, fit to restore.

    Also with what another program wrote into it, but not a truncated write of ours.
    """
    image, before, after = image_at(root, path), change.before, change.after
    if image is None or before is None:
        return False
    is_after = after is not None and has_same_content(image, after)
    if after is not None and is_after and (not has_same_content(before, after) or image.mode == after.mode):
        return False
    if has_same_content(image, before):
        # The permission bits are set last: an unfinished file of ours still has its initial ones.
        return image.mode == before.mode or image.mode != files.UNFINISHED_MODE
    return not _is_beginning(root, path, change, content)


def _discard_temporary(root: Beneath, change: DiskChange, content: ContentReader) -> tuple[str, ...]:
    """Remove our temporary files; return those with unknown bytes.

    These are neither ours nor in the store, and stay.
    """
    foreign: list[str] = []
    for path in files.temporary_paths(change.temporary):
        found = image_at(root, path)
        if found is None:
            continue
        is_ours = has_same_content(found, change.before) or has_same_content(found, change.after)
        if is_ours or _is_beginning(root, path, change, content):
            files.remove_file(root, path)
        else:
            foreign.append(path)
    return tuple(foreign)


def _is_beginning(root: Beneath, path: str, change: DiskChange, content: ContentReader) -> bool:
    """Return whether a file is a truncated write of ours.

    A crash can leave one. A link is made whole or not at all.
    """
    state = root.state(path)
    for image in (change.after, change.before):
        if state is None or image is None or image.is_link or not image.sha256 or state.size > image.size:
            continue
        with suppress(Refused):
            if content(image.sha256).startswith(root.read(path, image.size)[0]):
                return True
    return False
