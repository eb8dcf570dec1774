"""What is observed in a project, and what a person does about it: keep it, or take it back by a plan."""

from __future__ import annotations

import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.errors import NotFound, Refused
from studio.engine.git_data import GitData
from studio.engine.names import show_name
from studio.engine.observed.baseline import BaselineEdit
from studio.engine.observed.observer import Observer
from studio.engine.observed_change import ObservedChange, ObservedDecision, ObservedState
from studio.engine.plan import Plan, Step
from studio.engine.project.context import Context, Person
from studio.engine.snapshot_store import Difference, ObjectFolder, StoredTree
from studio.engine.snapshot_store.capture import Progress as ReadProgress
from studio.engine.snapshots import restoring
from studio.engine.snapshots.folder import SnapshotFolder
from studio.engine.snapshots.records import BASELINE, publish
from studio.engine.snapshots.restoring import Restoration, RestorePreview
from studio.engine.store.observed import ObservedMarks
from studio.engine.store.rows import now

Choices = Mapping[str, Collection[int]]
"""By a change's id the hunks that are taken back, numbered as `compute` of before and after does."""


@dataclass(frozen=True, slots=True)
class ObservedContents:
    """The bytes before and after a change, None where no file was or is; `setting` is the project's encoding
    for its path."""

    before: bytes | None
    after: bytes | None
    setting: str | None


class Observed:
    """The observed changes of one project; for all threads."""

    def __init__(self, context: Context, folder: SnapshotFolder) -> None:
        self._context = context
        self._folder = folder
        self._turn = threading.Lock()
        self._observer: Observer | None = None
        self._git = GitData(context.root.path)

    def look(self, paths: Collection[str] = (), *, progress: ReadProgress | None = None) -> bool:
        """Look at these paths and beneath them, or at everything; whether anything is told otherwise now.

        The first look ever makes the baseline; what `progress` raises ends it. See `Observer.look`.
        """
        with self._turn:
            self._observer = self._observer or Observer(self._context, self._folder, self._git)
            return self._observer.look(paths, progress=progress)

    @property
    def is_unsettled(self) -> bool:
        """Whether the last look found a plan at its files, so that another one should follow soon."""
        return self._observer is not None and self._observer.is_unsettled

    @property
    def has_baseline(self) -> bool:
        """Whether anybody looked here before."""
        return self._context.store.observed.marks() is not None

    def open(self) -> tuple[ObservedChange, ...]:
        """What waits for a person's word, in the order in which it was first seen."""
        return self._context.store.observed.open()

    def all(self) -> tuple[ObservedChange, ...]:
        """Every change that is known, the newest of those that were decided too."""
        return self._context.store.observed.all()

    def find(self, wanted: str) -> ObservedChange:
        """The change with that id, or unique prefix of it. Raises NotFound or UsageError."""
        return self._context.store.observed.get(wanted)

    def close(self) -> None:
        """End what reads git's data."""
        self._git.close()

    def contents(self, change: ObservedChange) -> ObservedContents:
        """What an open change is about. Raises SnapshotError where its bytes are gone."""
        with self._folder.opened() as objects:
            baseline, here = self._trees(objects)
            before, after = _bytes_at(baseline, change.path), _bytes_at(here, change.target)
        return ObservedContents(before, after, self._context.config().encoding_for(change.target))

    def keep(self, changes: Sequence[ObservedChange], person: Person) -> tuple[ObservedChange, ...]:
        """Have the baseline move on: from now on these are what the project is. Nothing is written to it.

        Raises Conflict where one is not open, or another change by now: then none is kept.
        """
        store = self._context.store
        with self._folder.opened() as objects:
            marks = self._marks()
            baseline, here = self._trees(objects)
            _check_some(changes)
            store.observed.check_open(changes)
            edit = BaselineEdit(objects, baseline, here)
            for path in sorted({path for change in changes for path in change.paths}):
                edit.put(path, here.entry(path))
            moved = edit.write()
            counted = replace(moved.manifest, files=here.manifest.files, bytes=here.manifest.bytes)
            record = publish(objects, replace(moved, manifest=counted), BASELINE, snapshot_id=BASELINE)
            decision = self._decision(person)
            with store.database.write() as connection:
                store.observed.close(connection, changes, ObservedState.KEPT, decision)
                store.observed.set_marks(connection, replace(marks, baseline=record.commit))
        self._context.ring()
        return tuple(replace(each, state=ObservedState.KEPT, decision=decision) for each in changes)

    def preview(self, changes: Sequence[ObservedChange], choices: Choices | None = None) -> RestorePreview:
        """What taking them back would do, file by file. Nothing is written."""
        with self._folder.opened() as objects:
            restored = self._restoration(objects, changes, choices or {})
            plan = restoring.plan_of(restored, _title(changes), BASELINE)
            refusal = restoring.rehearse(self._context, plan, restored) if restored.steps else None
            return RestorePreview(plan.title, restored.steps, restored.fingerprint, refusal=refusal)

    def revert(
        self,
        changes: Sequence[ObservedChange],
        person: Person,
        choices: Choices | None = None,
        *,
        progress: Progress | None = None,
        control: ApplyControl | None = None,
    ) -> Plan:
        """Put back what the baseline has there, or of the named changes the chosen hunks, by a plan in the
        history: all of it or nothing, and never over what was written since it was shown.

        Raises Conflict where one is not open, or another change by now, and as `gateway.apply`.
        """
        store, asked = self._context.store, choices or {}
        with self._context.ringing(), self._folder.opened() as objects:
            store.observed.check_open(changes)
            restored = self._restoration(objects, changes, asked)
            plan = restoring.plan_of(restored, _title(changes), BASELINE, person.name)
            plan = restoring.write(self._context, plan, restored, person, progress=progress, control=control)
            whole = [change for change in changes if change.id not in asked]
            with store.database.write() as connection:
                store.observed.close(connection, whole, ObservedState.REVERTED, self._decision(person))
        return plan

    def _restoration(
        self, objects: ObjectFolder, changes: Sequence[ObservedChange], choices: Choices
    ) -> Restoration:
        _check_some(changes)
        baseline, here = self._trees(objects)
        paths = {path for change in changes for path in change.paths}
        paths |= _emptied(baseline, here, paths)
        differences = [
            Difference(path, here.entry(path), baseline.entry(path))
            for path in sorted(paths)
            if here.entry(path) != baseline.entry(path)
        ]
        restored = restoring.restoration(self._context, here, baseline, differences)
        chosen = {change.target: choices[change.id] for change in changes if change.id in choices}
        if not chosen:
            return restored
        steps: list[Step] = []
        extra: list[bytes] = []
        for step in restored.steps:
            if step.path in chosen:
                before, after = (_bytes_at(tree, step.path) for tree in (baseline, here))
                part, data = restoring.in_part(
                    self._context, step, before or b"", after or b"", chosen[step.path]
                )
                extra.append(data)
                steps.append(part)
            else:
                steps.append(step)
        return replace(restored, steps=tuple(steps), extra=tuple(extra))

    def _marks(self) -> ObservedMarks:
        marks = self._context.store.observed.marks()
        if marks is None:
            raise NotFound(
                "observed.no_baseline",
                "Nothing was observed in this project yet.",
                "Have it looked at: studio observed list",
            )
        return marks

    def _trees(self, objects: ObjectFolder) -> tuple[StoredTree, StoredTree]:
        """The baseline, and the project as it was seen last."""
        marks = self._marks()
        baseline, _ = objects.commit(marks.baseline)
        return StoredTree(objects, baseline), StoredTree(objects, bytes.fromhex(marks.tree))

    def _decision(self, person: Person) -> ObservedDecision:
        return ObservedDecision(person.name, now(), person.source, self._context.config().folder)


