"""Rollback computation: each step's disk status, drift resolution and inverse step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from enum import Enum

from msgspec import field
from msgspec.structs import replace

from studio.engine.history.drift_choices import NOTHING, DriftResolution, resolution_step
from studio.engine.history.inverse import (
    fingerprint,
    hash_of,
    inverse_of,
    is_folder_step,
    with_hunks_of,
)
from studio.engine.plan import Operation, Plan, Step, StepState
from studio.engine.project.context import Context
from studio.engine.review.staleness import SeenFiles, StepDiskStatus, disk_status_by, within
from studio.engine.root import Unseen
from studio.engine.store.content_cache import ContentCache
from studio.errors import Conflict, FileError, Refused, StudioError, UsageError
from studio.names import show_name
from studio.system.os_errors import in_front
from studio.values import Value


class DiskStatus(Enum):
    """Disk status of a step, compared with what it left."""

    AS_WRITTEN = "as_written"
    CHANGED = "changed"
    LOST = "lost"
    """Bytes needed for the rollback, or to be stored for undoing it, are gone or damaged."""
    UNSEEN = "unseen"
    """The disk can't be read: no drift, and it may be temporary."""
    SETTLED = "settled"
    """A folder that is already removed, or already there again."""
    IN_USE = "in_use"
    """A folder that stays because something in it stays."""

    @property
    def drifted(self) -> bool:
        """Whether the reviewer has to choose a drift resolution."""
        return self in (DiskStatus.CHANGED, DiskStatus.LOST)


class RollbackChoice(Value):
    """The reviewer's choice of steps and drift resolutions for a rollback.

    `steps` None means every applied one; `resolutions` has the resolutions by step number. `shown` has the
    `fingerprint` of what was displayed by step number; None where no one saw a preview.
    """

    steps: Sequence[int] | None = None
    resolutions: Mapping[int, DriftResolution] = field(default_factory=dict[int, DriftResolution])
    shown: Mapping[int, str] | None = None


class RollbackPlanStep(Value):
    """One step of a rollback plan: disk status and inverse step.

    `inverse` None: its file stays. `resolution` is the drift resolution chosen, `refusal` why that is
    impossible, or why the disk can't be read; `stays` is what keeps a folder, `contents` are bytes that
    `inverse` needs and the store may not have yet.
    """

    step: Step
    disk_status: DiskStatus
    resolution: DriftResolution | None = None
    inverse: Step | None = None
    refusal: StudioError | None = None
    stays: str = ""
    contents: tuple[bytes, ...] = ()


class RollbackPlan(Value):
    """Everything that rolling back a plan, or some steps, would do."""

    plan: Plan
    steps: tuple[RollbackPlanStep, ...]

    @property
    def inverses(self) -> tuple[Step, ...]:
        """The steps of the rollback in reverse order, numbered from 1."""
        inverses = [found.inverse for found in reversed(self.steps) if found.inverse is not None]
        return tuple(replace(step, number=number) for number, step in enumerate(inverses, start=1))

    @property
    def refusal(self) -> StudioError | None:
        """The reason why nothing would be done, None where it can start."""
        unseen_step = next((found for found in self.steps if found.disk_status is DiskStatus.UNSEEN), None)
        if unseen_step is not None:
            return unseen_step.refusal
        unresolved = [found for found in self.steps if found.disk_status.drifted and found.resolution is None]
        if unresolved:
            return _unresolved_error(unresolved)
        units = {found.step.unit for found in self.steps if found.step.unit and found.inverse is not None}
        kept_step = next(
            (each for each in self.steps if each.resolution and not each.inverse and each.step.unit in units),
            None,
        )
        if kept_step is not None:
            return _divided_error(kept_step.step)
        refusal = next((found.refusal for found in self.steps if found.refusal is not None), None)
        return refusal if refusal is not None or self.inverses else _nothing_error(self.steps)

    def check_shown(self, shown: Mapping[int, str] | None) -> None:
        """Raise Conflict unless the `fingerprint` of each step is as shown."""
        if shown is None:
            return
        for found in self.steps:
            if shown.get(found.step.number, "") != fingerprint(found.inverse):
                raise Conflict(
                    "rollback.changed_under_you",
                    f"{NOTHING}: {show_name(found.step.target)} changed after it was shown.",
                    "Review it again.",
                    path=found.step.target,
                )


