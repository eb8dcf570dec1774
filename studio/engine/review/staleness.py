"""Open steps' disk status, state updates (stale, already applied) and approval validity."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Sequence, Set
from datetime import timedelta
from enum import Enum

from msgspec.structs import replace

from studio.engine.disk import LeasePatience, changes_kind, image_at, is_same, nearest_above
from studio.engine.plan import (
    ACTIVE_PLAN_STATES,
    Decision,
    Operation,
    Plan,
    Problem,
    Severity,
    Step,
    StepState,
    Verdict,
)
from studio.engine.policy import Policy
from studio.engine.project.context import Context
from studio.engine.root import ProjectRoot
from studio.engine.store import Store
from studio.engine.store.rows import now
from studio.errors import FileError, FileLocked, StudioError
from studio.journal.file_image import FileImage
from studio.names import show_name
from studio.system.os_errors import failure

EXPIRED = "decision.expired"
"""Problem code of an approval that was not used in time."""


class StepDiskStatus(Enum):
    """Disk status of a step: its base, its result, or neither."""

    BASE = "base"
    RESULT = "result"
    OTHER = "other"


def disk_status_of(root: ProjectRoot, step: Step) -> StepDiskStatus:
    """Compare a step's paths with what they hold before and after it.

    Raises FileError, with the path, where the disk can't be read: that is no drift, and may be temporary.
    """
    return disk_status_by(lambda path: image_at(root, path), step)


class SeenFiles:
    """Cache of file images for the holder of the writer lock.

    It reads each file once and then writes. Writes by others meanwhile are detected by what the exchange
    returns.
    """

    def __init__(self, root: ProjectRoot) -> None:
        self._root = root
        self._images: dict[str, FileImage | None] = {}
        self._patience = LeasePatience(root)

    def image(self, path: str) -> FileImage | None:
        """Return the image of a path; raises as `image_at`.

        Also raises FileLocked for a file whose lease is not released.
        """
        if path not in self._images:
            self._images[path] = self._patience.retry(lambda: image_at(self._root, path))
        return self._images[path]


def disk_status_by(read_image: Callable[[str], FileImage | None], step: Step) -> StepDiskStatus:
    """Return the disk status with another way to read images."""
    try:
        found = [(effect, _read_safely(read_image, effect.path)) for effect in step.effects]
    except _NotOurs:
        return StepDiskStatus.OTHER
    if all(_is_as(step, now, effect.before) for effect, now in found):
        return StepDiskStatus.BASE
    # The source of a copy is only read: another step, or another program, may have changed it since.
    written = step.written_paths
    if all(_is_as(step, now, effect.after) for effect, now in found if effect.path in written):
        return StepDiskStatus.RESULT
    return StepDiskStatus.OTHER


def _is_as(step: Step, now: FileImage | None, side: FileImage | None) -> bool:
    """Return whether an image equals a side of a step.

    As `is_same`, but for a mode change a folder's bits count as well.
    """
    if step.op is Operation.MODE and now is not None and side is not None and now.mode != side.mode:
        return False
    return is_same(now, side)


def within(
    steps: Iterable[Step], read_image: Callable[[str], FileImage | None]
) -> Callable[[str], FileImage | None]:
    """Wrap an image lookup for the steps of one plan.

    Beneath a link that the plan makes a folder of, or has made of one, it finds nothing.
    """
    others = frozenset(step.path for step in steps if changes_kind(step.base, step.result))

    def seen(path: str) -> FileImage | None:
        above = nearest_above(path, others)
        image = read_image(above) if above else None
        return None if above and (image is None or not image.is_folder) else read_image(path)

    return seen if others else read_image


class _NotOurs(Exception):
    """Raised where a link is among a path's folders.

    Then nothing that a step refers to is there.
    """


def _read_safely(read_image: Callable[[str], FileImage | None], path: str) -> FileImage | None:
    """Return the image of a path.

    Raises FileError for a disk error, recognised as an OSError that is not a StudioError.
    """
    try:
        return read_image(path)
    except FileLocked:
        raise
    except StudioError as error:
        raise _NotOurs from error
    except OSError as error:
        raise failure(error, f"{show_name(path)} can't be accessed", path=path) from error


def refresh(context: Context, is_meant: Callable[[Plan, Step], bool] = lambda _plan, _step: True) -> bool:
    """Update open steps' states from the disk; return whether any changed.

    Only for steps accepted by `is_meant`. A pending or approved step whose target drifted turns stale; a
    stale one whose base is back turns approved where that was approved under the same rules, else pending;
    one whose result is on disk already is already applied. A step of a review is stale where its result is
    not on disk; commits never are. An approval older than the user's limit is void,
    whichever steps are meant.
    """
    store = context.store
    changes: list[tuple[Plan, Step, StepState]] = []
    expired: list[tuple[Plan, Step]] = []
    seen: set[str] = set()
    pending_writes: set[tuple[str, str]] = set()
    minutes = context.config().approval_minutes
    for plan in store.plans.all(ACTIVE_PLAN_STATES):
        if plan.is_of_commits:
            continue
        read_image = within(plan.steps, context.known_files.image)
        for step in plan.steps if plan.state.is_open else ():
            if step.state.is_open:
                seen.update(effect.path for effect in step.effects)
                new_state = (
                    _compute_state(context, plan, step, read_image) if is_meant(plan, step) else step.state
                )
                if new_state is StepState.ALREADY_APPLIED and _waits_for_plan(plan, step, pending_writes):
                    new_state = StepState.STALE
                if new_state is StepState.APPROVED and not plan.is_review and is_expired(step, minutes):
                    expired.append((plan, step))
                    new_state = StepState.PENDING
                if new_state is not step.state:
                    changes.append((plan, step, new_state))
        if plan.session is not None:
            pending_writes.update(
                (plan.session, path)
                for step in plan.steps
                if step.state.is_open
                for path in step.written_paths
            )
    context.known_files.keep_only(seen)
    if not changes or store.database.is_newer:
        return False
    with store.database.write() as connection:
        changes = [each for each in changes if _is_as_read(store, connection, each[0], each[1])]
        changed = {(plan.id, step.number) for plan, step, _ in changes}
        expired = [(plan, step) for plan, step in expired if (plan.id, step.number) in changed]
        for plan, step, new_state in changes:
            # The state table has no transition from approved to already applied.
            if step.state is StepState.APPROVED and new_state is StepState.ALREADY_APPLIED:
                store.plans.set_step_state(connection, plan.id, step.number, StepState.STALE)
            store.plans.set_step_state(connection, plan.id, step.number, new_state)
        for plan in {plan.id: plan for plan, _ in expired}.values():
            steps = [step for other, step in expired if other.id == plan.id]
            if not any(problem.code == EXPIRED for problem in plan.problems):
                store.plans.add_plan_problems(connection, plan, (expiry(context, steps),))
        for plan_id in {plan.id for plan, _, _ in changes}:
            store.plans.update_state(connection, plan_id)
    return bool(changes)


def _is_as_read(store: Store, connection: sqlite3.Connection, plan: Plan, step: Step) -> bool:
    """Return whether plan and step are unchanged since they were read.

    Otherwise what was found about the step is outdated.
    """
    return (
        store.plans.state_of(connection, plan.id) is plan.state
        and store.plans.version_of(connection, plan.id) == plan.version
        and store.plans.step_states(connection, plan.id).get(step.number) is step.state
    )


def _waits_for_plan(plan: Plan, step: Step, pending_writes: Set[tuple[str, str]]) -> bool:
    """Return whether an older plan still has to write the step's path.

    It is of the same session. Then the disk does not hold the step's base, even if it happens to equal the
    step's result.
    """
    return plan.session is not None and any(
        (plan.session, path) in pending_writes for path in step.written_paths
    )


def _compute_state(
    context: Context, plan: Plan, step: Step, read_image: Callable[[str], FileImage | None]
) -> StepState:
    try:
        if plan.is_review:
            return _compute_reviewed_state(context, step, read_image)
        now = disk_status_by(read_image, step)
    except FileError:
        return step.state
    match now:
        case StepDiskStatus.RESULT:
            return StepState.ALREADY_APPLIED
        case StepDiskStatus.OTHER:
            return StepState.STALE
        case StepDiskStatus.BASE if step.state is StepState.STALE:
            policy = context.policy_of(plan)
            if not (_content_is_stored(context, step.base) and is_allowed(policy, step)):
                return StepState.STALE
            return StepState.APPROVED if _is_approved(context, plan, step, policy) else StepState.PENDING
        case StepDiskStatus.BASE:
            return step.state


def _compute_reviewed_state(
    context: Context, step: Step, read_image: Callable[[str], FileImage | None]
) -> StepState:
    """Return the state of a review's step.

    It is stale unless its result is on disk, or what was decided of it.
    """
    try:
        now = _read_safely(read_image, step.path)
    except _NotOurs:  # beneath a link, where a deleted file is not
        now = None
    if not (is_same(now, step.result) or is_same(now, step.decided)):
        return StepState.STALE
    if step.state is not StepState.STALE:
        return step.state
    decision = context.store.plans.read_decisions([step.id]).get(step.id)
    is_approved = decision is not None and decision.verdict is Verdict.APPROVE
    return StepState.APPROVED if is_approved else StepState.PENDING


def _is_approved(context: Context, plan: Plan, step: Step, policy: Policy) -> bool:
    """Return whether a stale step's approval is valid again.

    Its base is back, and nothing else voids the approval.
    """
    decision = context.store.plans.read_decisions([step.id]).get(step.id)
    if decision is None or decision.verdict is not Verdict.APPROVE:
        return False
    is_same = matches_decision(context, step, decision)
    is_ruled_alike = not plan.is_proposal or decision.policy_fingerprint == rules_for(policy, step)
    is_late = is_expired(replace(step, decision=decision), context.config().approval_minutes)
    return is_same and is_ruled_alike and not is_late


def matches_decision(context: Context, step: Step, decision: Decision) -> bool:
    """Return whether a decision matches the step's base and this folder."""
    # Decisions of earlier versions recorded the first of these.
    identities = (context.root.identity, context.root.lasting_identity)
    is_base = decision.base_sha256 == (step.base.sha256 if step.base is not None else None)
    return is_base and decision.root_identity in identities


