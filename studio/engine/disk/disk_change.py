"""Value type for one path's change, and its comparison with the disk."""

from __future__ import annotations

import errno
import stat
from collections.abc import Callable, Collection, Sequence
from enum import Enum

from msgspec.structs import replace

from studio.engine.disk.open_folders import Beneath
from studio.engine.root import EntryKind
from studio.errors import Conflict
from studio.journal.file_image import FileImage, sha256
from studio.names import show_name
from studio.values import Value

OWNER = 0o700
"""The bits that let a folder's owner change, and flush, its contents."""

ContentReader = Callable[[str], bytes]
"""Returns the verified bytes of a SHA-256. Raises Refused if the store can't."""


class DiskChange(Value, gc=False):
    """Change of one path from `before` to `after` (None: nothing is there).

    `temporary` is the path of our own file for it: first the prepared one, then the replaced one. It is in
    the same folder, or above the folders that the plan removes, closes or turns into something else. `like`
    is the path whose owner and attributes a new file takes. `beneath` is the parent path that is a folder on
    one side of the batch only; `is_created_here` marks a change that sets the bits of a folder made by this
    batch.
    """

    path: str
    before: FileImage | None
    after: FileImage | None
    temporary: str = ""
    like: str | None = None
    if_empty: bool = False
    beneath: str = ""
    is_created_here: bool = False

    @property
    def was_folder(self) -> bool:
        return self.before is not None and self.before.is_folder

    @property
    def will_be_folder(self) -> bool:
        return self.after is not None and self.after.is_folder

    @property
    def changes_kind(self) -> bool:
        """Whether a folder becomes a file or link, or the reverse."""
        return changes_kind(self.before, self.after)

    @property
    def becomes_folder(self) -> bool:
        return self.changes_kind and self.will_be_folder

    @property
    def is_folder(self) -> bool:
        """Whether only a folder is created, removed or changed."""
        return (self.was_folder or self.will_be_folder) and not self.changes_kind

    @property
    def makes_folder(self) -> bool:
        return self.is_folder and self.before is None

    @property
    def sets_folder_mode(self) -> bool:
        """Whether an existing folder gets other permission bits."""
        return self.was_folder and self.will_be_folder

    @property
    def parts(self) -> tuple[DiskChange, DiskChange]:
        """A kind change as two changes: the removal, then the creation."""
        return replace(self, after=None), replace(self, before=None, like=None)


class DiskState(Enum):
    """Which side of its change a target holds."""

    BEFORE = "before"
    AFTER = "after"
    NEITHER = "neither"


class TargetChanged(Conflict):
    """The target changed: what was exchanged was not the reviewed base."""


def disk_state_of(root: Beneath, change: DiskChange) -> DiskState:
    """Return which side of a change the disk holds.

    Compared are existence, kind, bytes and permission bits. Raises Refused where the path leads through a
    link.
    """
    now = image_of(root, change)
    if change.if_empty and now is not None and now.is_folder:
        return DiskState.BEFORE
    if holds(change, now, change.after):
        return DiskState.AFTER
    return DiskState.BEFORE if holds(change, now, change.before) else DiskState.NEITHER


def holds(change: DiskChange, now: FileImage | None, side: FileImage | None) -> bool:
    """Return whether the current image is that side of a change.

    Where only a folder's bits change, they distinguish the sides.
    """
    if not is_same(now, side):
        return False
    return not change.sets_folder_mode or now is None or side is None or now.mode == side.mode


def changes_kind(before: FileImage | None, after: FileImage | None) -> bool:
    """Return whether exactly one of two existing images is a folder."""
    return before is not None and after is not None and before.is_folder != after.is_folder


def nearest_above(path: str, folders: Collection[str]) -> str:
    """Return the nearest of these folders above a path, or ""."""
    while folders and (path := path.rpartition("/")[0]):
        if path in folders:
            return path
    return ""


def is_unfit_for_temporaries(before: FileImage | None, after: FileImage | None) -> bool:
    """Return whether a folder can't hold our files until the end.

    It is removed, or closed to its owner.
    """
    if after is None:
        return before is not None and before.is_folder
    return after.is_folder and after.mode & OWNER != OWNER


def temporary_path(path: str, name: str, others: Collection[str], removed_folders: Collection[str]) -> str:
    """Return the path of our own file for a target.

    It is beside the target, or above the folders that it can't stay in. `others` are paths that change their
    kind, `removed_folders` the folders that can hold none of our files.
    """
    folder = (nearest_above(path, others) or path).rpartition("/")[0]
    while folder in removed_folders:
        folder = folder.rpartition("/")[0]
    return f"{folder}/{name}" if folder else name


def image_of(root: Beneath, change: DiskChange) -> FileImage | None:
    """Return the image at a change's path.

    None where nothing is there, or where `beneath` is no folder at the moment.
    """
    return None if is_cut_off(root, change) else image_at(root, change.path)


def is_cut_off(root: Beneath, change: DiskChange) -> bool:
    """Return whether `beneath` is no folder at the moment."""
    state = root.state(change.beneath) if change.beneath else None
    return bool(change.beneath) and (state is None or state.kind is not EntryKind.FOLDER)


def image_at(root: Beneath, path: str) -> FileImage | None:
    """Return the image at a path; a link is not followed.

    A special file has the SHA-256 "" and equals nothing.
    """
    try:
        found = root.digest(path)
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        found = None  # no entry can have such a name there
    if found is None:
        return None
    digest, state = found
    if state.kind is EntryKind.LINK and (target := root.link_target(path)) is not None:
        return link_image(target)
    return FileImage(None if state.kind is EntryKind.FOLDER else digest, state.size, state.mode)


def link_image(target: bytes) -> FileImage:
    """Return the image of a symbolic link to `target`."""
    return FileImage(sha256(target), len(target), stat.S_IFLNK)


def has_same_content(one: FileImage, other: FileImage | None) -> bool:
    """Return whether two images agree in kind and bytes, ignoring permissions."""
    return other is not None and (one.sha256, one.is_link) == (other.sha256, other.is_link)


def is_same(one: FileImage | None, other: FileImage | None) -> bool:
    """Return whether two images agree in existence, kind, bytes and permission bits.

    Folders need only agree in kind.
    """
    if one is None or other is None:
        return one is other
    if one.is_folder or other.is_folder:
        return one.is_folder and other.is_folder
    return (one.sha256, one.mode) == (other.sha256, other.mode)


def folders_to_flush(disk_changes: Sequence[DiskChange], *, is_done: bool) -> set[str]:
    """Return the folders to flush.

    Their names change, through targets or our own files, or they are new and their permission bits must last.
    A folder that only gets other bits is flushed with them. `is_done` says which side is on disk: a path that
    is no folder on that side is skipped.
    """
    folders: set[str] = set()
    others = {
        item.path
        for item in disk_changes
        if item.changes_kind and not (item.will_be_folder if is_done else item.was_folder)
    }
    for change in disk_changes:
        if change.sets_folder_mode:
            continue
        if change.temporary:
            folders.add(_folder_of(change.temporary))
        if change.beneath in others:
            continue
        folders.add(_folder_of(change.path))
        if (change.was_folder or change.will_be_folder) and change.path not in others:
            folders.add(change.path)
    return folders


def _folder_of(path: str) -> str:
    return path.rpartition("/")[0]


def target_changed_error(change: DiskChange) -> TargetChanged:
    """Return the error for a target that changed while it was written."""
    return TargetChanged(
        "apply.displaced",
        f"{show_name(change.path)} changed just before it was written.",
        "Check the file, then have the step proposed again.",
        path=change.path,
    )
