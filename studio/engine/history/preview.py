"""What taking a plan back would do, file by file, before anything happens (contract 6, R150)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from studio.engine.context import Context
from studio.engine.drift import SeenFiles, Standing, standing_by
from studio.engine.errors import FileLocked, Refused, StudioError, UsageError
from studio.engine.names import show_name
from studio.engine.plan import Operation, Plan, Step, StepState
from studio.engine.stepdiff import with_diff


class RollbackEffect(Enum):
    """What rolling back does to one file."""

    RESTORE = "restore"
    DELETE = "delete"
    RECREATE = "recreate"
    MOVE_BACK = "move_back"
    MODE = "mode"
    REMOVE_FOLDER = "remove_folder"


@dataclass(frozen=True, slots=True)
class RollbackFile:
    """One step of a rollback before it happens: `now` and `after` are the bytes, None where no file is.

    `setting` is the project's encoding for the file.
    """

    step: int
    path: str
    effect: RollbackEffect
    drifted: bool
    sentence: str
    now: bytes | None
    after: bytes | None
    added: int
    removed: int
    setting: str | None = None


@dataclass(frozen=True, slots=True)
class RollbackPreview:
    """Everything a rollback of a plan, or of some of its steps, would do."""

    plan: Plan
    files: tuple[RollbackFile, ...]

    @property
    def drifted(self) -> tuple[RollbackFile, ...]:
        return tuple(file for file in self.files if file.drifted)


def preview(context: Context, plan_id: str, numbers: Sequence[int] | None = None) -> RollbackPreview:
    """What taking back a plan, or these steps of it, would do. Raises Refused when there is nothing to."""
    plan = context.store.plans.get(plan_id)
    files = [_file(context, step) for step in chosen_steps(plan, numbers)]
    return RollbackPreview(plan, tuple(files))


def chosen_steps(plan: Plan, numbers: Sequence[int] | None) -> tuple[Step, ...]:
    """The applied steps that are meant. Raises UsageError, or Refused where none can be taken back."""
    if plan.discarded is not None:
        raise Refused(
            "plan.discarded",
            f"“{plan.title}” can't be taken back: its undo is no longer kept.",
            "How long undo is kept is set by retention in the user configuration.",
        )
    if numbers is not None:
        for number in numbers:
            if plan.step(number) is None:
                raise UsageError(
                    "step.not_found",
                    f"Plan {plan.short_id} has no step {number}.",
                    "Look at it with: studio show",
                )
    steps = tuple(
        step
        for step in plan.steps
        if step.state is StepState.APPLIED and (numbers is None or step.number in numbers)
    )
    if not steps:
        what = f"Plan {plan.short_id}" if numbers is None else f"These steps of plan {plan.short_id}"
        raise Refused(
            "rollback.nothing",
            f"{what} can't be rolled back: nothing of it is applied.",
            "Applied plans are listed by: studio history",
        )
    return steps


def has_drifted(context: Context, step: Step, seen: SeenFiles | None = None) -> bool:
    """Whether anything but our result is where we put it, or something new where the old file belongs."""
    try:
        return standing_by((seen or SeenFiles(context.root)).image, step) is not Standing.RESULT
    except FileLocked:
        raise
    except OSError:
        return True


def can_go_back(context: Context, step: Step) -> bool:
    """Whether the old bytes are still stored, where there were any."""
    image = step.base
    return image is None or image.sha256 is None or context.store.blobs.has(image.sha256)


def _file(context: Context, step: Step) -> RollbackFile:
    path = step.target
    effect, sentence = _words(step)
    drifted = has_drifted(context, step)
    after = stored(context, step.base.sha256 if step.base is not None else None)
    now_bytes = None
    if step.result is not None and not step.result.is_folder:
        try:
            now_bytes = context.root.read_bytes(path, context.config().limits.file_bytes)
        except (StudioError, OSError):
            now_bytes = None
    if step.base is not None and step.base.sha256 is not None and after is None:
        drifted, sentence = True, "can't go back: the old bytes are no longer stored"
    elif drifted:
        sentence = "stays: changed since it was applied"
    if step.op is Operation.COPY:
        after = None
    compared = measured(context, step, now_bytes, after)
    shown = step.path if step.result is None else path
    return RollbackFile(
        step.number,
        shown,
        effect,
        drifted,
        sentence,
        now_bytes,
        after,
        compared.added,
        compared.removed,
        context.config().encoding_for(step.path),
    )


def measured(context: Context, step: Step, base: bytes | None, result: bytes | None) -> Step:
    """The step with the hunks and counts between these bytes, read by the project's encoding for its path."""
    return with_diff(step, base, result, context.config().encoding_for(step.path))


def _words(step: Step) -> tuple[RollbackEffect, str]:
    if is_folder_step(step):
        if step.result is None:
            return RollbackEffect.RECREATE, "the folder is made again"
        return RollbackEffect.REMOVE_FOLDER, "the folder goes if it is empty"
    old = (step.base.sha256 or "")[:7] if step.base is not None else ""
    if step.op is Operation.MOVE:
        return RollbackEffect.MOVE_BACK, f"goes back to {show_name(step.path)}"
    if step.op is Operation.COPY or step.base is None:
        return RollbackEffect.DELETE, "is deleted: this plan made it"
    if step.result is None:
        return RollbackEffect.RECREATE, f"comes back with its old bytes ({old})"
    if step.op is Operation.MODE:
        return RollbackEffect.MODE, f"gets its old mode back ({step.base.git_mode})"
    return RollbackEffect.RESTORE, f"goes back to its old bytes ({old})"


def stored(context: Context, sha256: str | None) -> bytes | None:
    """The stored bytes with that hash; None for none, and where they are gone or damaged."""
    if sha256 is None:
        return None
    try:
        return context.store.blobs.get(sha256)
    except Refused:
        return None


def is_folder_step(step: Step) -> bool:
    """Whether a step is about a folder and not about a file."""
    image = step.base if step.base is not None else step.result
    return image is not None and image.is_folder
