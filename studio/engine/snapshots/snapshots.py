"""The snapshots of an open project: made, listed, compared (R121-R126)."""

from __future__ import annotations

from dataclasses import dataclass

from studio.engine.errors import Refused
from studio.engine.limits import SNAPSHOT_TAG_CHARACTERS
from studio.engine.names import show_name
from studio.engine.project.context import Context
from studio.engine.snapshot_store import Difference, ObjectFolder, StoredTree
from studio.engine.snapshot_store.capture import Progress as ReadProgress
from studio.engine.snapshots import restoring
from studio.engine.snapshots.folder import SnapshotFolder
from studio.engine.snapshots.records import SnapshotRecord, damaged, find, publish, records, tree_of
from studio.engine.snapshots.restoring import Restoration, RestorePreview


@dataclass(frozen=True, slots=True)
class SnapshotChange:
    """One path that two states hold otherwise: `op` is "create", "modify", "delete" or "mode"."""

    path: str
    op: str


@dataclass(frozen=True, slots=True)
class RestoredSides:
    """The bytes of one path, None for a folder and for what is not there.

    `setting` is its encoding, where the configuration names one."""

    now: bytes | None
    after: bytes | None
    setting: str | None


@dataclass(frozen=True, slots=True)
class DiskUse:
    """What snapshots take on the disk, and the most they may."""

    used: int
    cap: int


class Snapshots:
    """What any process may do with a project's snapshots. A person does more: `SnapshotDecisions`."""

    def __init__(self, context: Context, folder: SnapshotFolder) -> None:
        self._context = context
        self._folder = folder

    def create(self, tag: str = "", *, progress: ReadProgress | None = None) -> SnapshotRecord:
        """Keep the project's whole state: ignored files, links, empty folders, every permission bit.

        What `progress` raises ends it. Raises Refused at the cap, SnapshotError, FileError.
        """
        self._context.check_root()
        _check_tag(tag)
        with self._folder.opened() as objects:
            captured = self._folder.captured(objects, progress)
            record = publish(objects, captured, tag)
        self._context.store.note_snapshots()
        self._context.ring()
        return record

    def all(self, *, with_baseline: bool = False) -> tuple[SnapshotRecord, ...]:
        """Every snapshot, the oldest first; the automatic one only when it is asked for."""
        if not self._folder.is_there:
            return ()
        with self._folder.read() as objects:
            return tuple(found for found in records(objects) if with_baseline or not found.is_baseline)

    def damaged(self) -> tuple[str, ...]:
        """The ids of snapshots that are not listed, because nothing can be read of them any more."""
        if not self._folder.is_there:
            return ()
        with self._folder.read() as objects:
            return damaged(objects)

    def find(self, wanted: str) -> SnapshotRecord:
        """The snapshot with that id, prefix of it, or tag. Raises NotFound or UsageError."""
        with self._folder.read() as objects:
            return find(objects, wanted)

    def left_out(self, wanted: str) -> dict[str, str]:
        """By path what a snapshot could not keep, and why."""
        with self._folder.read() as objects:
            return dict(tree_of(objects, find(objects, wanted)).manifest.left_out)

    def changes(self, wanted: str, other: str | None = None) -> tuple[SnapshotChange, ...]:
        """How the project as it is now, or another snapshot, differs from a snapshot, sorted by path."""
        with self._folder.opened() as objects:
            before = tree_of(objects, find(objects, wanted))
            after = (
                tree_now(self._folder, objects) if other is None else tree_of(objects, find(objects, other))
            )
            return tuple(SnapshotChange(found.path, _word(found)) for found in before.differences(after))

    def preview(self, wanted: str, *, progress: ReadProgress | None = None) -> RestorePreview:
        """What restoring a snapshot would do, file by file. Nothing is written.

        What `progress` raises ends it.
        """
        with self._folder.opened() as objects:
            record = find(objects, wanted)
            here, restored = restoration_of(self._context, self._folder, objects, record, progress)
            plan = restoring.plan_of(restored, title_of(record), record.id)
            return RestorePreview(
                plan.title,
                restored.steps,
                restored.fingerprint,
                restoring.unplanned(self._context, restored.steps),
                here.manifest.left_out,
                restoring.rehearse(self._context, plan, restored) if restored.steps else None,
                (here.object_id, tree_of(objects, record).object_id),
            )

    def sides(self, preview: RestorePreview, path: str) -> RestoredSides:
        """A previewed path as it was when it was looked at, and as it would come back.

        Raises SnapshotError where that is not kept any more.
        """
        with self._folder.opened() as objects:
            trees = [StoredTree(objects, tree) for tree in preview.trees]
            entries = [(tree, tree.entry(path)) for tree in trees]
            now, after = (
                tree.content(entry) if entry is not None and not entry.is_folder else None
                for tree, entry in entries
            )
            return RestoredSides(now, after, self._context.config().encoding_for(path))

    def disk_use(self) -> DiskUse:
        """What snapshots take on the disk."""
        cap = self._context.config().observe_bytes
        if not self._folder.is_there:
            return DiskUse(0, cap)
        with self._folder.read() as objects:
            return DiskUse(objects.used_bytes(), cap)


def tree_now(
    folder: SnapshotFolder, objects: ObjectFolder, progress: ReadProgress | None = None
) -> StoredTree:
    """The project as it is now."""
    return StoredTree(objects, folder.captured(objects, progress).tree)


def restoration_of(
    context: Context,
    folder: SnapshotFolder,
    objects: ObjectFolder,
    record: SnapshotRecord,
    progress: ReadProgress | None = None,
) -> tuple[StoredTree, Restoration]:
    """The project as it is now, and what makes it as the snapshot has it."""
    context.check_root()
    here = tree_now(folder, objects, progress)
    return here, restoring.steps_to(context, here, tree_of(objects, record))


def title_of(record: SnapshotRecord) -> str:
    """Of the plan that restores it."""
    return f"Restore “{show_name(record.name)}”"


def _word(found: Difference) -> str:
    if found.before is None:
        return "create"
    if found.after is None:
        return "delete"
    same = found.before.object_id == found.after.object_id and found.before.is_link == found.after.is_link
    return "mode" if same and found.before.is_folder == found.after.is_folder else "modify"


def _check_tag(tag: str) -> None:
    if len(tag) > SNAPSHOT_TAG_CHARACTERS or "\n" in tag:
        raise Refused(
            "snapshot.tag",
            f"A tag has at most {SNAPSHOT_TAG_CHARACTERS} characters, and one line.",
            "Give a shorter one.",
        )
