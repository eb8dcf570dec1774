"""Gateway that checks a plan's approved steps and writes all or none.

All of a plan's approved steps are written, or none. The requests are durable before the first byte is
written, the replies after the last; `recovery` resolves an interruption in between. docs/decisions.md
describes the protocol.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence, Set
from contextlib import suppress

from msgspec.structs import replace

from studio.engine import disk
from studio.engine.apply import ending, recovery, retention
from studio.engine.apply.progress import ApplyControl, Progress, SafePoints
from studio.engine.apply.requests import ApplyJob, job_of
from studio.engine.branch.posix import PosixFS, disk_changes_of
from studio.engine.disk.run_lock import RunLock
from studio.engine.plan import Plan, PlanState, Problem, Step, StepState
from studio.engine.policy import Policy
from studio.engine.project.context import Context
from studio.engine.review.staleness import (
    SeenFiles,
    StepDiskStatus,
    disk_status_by,
    expiry,
    is_allowed,
    is_expired,
    matches_decision,
    refresh,
    rules_for,
    within,
)
from studio.engine.root import Unseen
from studio.engine.store.content_cache import ContentCache
from studio.engine.store.database import STORE_DAMAGED, STORE_GONE
from studio.errors import Conflict, FileError, FileLocked, Refused, StudioError
from studio.journal.file_image import FileImage
from studio.limits import DISK_SPARE_BYTES
from studio.names import show_name
from studio.system.os_errors import failure, in_front, wrap_os_errors

_LISTABLE = 0o500
"""The permission bits that let a folder's owner list it."""


def _more_steps(count: int, one: str, several: str) -> str:
    if count == 0:
        return ""
    return f" One more step {one}." if count == 1 else f" {count:,} more steps {several}."


class ApplyRefused(Refused):
    """Nothing was written; `problems` has every problem found."""

    def __init__(self, problems: Mapping[int, Problem]) -> None:
        first = next(iter(problems.values()))
        more = _more_steps(len(problems) - 1, "has problems", "have problems")
        super().__init__(first.code, f"Nothing was written: {first.message}{more}", first.hint)
        self.problems = problems


class Drifted(Conflict):
    """Nothing was written; the decided steps in `problems` (by number) have changed."""

    def __init__(self, problems: Mapping[int, Problem]) -> None:
        first = next(iter(problems.values()))
        more = _more_steps(len(problems) - 1, "changed too", "changed too")
        super().__init__(first.code, f"Nothing was written: {first.message}{more}", first.hint)
        self.problems = problems


def apply(
    context: Context,
    plan_id: str,
    *,
    approved_only: bool = False,
    seen: Mapping[int, str] | None = None,
    progress: Progress | None = None,
    control: ApplyControl | None = None,
) -> Plan:
    """Write all approved steps of a plan, or nothing.

    `seen` has the revisions of the steps that the reviewer saw as approved, by number: others are Conflict. A
    plan with undecided steps is refused, or with `approved_only` stays open for them. Raises Drifted (exit
    3), ApplyRefused or Refused (exit 1), TimedOut when another writer keeps the lock, ApplyStopped when
    `control` asked for it: then everything is as it was.
    """
    context.check_root()
    store = context.store
    with disk.writer_lock(store.lock_file):
        # First, because the files of an interrupted apply may be on either side.
        recovery.finish_interrupted(context)
        plan_id = store.plans.full_id(plan_id)
        with store.database.read() as connection:
            decisions = store.plans.count_decisions(connection, plan_id)
        plan = store.plans.get(plan_id)
        seen_files = SeenFiles(context.root)
        with wrap_os_errors("Nothing was written", it="the project"):
            _check_state(plan, approved_only=approved_only)
        if seen is not None and seen != plan.approved_revisions:
            raise _decided_anew(plan)
        if approved_only:
            plan = _without_divided_units(plan)
        return apply_locked(context, plan, decisions, seen_files, progress=progress, control=control)