def is_expired(step: Step, minutes: int) -> bool:
    """Return whether a step's approval is older than so many minutes.

    0 means never. Time never approves anything. An approval from the future is expired as well: the clock
    can't tell how old it is.
    """
    if not minutes or step.decision is None:
        return False
    age = now() - step.decision.when
    return not timedelta(0) <= age <= timedelta(minutes=minutes)


def expiry(context: Context, steps: Sequence[Step]) -> Problem:
    """Return the problem that reports expired approvals."""
    minutes = context.config().approval_minutes
    listed = ", ".join(str(step.number) for step in steps[:5]) + (" and others" if len(steps) > 5 else "")
    which = f"Step {listed} was" if len(steps) == 1 else f"The steps {listed} were"
    when = f"more than {minutes} minute{'s' if minutes > 1 else ''} ago"
    if any(step.decision is not None and step.decision.when > now() for step in steps):
        when = "at a time in the future, by this computer's clock"
    return Problem(
        EXPIRED,
        f"{which} approved {when}; the approval expired.",
        "Review and approve again. review.approval_minutes sets how long an approval is valid.",
        Severity.WARNING,
        at="target",
    )


def _content_is_stored(context: Context, image: FileImage | None) -> bool:
    if image is None or image.sha256 is None:
        return True
    try:
        context.store.blobs.get(image.sha256)
    except StudioError:
        return False
    return True


def is_allowed(policy: Policy, step: Step) -> bool:
    """Return whether the present rules still allow every path of a step."""
    is_folder = _is_of_folder(step)
    # A name reserved by Windows existed when the step was checked; the base shows that it still does.
    existing = {effect.path for effect in step.effects if effect.before is not None}
    return all(
        policy.check(path, folder=is_folder, exists=path in existing).allowed for path in _checked_paths(step)
    )


def rules_for(policy: Policy, step: Step) -> str:
    """Return the fingerprint of the rules that a decision is bound to."""
    return policy.fingerprint_for(_checked_paths(step), folder=_is_of_folder(step))


def _checked_paths(step: Step) -> Sequence[str]:
    return (step.path, step.target) if step.op is Operation.COPY else step.written_paths


def _is_of_folder(step: Step) -> bool:
    image = step.base or step.result
    return image is not None and image.is_folder
