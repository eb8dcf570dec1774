"""Rebase of a stale step onto the present file, by three-way merge.

The proposal stays stored as it was made, beside what it was rebased to. The old decision is void.
"""

from __future__ import annotations

from msgspec.structs import replace

from studio.engine.diff import MergeConflict, MergePlace, merge, only_formatting
from studio.engine.diff.step_hunks import with_diff
from studio.engine.plan import KINDS_ABOUT_BYTES, Fact, Operation, Plan, Severity, Step, StepState
from studio.engine.project.context import Context
from studio.engine.review import staleness
from studio.engine.review.edited_result import check_result
from studio.engine.review.staleness import StepDiskStatus, disk_status_of
from studio.engine.risks import KINDS, byte_facts
from studio.errors import Conflict, Refused, StudioError
from studio.journal.file_image import FileImage, sha256
from studio.names import show_name
from studio.system.os_errors import wrap_os_errors
from studio.text import detect_forms
from studio.values import Value

_CHANGING = (Operation.MODIFY, Operation.APPEND, Operation.MOVE, Operation.COPY, Operation.MODE)
# Facts about the path, not the bytes: a rebase keeps them.
_OF_THE_PLACE = (KINDS - KINDS_ABOUT_BYTES) | {"danger_path", "mount_point", "tracked_folder", "unit"}


class RebasePreview(Value):
    """Preview of a rebase: three texts, with the merged one or conflicts.

    `only_formatting` means that a formatter alone would explain what happened to the file meanwhile. `pieces`
    and `places` are those of `Merged`; `setting` is the encoding for the path.
    """

    base: bytes
    current: bytes
    proposed: bytes
    result: bytes | None
    conflicts: tuple[MergeConflict, ...]
    only_formatting: bool
    pieces: tuple[bytes | MergeConflict, ...] = ()
    places: tuple[MergePlace, ...] = ()
    setting: str | None = None


class RebaseConflict(Conflict):
    """Raised where file and proposal changed the same or neighbouring lines.

    Nothing was changed. `conflicts` are the places, in lines of the base, of the present file and of the
    proposal.
    """

    def __init__(self, path: str, conflicts: tuple[MergeConflict, ...]) -> None:
        count = len(conflicts)
        lines = ", ".join(str(conflict.current.first + 1) for conflict in conflicts[:5])
        places = f"at line {lines}" if count == 1 else f"in {count} places, on lines {lines}"
        super().__init__(
            "rebase.conflict",
            f"{show_name(path)} and the proposal changed the same lines {places}.",
            "Resolve the conflicts by hand, discard the step, or have it proposed again.",
            path=path,
        )
        self.conflicts = conflicts


def preview(context: Context, plan_id: str, number: int) -> RebasePreview:
    """Preview the rebase of a stale step.

    Raises Refused where it is impossible.
    """
    plan = context.store.plans.get(plan_id)
    _check_rebasable(plan)
    return _merge_texts(context, context.store.plans.require(plan, number))[0]


def _check_rebasable(plan: Plan) -> None:
    if plan.is_review:
        raise Refused(
            "rebase.operation",
            f"“{plan.title}” is a review, which can't be rebased.",
            "Start the review again.",
        )