def apply_locked(
    context: Context,
    plan: Plan,
    decisions: int,
    seen_files: SeenFiles,
    *,
    contents: ContentCache | None = None,
    progress: Progress | None = None,
    control: ApplyControl | None = None,
) -> Plan:
    """Apply a plan's approved steps.

    The caller holds the writer lock and has recovered. `plan` is as stored, `decisions` the number of
    decisions on it no later than that. `seen_files` holds the files that the caller read since it took the
    lock, `contents` what it read from the store: neither is read again.
    """
    contents = contents or ContentCache(context.store.blobs)
    with wrap_os_errors("Nothing was written", it="the project"):
        _check_units(plan)
        _check_decisions(context, plan, seen_files)
    job, control = check_obstacles(context, plan, contents), control or ApplyControl()
    # The lower layer of a running overlay must not change: the command is stopped first, with a reason.
    with RunLock(context.folder).stopped(cancel=control.pause):
        begin(context, job, decisions)
        _write(context, job, contents, progress, control)
        ending.sweep(context, plan, [request for _, request in job.requests])
    with suppress(StudioError, OSError):  # the plan is applied; the next apply frees the undo
        retention.discard_due(context)
    _check_recorded(context, plan)
    return context.store.plans.get(plan.id)


def _decided_anew(plan: Plan) -> Conflict:
    return Conflict(
        "plan.decided_anew",
        f"Nothing was written: “{plan.title}” was decided again meanwhile.",
        "Review the plan again.",
    )


def _check_state(plan: Plan, *, approved_only: bool) -> None:
    if plan.is_review:
        raise Refused(
            "review.applied",
            f"“{plan.title}” is a review; there is nothing to write.",
            "Undo the rejected changes instead."
            if not plan.is_of_commits
            else "Propose the approved changes as a plan instead.",
        )
    if plan.state in (PlanState.APPROVED, PlanState.PAUSED):
        return
    if approved_only and plan.state is PlanState.PENDING:
        if plan.approved:
            return
        raise Refused(
            "plan.nothing_approved", f"Nothing of “{plan.title}” is approved.", "Approve a step, then apply."
        )
    if plan.stale:
        raise Conflict(
            "plan.stale",
            f"“{plan.title}” has stale steps: files changed after they were proposed.",
            "Discard those steps, have them proposed again, or apply only the approved ones.",
        )
    if plan.state is PlanState.PENDING:
        count, suffix = len(plan.undecided), f"of “{plan.title}”"
        steps = f"1 step {suffix} is" if count == 1 else f"{count:,} steps {suffix} are"
        raise Refused(
            "plan.undecided",
            f"{steps} undecided.",
            "Approve or reject them, or apply only the approved steps.",
        )
    raise Refused(
        "plan.state",
        f"“{plan.title}” is {plan.state.words}; it can't be applied.",
        "Only an approved plan can be applied.",
    )


_IN_WHOLE_UNIT = (StepState.APPROVED, StepState.ALREADY_APPLIED)


def _without_divided_units(plan: Plan) -> Plan:
    """Return the plan with divided units undecided, if other steps are left."""
    divided = {step.unit for step in plan.steps if step.unit and step.state not in _IN_WHOLE_UNIT}
    steps = tuple(
        replace(step, state=StepState.PENDING)
        if step.unit in divided and step.state is StepState.APPROVED
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps) if any(step.state is StepState.APPROVED for step in steps) else plan


def _check_units(plan: Plan) -> None:
    """Check that no unit is applied in part.

    The decisions may have been recorded by another version of the program.
    """
    units = {step.unit for step in plan.approved if step.unit is not None}
    missing = next(
        (step for step in plan.steps if step.unit in units and step.state not in _IN_WHOLE_UNIT), None
    )
    if missing is not None:
        raise Refused(
            "plan.divided_unit",
            (
                f"Nothing was written: step {missing.number} is {missing.state.words}, and others "
                "depend on it."
            ),
            "Undo the decisions on these steps, then decide them together.",
        )


