"""The only code that makes approved steps happen: the protocol of design section 5, steps 1 to 6.

All of a plan's approved steps are written, or none. The requests are durable before the first byte is
written, the replies after the last; what lies between is resolved by `recovery`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from studio.engine import disk, recovery
from studio.engine.branch.placing import Displaced
from studio.engine.branch.posix import Faults, NotPutBack, PosixFS
from studio.engine.context import Context
from studio.engine.drift import Standing, refresh, standing
from studio.engine.errors import Conflict, Refused, StudioError
from studio.engine.limits import DISK_SPARE_BYTES
from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, Problem, Step, StepState
from studio.engine.requests import Work, work_of

Progress = Callable[[int, int], None]
"""Called with steps done and steps in all."""


def _more(count: int, one: str, several: str) -> str:
    if count == 0:
        return ""
    return f" One more step {one}." if count == 1 else f" {count} more steps {several}."


class ApplyRefused(Refused):
    """Nothing was written; every problem found is in `problems`."""

    def __init__(self, problems: Mapping[int, Problem]) -> None:
        first = next(iter(problems.values()))
        more = _more(len(problems) - 1, "has problems", "have problems")
        super().__init__(first.code, f"Nothing was written: {first.message}{more}", first.hint)
        self.problems = problems


class Drifted(Conflict):
    """Nothing was written: these steps (by number) are no longer what was decided."""

    def __init__(self, problems: Mapping[int, Problem]) -> None:
        first = next(iter(problems.values()))
        more = _more(len(problems) - 1, "changed too", "changed too")
        super().__init__(first.code, f"Nothing was written: {first.message}{more}", first.hint)
        self.problems = problems


def apply(context: Context, plan_id: str, *, progress: Progress | None = None) -> Plan:
    """Write all approved steps of a plan, or nothing.

    Raises Drifted (exit 3), ApplyRefused or Refused (exit 1), TimedOut when another writer keeps the lock.
    """
    context.check_root()
    store = context.store
    with disk.writer_lock(store.lock_file):
        recovery.finish_interrupted(context)
        plan_id = store.plans.get(plan_id).id
        with store.database.read() as connection:
            decisions = store.plans.decisions_made(connection, plan_id)
        with Faults():
            plan = store.plans.get(plan_id)
            _check_state(plan)
            _check_decisions(context, plan)
            work = work_of(context, plan)
            _check_obstacles(context, work)
        _begin(context, work, decisions)
        _write(context, work, progress)
        return store.plans.get(plan_id)


def _check_state(plan: Plan) -> None:
    if plan.state in (PlanState.APPROVED, PlanState.PAUSED):
        return
    if plan.stale:
        raise Conflict(
            "plan.stale",
            f"“{plan.title}” has stale steps: the files have changed since they were proposed.",
            "Discard those steps, or have them proposed anew.",
        )
    if plan.state is PlanState.PENDING:
        count = len(plan.undecided)
        raise Refused(
            "plan.undecided",
            f"{count} {'step' if count == 1 else 'steps'} of “{plan.title}” are still to decide.",
            "Approve or reject every step, then apply.",
        )
    raise Refused(
        "plan.state",
        f"“{plan.title}” is {plan.state.words}; it can't be applied.",
        "Only an approved plan can be applied.",
    )


def _check_decisions(context: Context, plan: Plan) -> None:
    """Everything a decision was made on must still be so; what differs makes its step stale (contract 5)."""
    policy = context.config().policy()
    problems: dict[int, Problem] = {}
    for step in plan.approved:
        problem = _what_changed(context, plan, step, policy.fingerprint)
        if problem is not None:
            problems[step.number] = problem
    if not problems:
        return
    with context.store.database.write() as connection:
        if plan.state is PlanState.PAUSED:
            context.store.plans.set_plan_state(connection, plan.id, PlanState.EXECUTING)
            context.store.plans.set_plan_state(connection, plan.id, PlanState.FAILED)
        else:
            for number in problems:
                context.store.plans.set_step_state(connection, plan.id, number, StepState.STALE)
            context.store.plans.settle(connection, plan.id)
    refresh(context)
    raise Drifted(problems)


def _what_changed(context: Context, plan: Plan, step: Step, fingerprint: str) -> Problem | None:
    decision = step.decision
    base = step.base.sha256 if step.base is not None else None
    if decision is None or decision.base_sha256 != base or decision.root_identity != context.root.identity:
        return Problem(
            "step.decision_void", f"Step {step.number} was decided on something else.", "Decide it again."
        )
    if decision.policy_fingerprint != fingerprint and plan.rolls_back is None:
        return Problem(
            "policy.changed",
            f"The rules have changed since step {step.number} was approved.",
            "Look at the step and decide it again.",
        )
    now = standing(context.root, step)
    if now is Standing.BASE:
        return None
    path = show_name(step.path if step.base is not None else step.target)
    if now is Standing.RESULT:
        message = f"{path} already holds what step {step.number} would write."
    else:
        message = f"{path} is no longer what was reviewed."
    return Problem(
        "step.stale", message, "Look at what changed, then have the step proposed anew.", at="target"
    )


def _check_obstacles(context: Context, work: Work) -> None:
    """Everything that would stop the writing half-way, found before it starts; all of it at once."""
    problems: dict[int, Problem] = {}
    going = {path for step in work.steps for path in step.written_paths if path != step.to}
    for step in work.steps:
        try:
            _check_stored(context, step)
            _check_emptied(context, step, going)
            for path in step.written_paths:
                context.root.check_not_git(path)
                reason = disk.obstacle(context.root, path)
                if reason:
                    raise Refused(
                        "target.unchangeable",
                        f"{show_name(path)} can't be changed: {reason}.",
                        "Change its permissions or attributes and apply again.",
                        path=path,
                    )
        except StudioError as error:
            problems[step.number] = Problem(error.code, error.message, error.hint, at="target")
        except OSError as error:
            message = f"{show_name(step.path)} can't be reached: {error.strerror}."
            problems[step.number] = Problem(
                "target.unreachable", message, "Check the file and its folders.", at="target"
            )
    if not problems:
        _check_space(context, work, problems)
    if problems:
        raise ApplyRefused(problems)


def _check_emptied(context: Context, step: Step, going: set[str]) -> None:
    """A folder can only go when everything in it goes too: a step left out, or a new file, keeps it."""
    if step.result is not None or step.base is None or not step.base.is_folder or step.undoes is not None:
        return
    stays = next((entry.path for entry in context.root.walk(step.path) if entry.path not in going), None)
    if stays is not None:
        raise Refused(
            "target.folder_not_empty",
            f"The folder {show_name(step.path)} can't go: {show_name(stays)} stays in it.",
            "Reject the step that removes the folder, or approve all that is in it.",
            path=step.path,
        )


def _check_stored(context: Context, step: Step) -> None:
    """What can't be put back is never written: base and result must be readable and verify."""
    for image in (step.base, step.decided):
        if image is not None and image.sha256 is not None:
            context.store.blobs.get(image.sha256)


