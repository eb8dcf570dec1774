"""Rollback of a plan's steps: preview for each file, rehearsal and execution."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from enum import Enum

from studio.engine import disk
from studio.engine.apply import gateway, recovery
from studio.engine.history.drift_choices import NOTHING, DriftResolution
from studio.engine.history.generated_plan import carry_out
from studio.engine.history.inverse import fingerprint, hash_of, is_folder_step, sides
from studio.engine.history.rollback_plan import (
    DiskStatus,
    RollbackChoice,
    RollbackPlan,
    RollbackPlanStep,
    compute_rollback_plan,
)
from studio.engine.plan import Operation, Plan, PlanState, Problem, Step
from studio.engine.project.context import Context, Person
from studio.engine.project.rollback_titles import Turn, stored_plans, turn_of, with_plain_title
from studio.engine.review.staleness import SeenFiles
from studio.engine.store.content_cache import ContentCache
from studio.engine.store.rows import now
from studio.errors import StudioError
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.values import Value

_LEAD = f"{NOTHING}: "


class RollbackEffect(Enum):
    """What a rollback does to one file."""

    RESTORE = "restore"
    DELETE = "delete"
    RECREATE = "recreate"
    MOVE_BACK = "move_back"
    MODE = "mode"
    REMOVE_FOLDER = "remove_folder"
    SAVE_BESIDE = "save_beside"
    MERGE = "merge"
    STAY = "stay"


class RollbackFile(Value):
    """Preview of one step of a rollback.

    `does` is the step that would be carried out, None where the file stays; `now` and `after` are the bytes
    before and after it, None where there is no file. `problem` says why it can't be read, or why the drift
    resolution is impossible. `setting` is the project's encoding for the file.
    """

    step: int
    path: str
    effect: RollbackEffect
    disk_status: DiskStatus
    sentence: str
    does: Step | None = None
    resolution: DriftResolution | None = None
    now: bytes | None = None
    after: bytes | None = None
    problem: Problem | None = None
    setting: str | None = None

    @property
    def drifted(self) -> bool:
        return self.disk_status.drifted

    @property
    def added(self) -> int:
        return self.does.added if self.does is not None else 0

    @property
    def removed(self) -> int:
        return self.does.removed if self.does is not None else 0

    @property
    def saved_as(self) -> str | None:
        """The file that is made beside the changed one."""
        return (
            self.does.path
            if self.does is not None and self.resolution is DriftResolution.SAVE_BESIDE
            else None
        )

    @property
    def fingerprint(self) -> str:
        """A hash of what would be done, which the confirmation carries.

        So nothing else can be done.
        """
        return fingerprint(self.does)


class RollbackPreview(Value):
    """Preview of rolling back a plan, or some of its steps.

    `turn` is the name of the action, `refusal` why nothing would be done.
    """

    plan: Plan
    files: tuple[RollbackFile, ...]
    turn: Turn
    refusal: StudioError | None = None

    @property
    def drifted(self) -> tuple[RollbackFile, ...]:
        return tuple(file for file in self.files if file.drifted)

    @property
    def step_numbers(self) -> frozenset[int]:
        """The numbers of the steps that would be rolled back."""
        return frozenset(file.step for file in self.files if file.does is not None)

    @property
    def fingerprints(self) -> Mapping[int, str]:
        """The fingerprints of its files, by step number."""
        return {file.step: file.fingerprint for file in self.files}


def preview(
    context: Context,
    plan_id: str,
    numbers: Sequence[int] | None = None,
    ways: Mapping[int, DriftResolution] | None = None,
    *,
    whole: bool = False,
) -> RollbackPreview:
    """Compute the preview of a rollback, of all or some steps.

    `ways` are the drift resolutions for files that changed since. `whole` also checks what only matters for
    writing: permissions, locks of other programs, space. Nothing is written or stored. Raises UsageError, or
    Refused when there is nothing to roll back.
    """
    plan = context.store.plans.get(plan_id)
    contents = ContentCache(context.store.blobs)
    rollback = compute_rollback_plan(
        context, plan, RollbackChoice(numbers, ways or {}), SeenFiles(context.root), contents
    )
    refusal = rehearse(context, rollback, contents) if whole else rollback.refusal
    find_plan = stored_plans(context)
    files = tuple(_file(context, found, contents) for found in rollback.steps)
    return RollbackPreview(with_plain_title(plan, find_plan), files, turn_of(plan, find_plan), refusal)


def _file(context: Context, found: RollbackPlanStep, contents: ContentCache) -> RollbackFile:
    step, inverse, refusal = found.step, found.inverse, found.refusal
    effect, sentence = _describe_effect(found)
    now, after = (
        (_bytes(contents, hash_of(side)) for side in sides(inverse)) if inverse is not None else (None, None)
    )
    return RollbackFile(
        step=step.number,
        path=step.target,
        effect=effect,
        disk_status=found.disk_status,
        sentence=sentence,
        does=inverse,
        resolution=found.resolution,
        now=now,
        after=after,
        problem=Problem(refusal.code, refusal.message, refusal.hint, at="target") if refusal else None,
        setting=context.config().encoding_for(step.path),
    )


def _bytes(contents: ContentCache, sha256: str | None) -> bytes | None:
    return contents.read(sha256) if sha256 is not None else None


def _describe_effect(found: RollbackPlanStep) -> tuple[RollbackEffect, str]:
    """Return the effect, and a clause that follows the file's name."""
    if found.refusal is not None:
        return RollbackEffect.STAY, f"stays: {found.refusal.message.removeprefix(_LEAD).removesuffix('.')}"
    match found.disk_status:
        case DiskStatus.SETTLED:
            return RollbackEffect.STAY, "is gone already" if found.step.base is None else "is there already"
        case DiskStatus.IN_USE:
            return RollbackEffect.STAY, f"stays: {show_name(found.stays)} is in it"
        case DiskStatus.AS_WRITTEN:
            return _describe_usual(found.step)
        case DiskStatus.LOST:
            clause = "required bytes are no longer stored"
        case _:
            clause = "changed since it was applied"
    if found.inverse is None:
        return RollbackEffect.STAY, f"stays: {clause}"
    return _describe_resolution(found.step, found.resolution, found.inverse)


