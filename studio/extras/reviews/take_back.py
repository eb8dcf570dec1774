"""Plans from a review: take back the rejected, write the approved."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence

from msgspec.structs import replace

from studio.engine.diff import merge
from studio.engine.disk import is_same, writer_lock
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import (
    REVIEW_FORMAT,
    Operation,
    Plan,
    PlanState,
    Problem,
    Step,
    StepState,
    open_plan_state,
)
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.new_plan import contents_of, prepare, propose_alone, submission_hash
from studio.engine.propose.ordered_steps import mode_after
from studio.engine.store.rows import now as time_now
from studio.errors import Refused, StudioError
from studio.extras.reviews.compared_files import ComparedFile, Side, read_side
from studio.extras.reviews.review_plan import build_steps
from studio.journal.file_image import FileImage, sha256
from studio.limits import TITLE_CHARACTERS
from studio.names import show_name

_Change = tuple[Step, FileImage | None, FileImage | None]
"""A step of a review, and the images before and after what is to be done."""


def take_back(context: Context, plan: Plan) -> Plan:
    """Propose the plan that reverts what was not approved of a review.

    Of a review of commits without any mark that is everything. Raises Refused where it is nothing.
    """
    _check_open(plan)
    is_all = plan.is_of_commits and not _is_marked(plan)
    steps = plan.undecided if is_all else plan.unwanted
    if not steps:
        raise Refused(
            "review.nothing_rejected",
            f"Nothing of “{plan.title}” is rejected.",
            "Reject what is to be taken back first.",
        )
    files = _fit_all(context, plan, [(step, step.result, _kept(step)) for step in steps])
    title = f"Take back rejected: {plan.title}"[:TITLE_CHARACTERS]
    if plan.is_of_commits:
        return _propose(context, title, files)
    return _restore(context, plan.reviews or "", title, files)


def propose_approved(context: Context, plan: Plan) -> Plan:
    """Propose the plan that writes what was approved of commits.

    Without any mark that is everything. Raises Refused where it is nothing, or the files have it already.
    """
    _check_open(plan)
    if not plan.is_of_commits:
        raise Refused(
            "review.applied",
            f"The changes of “{plan.title}” are in the files already.",
            "Take the rejected changes back: studio review --take-back PLAN",
        )
    approved = plan.approved if _is_marked(plan) else plan.undecided
    if not approved:
        raise Refused(
            "review.nothing_approved",
            f"Nothing of “{plan.title}” is approved.",
            "Approve what is to be written first.",
        )
    files = _fit_all(context, plan, [(step, step.base, step.decided) for step in approved])
    return _propose(context, f"Apply to the work tree: {plan.title}"[:TITLE_CHARACTERS], files)


def _check_open(plan: Plan) -> None:
    if not plan.state.is_open and plan.state is not PlanState.REJECTED:
        raise Refused("review.ended", f"“{plan.title}” has ended.", "Review again: studio review")


def _is_marked(plan: Plan) -> bool:
    return any(step.decision is not None for step in plan.steps)


def _kept(step: Step) -> FileImage | None:
    return step.decided if step.state is StepState.APPROVED else step.base


def _propose(context: Context, title: str, files: Sequence[ComparedFile]) -> Plan:
    """Propose the changes under the rules: commits may hold anything."""
    draft = PlanDraft(REVIEW_FORMAT, tuple(map(_draft_step, files)), title)
    return propose_alone(context, draft, prepare(context, draft))


def _restore(context: Context, subject: str, title: str, files: Sequence[ComparedFile]) -> Plan:
    """Store the changes as a plan without rules, like any restore."""
    prepared = build_steps(context, files)
    steps = tuple(item.step for item in prepared)
    state = open_plan_state(step.state for step in steps)
    plan = Plan(
        str(uuid.uuid4()), 1, title, "", state, time_now(), steps, format=REVIEW_FORMAT, restores=subject
    )
    store, submission = context.store, submission_hash(steps)
    with writer_lock(store.lock_file):
        store.blobs.add(contents_of(prepared), durable=False)
        with store.database.write() as connection:
            twin = store.plans.open_twin(connection, submission)
            if twin is None:
                store.plans.add(connection, plan, submission)
    return store.plans.get(twin or plan.id)


def _draft_step(file: ComparedFile) -> DraftStep:
    base, result = file.base, file.result
    problem = file.problem
    if problem is None and any(side is not None and side.image.is_link for side in (base, result)):
        problem = _link(file.path)
    if problem is not None:
        return DraftStep(file.op or Operation.MODIFY, file.path, problems=(problem,))
    if result is None:
        return DraftStep(Operation.DELETE, file.path, base_sha256=base and base.image.sha256)
    executable = bool(result.image.mode & 0o100)
    if base is None:
        return DraftStep(Operation.CREATE, file.path, exact=result.data, executable=executable or None)
    changed = executable if executable != bool(base.image.mode & 0o100) else None
    if base.data == result.data:
        return DraftStep(Operation.MODE, file.path, executable=executable)
    return DraftStep(
        Operation.MODIFY, file.path, exact=result.data, base_sha256=base.image.sha256, executable=changed
    )


def _fit_all(context: Context, plan: Plan, changes: Iterable[_Change]) -> list[ComparedFile]:
    files = list(filter(None, (_fit(context, *change) for change in changes)))
    if not files:
        raise Refused(
            "review.nothing_left",
            f"Nothing was proposed for “{plan.title}”: the files are like that already.",
            "Review again: studio review",
        )
    return files


def _fit(
    context: Context, step: Step, before: FileImage | None, after: FileImage | None
) -> ComparedFile | None:
    """Return the file with the change from `before` to `after`.

    What it holds beside that stays. It has a problem where that can't be done. None where the file is as
    `after` already.
    """
    limit = context.config().limits.file_bytes
    try:
        now = read_side(context.root, step.path, limit)
        if is_same(now and now.image, after):
            return None
        wanted = None if after is None else context.store.blobs.get(after.sha256 or "")
        if is_same(now and now.image, before):
            if after is None or wanted is None:
                return ComparedFile(step.path, now, None)
            return ComparedFile(step.path, now, Side(replace(after, size=len(wanted)), wanted))
        merged = _merge(context, step, now, wanted, (before, after))
    except (StudioError, OSError) as error:
        return ComparedFile(step.path, None, None, step_problems.problems_of(step.path, error)[0], step.op)
    if merged is None:
        return ComparedFile(step.path, None, None, _moved_on(step.path), step.op)
    return ComparedFile(step.path, now, merged)


def _merge(
    context: Context,
    step: Step,
    now: Side | None,
    wanted: bytes | None,
    images: tuple[FileImage | None, FileImage | None],
) -> Side | None:
    """Return the changed file, None where the change does not fit."""
    before, after = images
    if before is None or after is None or now is None or wanted is None:
        return None
    if any(image.is_link for image in (before, after, now.image)):
        return None
    blobs, setting = context.store.blobs, context.config().encoding_for(step.path)
    merged = merge(blobs.get(before.sha256 or ""), now.data, wanted, setting).result
    if merged is None:
        return None
    executable = bool(after.mode & 0o100)
    changed = executable if executable != bool(before.mode & 0o100) else None
    return Side(FileImage(sha256(merged), len(merged), mode_after(now.image.mode, changed)), merged)


def _moved_on(path: str) -> Problem:
    return Problem(
        "review.moved_on",
        f"{show_name(path)} changed where this change is.",
        "Review again, or change it by hand.",
        at="target",
    )


def _link(path: str) -> Problem:
    return Problem(
        "file.symlink",
        f"{show_name(path)} is a symbolic link, which no plan changes.",
        "Restore it with git, or change it by hand.",
        at="target",
    )
