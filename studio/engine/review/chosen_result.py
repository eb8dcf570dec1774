"""Result that an approval would write, from chosen hunks or an edit."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from studio.engine.diff import choose, compute
from studio.engine.plan import HunkChoice, Operation, Plan, Step, StepDecision
from studio.engine.project.context import Context
from studio.engine.review import decision_errors
from studio.engine.review.edited_result import check_not_empty, check_result, own_form
from studio.engine.review.staleness import is_allowed
from studio.errors import Conflict, UsageError
from studio.journal.file_image import sha256
from studio.names import show_name
from studio.text import NotText, detect_forms

_IN_PART: Final = (Operation.CREATE, Operation.MODIFY, Operation.APPEND, Operation.MOVE, Operation.COPY)


def chosen_result(
    context: Context, plan: Plan, step: Step, chosen: StepDecision
) -> tuple[str | None, list[bytes]]:
    """Return the hash of an approval's result, and bytes not stored yet."""
    result, choices = step.result, chosen.choices
    if chosen.edited is not None:
        return _build_edited(context, plan, step, choices, chosen.edited)
    if result is None or result.sha256 is None or all(choice is True for choice in choices.values()):
        decision_errors.check_hunks(step, choices)
        return result.sha256 if result is not None else None, []
    decision_errors.check_hunks(step, choices)
    if step.op not in _IN_PART:
        raise UsageError(
            "step.not_in_part",
            f"Step {step.number} ({step.op.value}) can't be approved in part.",
            "Approve or reject it as a whole.",
        )
    blobs = context.store.blobs
    base = blobs.get(step.base.sha256) if step.base is not None and step.base.sha256 is not None else b""
    setting = context.config().encoding_for(step.path)
    proposed = blobs.get(result.sha256)
    if not compute(base, proposed, setting=setting).has_hunks_of(step):
        raise Conflict(
            "step.hunks_differ",
            f"The hunks of step {step.number} differ from those proposed.",
            "Approve or reject the step as a whole, or edit its result.",
            path=step.path,
        )
    content = choose(base, proposed, choices, setting)
    if content not in (base, proposed) and not plan.is_review:
        rules = context.policy_of(plan)
        check_result(rules, step, content, detect_forms(base or None, proposed, setting), setting)
    check_not_empty(step, base, content)
    return sha256(content), [content]


def _build_edited(
    context: Context, plan: Plan, step: Step, choices: Mapping[int, HunkChoice], content: bytes
) -> tuple[str, list[bytes]]:
    """Return the same as `chosen_result`, for a result that a person wrote."""
    result = step.result
    if step.op not in _IN_PART or result is None or result.sha256 is None or choices:
        raise UsageError(
            "step.not_editable",
            f"Step {step.number} ({step.op.value}) can't be approved with an edited result"
            + (" and chosen hunks at once." if choices else "."),
            "Give either an edited result or chosen hunks."
            if choices
            else ("Approve or reject it as a whole."),
            path=step.path,
        )
    blobs = context.store.blobs
    base = blobs.get(step.base.sha256) if step.base is not None and step.base.sha256 is not None else b""
    proposed = blobs.get(result.sha256)
    setting = context.config().encoding_for(step.path)
    forms = detect_forms(base or None, proposed, setting)
    if isinstance(own_form(forms), NotText):
        raise UsageError(
            "step.not_editable",
            f"Step {step.number} changes {show_name(step.target)}, which is not editable text.",
            "Approve or reject it as a whole.",
            path=step.path,
        )
    if plan.restores is not None and not is_allowed(context.policy(), step):
        # A restore writes what was there before, whatever rules say of agents; other bytes are no restore.
        raise context.policy().check(step.path).denial()
    if content != proposed:
        check_result(context.policy_of(plan), step, content, forms, setting)
    check_not_empty(step, base, content)
    return sha256(content), [content]