def _check_decisions(context: Context, plan: Plan, seen_files: SeenFiles) -> None:
    """Check what each decision was based on; mark steps that differ stale."""
    policy, minutes = context.policy_of(plan), context.config().approval_minutes
    read_image = within(plan.approved, seen_files.image)
    problems: dict[int, Problem] = {}
    locked_steps: dict[int, Problem] = {}
    for step in plan.approved:
        try:
            problem = _find_change(context, plan, step, policy, read_image, minutes=minutes)
        except FileLocked as error:
            locked_steps[step.number] = Problem(error.code, error.message, error.hint, at="target")
            continue
        if problem is not None:
            problems[step.number] = problem
    if locked_steps and not problems:
        raise ApplyRefused(locked_steps)
    if not problems:
        return
    with context.store.database.write() as connection:
        if plan.state is PlanState.PAUSED:
            context.store.plans.set_plan_state(connection, plan.id, PlanState.EXECUTING)
            context.store.plans.set_plan_state(connection, plan.id, PlanState.FAILED)
        else:
            context.store.plans.set_step_states(connection, plan.id, problems, StepState.STALE)
            context.store.plans.update_state(connection, plan.id)
    refresh(context)
    raise Drifted(problems)


def _find_change(
    context: Context,
    plan: Plan,
    step: Step,
    policy: Policy,
    read_image: Callable[[str], FileImage | None],
    *,
    minutes: int,
) -> Problem | None:
    decision = step.decision
    if decision is None or not matches_decision(context, step, decision):
        return Problem(
            "step.decision_void", f"Step {step.number} changed after it was decided.", "Decide it again."
        )
    # A rollback or a restore only writes what the user had before.
    is_ruled = plan.is_proposal
    if is_ruled and (decision.policy_fingerprint != rules_for(policy, step) or not is_allowed(policy, step)):
        return Problem(
            "policy.changed",
            f"The rules have changed since step {step.number} was approved.",
            "Review the step and decide it again.",
        )
    if is_expired(step, minutes):
        return expiry(context, [step])
    try:
        now = disk_status_by(read_image, step)
    except FileLocked:
        raise
    except FileError as error:  # no drift: the decision stays valid, and the same click may succeed later
        raise in_front(error, "Nothing was written") from error
    if now is StepDiskStatus.BASE:
        return None
    path = show_name(step.path if step.base is not None else step.target)
    if now is StepDiskStatus.RESULT:
        message = f"{path} already has the result of step {step.number}."
    else:
        message = f"{path} changed after it was reviewed."
    return Problem(
        "step.stale", message, "Check what changed, then have the step proposed again.", at="target"
    )


def check_obstacles(context: Context, plan: Plan, contents: ContentCache) -> ApplyJob:
    """Return the apply job once nothing obstructs it; write nothing.

    Raises ApplyRefused with every problem that would stop the writing half-way, or Refused.
    """
    with wrap_os_errors("Nothing was written", it="the project"):
        job = job_of(context, plan)
        _check_obstacles(context, job, contents)
    return job


def _check_obstacles(context: Context, job: ApplyJob, contents: ContentCache) -> None:
    # All problems are collected: fixed one by one, each would cost an apply.
    disk.check_handles()
    problems: dict[int, Problem] = {}
    planned = [step.target for step in job.steps if step.result is not None]
    disk_changes = disk_changes_of(request for _, request in job.requests)
    removed_paths = {item.path for item in disk_changes if item.after is None}
    temporaries = {item.path: item.temporary for item in disk_changes if item.temporary}
    new_folders = {item.path for item in disk_changes if item.becomes_folder}
    # Checked again: since the proposal a folder may have become part of a git directory.
    guard = context.guard(planned, new_folders)
    contents.verify((step.base for step in job.steps), (step.decided for step in job.steps))
    with context.store.database.read(), disk.Obstacles(context.root) as obstacles:
        for step in job.steps:
            try:
                _check_stored(contents, step)
                _check_closed(step, job.steps)
                _check_emptied(context, step, removed_paths)
                for path in step.written_paths:
                    guard.check(path)
                    _check_changeable(
                        path,
                        obstacles.of(path, temporaries.get(path, ""), disk.nearest_above(path, new_folders)),
                    )
            except StudioError as error:
                problems[step.number] = Problem(error.code, error.message, error.hint, at="target")
            except OSError as error:
                failed = failure(error, f"{show_name(step.path)} can't be reached", path=step.path)
                problems[step.number] = Problem(failed.code, failed.message, failed.hint, at="target")
    if not problems:
        _check_space(context, job, new_folders, problems)
    if not problems:
        _check_locks(context, job, problems)
    if problems:
        raise ApplyRefused(problems)


