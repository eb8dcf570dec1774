"""Snapshot API of a project: create, list, compare, preview, restore and delete."""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.plan import Plan
from studio.engine.project.context import Context, Person
from studio.engine.snapshot_store import Difference, ObjectFolder, StoredTree
from studio.engine.snapshot_store.capture import Progress as ReadProgress
from studio.errors import Refused
from studio.extras.snapshots import restoring
from studio.extras.snapshots.folder import SnapshotFolder
from studio.extras.snapshots.records import SnapshotRecord, damaged, find, publish, records, tree_of
from studio.extras.snapshots.restoring import Restoration, RestorePreview
from studio.limits import SNAPSHOT_TAG_CHARACTERS
from studio.names import show_name
from studio.values import Value


class SnapshotChange(Value):
    """One path that differs between two states.

    `op` is "create", "modify", "delete" or "mode".
    """

    path: str
    op: str


class RestoredSides(Value):
    """Bytes of one path before and after a restore.

    None for a folder or a missing entry. `setting` is the encoding that the configuration names, if any.
    """

    now: bytes | None
    after: bytes | None
    setting: str | None


class DiskUse(Value):
    """Disk space that snapshots use, and their limit, in bytes."""

    used: int
    cap: int


class Snapshots:
    """Snapshot operations open to any process.

    Those that need a person are in `SnapshotDecisions`.
    """

    def __init__(self, context: Context, folder: SnapshotFolder) -> None:
        self._context = context
        self._folder = folder

    def create(self, tag: str = "", *, progress: ReadProgress | None = None) -> SnapshotRecord:
        """Store the project's complete state.

        That includes ignored files, symbolic links, empty folders and all permission bits. An exception from
        `progress` ends it. Raises Refused at the size limit, SnapshotError, FileError.
        """
        self._context.check_root()
        _check_tag(tag)
        with self._folder.opened() as objects:
            captured = self._folder.captured(objects, progress)
            record = publish(objects, captured, tag)
        self._context.store.note_snapshots()
        self._context.notify()
        return record

    def all(self, *, with_baseline: bool = False) -> tuple[SnapshotRecord, ...]:
        """Return all snapshots, oldest first; the baseline only on request."""
        if not self._folder.is_there:
            return ()
        with self._folder.read() as objects:
            return tuple(found for found in records(objects) if with_baseline or not found.is_baseline)

    def damaged(self) -> tuple[str, ...]:
        """Return the ids of snapshots that are unreadable and so not listed."""
        if not self._folder.is_there:
            return ()
        with self._folder.read() as objects:
            return damaged(objects)

    def find(self, wanted: str) -> SnapshotRecord:
        """Find a snapshot by id, id prefix, or tag.

        Raises NotFound or UsageError.
        """
        with self._folder.read() as objects:
            return find(objects, wanted)

    def excluded_paths(self, wanted: str) -> dict[str, str]:
        """Return what a snapshot could not store: reasons by path."""
        with self._folder.read() as objects:
            return dict(tree_of(objects, find(objects, wanted)).manifest.left_out)

    def changes(self, wanted: str, other: str | None = None) -> tuple[SnapshotChange, ...]:
        """Compare a snapshot with another, or with the current project, by path."""
        with self._folder.opened() as objects:
            before = tree_of(objects, find(objects, wanted))
            after = (
                tree_now(self._folder, objects) if other is None else tree_of(objects, find(objects, other))
            )
            return tuple(
                SnapshotChange(found.path, _changes_word(found)) for found in before.differences(after)
            )

    def preview(self, wanted: str, *, progress: ReadProgress | None = None) -> RestorePreview:
        """Return what restoring a snapshot would do; nothing is written.

        An exception from `progress` ends it.
        """
        with self._folder.opened() as objects:
            record = find(objects, wanted)
            current, restored = restoration_of(self._context, self._folder, objects, record, progress)
            plan = restoring.plan_of(restored, title_of(record), record.id)
            return RestorePreview(
                plan.title,
                restored.steps,
                restored.fingerprint,
                restoring.unplanned(self._context, restored.steps),
                current.manifest.left_out,
                restoring.rehearse(self._context, plan, restored) if restored.steps else None,
                (current.object_id, tree_of(objects, record).object_id),
            )

    def sides(self, preview: RestorePreview, path: str) -> RestoredSides:
        """Return a previewed path's bytes before and after the restore.

        Raises SnapshotError where they are not stored any more.
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
        """Return the disk space that snapshots use."""
        cap = self._context.config().observe_bytes
        if not self._folder.is_there:
            return DiskUse(0, cap)
        with self._folder.read() as objects:
            return DiskUse(objects.used_bytes(), cap)


def tree_now(
    folder: SnapshotFolder, objects: ObjectFolder, progress: ReadProgress | None = None
) -> StoredTree:
    """Capture the project's current state and return its tree."""
    return StoredTree(objects, folder.captured(objects, progress).tree)


def restoration_of(
    context: Context,
    folder: SnapshotFolder,
    objects: ObjectFolder,
    record: SnapshotRecord,
    progress: ReadProgress | None = None,
) -> tuple[StoredTree, Restoration]:
    """Return the project's current tree, and the steps to the snapshot's."""
    context.check_root()
    current = tree_now(folder, objects, progress)
    return current, restoring.steps_to(context, current, tree_of(objects, record))


def title_of(record: SnapshotRecord) -> str:
    """Return the title of the plan that restores a snapshot."""
    return f"Restore “{show_name(record.name)}”"


def _changes_word(found: Difference) -> str:
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
            "Use a shorter one.",
        )


class SnapshotDecisions:
    """Snapshot operations that need an identified person."""

    def __init__(self, context: Context, folder: SnapshotFolder, person: Person) -> None:
        self._context = context
        self._folder = folder
        self._person = person

    def restore(
        self,
        wanted: str,
        *,
        shown: str | None = None,
        progress: Progress | None = None,
        control: ApplyControl | None = None,
    ) -> Plan:
        """Restore the project to a snapshot through a plan, all or nothing.

        `shown` is the fingerprint of a preview: Conflict is raised if the result would differ. Raises as
        `gateway.apply`.
        """
        with self._context.notifying(), self._folder.opened() as objects:
            record = find(objects, wanted)
            _, restored = restoration_of(self._context, self._folder, objects, record)
            restoring.check_shown(restored, shown)
            plan = restoring.plan_of(restored, title_of(record), record.id, self._person.name)
            return restoring.write(
                self._context, plan, restored, self._person, progress=progress, control=control
            )

    def delete(self, wanted: Sequence[str]) -> int:
        """Delete snapshots for good and return the number of bytes freed.

        The undo of plans that restored them is kept. Raises NotFound, UsageError or Refused.
        """
        with self._folder.opened() as objects:
            chosen = [find(objects, each) for each in wanted]
            if any(record.is_baseline for record in chosen):
                raise Refused(
                    "snapshot.baseline",
                    "The baseline can't be deleted: changes are observed against it.",
                    "Keep the outside changes, which moves the baseline.",
                )
            for record in {record.id: record for record in chosen}.values():
                objects.unpublish(record.id)
            freed = self._folder.sweep(objects)
        self._context.store.note_snapshots()
        self._context.notify()
        return freed
