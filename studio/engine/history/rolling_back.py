"""A plan taken back: a new plan whose base is the bytes now on disk (contract 6)."""

from __future__ import annotations

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import replace

from studio.engine import disk, gateway, recovery
from studio.engine.context import Context, Person
from studio.engine.drift import SeenFiles
from studio.engine.errors import Conflict, Refused, StudioError
from studio.engine.history.preview import can_go_back, chosen_steps, has_drifted, measured, stored
from studio.engine.history.ways import WayOut, step_for
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
from studio.engine.stepdiff import with_diff_of_inverse
from studio.engine.store.rows import now
from studio.engine.submission import submission_hash


def roll_back(
    context: Context,
    plan_id: str,
    numbers: Sequence[int] | None,
    person: Person,
    ways: Mapping[int, WayOut] | None = None,
) -> Plan:
    """Take back a plan, or these steps of it, as a new plan in the history; returns that plan.

    `ways` says by step number what becomes of files that changed since. Raises Conflict when a file is no
    longer what we wrote and no way was chosen for it: then nothing is touched (promise 7).
    """
    context.check_root()
    plan_id = context.store.plans.full_id(plan_id)
    with disk.writer_lock(context.store.lock_file):
        recovery.finish_interrupted(context)
        return _rolled_back(context, context.store.plans.get(plan_id), numbers, person, ways or {})


def _rolled_back(
    context: Context,
    plan: Plan,
    numbers: Sequence[int] | None,
    person: Person,
    ways: Mapping[int, WayOut],
) -> Plan:
    chosen = chosen_steps(plan, numbers)
    seen = SeenFiles(context.root)
    with context.store.database.read():
        drifted = [
            step for step in chosen if has_drifted(context, step, seen) or not can_go_back(context, step)
        ]
    undecided = [step for step in drifted if step.number not in ways]
    if undecided:
        raise _not_to_be_taken_back(context, undecided)
    ways_taken = {step.number: ways[step.number] for step in drifted}
    inverses = _inverses(context, chosen, ways_taken)
    rollback = _inverse_plan(context, plan, inverses, person)
    store = context.store
    with store.database.write() as connection:
        store.plans.add_decided(connection, rollback, submission_hash(rollback.steps))
        store.plans.mark_unfinished(connection, rollback.id)
        decisions = store.plans.decisions_made(connection, rollback.id)
    try:
        return gateway.apply_locked(context, rollback, decisions, seen)
    except StudioError:
        # Not begun: it must not wait in the queue for a press that nobody means any more. One that was
        # begun and put back is paused, and may be applied again.
        if store.plans.get(rollback.id).state in OPEN_PLAN_STATES:
            with store.database.write() as connection:
                store.plans.set_plan_state(connection, rollback.id, PlanState.CANCELLED)
                store.plans.mark_finished(connection, rollback.id)
        raise


def _inverses(context: Context, steps: Sequence[Step], ways: Mapping[int, WayOut]) -> list[Step]:
    """The steps of the rollback, the last one first, numbered from 1."""
    inverses: list[Step] = []
    for step in reversed(steps):
        number = len(inverses) + 1
        if step.number not in ways:
            inverses.append(_inverse(context, number, step))
        elif (found := step_for(context, number, step, ways[step.number])) is not None:
            inverses.append(found)
    if not inverses:
        raise Refused(
            "rollback.nothing",
            "Nothing was rolled back: every file was to stay as it is.",
            "Choose another way for at least one of them.",
        )
    return inverses


def _inverse_plan(context: Context, plan: Plan, inverses: Sequence[Step], person: Person) -> Plan:
    fingerprint = context.config().policy().fingerprint
    return Plan(
        str(uuid.uuid4()),
        1,
        f"Roll back “{plan.title}”",
        person.name,
        PlanState.APPROVED,
        now(),
        tuple(replace(step, decision=_decision(context, step, person, fingerprint)) for step in inverses),
        format="rollback",
        rolls_back=plan.id,
    )


def _decision(context: Context, step: Step, person: Person, fingerprint: str) -> Decision:
    return Decision(
        Verdict.APPROVE,
        person.name,
        now(),
        "",
        step.base.sha256 if step.base is not None else None,
        step.result.sha256 if step.result is not None else None,
        {},
        False,
        context.root.identity,
        fingerprint,
        seen=person.source,
        folder=context.config().folder,
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
    if left == step.result and step.op is not Operation.COPY:
        return with_diff_of_inverse(new, step)
    base, result = (
        stored(context, image.sha256 if image is not None else None) for image in (new.base, new.result)
    )
    return measured(context, new, base, result)


def _not_to_be_taken_back(context: Context, steps: Sequence[Step]) -> Conflict:
    lost = [step for step in steps if not can_go_back(context, step)]
    if lost:
        return Conflict(
            "rollback.not_stored",
            f"Nothing was rolled back: the old bytes of {_names(lost)} are gone or damaged.",
            "Keep these files as they are, and take back the others.",
            path=lost[0].target,
        )
    return Conflict(
        "rollback.drifted",
        f"Nothing was rolled back: {_names(steps)} changed after the plan was applied.",
        "Look at these files; keep them, restore the old bytes, save those beside, or merge.",
        path=steps[0].target,
    )


def _names(steps: Sequence[Step]) -> str:
    names = ", ".join(show_name(step.target) for step in steps[:5])
    return f"{names} and {len(steps) - 5} more" if len(steps) > 5 else names