def _describe_usual(step: Step) -> tuple[RollbackEffect, str]:
    if step.op is Operation.MODE and step.base is not None:
        return RollbackEffect.MODE, f"gets its old mode back ({_mode(step, step.base)})"
    if is_folder_step(step):
        if step.result is None:
            return RollbackEffect.RECREATE, "the folder is recreated"
        return RollbackEffect.REMOVE_FOLDER, "the folder is deleted"
    if step.op is Operation.MOVE:
        return RollbackEffect.MOVE_BACK, f"moves back to {show_name(step.path)}"
    if step.op is Operation.COPY or step.base is None:
        return RollbackEffect.DELETE, "is deleted: this plan created it"
    if step.result is None:
        return RollbackEffect.RECREATE, f"is restored with its old bytes ({_short(step.base)})"
    return RollbackEffect.RESTORE, f"is restored to its old bytes ({_short(step.base)})"


def _describe_resolution(
    step: Step, resolution: DriftResolution | None, inverse: Step
) -> tuple[RollbackEffect, str]:
    if resolution is DriftResolution.SAVE_BESIDE:
        return RollbackEffect.SAVE_BESIDE, f"stays, its old bytes are saved as {show_name(inverse.path)}"
    to = f", back at {show_name(inverse.target)}" if inverse.op is Operation.MOVE else ""
    if resolution is DriftResolution.MERGE:
        return RollbackEffect.MERGE, f"keeps what was written since, without this plan's change{to}"
    if inverse.op is Operation.CREATE:
        return RollbackEffect.RECREATE, f"is restored with its old bytes ({_short(step.base)})"
    if inverse.op is Operation.DELETE:
        return RollbackEffect.DELETE, "is deleted with what was written since: this plan created it"
    effect = RollbackEffect.MOVE_BACK if to else RollbackEffect.RESTORE
    restored = f"is restored to its old bytes ({_short(step.base)}){to}"
    return effect, f"{restored}; what was written since is replaced"


def _mode(step: Step, image: FileImage) -> str:
    """Return the mode for display.

    This is git's form, or all bits where git would show no change.
    """
    return image.git_mode if step.mode_change is not None else f"{image.mode:04o}"


def _short(image: FileImage | None) -> str:
    return (hash_of(image) or "")[:7]


# Execution of a rollback, as a new plan on the current content.


def roll_back(context: Context, plan_id: str, choice: RollbackChoice, person: Person) -> Plan:
    """Roll back a plan, or some steps; return the new plan.

    Raises Conflict when a file changed since the apply and no drift resolution was chosen for it, or when
    this is not what was shown, FileError where the disk can't be read: then nothing is touched.
    """
    context.check_root()
    plan_id = context.store.plans.full_id(plan_id)
    with disk.writer_lock(context.store.lock_file):
        recovery.finish_interrupted(context)
        return _apply_rollback(context, context.store.plans.get(plan_id), choice, person)


def _apply_rollback(context: Context, plan: Plan, choice: RollbackChoice, person: Person) -> Plan:
    seen_files, contents = SeenFiles(context.root), ContentCache(context.store.blobs)
    rollback = compute_rollback_plan(context, plan, choice, seen_files, contents)
    if rollback.refusal is not None:
        raise rollback.refusal
    rollback.check_shown(choice.shown)
    store = context.store
    title = turn_of(plan, stored_plans(context)).plan_title
    store.blobs.add(data for found in rollback.steps for data in found.contents)
    return carry_out(context, plan_of(rollback, title, person.name), person, seen_files, contents)


def rehearse(context: Context, rollback: RollbackPlan, contents: ContentCache) -> StudioError | None:
    """Return the error the rollback would raise before writing, or None."""
    if rollback.refusal is not None:
        return rollback.refusal
    try:
        gateway.check_obstacles(context, plan_of(rollback, rollback.plan.title), contents)
    except StudioError as error:
        return error
    return None


def plan_of(rollback: RollbackPlan, title: str, who: str = "") -> Plan:
    """Return the plan that carries the rollback out, not decided yet."""
    return Plan(
        str(uuid.uuid4()),
        1,
        title,
        who,
        PlanState.APPROVED,
        now(),
        rollback.inverses,
        format="rollback",
        rolls_back=rollback.plan.id,
    )
