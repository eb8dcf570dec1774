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
from studio.ui.actions.action import Action
from studio.ui.desk.made import DECIDED, can_take_back
from studio.ui.look import words
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.ui.desk.desk import Desk


_EDITABLE = (Operation.CREATE, Operation.MODIFY, Operation.APPEND, Operation.MOVE, Operation.COPY)


def why_not(desk: Desk, action: Action) -> str:
    """The sentence that says why `action` is off and what would enable it, "" when it is on."""
    if desk.departure is not None and action in _ABOUT_THE_PLAN:
        return desk.departure.sentence
    return _CHECKS[action](desk)


def _always(_desk: Desk) -> str:
    return ""


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
        return say(_tr("Wait until this is done: {what}"), what=desk.busy)
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
    return say(
        {
            StepState.APPROVED: _tr("This step is approved. Take that back first."),
            StepState.REJECTED: _tr("This step is rejected. Take that back first."),
            StepState.STALE: _tr("{file} changed on disk. Choose what happens next first."),
            StepState.INVALID: _tr("Refused by a check. This step cannot be approved."),
            StepState.APPLIED: _tr("This step is applied. Roll it back in History."),
            StepState.ROLLED_BACK: _tr("This step is rolled back."),
            StepState.ALREADY_APPLIED: _tr("{file} already holds this result. There is nothing to decide."),
            StepState.PENDING: "",
        }[step.state],
        file=name,
    )


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
        return say(said, n=min(desk.settlement.begun) + 1)
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
        return say(_tr("Wait until this is done: {what}"), what=desk.busy)
    if plan is None:
        return _tr("No plan is waiting.")
    title = show_name(plan.title)
    if plan.state in (PlanState.APPROVED, PlanState.PAUSED) and plan.approved:
        return _hands_off(desk)
    if plan.state is PlanState.PENDING:
        return say(
            words.counted(
                len(plan.undecided),
                _tr("{n} step of “{title}” is still to decide."),
                _tr("{n} steps of “{title}” are still to decide."),
            ),
            title=title,
        )
    return _closed_plan(desk, plan)


def _stop(desk: Desk) -> str:
    if desk.applying is None:
        return _tr("Nothing is being written.")
    return _tr("It stops before the next file.") if desk.applying.pause.is_set() else ""


def _roll_back(desk: Desk) -> str:
    if desk.rollback is None:
        return _tr("Choose an applied plan in History first.")
    if desk.busy:
        return say(_tr("Wait until this is done: {what}"), what=desk.busy)
    if not desk.rollback_steps:
        return _tr("No file is chosen. Choose at least one that did not change since.")
    if desk.dead_time.left > 0:
        return _tr("This just changed under your hand; one moment.")
    return ""


def _preview_rollback(desk: Desk) -> str:
    if desk.busy:
        return say(_tr("Wait until this is done: {what}"), what=desk.busy)
    return "" if desk.history else _tr("Nothing has been applied in this project yet.")


def _discard_undo(desk: Desk) -> str:
    if desk.root_watch.is_gone:
        return _tr("The project's folder is not there any more.")
    if desk.busy:
        return say(_tr("Wait until this is done: {what}"), what=desk.busy)
    if desk.dead_time.left > 0:
        return _tr("This just changed under your hand; one moment.")
    return ""


def _undo_last(desk: Desk) -> str:
    return desk.undo.why_not()


_ABOUT_THE_PLAN = frozenset(
    {
        Action.MARK_VIEWED,
        Action.NOTE,
        Action.APPROVE_STEP,
        Action.REJECT_STEP,
        Action.TAKE_BACK,
        Action.APPROVE_UNDECIDED,
        Action.REJECT_PLAN,
        Action.REQUEST_CHANGES,
        Action.DISMISS,
        Action.DISCARD_STALE,
        Action.EDIT,
        Action.DROP_EDIT,
        Action.FINISH_EDIT,
        Action.COMMENT,
        Action.REBASE,
        Action.PREVIEW_AGAIN,
        Action.USE_RESULT,
        Action.SETTLE_DISK,
        Action.SETTLE_PROPOSED,
        Action.SETTLE_BOTH,
        Action.TOGGLE_HUNK,
        Action.USE_TEXT,
        Action.FORGET_TEXT,
        Action.PUT_BACK_TEXT,
        Action.APPLY,
    }
)
"""What works on the current plan, so that none of it is possible once the plan has left the queue."""

