"""Rollback plan: what a rollback would do, for both preview and execution."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, field, replace
from enum import Enum

from studio.engine.errors import Conflict, FileError, Refused, StudioError, UsageError
from studio.engine.history.drift_choices import NOTHING, DriftResolution, resolution_step
from studio.engine.history.inverse import (
    fingerprint,
    hash_of,
    inverse_of,
    is_folder_step,
    with_hunks_of,
)
from studio.engine.names import show_name
from studio.engine.plan import Operation, Plan, Step, StepState
from studio.engine.project.context import Context
from studio.engine.review.staleness import SeenFiles, StepDiskStatus, disk_status_by, within
from studio.engine.root import Unseen
from studio.engine.store.content_cache import ContentCache
from studio.engine.system.os_errors import in_front


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


@dataclass(frozen=True, slots=True)
class RollbackChoice:
    """The reviewer's choice of steps and drift resolutions for a rollback.

    `steps` None means every applied one; `ways` has the resolutions by step number. `shown` has the
    `fingerprint` of what was displayed by step number; None where no one saw a preview.
    """

    steps: Sequence[int] | None = None
    ways: Mapping[int, DriftResolution] = field(default_factory=dict[int, DriftResolution])
    shown: Mapping[int, str] | None = None


@dataclass(frozen=True, slots=True)
class RollbackPlanStep:
    """One step of a rollback plan: disk status and inverse step.

    `inverse` None: its file stays. `way` is the drift resolution chosen, `refusal` why that is impossible, or
    why the disk can't be read; `stays` is what keeps a folder, `contents` are bytes that `inverse` needs and
    the store may not have yet.
    """

    step: Step
    standing: DiskStatus
    way: DriftResolution | None = None
    inverse: Step | None = None
    refusal: StudioError | None = None
    stays: str = ""
    contents: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class RollbackPlan:
    """Everything that rolling back a plan, or some steps, would do."""

    plan: Plan
    steps: tuple[RollbackPlanStep, ...]

    @property
    def inverses(self) -> tuple[Step, ...]:
        """The steps of the rollback in reverse order, numbered from 1."""
        going = [found.inverse for found in reversed(self.steps) if found.inverse is not None]
        return tuple(replace(step, number=number) for number, step in enumerate(going, start=1))

    @property
    def refusal(self) -> StudioError | None:
        """The reason why nothing would be done, None where it can start."""
        unseen = next((found for found in self.steps if found.standing is DiskStatus.UNSEEN), None)
        if unseen is not None:
            return unseen.refusal
        undecided = [found for found in self.steps if found.standing.drifted and found.way is None]
        if undecided:
            return _undecided(undecided)
        going = {found.step.unit for found in self.steps if found.step.unit and found.inverse is not None}
        kept = next(
            (each for each in self.steps if each.way and not each.inverse and each.step.unit in going), None
        )
        if kept is not None:
            return _divided(kept.step)
        refused = next((found.refusal for found in self.steps if found.refusal is not None), None)
        return refused if refused is not None or self.inverses else _nothing_left(self.steps)

    def check_shown(self, shown: Mapping[int, str] | None) -> None:
        """Raise Conflict unless the `fingerprint` of each step is as shown."""
        if shown is None:
            return
        for found in self.steps:
            if shown.get(found.step.number, "") != fingerprint(found.inverse):
                raise Conflict(
                    "rollback.changed_under_you",
                    f"{NOTHING}: {show_name(found.step.target)} is no longer what was shown.",
                    "Look again.",
                    path=found.step.target,
                )


def look(
    context: Context, plan: Plan, choice: RollbackChoice, seen: SeenFiles, contents: ContentCache
) -> RollbackPlan:
    """Compute the rollback plan; nothing is written or stored.

    `seen` and `contents` keep what was read for the writing that follows. Raises UsageError, or Refused where
    nothing can be rolled back.
    """
    chosen = chosen_steps(plan, choice.steps)
    looker = _Looker(context, plan, seen, contents)
    with context.store.database.read():
        found = [looker.look(step, choice.ways.get(step.number)) for step in chosen]
    going = _going(context, found)
    return RollbackPlan(plan, tuple(_unless_in_use(context, each, going) for each in found))


def chosen_steps(plan: Plan, numbers: Sequence[int] | None) -> tuple[Step, ...]:
    """Return the applied steps to roll back, with their units.

    Raises UsageError, or Refused where one can't be rolled back.
    """
    if plan.discarded is not None:
        raise Refused(
            "plan.discarded",
            f"“{plan.title}” can't be taken back: its undo is no longer kept.",
            "How long undo is kept is set by retention in the user configuration.",
        )
    for number in numbers or ():
        if plan.step(number) is None:
            raise UsageError(
                "step.not_found",
                f"Plan {plan.short_id} has no step {number}.",
                "Look at it with: studio show",
            )
    meant = None if numbers is None else plan.with_units(numbers)
    steps = tuple(step for step in plan.steps if numbers is None or step.number in numbers)
    applied = tuple(
        step
        for step in plan.steps
        if step.state is StepState.APPLIED and (meant is None or step.number in meant)
    )
    if not applied:
        what = f"Plan {plan.short_id}" if numbers is None else f"These steps of plan {plan.short_id}"
        raise Refused(
            "rollback.nothing",
            f"{what} can't be rolled back: nothing of it is applied.",
            "Applied plans are listed by: studio history",
        )
    if numbers is not None and any(step.state is not StepState.APPLIED for step in steps):
        other = next(step for step in steps if step.state is not StepState.APPLIED)
        raise Refused(
            "rollback.not_applied",
            f"{NOTHING}: step {other.number} of plan {plan.short_id} is {other.state.words}.",
            "Name only steps that are applied.",
            path=other.path,
        )
    return applied


class _Looker:
    def __init__(self, context: Context, plan: Plan, seen: SeenFiles, contents: ContentCache) -> None:
        self._context = context
        self._look = within(plan.steps, seen.image)
        self._contents = contents
        # The plan's own paths are never used for a file saved beside another, whatever part of the plan is
        # rolled back.
        self._taken = {path for step in plan.steps for path in step.written_paths}

    def look(self, step: Step, way: DriftResolution | None) -> RollbackPlanStep:
        """Return a step's disk status, and the step that undoes it."""
        inverse = inverse_of(step)
        try:
            standing = self._standing(step, inverse)
        except FileError as error:
            return RollbackPlanStep(step, DiskStatus.UNSEEN, refusal=in_front(error, NOTHING))
        if standing is DiskStatus.AS_WRITTEN:
            return RollbackPlanStep(step, standing, inverse=with_hunks_of(self._context, inverse, step))
        if standing is DiskStatus.SETTLED or way is None:
            return RollbackPlanStep(step, standing)
        try:
            found = resolution_step(self._context, step, way, self._taken)
        except StudioError as error:
            return RollbackPlanStep(step, standing, way, refusal=error)
        if found is None:
            return RollbackPlanStep(step, standing, way)
        self._taken.update(found.step.written_paths)
        for data in found.contents:
            self._contents.hold(data)
        return RollbackPlanStep(step, standing, way, found.step, contents=found.contents)

    def _standing(self, step: Step, inverse: Step) -> DiskStatus:
        """Return the disk status of what the inverse touches.

        The source of a copy does not matter.
        """
        now = disk_status_by(self._look, inverse)
        if is_folder_step(step) and now is StepDiskStatus.RESULT:
            return DiskStatus.SETTLED
        is_as_written = now is StepDiskStatus.BASE
        # Read first what will be written first: what fits in memory need not be read again.
        wanted = (inverse.result, inverse.base) if is_as_written else (inverse.result,)
        if not all(self._is_sound(hash_of(side)) for side in wanted):
            return DiskStatus.LOST
        return DiskStatus.AS_WRITTEN if is_as_written else DiskStatus.CHANGED

    def _is_sound(self, sha256: str | None) -> bool:
        if sha256 is None:
            return True
        try:
            self._contents.keep(sha256)
        except Refused:
            return False
        return True