def _check_space(context: Context, work: Work, problems: dict[int, Problem]) -> None:
    needed: dict[int, int] = {}
    available: dict[int, tuple[int, int]] = {}
    counts: dict[int, int] = {}
    for step in work.steps:
        if step.result is None:
            continue
        above = step.target.rpartition("/")[0]
        while above and context.root.state(above) is None:
            above = above.rpartition("/")[0]
        state = context.root.state(above)
        device = state.device if state is not None else 0
        needed[device] = needed.get(device, 0) + step.result.size
        counts[device] = counts.get(device, 0) + 1 + len(work.made_folders[step.number])
        available.setdefault(device, disk.free_space(context.root, step.target))
        free, entries = available[device]
        if needed[device] + DISK_SPARE_BYTES > free or counts[device] > entries:
            problems[step.number] = Problem(
                "disk.DiskFull",
                f"the disk is full (needs {needed[device]} bytes, {free} free).",
                "Free some space and apply again.",
                at="target",
            )
            return


def _begin(context: Context, work: Work, decisions: int) -> None:
    """One durable transaction: from here on a crash is recovery's business (design 5.3).

    `decisions` is how many there were when the plan was read: a later one was made on something else.
    """
    store = context.store
    with store.database.write() as connection:
        if store.plans.decisions_made(connection, work.plan.id) != decisions:
            raise Conflict(
                "plan.decided_anew",
                f"Nothing was written: “{work.plan.title}” was decided anew in that moment.",
                "Look at the plan again.",
            )
        store.plans.set_plan_state(connection, work.plan.id, PlanState.EXECUTING)
        store.plans.mark_unfinished(connection, work.plan.id)
        for number, folders in work.made_folders.items():
            store.plans.set_made_folders(connection, work.plan.id, number, folders)
        store.journal.append(connection, work.plan.id, work.requests)


def _write(context: Context, work: Work, progress: Progress | None) -> None:
    store = context.store
    leaf = PosixFS(context.root, store.blobs.get)
    requests = [request for _, request in work.requests]
    report = progress or _no_progress
    report(0, len(work.steps))
    try:
        staged = leaf.prepare(requests)
        replies = leaf.commit(staged)
    except (Displaced, Refused) as error:
        _give_up(context, work, error)
        raise
    answers = [(step_id, reply) for (step_id, _), reply in zip(work.requests, replies, strict=True)]
    try:
        recovery.record_done(context, work.plan, work.steps, answers)
    except StudioError as error:
        raise _unrecorded(work.plan, error) from error
    report(len(work.steps), len(work.steps))
    recovery.sweep(context, work.plan, requests)


def _give_up(context: Context, work: Work, error: StudioError) -> None:
    try:
        recovery.give_up(context, work.plan, work.requests, error)
    except NotPutBack:
        raise
    except StudioError:
        # The files are as before and the store can't say so: the next recovery sees it and does.
        return


def _unrecorded(plan: Plan, error: StudioError) -> Refused:
    """The files stay as they are: the store may hold the record after all, once it can be read again, and
    a recovery comes to the same end from what is on disk."""
    return Refused(
        "apply.unrecorded",
        f"“{plan.title}” was written whole, but this could not be recorded: {error.message}",
        "Mend that, then run: studio recover",
    )


def _no_progress(_done: int, _total: int) -> None:
    return None