_OF_THE_WINDOW = (
    Action.OPEN, Action.PASTE, Action.SUBMIT_FILE, Action.DEMO, Action.CLOSE_WINDOW, Action.QUIT,
    Action.COPY, Action.FIND, Action.FIND_NEXT, Action.FIND_PREVIOUS, Action.GO_TO_LINE, Action.PALETTE,
    Action.GO_TO_FILE, Action.UNIFIED, Action.WHITE_SPACE, Action.FOLDS, Action.WRAP,
    Action.COMPARE_IMAGES, Action.TEXT, Action.ZOOM_IN, Action.ZOOM_OUT, Action.ZOOM_RESET,
    Action.CODE_FONT, Action.LEFT_COLUMN, Action.FACTS, Action.DOCK, Action.DOCK_1, Action.DOCK_2,
    Action.DOCK_3, Action.NEXT_PANE, Action.PREVIOUS_PANE, Action.BACK, Action.LIGHT,
    Action.DARK, Action.CONTRAST, Action.SYSTEM, Action.COLOUR_BLIND, Action.NEXT_CHANGE,
    Action.PREVIOUS_CHANGE, Action.READ_ON, Action.READ_BACK, Action.KEYS, Action.LETTERS,
)  # fmt: skip
"""What the desk never stands in the way of; the window may."""

_CHECKS: dict[Action, Callable[[Desk], str]] = {
    Action.NEXT_STEP: _plan,
    Action.PREVIOUS_STEP: _plan,
    Action.NEXT_UNVIEWED: _plan,
    Action.QUEUE_FILTER: _plan,
    Action.QUEUE_ORDER: _plan,
    Action.QUEUE_PATH: _plan,
    Action.QUEUE_ALL: _plan,
    Action.MARK_VIEWED: _step,
    Action.NOTE: _step,
    Action.APPROVE_STEP: _approve_step,
    Action.REJECT_STEP: _open_step,
    Action.TAKE_BACK: _take_back,
    Action.APPROVE_UNDECIDED: _approve_undecided,
    Action.REJECT_PLAN: _open_plan,
    Action.REQUEST_CHANGES: _open_plan,
    Action.DISMISS: _dismiss,
    Action.DISCARD_STALE: _discard_stale,
    Action.EDIT: _edit,
    Action.DROP_EDIT: _drop_edit,
    Action.FINISH_EDIT: _finish_edit,
    Action.USE_TEXT: _use_text,
    Action.FORGET_TEXT: _kept_text,
    Action.PUT_BACK_TEXT: _put_back_text,
    Action.COMMENT: _comment,
    Action.REBASE: _rebase,
    Action.PREVIEW_AGAIN: _rebase,
    Action.USE_RESULT: _use_result,
    Action.SETTLE_DISK: _settle,
    Action.SETTLE_PROPOSED: _settle,
    Action.SETTLE_BOTH: _settle,
    Action.SHOW_BASE: _settle,
    Action.COMPARE_ROUND: _compare_round,
    Action.COPY_REPLY: _copy_reply,
    Action.COPY_TYPED: _plan,
    Action.TOGGLE_HUNK: _toggle_hunk,
    Action.LINES: _lines,
    Action.APPLY: _apply,
    Action.STOP: _stop,
    Action.PREVIEW_ROLLBACK: _preview_rollback,
    Action.ROLL_BACK: _roll_back,
    Action.UNDO_LAST: _undo_last,
    Action.DISCARD_UNDO: _discard_undo,
    **dict.fromkeys(_OF_THE_WINDOW, _always),
}


def _tr(text: str) -> str:
    return QCoreApplication.translate("Allowed", text)
