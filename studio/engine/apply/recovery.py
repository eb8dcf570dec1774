"""Crash recovery: completes or undoes each interrupted apply of a plan.

Run by the next process that holds the writer lock. If every target holds its result, the replies are written.
Otherwise every target that holds its result is put back; one that holds neither side was changed by another
program and stays as it is.
"""

from __future__ import annotations

from studio.engine import disk
from studio.engine.apply import ending
from studio.engine.branch.posix import PosixFS, disk_changes_of, replies_of
from studio.engine.disk.run_lock import RunLock
from studio.engine.plan import Plan, PlanState
from studio.engine.project.context import Context
from studio.errors import DiskFailed, FileLocked, Refused
from studio.journal.file_image import FileImage
from studio.system.os_errors import failure, in_front
from studio.values import Value


class InterruptedFile(Value):
    """One path of an unfinished apply.

    What it held before, what the plan writes, and what is on disk; `disk_state` is None where the disk can't
    be read.
    """

    plan_id: str
    title: str
    path: str
    before: FileImage | None
    after: FileImage | None
    disk_state: disk.DiskState | None


def interrupted_files(context: Context) -> tuple[InterruptedFile, ...]:
    """Return the paths of all unfinished applies, in write order."""
    found: list[InterruptedFile] = []
    for plan in context.store.plans.unfinished():
        requests = [request for _, request in context.store.journal.unanswered(plan.id)]
        for placement in disk_changes_of(requests):
            if placement.if_empty or placement.is_created_here:
                continue
            try:
                place = disk.disk_state_of(context.root, placement)
            except (OSError, Refused):
                place = None
            found.append(
                InterruptedFile(plan.id, plan.title, placement.path, placement.before, placement.after, place)
            )
    return tuple(found)


def recover(context: Context) -> tuple[Plan, ...]:
    """Take the writer lock, resolve interrupted applies and return their plans."""
    # Checked without the lock, so that opening a project never waits for a writer.
    if not context.store.plans.unfinished():
        return ()
    context.check_root()
    with disk.writer_lock(context.store.lock_file):
        return finish_interrupted(context)


def finish_interrupted(context: Context) -> tuple[Plan, ...]:
    """Resolve interrupted applies for a caller that holds the writer lock.

    Returns their plans. Raises Refused where files can't be read or put back: nothing else may be written
    then.
    """
    unfinished = context.store.plans.unfinished()
    for plan in unfinished:
        if plan.state is PlanState.EXECUTING:
            with RunLock(context.folder).stopped():
                try:
                    _resolve(context, plan)
                except OSError as error:
                    raise _unfinished_error(plan, error) from error
        elif plan.state.is_open and not plan.parts:
            _forget_rollback(context, plan)
        else:
            # The replies were written, or everything was put back: only our temporary files may be left.
            rows = context.store.journal.last_requests(plan.id)
            ending.sweep(context, plan, [request for _, request in rows])
    return tuple(context.store.plans.get(plan.id) for plan in unfinished)


def _forget_rollback(context: Context, plan: Plan) -> None:
    """Cancel a rollback that was never started.

    Else it would wait in the queue for a click that no one intends anymore.
    """
    with context.store.database.write() as connection:
        context.store.plans.set_plan_state(connection, plan.id, PlanState.CANCELLED)
        context.store.plans.mark_finished(connection, plan.id)


def _unfinished_error(plan: Plan, error: OSError) -> Refused:
    lead = f"The interrupted apply of “{plan.title}” can't be finished"
    failed = in_front(error, lead) if isinstance(error, FileLocked) else failure(error, lead, it="a file")
    return Refused("recovery.blocked", failed.message, "Fix that, then recover the project.")


def _resolve(context: Context, plan: Plan) -> None:
    pairs = context.store.journal.unanswered(plan.id)
    requests = [request for _, request in pairs]
    disk_changes = disk_changes_of(requests)
    disk.LeasePatience(context.root).wait(change.path for change in disk_changes)
    if disk.Batch(context.root, disk_changes, context.store.blobs.get).is_done():
        # Before the record: once the replies are there, no
        # later run completes folder changes that a crash left.
        modes = PosixFS(context.root, context.store.blobs.get).complete(requests)
        replies = replies_of(requests)
        ending.record_done(
            context,
            plan,
            # Approved ones may have stayed open: a unit of them was divided.
            [step for step in plan.approved if step.id in {step_id for step_id, _ in pairs}],
            [(step, reply) for (step, _), reply in zip(pairs, replies, strict=True)],
            modes,
        )
        ending.sweep(context, plan, requests)
        return
    interrupted = DiskFailed(
        "apply.interrupted",
        "The apply was interrupted; its changes were reverted.",
        "Review the plan and apply it again.",
    )
    ending.give_up(context, plan, pairs, interrupted)
