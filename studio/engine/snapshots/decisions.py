"""Restoring and deleting of snapshots, for a reviewer only.

A restore is a plan that can be rolled back; it never resets or cleans the project and never touches `.git`.
"""

from __future__ import annotations

from collections.abc import Sequence

from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.errors import Refused
from studio.engine.plan import Plan
from studio.engine.project.context import Context, Person
from studio.engine.snapshots import restoring
from studio.engine.snapshots.folder import SnapshotFolder
from studio.engine.snapshots.records import find
from studio.engine.snapshots.snapshots import restoration_of, title_of


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
                    "Keep what was observed (studio observed keep); then it moves on.",
                )
            for record in {record.id: record for record in chosen}.values():
                objects.unpublish(record.id)
            freed = self._folder.sweep(objects)
        self._context.store.note_snapshots()
        self._context.notify()
        return freed