def compute_rollback_plan(
    context: Context, plan: Plan, choice: RollbackChoice, seen_files: SeenFiles, contents: ContentCache
) -> RollbackPlan:
    """Compute the rollback plan; nothing is written or stored.

    `seen_files` and `contents` keep what was read for the writing that follows. Raises UsageError, or Refused
    where nothing can be rolled back.
    """
    chosen = select_steps(plan, choice.steps)
    planner = _StepPlanner(context, plan, seen_files, contents)
    # In this order: what is written first is what fits in memory.
    contents.verify((), (*(step.base for step in chosen), *(step.decided for step in chosen)))
    with context.store.database.read():
        found = [planner.plan_step(step, choice.resolutions.get(step.number)) for step in chosen]
    removed = _removed_paths(context, found)
    return RollbackPlan(plan, tuple(_unless_used(context, each, removed) for each in found))


def select_steps(plan: Plan, numbers: Sequence[int] | None) -> tuple[Step, ...]:
    """Return the applied steps to roll back, with their units.

    Raises UsageError, or Refused where one can't be rolled back.
    """
    if plan.discarded is not None:
        raise Refused(
            "plan.discarded",
            f"“{plan.title}” can't be rolled back: its undo data was discarded.",
            "Raise retention in the user configuration to keep undo data longer.",
        )
    for number in numbers or ():
        if plan.step(number) is None:
            raise UsageError(
                "step.not_found",
                f"Plan {plan.short_id} has no step {number}.",
                "Specify a step of this plan.",
            )
    selected = None if numbers is None else plan.with_units(numbers)
    steps = tuple(step for step in plan.steps if numbers is None or step.number in numbers)
    applied = tuple(
        step
        for step in plan.steps
        if step.state is StepState.APPLIED and (selected is None or step.number in selected)
    )
    if not applied:
        subject = f"Plan {plan.short_id}" if numbers is None else f"These steps of plan {plan.short_id}"
        raise Refused(
            "rollback.nothing",
            f"{subject} can't be rolled back: nothing is applied.",
            "Choose an applied plan.",
        )
    if numbers is not None and any(step.state is not StepState.APPLIED for step in steps):
        other = next(step for step in steps if step.state is not StepState.APPLIED)
        raise Refused(
            "rollback.not_applied",
            f"{NOTHING}: step {other.number} of plan {plan.short_id} is {other.state.words}.",
            "Specify only applied steps.",
            path=other.path,
        )
    kept = {part.number for part in plan.parts if part.discarded is None}
    lost = next((step for step in applied if step.part not in kept), None)
    if lost is not None:
        raise Refused(
            "plan.discarded",
            f"Part {lost.part} of “{plan.title}” can't be rolled back: its undo data was discarded.",
            "Roll back another part.",
        )
    return applied


class _StepPlanner:
    def __init__(self, context: Context, plan: Plan, seen_files: SeenFiles, contents: ContentCache) -> None:
        self._context = context
        self._read_image = within(plan.steps, seen_files.image)
        self._contents = contents
        # The plan's own paths are never used for a file saved beside another, whatever part of the plan is
        # rolled back.
        self._reserved = {path for step in plan.steps for path in step.written_paths}

    def plan_step(self, step: Step, resolution: DriftResolution | None) -> RollbackPlanStep:
        """Return a step's disk status, and the step that undoes it."""
        inverse = inverse_of(step)
        try:
            status = self._status_of(step, inverse)
        except FileError as error:
            return RollbackPlanStep(step, DiskStatus.UNSEEN, refusal=in_front(error, NOTHING))
        if status is DiskStatus.AS_WRITTEN:
            return RollbackPlanStep(step, status, inverse=with_hunks_of(self._context, inverse, step))
        if status is DiskStatus.SETTLED or resolution is None:
            return RollbackPlanStep(step, status)
        try:
            found = resolution_step(self._context, step, resolution, self._reserved)
        except StudioError as error:
            return RollbackPlanStep(step, status, resolution, refusal=error)
        if found is None:
            return RollbackPlanStep(step, status, resolution)
        self._reserved.update(found.step.written_paths)
        for data in found.contents:
            self._contents.add(data)
        return RollbackPlanStep(step, status, resolution, found.step, contents=found.contents)

    def _status_of(self, step: Step, inverse: Step) -> DiskStatus:
        """Return the disk status of what the inverse touches.

        The source of a copy does not matter.
        """
        now = disk_status_by(self._read_image, inverse)
        if is_folder_step(step) and now is StepDiskStatus.RESULT:
            return DiskStatus.SETTLED
        is_as_written = now is StepDiskStatus.BASE
        # Read first what will be written first: what fits in memory need not be read again.
        images = (inverse.result, inverse.base) if is_as_written else (inverse.result,)
        if not all(self._is_stored(hash_of(side)) for side in images):
            return DiskStatus.LOST
        return DiskStatus.AS_WRITTEN if is_as_written else DiskStatus.CHANGED

    def _is_stored(self, sha256: str | None) -> bool:
        if sha256 is None:
            return True
        try:
            self._contents.preload(sha256)
        except Refused:
            return False
        return True


