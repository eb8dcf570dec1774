"""Computation of the file changes that lead from one snapshot to another."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from studio.engine.disk import (
    DiskChange,
    changes_kind,
    is_unfit_for_temporaries,
    nearest_above,
    temporary_path,
)
from studio.engine.disk.temporary_names import temporary_name
from studio.engine.snapshot_store import NEVER_KEPT, StoredEntry, StoredTree, image_of
from studio.errors import SnapshotRestoreError
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.values import Value


class Restoring(Value):
    """The file changes of one restore, deterministic for states and name."""

    disk_changes: tuple[DiskChange, ...]
    contents: Mapping[str, tuple[StoredTree, StoredEntry]]

    def content(self, digest: str) -> bytes:
        """Return the content with a SHA-256.

        Raises SnapshotError where it is missing or damaged.
        """
        tree, entry = self.contents[digest]
        return tree.content(entry)


def restoring(now: StoredTree, wanted: StoredTree, restore_id: str) -> Restoring:
    """Compute the changes from the current to the wanted state.

    Temporary files are named by `restore_id`. What is in no snapshot is not touched, nor are its parent
    folders. Raises SnapshotRestoreError where it is in the way, or where something of the current state can't
    be read, SnapshotError where a stored state can't be.
    """
    contents: dict[str, tuple[StoredTree, StoredEntry]] = {}
    now_excluded, then_excluded = now.manifest.left_out, wanted.manifest.left_out
    for path, why in now_excluded.items():
        if why not in NEVER_KEPT and not _is_in(path, then_excluded):
            raise _unreadable_snapshot(path, why)
    holding = {above for path in now_excluded for above in _list_parents(path)}
    ends: list[tuple[str, FileImage | None, FileImage | None]] = []
    for change in now.differences(wanted):
        path = change.path
        before = _build_image(now, change.before, contents)
        after = _build_image(wanted, change.after, contents)
        if after is None and (_is_in(path, then_excluded) or path in holding):
            continue
        if _is_in(path, now_excluded) or (path in holding and changes_kind(before, after)):
            raise _blocked_path(path)
        ends.append((path, before, after))
    others = {path for path, *sides in ends if changes_kind(*sides)}
    leaving = {path for path, *sides in ends if is_unfit_for_temporaries(*sides)}
    disk_changes: list[DiskChange] = []
    for number, (path, before, after) in enumerate(ends, start=1):
        temporary, like = "", None
        if not all(side is None or side.is_folder for side in (before, after)):
            temporary = temporary_path(path, temporary_name(restore_id, number), others, leaving)
        if before is not None and after is not None and not (before.is_folder or after.is_folder):
            like = path
        disk_changes.append(DiskChange(path, before, after, temporary, like))
    return Restoring(tuple(disk_changes), contents)


def _build_image(
    tree: StoredTree, entry: StoredEntry | None, contents: dict[str, tuple[StoredTree, StoredEntry]]
) -> FileImage | None:
    if entry is None:
        return None
    image = image_of(entry, None if entry.is_folder else tree.content(entry))
    if image.sha256 is not None:
        contents[image.sha256] = tree, entry
    return image


def _is_in(path: str, places: Collection[str]) -> bool:
    return path in places or bool(nearest_above(path, places))


def _list_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _unreadable_snapshot(path: str, why: str) -> SnapshotRestoreError:
    return SnapshotRestoreError(
        "snapshot.unread",
        f"Nothing was restored: {show_name(path)} could not be saved first: {why}",
        "Change its permissions, or move it away, and restore again.",
    )


def _blocked_path(path: str) -> SnapshotRestoreError:
    return SnapshotRestoreError(
        "snapshot.in_the_way",
        (f"Nothing was restored: {show_name(path)} is or contains something that snapshots don't include."),
        "Move it away, and restore again.",
    )
