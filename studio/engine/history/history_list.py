"""Applied plans, newest first, and the contents stored for their rollback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from studio.engine.history.inverse import hash_of, is_folder_step, measured, needed, stored
from studio.engine.plan import Decision, Operation, Plan, PlanState, Step, StepState
from studio.engine.project.context import Context
from studio.engine.project.rollback_titles import Turn, turn_of, with_plain_title
from studio.text import TextForm, describe
from studio.values import Value

# Line counts of a decision with exclusions or edits.


def count_decided_lines(context: Context, step: Step) -> tuple[int, int] | None:
    """Return the decided numbers of added and removed lines.

    None where bytes needed for the comparison are gone.
    """
    if not step.is_decided_otherwise:
        return step.added, step.removed
    hashes = hash_of(step.base), step.decided_sha256
    base, result = (stored(context, sha256) for sha256 in hashes)
    if any(sha256 is not None and data is None for sha256, data in zip(hashes, (base, result), strict=True)):
        return None
    step = measured(context, step, base, result)
    return step.added, step.removed


_WRITTEN = (StepState.APPLIED, StepState.ROLLED_BACK)


class RollbackEntry(Value):
    """The state before a step, stored for its rollback.

    `existed` False: there was nothing, so content, hash and mode are None. The content alone is None for a
    folder, and where the stored bytes are gone. `original_hash` and `post_hash` are SHA-256 in lower-case
    hex, the latter of what the step left (None: nothing); `mode` is the permission bits, `timestamp` when the
    step was written. `encoding` and `line_ending` are those of the original, None where it is no text. For a
    move `file_path` is the old path.
    """

    file_path: str
    original_content: bytes | None
    original_hash: str | None
    timestamp: datetime
    plan_id: str
    step_id: str
    existed: bool
    operation: Operation
    post_hash: str | None
    mode: int | None
    encoding: str | None
    line_ending: str | None
    used: bool


class HistoryEntry(Value):
    """One applied plan; `turn` names its undo action."""

    plan: Plan
    applied_at: datetime
    files: int
    added: int
    removed: int
    rolled_back_by: str | None
    rolls_back: str | None
    kept: bool
    """Whether all bytes needed for its rollback are still stored."""
    turn: Turn
    is_counted: bool = True
    """Whether `added` and `removed` are complete; edited results can't be counted once the bytes are gone."""

    @property
    def written(self) -> tuple[Step, ...]:
        """The steps that were written, including those rolled back since."""
        return tuple(step for step in self.plan.steps if step.state in _WRITTEN)

    @property
    def decision(self) -> Decision | None:
        """The latest decision on what was written, with its author."""
        decisions = (step.decision for step in self.written if step.decision)
        return max(decisions, key=lambda decision: decision.when, default=None)


def entries(context: Context) -> tuple[HistoryEntry, ...]:
    """Return the applied plans, newest first."""
    plans = context.store.plans
    rolled_back_by = plans.rolled_back_by()
    order = plans.applied_order()
    applied = {plan.id: plan for plan in plans.all() if plan.id in order}
    return tuple(
        _entry(context, plan, rolled_back_by.get(plan.id), applied)
        for plan in sorted(applied.values(), key=lambda plan: order[plan.id], reverse=True)
    )


def _entry(
    context: Context, plan: Plan, rolled_back_by: str | None, applied: Mapping[str, Plan]
) -> HistoryEntry:
    written_steps = [step for step in plan.steps if step.state in _WRITTEN]
    counts = [count_decided_lines(context, step) for step in written_steps]
    counted = [each for each in counts if each is not None]
    is_back = plan.state is PlanState.ROLLED_BACK
    return HistoryEntry(
        with_plain_title(plan, applied.get),
        plan.applied or plan.created,
        sum(1 for step in written_steps if not is_folder_step(step)),
        sum(added for added, _ in counted),
        sum(removed for _, removed in counted),
        rolled_back_by if is_back else None,
        plan.rolls_back,
        plan.discarded is None
        and all(context.store.blobs.has(sha256) for step in written_steps for sha256 in needed(step)),
        turn_of(plan, applied.get),
        is_counted=len(counted) == len(counts),
    )


def rollback_entries(context: Context, plan: Plan) -> Iterator[RollbackEntry]:
    """Yield the rollback entry of each applied step, with its bytes.

    Used ones are marked, and not removed until their bytes are freed with the plan's undo.
    """
    for step in plan.steps:
        if step.state in _WRITTEN:
            yield _rollback_entry(context, plan, step)


def _rollback_entry(context: Context, plan: Plan, step: Step) -> RollbackEntry:
    original = None if step.op is Operation.COPY else step.base
    content = stored(context, hash_of(original))
    # As the engine reads the file: by the project's setting for it, else by its bytes.
    form = describe(content, context.config().encoding_for(step.path)) if content is not None else None
    is_text = isinstance(form, TextForm)
    return RollbackEntry(
        file_path=step.target if step.op is Operation.COPY else step.path,
        original_content=content,
        original_hash=hash_of(original),
        timestamp=plan.applied or plan.created,
        plan_id=plan.id,
        step_id=step.id,
        existed=original is not None,
        operation=step.op,
        post_hash=hash_of(step.decided),
        mode=original.mode if original is not None else None,
        encoding=form.encoding if is_text else None,
        line_ending=form.line_ending if is_text else None,
        used=step.state is StepState.ROLLED_BACK,
    )