def _check_changeable(path: str, obstacle: disk.Obstacle | None) -> None:
    if obstacle is not None:
        message = f"{show_name(path)} can't be changed: {obstacle.reason}."
        raise Refused("target.unchangeable", message, obstacle.hint, path=path)


def _check_locks(context: Context, job: ApplyJob, problems: dict[int, Problem]) -> None:
    """Wait for files that another program has locked; report those still locked.

    Runs last, because it may wait.
    """
    numbers = {
        path: step.number
        for step in job.steps
        if step.base is not None and not step.base.is_folder
        for path in step.written_paths
    }
    for path, error in disk.wait_until_free(context.root, numbers).items():
        problems[numbers[path]] = Problem(error.code, error.message, error.hint, at="target")


def _check_emptied(context: Context, step: Step, removed_paths: set[str]) -> None:
    """Refuse to remove a folder while any of its entries stays.

    A rejected step or a new file keeps the folder.
    """
    is_other = disk.changes_kind(step.base, step.result)
    is_removed = step.result is None and step.undoes is None
    if step.base is None or not step.base.is_folder or not (is_removed or is_other):
        return
    remaining = next(
        (
            entry.path
            for entry in context.root.walk(step.path)
            if isinstance(entry, Unseen) or entry.path not in removed_paths
        ),
        None,
    )
    if remaining is not None:
        raise Refused(
            "target.folder_not_empty",
            (f"The folder {show_name(step.path)} can't be deleted: {show_name(remaining)} remains in it."),
            "Reject the step that deletes the folder, or approve everything in it.",
            path=step.path,
        )


def _check_closed(step: Step, steps: Sequence[Step]) -> None:
    """Refuse to make a folder unreadable while steps change files beneath it.

    What was done there could not be verified afterwards.
    """
    result = step.result
    if result is None or not result.is_folder or result.mode & _LISTABLE == _LISTABLE:
        return
    paths = (path for other in steps for path in other.written_paths)
    changed_path = next((path for path in paths if path.startswith(f"{step.path}/")), None)
    if changed_path is not None:
        raise Refused(
            "target.folder_closed",
            (
                f"The folder {show_name(step.path)} can't lose its permissions: "
                f"{show_name(changed_path)} in it changes."
            ),
            "Change the folder's permissions in a plan of its own.",
            path=step.path,
        )


def _check_stored(contents: ContentCache, step: Step) -> None:
    """Check that base and result are stored intact; undo needs both."""
    if step.base is not None and step.base.sha256 is not None:
        contents.check(step.base.sha256)
    if step.decided is not None and step.decided.sha256 is not None:
        contents.preload(step.decided.sha256)


def _check_space(
    context: Context, job: ApplyJob, new_folders: Set[str], problems: dict[int, Problem]
) -> None:
    devices: dict[str, int] = {}
    needed: dict[int, int] = {}
    available: dict[int, tuple[int, int]] = {}
    entry_counts: dict[int, int] = {}
    for step in job.steps:
        if step.result is None:
            continue
        nearest = disk.nearest_above(step.target, new_folders) or step.target
        parent = nearest.rpartition("/")[0]
        if parent not in devices:
            devices[parent] = _device(context, parent)
        device = devices[parent]
        needed[device] = needed.get(device, 0) + step.result.size
        entry_counts[device] = entry_counts.get(device, 0) + 1 + len(job.made_folders[step.number])
        if device not in available:
            available[device] = disk.free_space(context.root, nearest)
        free, entries = available[device]
        if needed[device] + DISK_SPARE_BYTES > free or entry_counts[device] > entries:
            problems[step.number] = Problem(
                "disk.full",
                f"the disk is full (needs {needed[device]} bytes, {free} free).",
                "Free some disk space, then apply again.",
                at="target",
            )
            return