def _going(context: Context, steps: Sequence[RollbackPlanStep]) -> frozenset[str]:
    """Return the paths the rollback removes, with parent folders its steps made."""
    inverses = [found.inverse for found in steps if found.inverse is not None]
    made = context.store.plans.made_folders(step.undoes for step in inverses if step.undoes is not None)
    taken = (step.path for step in inverses if step.result is None or step.op is Operation.MOVE)
    return frozenset[str]().union(taken, *made.values())


def _unless_in_use(context: Context, found: RollbackPlanStep, going: Set[str]) -> RollbackPlanStep:
    """Keep a folder that the plan made while something in it stays."""
    folder = found.inverse
    if folder is None or folder.result is not None or not is_folder_step(found.step):
        return found
    for entry in context.root.walk(folder.path):
        if isinstance(entry, Unseen):
            refusal = Refused(
                "target.unseen",
                f"{NOTHING}: {entry.reason}",
                "Change the folder's permissions, or take back the other steps with --step.",
                path=entry.path,
            )
            return RollbackPlanStep(found.step, DiskStatus.UNSEEN, refusal=refusal)
        if entry.path not in going:
            return RollbackPlanStep(found.step, DiskStatus.IN_USE, stays=entry.path)
    return found


def _divided(step: Step) -> Refused:
    return Refused(
        "rollback.divided_unit",
        f"{NOTHING}: {show_name(step.target)} would stay, and other files of the same change would not.",
        "Choose another way for it, or leave all of the change as it is.",
        path=step.target,
    )


def _undecided(undecided: Sequence[RollbackPlanStep]) -> Conflict:
    lost = [found.step for found in undecided if found.standing is DiskStatus.LOST]
    if lost:
        return Conflict(
            "rollback.not_stored",
            f"{NOTHING}: the stored bytes of {_names(lost)} are gone or damaged.",
            "Keep these files as they are, and take back the others.",
            path=lost[0].target,
        )
    steps = [found.step for found in undecided]
    return Conflict(
        "rollback.drifted",
        f"{NOTHING}: {_names(steps)} changed after the plan was applied.",
        "Look at these files; keep them, restore the old bytes, save those beside, or merge.",
        path=steps[0].target,
    )


def _nothing_left(steps: Sequence[RollbackPlanStep]) -> Refused:
    folder = next((found for found in steps if found.way is None), None)
    if folder is not None:
        why = f"stays, because {show_name(folder.stays)} is in it"
        if folder.standing is DiskStatus.SETTLED:
            why = "is gone already" if folder.step.base is None else "is there already"
        return Refused(
            "rollback.nothing",
            f"{NOTHING}: the folder {show_name(folder.step.path)} {why}.",
            "Take back the steps that made what is in it, too."
            if folder.stays
            else "There is nothing to do.",
            path=folder.step.path,
        )
    return Refused(
        "rollback.nothing",
        f"{NOTHING}: every file was to stay as it is.",
        "Choose another way for at least one of them.",
    )


def _names(steps: Sequence[Step]) -> str:
    names = ", ".join(show_name(step.target) for step in steps[:5])
    return f"{names} and {len(steps) - 5} more" if len(steps) > 5 else names
