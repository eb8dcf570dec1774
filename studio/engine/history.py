"""What was applied, and its inverse: a rollback is a new plan on the bytes now on disk (contract 6)."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from enum import Enum

from studio.engine import gateway
from studio.engine.context import Context, Person
from studio.engine.drift import Standing, standing
from studio.engine.errors import Conflict, Refused, StudioError, UsageError
from studio.engine.names import show_name
from studio.engine.plan import (
    OPEN_PLAN_STATES,
    Decision,
    Operation,
    Plan,
    PlanState,
    Step,
    StepState,
    Verdict,
)
from studio.engine.stepdiff import with_diff
from studio.engine.store.rows import now
from studio.engine.submission import submission_hash

_WRITTEN = (StepState.APPLIED, StepState.ROLLED_BACK)


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
    """One step of a rollback before it happens: `now` and `after` are the bytes, None where no file is."""

    step: int
    path: str
    effect: RollbackEffect
    drifted: bool
    sentence: str
    now: bytes | None
    after: bytes | None
    added: int
    removed: int


@dataclass(frozen=True, slots=True)
class RollbackPreview:
    """Everything a rollback of a plan, or of some of its steps, would do."""

    plan: Plan
    files: tuple[RollbackFile, ...]

    @property
    def drifted(self) -> tuple[RollbackFile, ...]:
        return tuple(file for file in self.files if file.drifted)


@dataclass(frozen=True, slots=True)
class RollbackEntry:
    """What is kept so that a step can be taken back (R148): hashes name stored bytes; None: no file."""

    file_path: str
    original_hash: str | None
    result_hash: str | None
    timestamp: datetime
    plan_id: str
    step_id: str
    used: bool


@dataclass(frozen=True, slots=True)
class HistoryEntry:
    """One applied plan."""

    plan: Plan
    applied_at: datetime
    files: int
    added: int
    removed: int
    rolled_back_by: str | None
    rolls_back: str | None
    kept: bool
    """Whether all bytes needed for taking it back are still stored."""


def entries(context: Context) -> tuple[HistoryEntry, ...]:
    """Applied plans, newest first."""
    plans = context.store.plans
    rolled_back_by = plans.rolled_back_by()
    applied = [plan for plan in plans.all() if plan.applied is not None]
    return tuple(
        _entry(context, plan, rolled_back_by.get(plan.id))
        for plan in sorted(applied, key=lambda plan: plan.applied or plan.created, reverse=True)
    )


def _entry(context: Context, plan: Plan, rolled_back_by: str | None) -> HistoryEntry:
    written = [_as_decided(context, step) for step in plan.steps if step.state in _WRITTEN]
    is_back = plan.state is PlanState.ROLLED_BACK
    return HistoryEntry(
        plan,
        plan.applied or plan.created,
        sum(1 for step in written if not _is_folder_step(step)),
        sum(step.added for step in written),
        sum(step.removed for step in written),
        rolled_back_by if is_back else None,
        plan.rolls_back,
        all(
            entry.original_hash is None or context.store.blobs.has(entry.original_hash)
            for entry in rollback_entries(plan)
        ),
    )


def _as_decided(context: Context, step: Step) -> Step:
    """The step with the counts of what was written, where less or other than the proposal was approved."""
    if step.result is None or step.decided_sha256 in (None, step.result.sha256):
        return step
    base = _stored(context, step.base.sha256 if step.base is not None else None)
    return with_diff(step, base, _stored(context, step.decided_sha256))


def rollback_entries(plan: Plan) -> tuple[RollbackEntry, ...]:
    """One entry for each step of a plan that was applied; used ones are marked, never removed."""
    return tuple(
        RollbackEntry(
            step.target,
            step.base.sha256 if step.base is not None else None,
            step.decided.sha256 if step.decided is not None else None,
            plan.applied or plan.created,
            plan.id,
            step.id,
            step.state is StepState.ROLLED_BACK,
        )
        for step in plan.steps
        if step.state in _WRITTEN
    )


def preview(context: Context, plan_id: str, numbers: Sequence[int] | None = None) -> RollbackPreview:
    """What taking back a plan, or these steps of it, would do. Raises Refused when there is nothing to."""
    plan = context.store.plans.get(plan_id)
    files = [_file(context, step) for step in _chosen(plan, numbers)]
    return RollbackPreview(plan, tuple(files))


def roll_back(context: Context, plan_id: str, numbers: Sequence[int] | None, person: Person) -> Plan:
    """Take back a plan, or these steps of it, as a new plan in the history; returns that plan.

    Raises Conflict when a file is no longer what we wrote: then nothing is touched (promise 7).
    """
    context.check_root()
    looked_at = preview(context, plan_id, numbers)
    if looked_at.drifted:
        raise _drifted(looked_at)
    rollback = _inverse_plan(context, looked_at.plan, _chosen(looked_at.plan, numbers), person)
    store = context.store
    with store.database.write() as connection:
        store.plans.add(connection, rollback, submission_hash(rollback.steps))
        for step in rollback.steps:
            if step.decision is not None:
                store.plans.decide(connection, rollback.id, step.number, step.decision)
    try:
        return gateway.apply(context, rollback.id)
    except StudioError:
        # Not begun: it must not wait in the queue for a press that nobody means any more. One that was
        # begun and put back is paused, and may be applied again.
        if store.plans.get(rollback.id).state in OPEN_PLAN_STATES:
            with store.database.write() as connection:
                store.plans.set_plan_state(connection, rollback.id, PlanState.CANCELLED)
        raise


def _chosen(plan: Plan, numbers: Sequence[int] | None) -> tuple[Step, ...]:
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


def _file(context: Context, step: Step) -> RollbackFile:
    """Drift is anything but our result where we put it, or something new where the old file belongs."""
    path = step.target
    effect, sentence = _words(step)
    try:
        drifted = standing(context.root, step) is not Standing.RESULT
    except OSError:
        drifted = True
    after = _stored(context, step.base.sha256 if step.base is not None else None)
    now_bytes = None
    if step.result is not None and not step.result.is_folder:
        try:
            now_bytes = context.root.read(path, context.config().limits.file_bytes)[0]
        except (StudioError, OSError):
            now_bytes = None
    if step.base is not None and step.base.sha256 is not None and after is None:
        drifted, sentence = True, "can't go back: the old bytes are no longer stored"
    elif drifted:
        sentence = "stays: changed since it was applied"
    if step.op is Operation.COPY:
        after = None
    measured = with_diff(step, now_bytes, after)
    shown = step.path if step.result is None else path
    return RollbackFile(
        step.number, shown, effect, drifted, sentence, now_bytes, after, measured.added, measured.removed
    )


def _words(step: Step) -> tuple[RollbackEffect, str]:
    if _is_folder_step(step):
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


def _stored(context: Context, sha256: str | None) -> bytes | None:
    if sha256 is None:
        return None
    try:
        return context.store.blobs.get(sha256)
    except Refused:
        return None


def _is_folder_step(step: Step) -> bool:
    image = step.base if step.base is not None else step.result
    return image is not None and image.is_folder


def _inverse_plan(context: Context, plan: Plan, steps: Sequence[Step], person: Person) -> Plan:
    fingerprint = context.config().policy().fingerprint
    inverses: list[Step] = []
    for number, step in enumerate(reversed(steps), start=1):
        inverse = _inverse(context, number, step)
        decision = Decision(
            Verdict.APPROVE,
            person.name,
            now(),
            "",
            inverse.base.sha256 if inverse.base is not None else None,
            inverse.result.sha256 if inverse.result is not None else None,
            {},
            False,
            context.root.identity,
            fingerprint,
        )
        inverses.append(replace(inverse, decision=decision))
    return Plan(
        str(uuid.uuid4()),
        1,
        f"Roll back “{plan.title}”",
        person.name,
        PlanState.APPROVED,
        now(),
        tuple(inverses),
        format="rollback",
        rolls_back=plan.id,
    )


def _inverse(context: Context, number: int, step: Step) -> Step:
    """The step that takes another back: its base is what that one left, its result what it found."""
    left = step.decided
    new = Step(
        number,
        str(uuid.uuid4()),
        Operation.MODIFY,
        step.path,
        None,
        StepState.APPROVED,
        left,
        step.base,
        undoes=step.id,
    )
    if step.op is Operation.MOVE:
        new = replace(new, op=Operation.MOVE, path=step.target, to=step.path)
    elif step.op is Operation.COPY:
        new = replace(new, op=Operation.DELETE, path=step.target, result=None)
    elif step.op is Operation.MODE:
        new = replace(new, op=Operation.MODE)
    elif step.base is None:
        new = replace(new, op=Operation.DELETE)
    elif step.result is None:
        new = replace(new, op=Operation.MKDIR if step.base.is_folder else Operation.CREATE)
    base, result = (
        _stored(context, image.sha256 if image is not None else None) for image in (new.base, new.result)
    )
    return with_diff(new, base, result)


def _drifted(looked_at: RollbackPreview) -> Conflict:
    names = ", ".join(show_name(file.path) for file in looked_at.drifted[:5])
    if len(looked_at.drifted) > 5:
        names += f" and {len(looked_at.drifted) - 5} more"
    return Conflict(
        "rollback.drifted",
        f"Nothing was rolled back: {names} changed after the plan was applied.",
        "Roll back the other steps with --step, or look at these files first.",
        path=next(file.path for file in looked_at.drifted),
    )