def _device(context: Context, folder: str) -> int:
    """Return the device of the nearest existing folder, 0 if unknown."""
    while folder and context.root.state(folder) is None:
        folder = folder.rpartition("/")[0]
    state = context.root.state(folder)
    return state.device if state is not None else 0


def begin(context: Context, job: ApplyJob, decisions: int) -> None:
    """Record the requests and the executing state in one durable transaction.

    From here on recovery handles a crash. `decisions` is the number of decisions when the plan was read.
    Raises Conflict where there are more by now: they were made on something else.
    """
    store = context.store
    with store.database.write() as connection:
        if store.plans.count_decisions(connection, job.plan.id) != decisions:
            raise _decided_anew(job.plan)
        store.plans.set_plan_state(connection, job.plan.id, PlanState.EXECUTING)
        # In one transaction with the requests: after a crash, recovery finds both or neither.
        store.plans.mark_unfinished(connection, job.plan.id)
        for step in job.steps:
            folders = job.made_folders[step.number]
            if folders != step.made_folders:
                store.plans.set_created_folders(connection, job.plan.id, step.number, folders)
        store.journal.append(connection, job.plan.id, job.requests)


def _write(
    context: Context, job: ApplyJob, contents: ContentCache, progress: Progress | None, control: ApplyControl
) -> None:
    requests = [request for _, request in job.requests]
    points = SafePoints(control, progress, len(job.steps), len(requests))
    leaf = PosixFS(context.root, contents.pop, safe_point=points.advance)
    try:
        staged = leaf.prepare(requests)
        points.is_committing = True
        replies = leaf.commit(staged)
    except StudioError as error:
        _give_up(context, job, error)
        raise
    step_replies = [(step_id, reply) for (step_id, _), reply in zip(job.requests, replies, strict=True)]
    try:
        ending.record_done(context, job.plan, job.steps, step_replies, staged.batch.modes)
    except StudioError as error:
        if error.code in (STORE_DAMAGED, STORE_GONE):  # no later recovery could read the requests
            leaf.abort(requests)
            raise _put_back_error(job.plan, error) from error
        raise _unrecorded_error(job.plan, error) from error
    points.finish()


def _check_recorded(context: Context, plan: Plan) -> None:
    """Check that the store still exists, while its loss can be reported."""
    try:
        context.store.database.check_file_unchanged()
    except Refused as error:
        message = f"“{plan.title}” was written completely, but its record was lost: {error.message}"
        raise Refused(error.code, message, error.hint) from error


def _give_up(context: Context, job: ApplyJob, error: StudioError) -> None:
    try:
        ending.give_up(context, job.plan, job.requests, error)
    except disk.NotPutBack:
        raise
    except StudioError as unrecorded:
        if unrecorded.code == STORE_GONE:
            raise _put_back_error(job.plan, unrecorded) from error
        # The files are as before and the store can't record it: the next recovery does.
        return


def _put_back_error(plan: Plan, error: StudioError) -> Refused:
    return Refused(
        "apply.put_back",
        f"“{plan.title}” could not be recorded, so every file was restored: {error.message}",
        error.hint,
    )


def _unrecorded_error(plan: Plan, error: StudioError) -> Refused:
    """Build the error for an apply that was written but not recorded.

    The files stay: the store may hold the record after all once it is readable, and a recovery reaches the
    same result from the files on disk.
    """
    return Refused(
        "apply.unrecorded",
        f"“{plan.title}” was written completely, but could not be recorded: {error.message}",
        "Fix that, then recover the project.",
    )
