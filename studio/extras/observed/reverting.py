"""Steps that revert observed changes to the baseline's content."""

from __future__ import annotations

from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager

from msgspec.structs import replace

from studio.engine.observed_change import ObservedChange
from studio.engine.plan import Step
from studio.engine.project.context import Context
from studio.engine.snapshot_store import Difference, ObjectFolder, StoredTree, is_damage
from studio.engine.store.observed import ObservedMarks
from studio.errors import NotFound, Refused, SnapshotError
from studio.extras.snapshots import restoring
from studio.extras.snapshots.restoring import Restoration
from studio.names import show_name

Choices = Mapping[str, Collection[int]]
"""Hunks to revert by change id, numbered as `compute` does."""


def marks_of(context: Context) -> ObservedMarks:
    """Return the marks of the last scan.

    Raises NotFound before the first.
    """
    marks = context.store.observed.marks()
    if marks is None:
        raise NotFound(
            "observed.no_baseline",
            "Nothing was observed in this project yet.",
            "Scan the project for outside changes first.",
        )
    return marks


@contextmanager
def as_baseline_damage() -> Generator[None]:
    """Turn the error for a damaged snapshot into one for the baseline.

    No one can delete the baseline, so the usual advice does not apply.
    """
    try:
        yield
    except SnapshotError as error:
        if not is_damage(error):
            raise
        raise SnapshotError(
            "observed.damaged",
            "The baseline of the project is damaged. Nothing was changed.",
            "Scan the project for outside changes, which creates a new baseline.",
        ) from error


def read_trees(context: Context, objects: ObjectFolder) -> tuple[StoredTree, StoredTree]:
    """Return the baseline, and the project as of the last scan.

    Raises as `marks_of`.
    """
    marks = marks_of(context)
    baseline, _ = objects.commit(marks.baseline)
    return StoredTree(objects, baseline), StoredTree(objects, bytes.fromhex(marks.tree))


def restoration_of(
    context: Context, objects: ObjectFolder, changes: Sequence[ObservedChange], choices: Choices
) -> Restoration:
    """Return the steps that revert these changes, or only chosen hunks.

    `choices` names the hunks. Raises Refused for none, or where only the spelling of a name changed on a disk
    that ignores case or composition; UsageError for hunks that a change does not have.
    """
    check_some(changes)
    baseline, current = read_trees(context, objects)
    paths = {path for change in changes for path in change.paths}
    paths |= _find_emptied(baseline, current, paths)
    sides = ((path, current.entry(path), baseline.entry(path)) for path in sorted(paths))
    differences = [
        Difference(path, now, before_state) for path, now, before_state in sides if now != before_state
    ]
    restored = restoring.restoration(context, current, baseline, differences)
    if not restored.steps:
        path = changes[0].path
        raise Refused(
            "observed.spelling",
            (
                f"Nothing was reverted: only the spelling of {show_name(path)} changed, and this "
                "disk treats both as one file."
            ),
            "Rename it yourself, or keep the change.",
            path=path,
        )
    chosen = {change.target: choices[change.id] for change in changes if change.id in choices}
    if not chosen:
        return restored
    steps: list[Step] = []
    extra: list[bytes] = []
    for step in restored.steps:
        if step.path in chosen:
            before, after = (bytes_at(tree, step.path) or b"" for tree in (baseline, current))
            part, data = restoring.in_part(context, step, before, after, chosen[step.path])
            extra.append(data)
            steps.append(part)
        else:
            steps.append(step)
    return replace(restored, steps=tuple(steps), extra=tuple(extra))


def _find_emptied(baseline: StoredTree, current: StoredTree, paths: Collection[str]) -> set[str]:
    """Return the folders that come or go together with their contents.

    Those that only one of the trees has, where nothing else stays in them.
    """
    found: set[str] = set()
    affected = set(paths)
    above = {each for path in paths for each in _list_parents(path)}
    for folder in sorted(above, key=lambda each: -each.count("/")):
        now_there, then_there = current.entry(folder), baseline.entry(folder)
        if then_there is not None and then_there.is_folder:
            if now_there is None or not now_there.is_folder:
                found.add(folder)
        elif now_there is not None and now_there.is_folder and current.names_in(folder) <= affected:
            affected.add(folder)
            found.add(folder)
    return found


def bytes_at(tree: StoredTree, path: str) -> bytes | None:
    """Return a file's bytes or a link's target, None for neither."""
    entry = tree.entry(path)
    return None if entry is None or entry.is_folder else tree.content(entry)


def _list_parents(path: str) -> list[str]:
    parts = path.split("/")
    return ["/".join(parts[:count]) for count in range(1, len(parts))]


def title_of(changes: Sequence[ObservedChange]) -> str:
    """Return the title of the plan that reverts these changes."""
    if len(changes) == 1:
        return f"Revert outside change of {show_name(changes[0].target)}"
    groups = {change.group for change in changes}
    if len(groups) == 1 and (group := groups.pop()) is not None:
        return f"Revert: {group.name}"
    return f"Revert {len(changes):,} outside changes"


def filter_revertible(changes: Sequence[ObservedChange]) -> list[ObservedChange]:
    """Return the changes whose earlier content is known.

    Raises Refused for none.
    """
    check_some(changes)
    revertible = [change for change in changes if not change.is_before_unknown]
    if not revertible:
        path = changes[0].path
        raise Refused(
            "observed.before_unknown",
            f"Nothing was reverted: {show_name(path)} changed while the project was first indexed, "
            "and what it was before is not known.",
            "Keep the change, or change the file yourself.",
            path=path,
        )
    return revertible


def check_some(changes: Sequence[ObservedChange]) -> None:
    """Check that at least one change was named.

    Raises Refused.
    """
    if not changes:
        raise Refused("observed.none", "No observed change was named.", "Choose an outside change.")
