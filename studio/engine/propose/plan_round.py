"""Update of an open plan: replaced, added and dropped steps, and storage."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from studio.engine.draft import OWN_FORMATS, PlanDraft
from studio.engine.plan import Plan, Problem, Step, StepState
from studio.engine.project.context import Context
from studio.engine.propose.check_steps import Prepared
from studio.engine.propose.comparison import REMARK_CODES
from studio.engine.propose.new_plan import (
    SUMMARY_CODES,
    compute_submission_hash,
    contents_of,
    remember,
    summary_of,
    title_of,
)
from studio.engine.propose.session_view import is_joinable
from studio.engine.store.plans import store_round
from studio.limits import PLAN_PROBLEMS_UP_TO, TITLE_CHARACTERS
from studio.names import show_name
from studio.values import Value


class PlanRound(Value):
    """The open plan, with the steps that a round writes or drops.

    Written steps are new or replaced.
    """

    plan: Plan
    written: tuple[Prepared, ...]
    dropped: tuple[Step, ...]

    @classmethod
    def of(
        cls,
        plan: Plan,
        before: Mapping[str, Step],
        whole: Mapping[str, Prepared],
        refused: Sequence[Prepared],
    ) -> PlanRound:
        """Return the round that replaces the steps `before` by those of `whole`.

        Both are by target. A step keeps its number for good.
        """
        left = dict(before)
        written: list[Prepared] = []
        number = len(plan.steps)
        for target, item in whole.items():
            old = left.pop(target, None)
            if old is not None and is_same_proposal(old, item.step) and old.unit == item.step.unit:
                continue
            if old is None:
                number += 1
                step = replace(item.step, number=number)
            else:
                step = replace(item.step, number=old.number, id=old.id, reason=item.step.reason or old.reason)
            written.append(replace(item, step=step))
        for item in refused:
            number += 1
            written.append(replace(item, step=replace(item.step, number=number)))
        return cls(plan, tuple(written), tuple(_drop_step(step) for step in left.values()))

    @property
    def is_same(self) -> bool:
        return not self.written and not self.dropped

    @property
    def steps(self) -> tuple[Step, ...]:
        """All steps of the plan after the round."""
        steps = {step.number: step for step in self.plan.steps}
        steps |= {step.number: step for step in (*(item.step for item in self.written), *self.dropped)}
        return tuple(steps[number] for number in sorted(steps))


def is_same_proposal(one: Step, other: Step) -> bool:
    """Return whether two steps change the same file to the same result.

    Bytes and mode are compared; the operations may differ.
    """
    return (one.path, one.to, one.base, one.result) == (other.path, other.to, other.base, other.result)


def store_next_round(
    context: Context, following: PlanRound, draft: PlanDraft, *, remarks: Sequence[Problem] | None = None
) -> Plan | None:
    """Store the round and return the plan.

    None where the plan was decided, ended or changed meanwhile. `remarks` of a tree, and its excluded paths,
    replace the earlier ones.
    """
    store, before, steps = context.store, following.plan, following.steps
    context.config_for(before.format, before.agent).limits.check_steps(
        len(steps), is_own=before.format in OWN_FORMATS
    )
    submission = compute_submission_hash(steps)
    earlier = [plan for plan in store.plans.by_submission(submission) if plan.id != before.id]
    replaced = SUMMARY_CODES if remarks is None else SUMMARY_CODES | REMARK_CODES
    remaining = (problem for problem in before.problems if problem.code not in replaced)
    title = before.title
    if title == title_of(before.steps):
        title = draft.title[:TITLE_CHARACTERS] or title_of(steps)
    plan = replace(
        before,
        version=before.version + 1,
        title=title,
        steps=steps,
        problems=Problem.shorten(
            (*remaining, *(remarks or ()), *summary_of(steps, earlier)), PLAN_PROBLEMS_UP_TO
        ),
    )
    while True:
        named = store.blobs.add(contents_of(following.written), durable=False)
        with store.database.write() as connection:
            if store.plans.version_of(connection, plan.id) != before.version or not is_joinable(
                store.plans.as_it_is(connection, plan.id)
            ):
                return None
            if store.blobs.missing(named):
                continue
            written = [item.step for item in following.written]
            store_round(store.plans, connection, plan, submission, written=written, dropped=following.dropped)
            if remarks is not None:
                store.left_out.set(connection, plan.id, draft.left_out)
            assert plan.session is not None
            store.sessions.record_activity(connection, plan.session)
            for item in following.written:
                remember(context, connection, plan.agent, item)
        return store.plans.get(plan.id)


def _drop_step(step: Step) -> Step:
    problem = Problem(
        "step.dropped",
        f"A later round of this plan no longer changes {show_name(step.target)}.",
        "No action is needed.",
        at="target",
    )
    return replace(step, state=StepState.INVALID, problems=(problem,))
