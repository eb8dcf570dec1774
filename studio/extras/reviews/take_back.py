"""Drafts from a review: take back the rejected, write the approved."""

from __future__ import annotations

from collections.abc import Iterable

from studio.engine.diff import merge
from studio.engine.disk import is_same
from studio.engine.draft import DraftStep, PlanDraft
from studio.engine.plan import REVIEW_FORMAT, Operation, Plan, Problem, Step, StepState
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.errors import Refused, StudioError
from studio.extras.reviews.compared_files import Side, read_side
from studio.journal.file_image import FileImage
from studio.names import show_name


def draft_take_back(context: Context, plan: Plan) -> PlanDraft:
    """Return the draft that reverts what was not approved of a review.

    Of a review of commits without any mark that is everything. Raises Refused where it is nothing.
    """
    is_all = plan.is_of_commits and not _is_marked(plan)
    steps = plan.undecided if is_all else plan.unwanted
    changes = [(step, step.result, _kept(step)) for step in steps]
    if not changes:
        raise Refused(
            "review.nothing_rejected",
            f"Nothing of “{plan.title}” is rejected.",
            "Reject what is to be taken back first.",
        )
    return _draft(context, plan, f"Take back rejected: {plan.title}", changes)


def draft_proposal(context: Context, plan: Plan) -> PlanDraft:
    """Return the draft that writes what was approved of commits.

    Without any mark that is everything. Raises Refused where it is nothing, or the files have it already.
    """
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
    changes = [(step, step.base, step.decided) for step in approved]
    return _draft(context, plan, f"Apply to the work tree: {plan.title}", changes)


def _draft(
    context: Context,
    plan: Plan,
    title: str,
    changes: Iterable[tuple[Step, FileImage | None, FileImage | None]],
) -> PlanDraft:
    steps = tuple(filter(None, (_draft_step(context, *change) for change in changes)))
    if not steps:
        raise Refused(
            "review.nothing_left",
            f"Nothing was proposed for “{plan.title}”: the files are like that already.",
            "Review again: studio review",
        )
    return PlanDraft(REVIEW_FORMAT, steps, title)


def _is_marked(plan: Plan) -> bool:
    return any(step.decision is not None for step in plan.steps)


def _kept(step: Step) -> FileImage | None:
    return step.decided if step.state is StepState.APPROVED else step.base


def _draft_step(
    context: Context, step: Step, before: FileImage | None, after: FileImage | None
) -> DraftStep | None:
    """Return the draft that changes a file as `before` differs from `after`.

    What the file holds beside that stays. It has a problem where that can't be done. None where the file is
    as `after` already.
    """
    try:
        now = read_side(context.root, step.path)
        if is_same(now and now.image, after):
            return None
        return _fit(context, step, before, after, now)
    except (StudioError, OSError) as error:
        return _refused(step, step_problems.problems_of(step.path, error))


def _fit(
    context: Context, step: Step, before: FileImage | None, after: FileImage | None, now: Side | None
) -> DraftStep:
    if any(image is not None and image.is_link for image in (before, after, now and now.image)):
        return _refused(step, (_link(step.path),))
    if after is None:
        if now is None or before is None or now.image.sha256 != before.sha256:
            return _refused(step, (_moved_on(step.path),))
        return DraftStep(Operation.DELETE, step.path, base_sha256=now.image.sha256)
    executable = bool(after.mode & 0o100)
    wanted = context.store.blobs.get(after.sha256 or "")
    if before is None or now is None:
        if before is not None or now is not None:
            return _refused(step, (_moved_on(step.path),))
        return DraftStep(Operation.CREATE, step.path, exact=wanted, executable=executable or None)
    changed = executable if executable != bool(before.mode & 0o100) else None
    if before.sha256 == after.sha256:
        return DraftStep(Operation.MODE, step.path, executable=executable)
    proposed = merge(
        context.store.blobs.get(before.sha256 or ""),
        now.data,
        wanted,
        context.config().encoding_for(step.path),
    )
    if proposed.result is None:
        return _refused(step, (_moved_on(step.path),))
    return DraftStep(
        Operation.MODIFY, step.path, exact=proposed.result, base_sha256=now.image.sha256, executable=changed
    )


def _refused(step: Step, problems: Iterable[Problem]) -> DraftStep:
    return DraftStep(step.op, step.path, problems=tuple(problems))


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
