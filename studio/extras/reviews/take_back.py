"""Plans from a review: take back the rejected, write the approved."""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Sequence

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
    Verdict,
    open_plan_state,
)
from studio.engine.project.context import Context
from studio.engine.propose import step_problems
from studio.engine.propose.comparison import yield_with_parents
from studio.engine.propose.new_plan import contents_of, prepare, propose_alone, submission_hash
from studio.engine.propose.ordered_steps import mode_after
from studio.engine.root import EntryKind, ProjectRoot
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
    steps = plan.undecided if is_all else (*plan.unwanted, *_stale_in_part(context, plan))
    if not steps:
        raise Refused(
            "review.nothing_rejected",
            f"Nothing of “{plan.title}” is rejected.",
            "Reject what is to be taken back first.",
        )
    files = _fit_all(context, plan, [(step, step.result, _kept(step)) for step in steps])
    title = f"Revert rejected: {plan.title}"[:TITLE_CHARACTERS]
    if plan.is_of_commits:
        return _propose(context, title, files)
    return _restore(context, plan.reviews or "", title, files)


def propose_approved(context: Context, plan: Plan) -> Plan:
    """Propose the plan that writes what was approved of commits.

    Without any mark that is everything. Raises Refused where it is nothing, or the files have it already.
    """
    _check_open(plan)
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
        raise Refused("review.ended", f"“{plan.title}” has ended.", "Start the review again.")


def _is_marked(plan: Plan) -> bool:
    return any(step.decision is not None for step in plan.steps)


def _stale_in_part(context: Context, plan: Plan) -> Iterator[Step]:
    """Yield stale steps of which only a part was approved."""
    stale = [step for step in plan.steps if step.state is StepState.STALE]
    decisions = context.store.plans.read_decisions([step.id for step in stale])
    for step in stale:
        decided = replace(step, decision=decisions.get(step.id))
        is_approved = decided.decision is not None and decided.decision.verdict is Verdict.APPROVE
        if is_approved and decided.is_decided_otherwise:
            yield decided


def _kept(step: Step) -> FileImage | None:
    is_approved = step.decision is not None and step.decision.verdict is Verdict.APPROVE
    return step.decided if is_approved else step.base


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
    # Another's equal proposal is another plan: that one is under the rules.
    submission = sha256(f"{subject} {submission_hash(steps)}".encode())
    store = context.store
    with writer_lock(store.lock_file):
        store.blobs.add(contents_of(prepared), durable=False)
        with store.database.write() as connection:
            twin = store.plans.open_twin(connection, submission)
            if twin is None:
                store.plans.add(connection, plan, submission)
    return store.plans.get(plan.id) if twin is None else replace(store.plans.get(twin), duplicate=True)


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
            "Start the review again.",
        )
    return files


def _fit(
    context: Context, step: Step, before: FileImage | None, after: FileImage | None
) -> ComparedFile | None:
    """Return the file with the change from `before` to `after`.

    What it holds beside that stays. It has a problem where that can't be done. None where the file is as
    `after` already.
    """
    root, limit = context.root, context.config().limits.file_bytes
    try:
        now = read_side(root, step.path, limit)
        wanted = None if after is None else context.store.blobs.get(after.sha256 or "")
        if after is not None and now is None and (problem := _find_obstacle(root, step.path)) is not None:
            return ComparedFile(step.path, None, None, problem, step.op)
        result = _change(context, step, now, wanted, (before, after))
    except (StudioError, OSError) as error:
        return ComparedFile(step.path, None, None, step_problems.problems_of(step.path, error)[0], step.op)
    if isinstance(result, Problem):
        return ComparedFile(step.path, None, None, result, step.op)
    if is_same(now and now.image, result and result.image):
        return None
    return ComparedFile(step.path, now, result)


def _find_obstacle(root: ProjectRoot, path: str) -> Problem | None:
    """Return the problem if something is where a file would be restored."""
    for place in yield_with_parents(path):
        state = root.state(place)
        if state is not None and (place == path or state.kind is not EntryKind.FOLDER):
            return _moved_on(path) if place == path else step_problems.beneath_file(path, place)
    return None


def _change(
    context: Context,
    step: Step,
    now: Side | None,
    wanted: bytes | None,
    images: tuple[FileImage | None, FileImage | None],
) -> Side | Problem | None:
    """Return the changed file, or why the change does not fit."""
    before, after = images
    if _is_alike(now, after):
        return now
    if after is None or wanted is None:
        return None if _is_alike(now, before) else _moved_on(step.path)
    if now is None or before is None:
        return Side(replace(after, size=len(wanted)), wanted) if now is before else _moved_on(step.path)
    if _is_alike(now, before) and (after.is_link or before.is_link):
        return Side(replace(after, size=len(wanted)), wanted)
    if after.is_link or before.is_link or now.image.is_link:
        return _moved_on(step.path)
    blobs, setting = context.store.blobs, context.config().encoding_for(step.path)
    data = wanted
    if now.image.sha256 != before.sha256:
        merged = merge(blobs.get(before.sha256 or ""), now.data, wanted, setting).result
        if merged is None:
            return _moved_on(step.path)
        data = merged
    executable = bool(after.mode & 0o100)
    changed = executable if executable != bool(before.mode & 0o100) else None
    return Side(FileImage(sha256(data), len(data), mode_after(now.image.mode, changed)), data)


def _is_alike(now: Side | None, image: FileImage | None) -> bool:
    """Return whether a file has these bytes, and git's mode."""
    if now is None or image is None:
        return now is None and image is None
    return (now.image.sha256, now.image.git_mode) == (image.sha256, image.git_mode)


def _moved_on(path: str) -> Problem:
    return Problem(
        "review.moved_on",
        f"{show_name(path)} changed in the same place.",
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
