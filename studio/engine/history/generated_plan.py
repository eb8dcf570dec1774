"""Immediate approval and application of generated plans: rollback, restore, revert."""

from __future__ import annotations

from msgspec.structs import replace

from studio.engine.apply import gateway
from studio.engine.apply.progress import ApplyControl, Progress
from studio.engine.config import Config
from studio.engine.plan import Decision, Plan, PlanState, Step, StepState, Verdict
from studio.engine.project.context import Context, Person
from studio.engine.propose.new_plan import submission_hash
from studio.engine.review.staleness import SeenFiles
from studio.engine.store.content_cache import ContentCache
from studio.engine.store.rows import now
from studio.errors import StudioError

APPLIED_STEP_STATES = frozenset({StepState.APPLIED, StepState.ROLLED_BACK})


def carry_out(
    context: Context,
    plan: Plan,
    person: Person,
    seen_files: SeenFiles,
    contents: ContentCache,
    *,
    progress: Progress | None = None,
    control: ApplyControl | None = None,
) -> Plan:
    """Store a plan as the person's decision, and apply it.

    The caller holds the writer lock, and has stored the bytes of all its steps. Raises as `gateway.apply`;
    then nothing is written.
    """
    store = context.store
    decided_plan = _decide_plan(context, plan, person)
    with store.database.write() as connection:
        store.plans.add_decided_plan(connection, decided_plan, submission_hash(decided_plan.steps))
        # In this transaction: after a crash before the next one it would wait in the queue, approved.
        store.plans.mark_unfinished(connection, decided_plan.id)
        decisions = store.plans.count_decisions(connection, decided_plan.id)
    try:
        return gateway.apply_locked(
            context,
            decided_plan,
            decisions,
            seen_files,
            contents=contents,
            progress=progress,
            control=control,
        )
    except StudioError:
        # If not started, it must not wait in the queue for a click that no one intends any more. One that was
        # started and rolled back is paused, and may be applied again.
        if store.plans.get(decided_plan.id).state.is_open:
            with store.database.write() as connection:
                store.plans.set_plan_state(connection, decided_plan.id, PlanState.CANCELLED)
                store.plans.mark_finished(connection, decided_plan.id)
        raise


def _decide_plan(context: Context, plan: Plan, person: Person) -> Plan:
    config = context.config()
    steps = (replace(step, decision=_step_decision(context, step, person, config)) for step in plan.steps)
    return replace(plan, steps=tuple(steps))


def _step_decision(context: Context, step: Step, person: Person, config: Config) -> Decision:
    return Decision(
        Verdict.APPROVE,
        person.name,
        now(),
        "",
        step.base.sha256 if step.base is not None else None,
        step.result.sha256 if step.result is not None else None,
        {},
        False,
        context.root.lasting_identity,
        config.policy().fingerprint,
        seen=person.source,
        folder=config.folder,
    )