def rebase(
    context: Context, plan_id: str, number: int, settled: bytes | None = None, onto: str | None = None
) -> Plan:
    """Rebase a stale step onto the present file, which voids its decision.

    The step is pending then, or already applied where the file holds its whole change. `settled` is the whole
    new content where a person settled the conflicts. `onto` is the SHA-256 of the file they saw: another one
    on disk changes nothing and raises Conflict. Raises RebaseConflict, or Refused where a step or file can't
    be merged or a rule forbids the new content.
    """
    context.check_root()
    staleness.refresh(context)
    store = context.store
    plan = store.plans.get(plan_id)
    _check_rebasable(plan)
    step = store.plans.require(plan, number)
    if not plan.state.is_open or step.state is not StepState.STALE:
        raise Refused(
            "rebase.state",
            f"Step {number} of “{plan.title}” is {step.state.words}; only a stale step is rebased.",
            "Review the plan again.",
            path=step.path,
        )
    found, before = _merge_texts(context, step)
    if onto is not None and before.sha256 != onto:
        raise Conflict(
            "rebase.moved_on",
            f"{show_name(step.path)} just changed again. Nothing was decided.",
            "Review it again.",
            path=step.path,
        )
    result = found.result if settled is None else settled
    if result is None:
        raise RebaseConflict(step.path, found.conflicts)
    # If only the mode changed, the proposal's content is used as already checked.
    checked = found.proposed if found.current == found.base else found.current
    if result not in (found.current, checked):
        rules = context.policy_of(plan)
        forms = detect_forms(found.current, found.proposed, found.setting)
        check_result(rules, step, result, forms, found.setting)
    rebased = _rebase_step(context, step, before, found, result)
    if disk_status_of(context.root, rebased) is StepDiskStatus.OTHER:
        raise Refused(
            "rebase.elsewhere",
            f"{show_name(step.target)} blocks step {number}; a rebase would not help.",
            "Discard the step, or move that file away.",
            path=step.target,
        )
    nothing_left = rebased.base == rebased.result and not step.op.has_target
    store.blobs.add([found.current, result])
    with store.database.write() as connection:
        store.plans.rebase(connection, plan.id, rebased)
        state = StepState.ALREADY_APPLIED if nothing_left else StepState.PENDING
        store.plans.set_step_state(connection, plan.id, number, state)
        store.plans.update_state(connection, plan.id)
    staleness.refresh(context)
    return store.plans.get(plan.id)


def _merge_texts(context: Context, step: Step) -> tuple[RebasePreview, FileImage]:
    """Return the merge of the three texts, and the present file's image."""
    if step.op not in _CHANGING or step.base is None or step.result is None or step.result.sha256 is None:
        raise Refused(
            "rebase.operation",
            f"Step {step.number} ({step.op.value}) has no text to merge with {show_name(step.path)}.",
            "Discard the step, or have it proposed again.",
            path=step.path,
        )
    base = _read_result(context, step)
    with wrap_os_errors(f"{show_name(step.path)} can't be read", it=show_name(step.path)):
        current, state = context.root.read(step.path, context.config().limits.file_bytes)
    proposed = context.store.blobs.get(step.result.sha256)
    setting = context.config().encoding_for(step.path)
    try:
        merged = merge(base, current, proposed, setting)
    except Refused as error:
        raise Refused(
            error.code,
            f"{show_name(step.path)} changed meanwhile, and step {step.number} can't be rebased:"
            f" {error.message[:1].lower()}{error.message[1:]}",
            "Discard the step, or have it proposed again.",
            path=step.path,
        ) from error
    found = RebasePreview(
        base, current, proposed, merged.result, merged.conflicts, only_formatting(base, current, setting),
        merged.pieces, merged.places, setting,
    )  # fmt: skip
    return found, FileImage(sha256(current), len(current), state.mode)


def _read_result(context: Context, step: Step) -> bytes:
    assert step.base is not None
    try:
        return context.store.blobs.get(step.base.sha256 or "")
    except StudioError as error:
        raise Refused(
            "rebase.no_base",
            f"The original file of step {step.number} is unknown; only its hash is stored.",
            "Discard the step, or have it proposed again.",
            path=step.path,
        ) from error


def _rebase_step(
    context: Context, step: Step, before: FileImage, found: RebasePreview, result: bytes
) -> Step:
    assert step.base is not None
    assert step.result is not None
    config = context.config()
    setting = config.encoding_for(step.path)
    changed = (step.base.mode ^ step.result.mode) & 0o777
    after = FileImage(sha256(result), len(result), before.mode & ~changed | step.result.mode & changed)
    new = replace(step, base=before, result=after, state=StepState.PENDING, decision=None)
    forms = detect_forms(found.current, result, setting)
    new = with_diff(new, found.current, result, setting, forms=forms)
    place_facts = (fact for fact in step.facts if fact.kind in _OF_THE_PLACE)
    facts = [*place_facts, *byte_facts(new, found.current, result, setting=setting, forms=forms)]
    if found.only_formatting:
        facts.insert(0, _build_formatting_fact(step))
    return replace(new, facts=(_build_rebased_fact(step), *facts))


def _build_rebased_fact(step: Step) -> Fact:
    return Fact(
        "rebased",
        Severity.NOTE,
        f"{show_name(step.path)} changed after this step was proposed; the step was rebased.",
    )


def _build_formatting_fact(step: Step) -> Fact:
    return Fact(
        "formatting_drift",
        Severity.NOTE,
        f"{show_name(step.path)} changed meanwhile, only in white space and line ends, as by a formatter.",
    )
