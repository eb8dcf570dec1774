"""Restoring of targets, after a failed apply and in recovery.

From the replaced file where it still exists, else from the store. Every function checks the disk before it
acts, so that it can be called again after a crash at any point, by another process.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

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
from studio.engine.disk.disk_writes import is_reserved, is_written, kept_image, settled_state_of, write
from studio.engine.disk.held import Beneath
from studio.engine.errors import Refused
from studio.engine.system.syscalls import Unsupported


@dataclass(frozen=True, slots=True)
class PutBack:
    """Result of restoring a target.

    `is_left`: it holds neither base nor result and was left as it is. `strange` are paths of our own files
    that stay because they hold what another program wrote.
    """

    is_left: bool
    strange: tuple[str, ...] = ()


def put_back(root: Beneath, placement: DiskChange, content: ContentReader) -> PutBack:
    """Restore a target's old content, from the replaced file or the store.

    A target that holds neither its base nor its result was changed by another program and is left alone, and
    so is a temporary file with unknown bytes.
    """
    if is_cut_off(root, placement):
        # What is above was restored before this, unless another program's file is there by now.
        strange = () if placement.is_folder else _discard(root, placement, content)
        return PutBack(placement.before is not None, strange)
    if placement.changes_kind:
        return _kind_put_back(root, placement, content)
    if is_reserved(root, placement):
        files.remove_file(root, placement.path)
    place = settled_state_of(root, placement)
    if placement.is_folder:
        return PutBack(is_left=not _folder_put_back(root, placement, place))
    if place is DiskState.AFTER:
        _undo(root, placement, content)
    is_left = not is_same(image_of(root, placement), placement.before)
    return PutBack(is_left, _discard(root, placement, content))


def _kind_put_back(root: Beneath, placement: DiskChange, content: ContentReader) -> PutBack:
    """Undo a kind change: the creation first, then the removal.

    A crash may have left nothing at the path.
    """
    going, coming = placement.parts
    strange = (*put_back(root, coming, content).strange, *put_back(root, going, content).strange)
    return PutBack(not is_same(image_at(root, placement.path), placement.before), strange)


def _folder_put_back(root: Beneath, placement: DiskChange, place: DiskState) -> bool:
    """Restore a folder; return False where its bits are not ours.

    They are neither the old nor the new ones: another program set them.
    """
    if placement.before is not None and placement.after is not None:
        if place is not DiskState.AFTER:
            return place is DiskState.BEFORE
        return folders.change_mode(root, placement.path, placement.after.mode, placement.before.mode)
    if placement.before is None:
        if place is DiskState.AFTER:
            # What another program put into the new folder meanwhile keeps it.
            with suppress(OSError):
                folders.remove_folder(root, placement.path)
    elif place is DiskState.AFTER:
        folders.make_folder(root, placement.path, placement.before.mode)
    elif place is DiskState.BEFORE:
        folders.complete_folder(root, placement.path, placement.before.mode)
    return True


def _undo(root: Beneath, placement: DiskChange, content: ContentReader) -> None:
    if placement.before is None:
        _take_away(root, placement, content)
        return
    kept = next(
        (
            path
            for path in files.kept_paths(root, placement.temporary)
            if _can_go_back(root, path, placement, content)
        ),
        None,
    )
    # A killed restore may have left a truncated file under
    # our name; it is removed before a new one is written.
    if kept is None:
        _discard(root, placement, content)
        write(root, placement, placement.before, content, flush=True)
        kept = placement.temporary
    if placement.after is None:
        files.put_in_place(root, kept, placement.path)
        return
    try:
        files.exchange(root, placement.path, kept)
    except Unsupported:
        files.replace(root, placement.path, kept, keep=False)


def _take_away(root: Beneath, placement: DiskChange, content: ContentReader) -> None:
    """Undo a create.

    The name it is moved to may still be taken, by a link to it that a crash left.
    """
    if _discard(root, placement, content):
        return
    files.rename_new(root, placement.path, placement.temporary)
    if not is_written(root, placement, kept_image(root, placement), placement.after):
        with suppress(FileExistsError):  # another program made a new file: that is newer
            files.put_in_place(root, placement.temporary, placement.path)


def _can_go_back(root: Beneath, path: str, placement: DiskChange, content: ContentReader) -> bool:
    """Return whether our own file is the old one, fit to restore.

    Also with what another program wrote into it, but not a truncated write of ours.
    """
    image, before, after = image_at(root, path), placement.before, placement.after
    if image is None or before is None:
        return False
    is_after = after is not None and has_same_content(image, after)
    if after is not None and is_after and (not has_same_content(before, after) or image.mode == after.mode):
        return False
    if has_same_content(image, before):
        # The permission bits are set last: an unfinished file of ours still has its initial ones.
        return image.mode == before.mode or image.mode != files.UNFINISHED_MODE
    return not _is_beginning(root, path, placement, content)


def _discard(root: Beneath, placement: DiskChange, content: ContentReader) -> tuple[str, ...]:
    """Remove our temporary files; return those with unknown bytes.

    These are neither ours nor in the store, and stay.
    """
    strange: list[str] = []
    for path in files.own_paths(placement.temporary):
        found = image_at(root, path)
        if found is None:
            continue
        is_ours = has_same_content(found, placement.before) or has_same_content(found, placement.after)
        if is_ours or _is_beginning(root, path, placement, content):
            files.remove_file(root, path)
        else:
            strange.append(path)
    return tuple(strange)


def _is_beginning(root: Beneath, path: str, placement: DiskChange, content: ContentReader) -> bool:
    """Return whether a file is a truncated write of ours.

    A crash can leave one. A link is made whole or not at all.
    """
    state = root.state(path)
    for image in (placement.after, placement.before):
        if state is None or image is None or image.is_link or not image.sha256 or state.size > image.size:
            continue
        with suppress(Refused):
            if content(image.sha256).startswith(root.read(path, image.size)[0]):
                return True
    return False
