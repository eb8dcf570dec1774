"""End of an apply: record results, remove replaced files, or restore everything.

The replaced old files are removed last. Called by the gateway, and by recovery for an apply that a crash
interrupted.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from studio.engine import disk
from studio.engine.branch.posix import PosixFS
from studio.engine.disk import TargetChanged
from studio.engine.plan import FOREIGN_KEPT, Plan, PlanState, Problem, Severity, Step, StepState
from studio.engine.project.context import Context
from studio.engine.store.plans import record_modes
from studio.errors import ApplyStopped, FileError, StudioError
from studio.journal.entries import Entry, FaultKind, FileFault, Reply, WritingRequest
from studio.names import show_name

Pairs = Sequence[tuple[str, WritingRequest]]
"""Requests, each with the id of its step."""


def give_up(context: Context, plan: Plan, pairs: Pairs, error: StudioError) -> None:
    """Put every file back and record why the apply failed.

    The plan becomes paused where it can simply be applied again, failed where a target changed in between,
    and cancelled where it was cancelled; one in parts stays open, with its approvals. Raises NotPutBack. The
    plan stays executing then, and also where the store could not record the result: the next recovery does.
    """
    leaf = PosixFS(context.root, context.store.blobs.get)
    aborted = leaf.abort([request for _, request in pairs])
    store = context.store
    fault = error.fault if isinstance(error, FileError) else None
    kind = fault or FaultKind.IO_ERROR
    problems = [Problem(error.code, error.message, error.hint, at="target")]
    problems += [
        Problem(
            "recovery.left",
            f"{show_name(path)} contains neither the old nor the new bytes; it was not changed.",
            "Check the file; its old bytes are in the history.",
            at="target",
        )
        for path in aborted.left
    ]
    problems += _foreign_problems(aborted.foreign_paths)
    failed = bool(aborted.left) or isinstance(error, TargetChanged)
    with store.database.write() as connection:
        faults: list[tuple[str, Entry]] = [
            (step_id, FileFault(request.correlation_id, kind, request.path, error.message))
            for step_id, request in pairs
        ]
        store.journal.append(connection, plan.id, faults)
        state = _end_state(error, failed=failed)
        if plan.is_in_parts:
            state = store.plans.state_by_steps(connection, plan.id)
        store.plans.set_plan_state(connection, plan.id, state)
        store.plans.add_plan_problems(connection, plan, tuple(problems))
        if not plan.parts:
            store.plans.mark_finished(connection, plan.id)
    if plan.parts:
        sweep(context, plan, ())


def _end_state(error: StudioError, *, failed: bool) -> PlanState:
    if failed:
        return PlanState.FAILED
    is_cancelled = isinstance(error, ApplyStopped) and error.is_cancelled
    return PlanState.CANCELLED if is_cancelled else PlanState.PAUSED


def record_done(
    context: Context,
    plan: Plan,
    steps: Sequence[Step],
    replies: Sequence[tuple[str, Reply]],
    modes: Mapping[str, int],
) -> None:
    """Record the replies, the new states and undone steps in one transaction.

    `modes` are the permission bits that the disk gave some paths. They are stored with the steps, or the
    results would differ from the disk as if another program had changed it.
    """
    store = context.store
    recorded_modes = {
        step.number: modes[step.target] for step in steps if step.result and step.target in modes
    }
    with store.database.write() as connection:
        store.journal.append(connection, plan.id, replies)
        numbers = [step.number for step in steps]
        record_modes(connection, plan.id, recorded_modes)
        store.plans.set_step_states(connection, plan.id, numbers, StepState.APPLIED)
        store.plans.add_part(connection, plan.id, numbers)
        is_last = not plan.is_in_parts
        state = PlanState.COMPLETED if is_last else store.plans.state_by_steps(connection, plan.id)
        store.plans.set_plan_state(connection, plan.id, state)
        store.plans.remove_failures(connection, plan)
        undone_ids = [step.undoes for step in steps if step.undoes is not None]
        _mark(context, connection, undone_ids, StepState.ROLLED_BACK)


def _mark(
    context: Context,
    connection: sqlite3.Connection,
    step_ids: Sequence[str],
    state: StepState,
    visited: frozenset[str] = frozenset(),
) -> None:
    """Mark steps rolled back or applied; flip the steps they had undone."""
    if not step_ids or not visited.isdisjoint(step_ids):
        return
    plans = context.store.plans
    numbers_by_plan: dict[str, list[int]] = {}
    undone_ids: list[str] = []
    for plan_id, number, undoes in plans.step_places(connection, step_ids):
        numbers_by_plan.setdefault(plan_id, []).append(number)
        if undoes is not None:
            undone_ids.append(undoes)
    for plan_id, numbers in numbers_by_plan.items():
        plans.set_step_states(connection, plan_id, numbers, state)
        if plans.state_of(connection, plan_id).is_active:  # its other steps are still open
            continue
        is_applied = plans.has_applied_step(connection, plan_id)
        plans.set_plan_state(
            connection, plan_id, PlanState.COMPLETED if is_applied else PlanState.ROLLED_BACK
        )
    other = StepState.APPLIED if state is StepState.ROLLED_BACK else StepState.ROLLED_BACK
    _mark(context, connection, undone_ids, other, visited.union(step_ids))


def sweep(context: Context, plan: Plan, requests: Sequence[WritingRequest]) -> None:
    """Remove the replaced old files, then mark the plan finished.

    An old file that another program wrote into is kept. The plan itself is applied by then: an error here is
    left to the next sweep, and until then the plan lists what remains in the project. Old files that an
    earlier part left are among them.
    """
    unremoved: tuple[Problem, ...] = ()
    with suppress(OSError, RuntimeError, StudioError):  # for example, the system has no thread left
        done = context.store.journal.done_requests(plan.id) if plan.parts else ()
        given = {request.correlation_id for request in requests}
        earlier = [request for request in done if request.correlation_id not in given]
        try:
            foreign = PosixFS(context.root, context.store.blobs.get).finish([*earlier, *requests])
        except disk.NotRemoved as error:
            foreign = error.foreign_paths
            unremoved = (Problem(error.code, error.message, error.hint, Severity.WARNING, at="target"),)
        now = context.store.plans.without_steps(plan.id)
        others = tuple(problem for problem in now.problems if problem.code != "apply.not_removed")
        problems = (*_foreign_problems(foreign), *unremoved)
        # Not flushed: after a power cut without this mark the next sweep finds the same, and marks it again.
        with context.store.database.write(durable=False) as connection:
            if problems or others != now.problems:
                context.store.plans.add_plan_problems(connection, replace(now, problems=others), problems)
            if not unremoved:
                context.store.plans.mark_finished(connection, plan.id)


def _foreign_problems(paths: Sequence[str]) -> tuple[Problem, ...]:
    return tuple(
        Problem(
            FOREIGN_KEPT,
            (f"{show_name(path)} holds what another program wrote to the old file while it was replaced."),
            "Compare it with the new file, then delete it.",
            Severity.WARNING,
            at="target",
        )
        for path in paths
    )
