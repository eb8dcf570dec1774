"""Plan that reviews compared files, with the marks of the review before."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Set

from msgspec.structs import replace

from studio.engine import disk
from studio.engine.apply import retention
from studio.engine.plan import (
    REVIEW_FORMAT,
    Fact,
    Plan,
    PlanState,
    Severity,
    Share,
    Step,
    StepState,
    open_plan_state,
)
from studio.engine.project.context import Context
from studio.engine.propose.check_steps import Prepared, add_hunks
from studio.engine.propose.new_plan import contents_of, submission_hash
from studio.engine.propose.target_context import TargetContextReader
from studio.engine.risks import facts_of
from studio.engine.store.rows import now
from studio.extras.reviews.compared_files import ComparedFile, ComparedFiles
from studio.extras.snapshots.restoring import operation_of
from studio.limits import PLAN_FACTS_UP_TO, STEP_FACTS_UP_TO, TITLE_CHARACTERS

_MARKED = frozenset({StepState.APPROVED, StepState.REJECTED})
_NOTHING: frozenset[str] = frozenset()
_LISTED = frozenset({PlanState.PENDING, PlanState.APPROVED, PlanState.REJECTED})
_KEPT = _LISTED | {PlanState.CANCELLED}


def make_review(context: Context, compared: ComparedFiles) -> Plan | None:
    """Store the review of compared files.

    It replaces the last one of its subject. Steps that are as they were keep their marks. None where nothing
    differs; the review before then ends. Returns that one, as `duplicate`, where nothing changed since.
    """
    reviews = [plan for plan in context.store.plans.all(_KEPT) if plan.reviews == compared.subject]
    previous = next((plan for plan in reversed(reviews) if plan.state in _LISTED), None)
    ended = {plan.id for plan in reviews if plan.state not in _LISTED and plan.discarded is None}
    prepared = _build_steps(context, compared)
    marked = {step.path: step for step in previous.steps if step.decision} if previous is not None else {}
    steps = tuple(_with_mark(item.step, marked.get(item.step.path)) for item in prepared)
    if previous is not None and steps and list(map(_identity, steps)) == list(map(_identity, previous.steps)):
        return replace(previous, duplicate=True)
    plan = Plan(
        str(uuid.uuid4()),
        1,
        compared.title[:TITLE_CHARACTERS],
        "",
        open_plan_state(step.state for step in steps),
        now(),
        steps,
        compared.remarks,
        format=REVIEW_FORMAT,
        reviews=compared.subject,
    )
    _store(context, plan, prepared, previous, ended)
    return plan if steps else None


def _build_steps(context: Context, compared: ComparedFiles) -> list[Prepared]:
    paths = [file.path for file in compared.files]
    target_context, share = (
        TargetContextReader(context.root, paths),
        Share(PLAN_FACTS_UP_TO, STEP_FACTS_UP_TO),
    )
    policy, config = context.policy(), context.config()
    prepared: list[Prepared] = []
    for number, file in enumerate(compared.files, start=1):
        item = _build_step(number, file)
        if file.problem is None:
            setting = config.encoding_for(file.path)
            item = add_hunks(item, setting)
            facts = facts_of(
                item.step,
                item.base,
                item.result,
                setting=setting,
                forms=item.forms,
                diff=item.diff,
                around=target_context.of(item.step),
            )
            if danger := policy.danger(file.path):
                facts = (Fact("danger_path", Severity.DANGER, danger), *facts)
            facts = Fact.shorten((*item.step.facts, *facts), share.of_one)
            share.subtract(len(facts))
            item = replace(item, step=replace(item.step, facts=facts), diff=None)
        prepared.append(item)
    return prepared


def _build_step(number: int, file: ComparedFile) -> Prepared:
    base, result = (side.image if side is not None else None for side in (file.base, file.result))
    step = Step(
        number,
        str(uuid.uuid4()),
        operation_of(base, result),
        file.path,
        None,
        StepState.PENDING if file.problem is None else StepState.INVALID,
        base,
        result,
        problems=() if file.problem is None else (file.problem,),
    )
    return Prepared(step, file.base and file.base.data, file.result and file.result.data)


def _with_mark(step: Step, before: Step | None) -> Step:
    """Return the step with its mark in the review before.

    Both sides must be the same. Where only a part was approved and the rest was taken back since, that is all
    of the step.
    """
    if before is None or before.decision is None or before.state not in _MARKED:
        return step
    is_taken_back = before.state is StepState.APPROVED and disk.is_same(step.result, before.decided)
    is_unchanged = disk.is_same(step.result, before.result)
    if not disk.is_same(step.base, before.base) or not (is_unchanged or is_taken_back):
        return step
    decision = before.decision
    if not is_unchanged:
        decision = replace(decision, choices={}, edited=False)
    return replace(step, state=before.state, decision=decision)


def _identity(step: Step) -> tuple[object, ...]:
    return step.path, step.base, step.result, step.problems, step.state


def _store(
    context: Context, plan: Plan, prepared: list[Prepared], previous: Plan | None, ended: Set[str]
) -> None:
    """Store a review, end the one before, free contents of older ones."""
    store = context.store
    with disk.writer_lock(store.lock_file):
        store.blobs.add(contents_of(prepared), durable=False)
        with store.database.write() as connection:
            if previous is not None:
                # The table has no transition from rejected to cancelled.
                for state in (PlanState.PENDING, PlanState.CANCELLED):
                    store.plans.set_plan_state(connection, previous.id, state)
            if plan.steps:
                digest = hashlib.sha256(f"{plan.reviews} {submission_hash(plan.steps)}".encode())
                store.plans.add_decided_plan(connection, plan, digest.hexdigest())
            unreferenced = retention.free(context, connection, frozenset(), ended) if ended else _NOTHING
        store.blobs.sweep(unreferenced)
