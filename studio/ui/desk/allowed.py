"""Why an action is not possible now: one sentence for each case, "" where it is (R181)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.engine.names import show_name
from studio.engine.plan import (
    DISMISSIBLE_PLAN_STATES,
    OPEN_PLAN_STATES,
    Operation,
    Plan,
    PlanState,
    Step,
    StepState,
)
from studio.ui.desk.made import DECIDED, can_take_back
from studio.ui.look import words

if TYPE_CHECKING:
    from studio.ui.desk.desk import Desk


_EDITABLE = (Operation.CREATE, Operation.MODIFY, Operation.APPEND, Operation.MOVE, Operation.COPY)


def why_not(desk: Desk, action: str) -> str:
    """The sentence that says why `action` is off and what would enable it, "" when it is on."""
    if desk.departure is not None and action in _ABOUT_THE_PLAN:
        return desk.departure.sentence
    check = _CHECKS.get(action)
    return check(desk) if check is not None else ""


def _step(desk: Desk) -> str:
    return "" if desk.current_step is not None else _tr("Select a step first.")


def _plan(desk: Desk) -> str:
    return "" if desk.current_plan is not None else _tr("No plan is waiting.")


def _copy_reply(desk: Desk) -> str:
    return "" if desk.last_applied is not None else _plan(desk)


def _hands_off(desk: Desk) -> str:
    """Reasons that hold up every decision, whatever it is about."""
    if desk.root_watch.is_gone:
        return _tr("The project's folder is not there any more.")
    if desk.busy:
        return _tr("Wait until this is done: {what}").replace("{what}", desk.busy)
    if desk.rollback is not None:
        return _tr("Close the rollback preview first.")
    if desk.rounds.comparison is not None:
        return _tr("Close the comparison with the earlier round first.")
    if desk.editing is not None:
        return _tr("Finish or close the editor first.")
    if desk.deciding:
        return _tr("Your last decision is being saved.")
    if desk.dead_time.left > 0:
        return _tr("This just changed under your hand; one moment.")
    return ""


def _open_step(desk: Desk) -> str:
    """The current step can be decided: it is pending, painted and nothing holds it up."""
    step, plan = desk.current_step, desk.current_plan
    if step is None or plan is None:
        return _tr("Select a step first.")
    if plan.state not in OPEN_PLAN_STATES:
        return _closed_plan(desk, plan)
    if step.state is not StepState.PENDING:
        return _decided_step(step)
    return _hands_off(desk) or _not_painted(desk, step)


def _not_painted(desk: Desk, step: Step) -> str:
    if desk.painted_revision.partition("/")[0] != step.revision:
        return _tr("This step is not on screen yet.")
    return ""


def _decided_step(step: Step) -> str:
    name = show_name(words.split_path(step.target)[1])
    return {
        StepState.APPROVED: _tr("This step is approved. Take that back first."),
        StepState.REJECTED: _tr("This step is rejected. Take that back first."),
        StepState.STALE: _tr("{file} changed on disk. Choose what happens next first."),
        StepState.INVALID: _tr("Refused by a check. This step cannot be approved."),
        StepState.APPLIED: _tr("This step is applied. Roll it back in History."),
        StepState.ROLLED_BACK: _tr("This step is rolled back."),
        StepState.ALREADY_APPLIED: _tr("{file} already holds this result. There is nothing to decide."),
        StepState.PENDING: "",
    }[step.state].replace("{file}", name)


def _closed_plan(desk: Desk, plan: Plan) -> str:
    if plan.state is PlanState.EXECUTING and desk.recovery.need is not None:
        return _tr("Applying this plan was interrupted. Settle that first, in the strip at the bottom.")
    return {
        PlanState.REJECTED: _tr("This plan is rejected. Take that back first."),
        PlanState.CHANGES_REQUESTED: _tr("Changes are asked for; the agent has to propose again."),
        PlanState.CANCELLED: _tr("The agent has withdrawn this plan."),
        PlanState.EXECUTING: _tr("This plan is being applied."),
        PlanState.FAILED: _tr("Applying this plan failed. The agent has to propose again."),
        PlanState.INVALID: _tr("This plan was refused as a whole."),
        PlanState.COMPLETED: _tr("This plan is applied. Roll it back in History."),
    }.get(plan.state, _tr("This plan is closed."))


def _approve_step(desk: Desk) -> str:
    step, reason = desk.current_step, _open_step(desk)
    if reason or step is None:
        return reason
    if desk.choices.is_nothing:
        return _tr("Every hunk is left out. Reject the step instead.")
    if desk.choices.named and desk.hunks_differ:
        return _hunks_differ(desk)
    if desk.edited is not None and desk.contents is not None and desk.contents.base == desk.edited:
        return _tr("The edited result is the file as it is. Reject the step instead.")
    if not desk.is_accepted or (desk.diff is None and desk.needs_consent(step)):
        return _tr("Some lines are too long to show. Accept that first.")
    if desk.current_plan is not None and desk.kept.has(desk.current_plan, step):
        return _tr("You began a text for this step that is not used. Use it, edit it on or forget it first.")
    return ""


def _take_back(desk: Desk) -> str:
    plan, step = desk.current_plan, desk.current_step
    if plan is None:
        return _tr("No plan is waiting.")
    if not can_take_back(plan):
        return _closed_plan(desk, plan)
    if step is not None and step.state not in DECIDED:
        return _tr("This step has no decision to take back.")
    if step is None and not any(each.state in DECIDED for each in plan.steps):
        return _tr("This plan has no decision to take back.")
    return _hands_off(desk)


def _open_plan(desk: Desk) -> str:
    plan = desk.current_plan
    if plan is None:
        return _tr("No plan is waiting.")
    if plan.state not in OPEN_PLAN_STATES:
        return _closed_plan(desk, plan)
    return _hands_off(desk)


def _approve_undecided(desk: Desk) -> str:
    reason = _open_plan(desk)
    if reason or desk.current_plan is None:
        return reason
    if not any(step.state is StepState.PENDING for step in desk.current_plan.steps):
        return _tr("Every step of this plan that can be approved is decided.")
    if not desk.approvable(desk.current_plan):
        if any(desk.kept.has(desk.current_plan, step) for step in desk.current_plan.steps):
            return _tr("Every step that is left has a begun text or lines too long to show. Look at each.")
        return _tr("Every step that is left has lines too long to show. Look at each of them.")
    return ""


def _dismiss(desk: Desk) -> str:
    plan = desk.current_plan
    if plan is None:
        return _tr("No plan is waiting.")
    if plan.state not in DISMISSIBLE_PLAN_STATES:
        return _tr("Only a plan that is refused, withdrawn, rejected, sent back or failed can be dismissed.")
    return _hands_off(desk)


def _edit(desk: Desk) -> str:
    step = desk.current_step
    if desk.settling is not None:
        return ""
    if step is None:
        return _tr("Select a step first.")
    if step.state is not StepState.PENDING:
        return _decided_step(step)
    if step.op not in _EDITABLE or step.result is None or step.result.sha256 is None:
        return _tr("This step has no text to edit.")
    if desk.contents is None:
        return _tr("This step is not on screen yet.")
    if desk.diff is None:
        return _tr("This is not text. Approve or reject it as a whole.")
    if desk.rounds.comparison is not None:
        return _tr("Close the comparison with the earlier round first.")
    return _tr("The editor is open already.") if desk.editing is not None else ""


def _finish_edit(desk: Desk) -> str:
    step = desk.current_step
    if desk.editing is None or step is None:
        return _tr("No editor is open.")
    if step.state is StepState.STALE:
        return _tr("The file changed on disk. Close the editor, what you typed is kept; then choose above.")
    if step.state is not StepState.PENDING:
        return _decided_step(step)
    if desk.is_edit_outdated:
        return _tr("The file is another one now. Close the editor and open it again, what you typed is kept.")
    return ""


def _drop_edit(desk: Desk) -> str:
    return "" if desk.edited is not None else _tr("The result is as it was proposed.")


def _kept_text(desk: Desk) -> str:
    plan, step = desk.current_plan, desk.current_step
    if plan is None or step is None:
        return _tr("Select a step first.")
    if desk.editing is None and not desk.kept.has(plan, step):
        return _tr("No text that you began is kept for this step.")
    return _hands_off(desk)


def _use_text(desk: Desk) -> str:
    step = desk.current_step
    reason = _kept_text(desk)
    if reason or step is None:
        return reason
    if step.state is not StepState.PENDING:
        return _decided_step(step)
    return "" if desk.contents is not None else _tr("This step is not on screen yet.")


def _put_back_text(desk: Desk) -> str:
    return _hands_off(desk) if desk.kept.can_put_back else _tr("No text that you forgot belongs here.")


def _comment(desk: Desk) -> str:
    step = desk.current_step
    if step is None:
        return _tr("Select a step first.")
    if step.state is not StepState.PENDING:
        return _decided_step(step)
    if desk.diff is None:
        return _tr("There are no lines to comment on.")
    return ""


def _stale(desk: Desk) -> str:
    step = desk.current_step
    if step is None:
        return _tr("Select a step first.")
    if step.state is not StepState.STALE:
        return _tr("This step is not stale.")
    return desk.stale_refused or _hands_off(desk)


def _rebase(desk: Desk) -> str:
    if desk.settling is not None:
        return _tr("The conflicts are on show already.")
    return _stale(desk) or ("" if desk.stale_look is not None else _tr("Looking at the file."))


def _use_result(desk: Desk) -> str:
    if desk.settlement is None:
        return _tr("There are no conflicts to settle.")
    if desk.current_step is not None and desk.current_step.state is not StepState.STALE:
        return _tr("This step is not stale any more. Go back to it with Esc; what you typed is kept.")
    if desk.is_settling_outdated:
        return _tr("The file changed again. Leave your lines with Esc, they are kept; then look again.")
    if desk.settlement.open:
        return words.counted(
            desk.settlement.open,
            _tr("{n} conflict is still to settle."),
            _tr("{n} conflicts are still to settle."),
        )
    if desk.settlement.begun:
        said = _tr("Lines you typed for conflict {n} are not used. Edit them on and press Done, or choose.")
        return said.replace("{n}", str(min(desk.settlement.begun) + 1))
    return _stale(desk)


def _settle(desk: Desk) -> str:
    return "" if desk.settling is not None else _tr("There are no conflicts to settle.")


def _compare_round(desk: Desk) -> str:
    if desk.current_step is None:
        return _tr("Select a step first.")
    if desk.rounds.before() is None:
        return _tr("No earlier round changed this file.")
    if desk.editing is not None:
        return _tr("Finish or close the editor first.")
    return "" if desk.contents is not None else _tr("This step is not on screen yet.")


def _discard_stale(desk: Desk) -> str:
    step = desk.current_step
    if step is None:
        return _tr("Select a step first.")
    if step.state is not StepState.STALE:
        return _tr("This step is not stale.")
    return _hands_off(desk)


def _toggle_hunk(desk: Desk) -> str:
    step = desk.current_step
    if step is None:
        return _tr("Select a step first.")
    if step.state is not StepState.PENDING:
        return _decided_step(step)
    if desk.edited is not None:
        return _tr("The edited result goes in as a whole. Drop the edit to choose hunks.")
    return _hunks_differ(desk)


def _hunks_differ(desk: Desk) -> str:
    if desk.hunks_differ:
        return _tr("Its hunks can't be told apart as they were proposed. Decide the step as a whole.")
    return ""


def _lines(desk: Desk) -> str:
    reason = _toggle_hunk(desk)
    step = desk.current_step
    if reason or step is None:
        return reason
    if step.base is None or step.result is None:
        return _tr("This file stands on one side only; it is taken or left as a whole.")
    return "" if step.hunks else _tr("There are no changed lines here.")


def _apply(desk: Desk) -> str:
    """Apply is on only once everything of the current plan is decided (look.md 9.4)."""
    plan = desk.current_plan
    if desk.busy:
        return _tr("Wait until this is done: {what}").replace("{what}", desk.busy)
    if plan is None:
        return _tr("No plan is waiting.")
    title = show_name(plan.title)
    if plan.state in (PlanState.APPROVED, PlanState.PAUSED) and plan.approved:
        return _hands_off(desk)
    if plan.state is PlanState.PENDING:
        return words.counted(
            len(plan.undecided),
            _tr("{n} step of “{title}” is still to decide."),
            _tr("{n} steps of “{title}” are still to decide."),
        ).replace("{title}", title)
    return _closed_plan(desk, plan)


def _stop(desk: Desk) -> str:
    if desk.applying is None:
        return _tr("Nothing is being written.")
    return _tr("It stops before the next file.") if desk.applying.pause.is_set() else ""


def _roll_back(desk: Desk) -> str:
    if desk.rollback is None:
        return _tr("Choose an applied plan in History first.")
    if desk.busy:
        return _tr("Wait until this is done: {what}").replace("{what}", desk.busy)
    if not desk.rollback_steps:
        return _tr("No file is chosen. Choose at least one that did not change since.")
    if desk.dead_time.left > 0:
        return _tr("This just changed under your hand; one moment.")
    return ""


def _preview_rollback(desk: Desk) -> str:
    if desk.busy:
        return _tr("Wait until this is done: {what}").replace("{what}", desk.busy)
    return "" if desk.history else _tr("Nothing has been applied in this project yet.")


def _discard_undo(desk: Desk) -> str:
    if desk.root_watch.is_gone:
        return _tr("The project's folder is not there any more.")
    if desk.busy:
        return _tr("Wait until this is done: {what}").replace("{what}", desk.busy)
    if desk.dead_time.left > 0:
        return _tr("This just changed under your hand; one moment.")
    return ""


def _undo_last(desk: Desk) -> str:
    return desk.undo.why_not()


_ABOUT_THE_PLAN = frozenset(
    {
        "mark_viewed", "note", "approve_step", "reject_step", "take_back", "approve_undecided", "reject_plan",
        "request_changes", "dismiss", "discard_stale", "edit", "drop_edit", "finish_edit", "comment",
        "rebase", "preview_again", "use_result", "settle_disk", "settle_proposed", "settle_both",
        "toggle_hunk", "use_text", "forget_text", "put_back_text", "apply",
    }
)  # fmt: skip
"""What works on the current plan, so that none of it is possible once the plan has left the queue."""

_CHECKS: dict[str, Callable[[Desk], str]] = {
    "next_step": _plan,
    "previous_step": _plan,
    "next_unviewed": _plan,
    "queue_filter": _plan,
    "queue_order": _plan,
    "queue_path": _plan,
    "queue_all": _plan,
    "mark_viewed": _step,
    "note": _step,
    "approve_step": _approve_step,
    "reject_step": _open_step,
    "take_back": _take_back,
    "approve_undecided": _approve_undecided,
    "reject_plan": _open_plan,
    "request_changes": _open_plan,
    "dismiss": _dismiss,
    "discard_stale": _discard_stale,
    "edit": _edit,
    "drop_edit": _drop_edit,
    "finish_edit": _finish_edit,
    "use_text": _use_text,
    "forget_text": _kept_text,
    "put_back_text": _put_back_text,
    "comment": _comment,
    "rebase": _rebase,
    "preview_again": _rebase,
    "use_result": _use_result,
    "settle_disk": _settle,
    "settle_proposed": _settle,
    "settle_both": _settle,
    "show_base": _settle,
    "compare_round": _compare_round,
    "copy_reply": _copy_reply,
    "copy_typed": _plan,
    "toggle_hunk": _toggle_hunk,
    "lines": _lines,
    "apply": _apply,
    "stop": _stop,
    "preview_rollback": _preview_rollback,
    "roll_back": _roll_back,
    "undo_last": _undo_last,
    "discard_undo": _discard_undo,
}


def _tr(text: str) -> str:
    return QCoreApplication.translate("Allowed", text)
