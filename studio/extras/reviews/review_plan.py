"""Reviews of compared files, with the marks of the one before."""

from __future__ import annotations

import hashlib
import sqlite3
import uuid
from collections.abc import Sequence

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
    Verdict,
    open_plan_state,
)
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.check_steps import Prepared, add_hunks
from studio.engine.propose.new_plan import contents_of, submission_hash
from studio.engine.propose.target_context import TargetContextReader
from studio.engine.review import staleness
from studio.engine.risks import facts_of
from studio.engine.store.rows import now
from studio.extras.reviews.compared_files import ComparedFile, ComparedFiles
from studio.extras.snapshots.restoring import operation_of
from studio.limits import PLAN_FACTS_UP_TO, STEP_FACTS_UP_TO, TITLE_CHARACTERS

_MARKED = frozenset({StepState.APPROVED, StepState.REJECTED})
_LISTED = frozenset({PlanState.PENDING, PlanState.APPROVED, PlanState.REJECTED, PlanState.INVALID})
_REPLACING = {
    PlanState.REJECTED: (PlanState.PENDING, PlanState.CANCELLED),
    PlanState.INVALID: (PlanState.DISMISSED,),
}
"""States through which a review ends, as the table has them; others are cancelled at once."""


def make_review(context: Context, compared: ComparedFiles) -> Plan | None:
    """Store the review of compared files.

    It replaces the last one of its subject. Steps that are as they were keep their marks. None where nothing
    differs; the review before then ends. Returns that one, as `duplicate`, where nothing changed since.
    """
    store = context.store
    # A file that is back has its mark again.
    staleness.refresh(
        context, lambda plan, step: plan.reviews == compared.subject and step.state is StepState.STALE
    )
    prepared = build_steps(context, compared.files)
    with disk.writer_lock(store.lock_file):
        store.blobs.add(contents_of(prepared), durable=False)
        unreferenced: frozenset[str] = frozenset()
        with store.database.write() as connection:
            # Only here: meanwhile a person may have marked the review before, or another process made one.
            reviews = store.plans.find_reviews(connection, compared.subject)
            previous = next((plan for plan in reversed(reviews) if plan.state in _LISTED), None)
            # The last one may have ended while nothing differed.
            last = reviews[-1] if reviews else None
            plan = _build_plan(compared, prepared, last)
            if previous is not None and _is_same(plan, previous):
                return replace(previous, duplicate=True)
            _end(context, connection, reviews)
            if plan.steps:
                digest = hashlib.sha256(f"{plan.reviews} {submission_hash(plan.steps)}".encode())
                store.plans.add_decided_plan(connection, plan, digest.hexdigest())
                if last is not None:
                    store.unsent.copy_steps(connection, last.id, plan.id, _same_steps(last, plan))
            old = {each.id for each in reviews[:-1] if each.state not in _LISTED and each.discarded is None}
            if old:
                unreferenced = retention.free(context, connection, frozenset(), old)
        store.blobs.sweep(unreferenced)
    return plan if plan.steps else None


def _build_plan(compared: ComparedFiles, prepared: Sequence[Prepared], previous: Plan | None) -> Plan:
    marked = {step.path: step for step in previous.steps if step.decision} if previous is not None else {}
    steps = tuple(_with_mark(item.step, marked.get(item.step.path)) for item in prepared)
    return Plan(
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


def _with_mark(step: Step, before: Step | None) -> Step:
    """Return the step with its mark in the review before.

    Both sides must be the same. Where only a part was approved and the rest was taken back since, that is all
    of the step.
    """
    if before is None or before.decision is None or before.state not in _MARKED:
        return step
    decision = before.decision
    is_approved = decision.verdict is Verdict.APPROVE
    is_unchanged = disk.is_same(step.result, before.result)
    is_taken_back = is_approved and disk.is_same(step.result, before.decided)
    if not disk.is_same(step.base, before.base) or not (is_unchanged or is_taken_back):
        return step
    if not is_unchanged:
        decision = replace(decision, choices={}, edited=False)
    return replace(step, state=StepState.APPROVED if is_approved else StepState.REJECTED, decision=decision)


def _same_steps(before: Plan, plan: Plan) -> dict[int, int]:
    """Return the numbers of steps whose sides are unchanged, by those before."""
    steps = {step.path: step for step in plan.steps}
    found = ((old, steps.get(old.path)) for old in before.steps)
    return {
        old.number: new.number
        for old, new in found
        if new is not None and disk.is_same(old.base, new.base) and disk.is_same(old.result, new.result)
    }


def _is_same(plan: Plan, previous: Plan) -> bool:
    is_same = (plan.title, plan.problems) == (previous.title, previous.problems)
    return is_same and list(map(_identity, plan.steps)) == list(map(_identity, previous.steps))


def _identity(step: Step) -> tuple[object, ...]:
    return step.path, step.base, step.result, step.problems, step.state


def _end(context: Context, connection: sqlite3.Connection, reviews: Sequence[Plan]) -> None:
    for review in reviews:
        for state in _REPLACING.get(review.state, (PlanState.CANCELLED,)) if review.state in _LISTED else ():
            context.store.plans.set_plan_state(connection, review.id, state)


def build_steps(context: Context, files: Sequence[ComparedFile]) -> list[Prepared]:
    """Return the files' undecided steps, with facts."""
    target_context = TargetContextReader(context.root, [file.path for file in files])
    share = Share(PLAN_FACTS_UP_TO, STEP_FACTS_UP_TO)
    policy, config = context.policy(), context.config()
    prepared: list[Prepared] = []
    for number, file in enumerate(files, start=1):
        item = _build_step(number, file)
        verdict = policy.check(file.path)
        if file.problem is None and verdict.rule == ".git":
            # No checkout writes such a name, and git would follow what is in it.
            problems = (step_problems.denied(verdict),)
            item = Prepared(replace(item.step, state=StepState.INVALID, problems=problems))
        elif file.problem is None:
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
        file.op or operation_of(base, result),
        file.path,
        None,
        StepState.PENDING if file.problem is None else StepState.INVALID,
        base,
        result,
        problems=() if file.problem is None else (file.problem,),
    )
    return Prepared(step, file.base and file.base.data, file.result and file.result.data)