def _removed_paths(context: Context, steps: Sequence[RollbackPlanStep]) -> frozenset[str]:
    """Return the paths the rollback removes, with parent folders its steps made."""
    inverses = [found.inverse for found in steps if found.inverse is not None]
    made_folders = context.store.plans.made_folders(
        step.undoes for step in inverses if step.undoes is not None
    )
    removed = (step.path for step in inverses if step.result is None or step.op is Operation.MOVE)
    return frozenset[str]().union(removed, *made_folders.values())


def _unless_used(context: Context, found: RollbackPlanStep, removed: Set[str]) -> RollbackPlanStep:
    """Keep a folder that the plan made while something in it stays."""
    folder = found.inverse
    if folder is None or folder.result is not None or not is_folder_step(found.step):
        return found
    for entry in context.root.walk(folder.path):
        if isinstance(entry, Unseen):
            refusal = Refused(
                "target.unseen",
                f"{NOTHING}: {entry.reason}",
                "Change the folder's permissions, or roll back only the other steps.",
                path=entry.path,
            )
            return RollbackPlanStep(found.step, DiskStatus.UNSEEN, refusal=refusal)
        if entry.path not in removed:
            return RollbackPlanStep(found.step, DiskStatus.IN_USE, stays=entry.path)
    return found


def _divided_error(step: Step) -> Refused:
    return Refused(
        "rollback.divided_unit",
        f"{NOTHING}: {show_name(step.target)} would be kept, but other files of the same change would not.",
        "Choose another resolution for it, or keep the whole change.",
        path=step.target,
    )


def _unresolved_error(unresolved: Sequence[RollbackPlanStep]) -> Conflict:
    lost_steps = [found.step for found in unresolved if found.disk_status is DiskStatus.LOST]
    if lost_steps:
        return Conflict(
            "rollback.not_stored",
            f"{NOTHING}: the stored bytes of {_names(lost_steps)} are gone or damaged.",
            "Keep these files, and roll back the others.",
            path=lost_steps[0].target,
        )
    steps = [found.step for found in unresolved]
    return Conflict(
        "rollback.drifted",
        f"{NOTHING}: {_names(steps)} changed after the plan was applied.",
        "Choose for each file: keep, restore, save beside, or merge.",
        path=steps[0].target,
    )


def _nothing_error(steps: Sequence[RollbackPlanStep]) -> Refused:
    folder = next((found for found in steps if found.resolution is None), None)
    if folder is not None:
        clause = f"stays, because {show_name(folder.stays)} is in it"
        if folder.disk_status is DiskStatus.SETTLED:
            clause = "is gone already" if folder.step.base is None else "is there already"
        return Refused(
            "rollback.nothing",
            f"{NOTHING}: the folder {show_name(folder.step.path)} {clause}.",
            "Also roll back the steps that created its contents."
            if folder.stays
            else "There is nothing to do.",
            path=folder.step.path,
        )
    return Refused(
        "rollback.nothing",
        f"{NOTHING}: every file would be kept.",
        "Choose another resolution for at least one file.",
    )


def _names(steps: Sequence[Step]) -> str:
    names = ", ".join(show_name(step.target) for step in steps[:5])
    return f"{names} and {len(steps) - 5} more" if len(steps) > 5 else names