def _emptied(baseline: StoredTree, here: StoredTree, paths: Collection[str]) -> set[str]:
    """The folders that are to go or to come with what is in them: those that only one of the two has, where
    nothing else stays in them."""
    found: set[str] = set()
    going = set(paths)
    above = {each for path in paths for each in _above(path)}
    for folder in sorted(above, key=lambda each: -each.count("/")):
        now_there, then_there = here.entry(folder), baseline.entry(folder)
        if then_there is not None and then_there.is_folder:
            if now_there is None or not now_there.is_folder:
                found.add(folder)
        elif now_there is not None and now_there.is_folder and here.names_in(folder) <= going:
            going.add(folder)
            found.add(folder)
    return found


def _bytes_at(tree: StoredTree, path: str) -> bytes | None:
    """Those of a file, or where a link leads; None where there is none."""
    entry = tree.entry(path)
    return None if entry is None or entry.is_folder else tree.content(entry)


def _above(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def _title(changes: Sequence[ObservedChange]) -> str:
    if len(changes) == 1:
        return f"Take back what was observed in {show_name(changes[0].target)}"
    groups = {change.group for change in changes}
    if len(groups) == 1 and (group := groups.pop()) is not None:
        return f"Take back: {group.name}"
    return f"Take back {len(changes):,} observed changes"


def _check_some(changes: Sequence[ObservedChange]) -> None:
    if not changes:
        raise Refused("observed.none", "No observed change was named.", "See: studio observed list")
