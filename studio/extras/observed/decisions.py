"""Observed changes: keep them, or revert by a plan applied at once."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.observed_change import ObservedChange, ObservedDecision, ObservedState
from studio.engine.plan import Plan
from studio.engine.project.context import Context, Person
from studio.engine.store.rows import now
from studio.extras.observed.baseline import BaselineEdit
from studio.extras.observed.reverting import (
    Choices,
    as_baseline_damage,
    check_some,
    filter_revertible,
    marks_of,
    read_trees,
    restoration_of,
    title_of,
)
from studio.extras.snapshots import restoring
from studio.extras.snapshots.folder import SnapshotFolder
from studio.extras.snapshots.records import BASELINE, publish


class ObservedDecisions:
    """Decisions on observed changes, made by an identified person."""

    def __init__(self, context: Context, folder: SnapshotFolder, person: Person) -> None:
        self._context = context
        self._folder = folder
        self._person = person

    def keep(self, changes: Sequence[ObservedChange]) -> tuple[ObservedChange, ...]:
        """Accept changes by moving the baseline on to them.

        Nothing is written to the project. Raises Conflict where one is no longer open, or has changed: then
        none is kept.
        """
        store = self._context.store
        with as_baseline_damage(), self._folder.opened() as objects:
            marks = marks_of(self._context)
            baseline, current = read_trees(self._context, objects)
            check_some(changes)
            store.observed.check_open(changes)
            edit = BaselineEdit(objects, baseline, current)
            for path in sorted({path for change in changes for path in change.paths}):
                edit.put(path, current.entry(path))
            moved = edit.write()
            manifest = replace(moved.manifest, files=current.manifest.files, bytes=current.manifest.bytes)
            record = publish(objects, replace(moved, manifest=manifest), BASELINE, snapshot_id=BASELINE)
            decision = self._build_decision()
            with store.database.write() as connection:
                store.observed.close(connection, changes, ObservedState.KEPT, decision)
                store.observed.set_marks(connection, replace(marks, baseline=record.commit))
        self._context.notify()
        return tuple(replace(each, state=ObservedState.KEPT, decision=decision) for each in changes)

    def revert(
        self,
        changes: Sequence[ObservedChange],
        choices: Choices | None = None,
        *,
        progress: Progress | None = None,
        control: ApplyControl | None = None,
    ) -> Plan:
        """Restore the baseline's content, or only chosen hunks, by a plan.

        All or nothing, and never over what was written since it was shown. What changed while indexing stays,
        and stays open.
        Raises Refused where all did, Conflict where one is no longer open or has changed, and whatever
        `gateway.apply` raises.
        """
        store, chosen = self._context.store, choices or {}
        with self._context.notifying(), as_baseline_damage(), self._folder.opened() as objects:
            store.observed.check_open(changes)
            revertible = filter_revertible(changes)
            restored = restoration_of(self._context, objects, revertible, chosen)
            plan = restoring.plan_of(restored, title_of(revertible), BASELINE, self._person.name)
            plan = restoring.write(
                self._context, plan, restored, self._person, progress=progress, control=control
            )
            whole = [change for change in revertible if change.id not in chosen]
            with store.database.write() as connection:
                store.observed.close(connection, whole, ObservedState.REVERTED, self._build_decision())
        return plan

    def _build_decision(self) -> ObservedDecision:
        person = self._person
        return ObservedDecision(person.name, now(), person.source, self._context.config().folder)
