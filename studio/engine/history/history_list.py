"""What was applied, newest first, and the contents stored for its rollback."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from studio.engine.history.inverse import hash_of, is_folder_step, measured, needed, stored
from studio.engine.plan import Decision, Operation, Part, Plan, PlanState, Step, StepState, part_key
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
    """What one apply of a plan wrote; `turn` names its undo action.

    That is the whole plan, or one of its parts: `part` counts from 1.
    """

    plan: Plan
    part: int
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
    def key(self) -> str:
        """The plan's id, with the number of a later part."""
        return part_key(self.plan.id, self.part)

    @property
    def is_part(self) -> bool:
        """Whether the plan was applied in several parts, or is still open."""
        return len(self.plan.parts) > 1 or self.plan.state.is_active

    @property
    def discarded(self) -> Part | None:
        """The part, where its undo is not kept any more."""
        return next((p for p in self.plan.parts if p.number == self.part and p.discarded is not None), None)

    @property
    def written(self) -> tuple[Step, ...]:
        """The steps that were written, including those rolled back since."""
        return self.plan.steps_of_part(self.part)

    @property
    def is_rolled_back(self) -> bool:
        """Whether nothing of it is applied any more."""
        return bool(self.written) and all(step.state is StepState.ROLLED_BACK for step in self.written)

    @property
    def state(self) -> PlanState:
        """The state of the plan, or of the part alone."""
        if not self.is_part:
            return self.plan.state
        return PlanState.ROLLED_BACK if self.is_rolled_back else PlanState.COMPLETED

    @property
    def rollback_steps(self) -> tuple[int, ...] | None:
        """The steps that its rollback names, None for a whole plan."""
        if not self.is_part:
            return None
        return tuple(step.number for step in self.written if step.state is StepState.APPLIED)

    @property
    def decision(self) -> Decision | None:
        """The latest decision on what was written, with its author."""
        decisions = (step.decision for step in self.written if step.decision)
        return max(decisions, key=lambda decision: decision.when, default=None)


def entries(context: Context) -> tuple[HistoryEntry, ...]:
    """Return the parts that were applied, newest first."""
    plans = context.store.plans
    order = plans.part_order()
    applied = {plan.id: plan for plan in plans.all() if plan.parts}
    undone_by = {
        step.undoes: (place, plan.id)
        for place, plan in enumerate(applied.values())
        for step in plan.steps
        if step.undoes is not None and step.state is StepState.APPLIED
    }
    parts = [(plan, part) for plan in applied.values() for part in plan.parts]
    parts.sort(key=lambda found: order.get((found[0].id, found[1].number), 0), reverse=True)
    return tuple(_entry(context, plan, part, undone_by, applied) for plan, part in parts)


def _entry(
    context: Context,
    plan: Plan,
    part: Part,
    undone_by: Mapping[str, tuple[int, str]],
    applied: Mapping[str, Plan],
) -> HistoryEntry:
    written_steps = plan.steps_of_part(part.number)
    counts = [count_decided_lines(context, step) for step in written_steps]
    counted = [each for each in counts if each is not None]
    undone = [step.id for step in written_steps if step.state is StepState.ROLLED_BACK]
    is_back = bool(undone) and len(undone) == len(written_steps)
    return HistoryEntry(
        with_plain_title(plan, applied.get),
        part.number,
        part.applied,
        sum(1 for step in written_steps if not is_folder_step(step)),
        sum(added for added, _ in counted),
        sum(removed for _, removed in counted),
        max((undone_by[each] for each in undone if each in undone_by), default=(0, None))[1]
        if is_back
        else None,
        plan.rolls_back,
        part.discarded is None
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
        timestamp=next((part.applied for part in plan.parts if part.number == step.part), plan.created),
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
