"""Reasons that disable several actions: ticked steps, commands and reading.

What is off says why, in menus, in the palette and beside its button.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from studio.engine.names import show_name
from studio.engine.plan import OPEN_PLAN_STATES, FileImage, PlanState, Step, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.recent_decision import can_take_back
from studio.ui.desk.state import DeskState, Pasting, Running, Ticked
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say

_tr = translator("Reasons")


def no_step(state: DeskState) -> str:
    return "" if state.step is not None else _tr("Select a step first.")


def step_covered(state: DeskState) -> str:
    """Return what covers the step and blocks its keys."""
    if state.rollback_files is not None:
        return _tr("Close the rollback preview first.")
    if state.restores is not None:
        return _tr("Close the preview of what would come back first.")
    if state.is_reading_on:
        return _tr("Close what you read first.")
    if state.is_observing:
        return _tr("Close the observed change first.")
    return "" if state.pasting is Pasting.NOTHING else _tr("Close the pasted text first.")


def no_plan(state: DeskState) -> str:
    return "" if state.plan is not None else _tr("No plan is waiting.")


def open_plan(state: DeskState) -> str:
    """Return why the plan's steps can't be decided, "" while open."""
    plan = state.plan
    return no_plan(state) or ("" if plan and plan.state in OPEN_PLAN_STATES else closed_plan(state))


def revocable_plan(state: DeskState) -> str:
    """Return why no decision can be undone, "" where one can."""
    return no_plan(state) or ("" if state.plan and can_take_back(state.plan) else closed_plan(state))


def pending_step(state: DeskState) -> str:
    """Return why the step can't be decided any more, else ""."""
    return no_step(state) or (decided_step(state.step) if state.step else "")


def folder_gone(state: DeskState) -> str:
    return _tr("The project's folder is not there any more.") if state.is_gone else ""


def write_running(state: DeskState) -> str:
    return say(_tr("Wait until this is done: {what}"), what=state.busy) if state.busy else ""


def comparison_open(state: DeskState) -> str:
    return _tr("Close the comparison with the earlier round first.") if state.is_comparing else ""


def editor_open(state: DeskState) -> str:
    return _tr("Finish or close the editor first.") if state.is_editing else ""


def input_guarded(state: DeskState) -> str:
    return _tr("This just changed under your hand; one moment.") if state.is_input_guarded else ""


def decision_blocked(state: DeskState) -> str:
    """Return the reasons that block every decision."""
    if (
        reason := folder_gone(state)
        or write_running(state)
        or step_covered(state)
        or comparison_open(state)
        or editor_open(state)
    ):
        return reason
    return _tr("Your last decision is being saved.") if state.is_deciding else input_guarded(state)


def decided_step(step: Step) -> str:
    """Return the status of a step that can't be decided."""
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


def closed_plan(state: DeskState) -> str:
    """Return the status of a plan that is not open."""
    plan = state.plan
    if plan is None:
        return ""
    if plan.state is PlanState.EXECUTING and state.needs_recovery:
        return _tr("Applying this plan was interrupted. Settle that first, in the banner at the bottom.")
    return {
        PlanState.REJECTED: _tr("This plan is rejected. Take that back first."),
        PlanState.CHANGES_REQUESTED: _tr("Changes are asked for; the agent has to propose again."),
        PlanState.CANCELLED: _tr("The agent has withdrawn this plan."),
        PlanState.EXECUTING: _tr("This plan is being applied."),
        PlanState.FAILED: _tr("Applying this plan failed. The agent has to propose again."),
        PlanState.INVALID: _tr("This plan was refused as a whole."),
        PlanState.COMPLETED: _tr("This plan is applied. Roll it back in History."),
    }.get(plan.state, _tr("This plan is closed."))


def tick_kind(state: DeskState) -> str:
    """Return why no kind of steps can be ticked now."""
    return open_plan(state) or step_covered(state)


def _approve_ticked(state: DeskState, ticked: Ticked) -> str:
    reason = _undecided_ticked(state, ticked)
    if reason or ticked.approvable:
        return reason
    return _tr("Every ticked step has something to settle or to accept first. Look at each of them.")


def _undecided_ticked(state: DeskState, ticked: Ticked) -> str:
    decided = "" if ticked.undecided else _tr("Every ticked step is decided. Take that back first.")
    return open_plan(state) or decided or decision_blocked(state)


def _take_back_ticked(state: DeskState, ticked: Ticked) -> str:
    nothing = "" if ticked.decided else _tr("No ticked step has a decision to take back.")
    return revocable_plan(state) or nothing or decision_blocked(state)


TICKED_CHECKS: Final[Mapping[Action, Callable[[DeskState, Ticked], str]]] = {
    Action.APPROVE_STEP: _approve_ticked,
    Action.REJECT_STEP: _undecided_ticked,
    Action.TOGGLE_HUNK: _undecided_ticked,
    Action.REVOKE_DECISION: _take_back_ticked,
    Action.MARK_VIEWED: lambda state, _ticked: step_covered(state),
}
"""What a step's keys do to all ticked steps while the whole plan is current."""


def _start_command(state: DeskState) -> str:
    is_free = state.running is Running.NOTHING
    return folder_gone(state) or (
        "" if is_free else _tr("A command is at work. Stop it first, or wait for its end.")
    )


def _try_plan(state: DeskState) -> str:
    reason, plan = open_plan(state), state.plan
    if reason or plan is None:
        return reason
    stale = next((step for step in plan.steps if step.state is StepState.STALE), None)
    if stale is not None:
        return decided_step(stale)
    if not any(step.state in (StepState.PENDING, StepState.APPROVED) for step in plan.steps):
        return _tr("Nothing of this plan would be written.")
    return ""


def _start_trial(state: DeskState) -> str:
    return _try_plan(state) or _start_command(state)


def _propose_now(state: DeskState) -> str:
    if state.running is Running.TRIAL:
        return _tr("What a command writes while a plan is tried is no change of the project.")
    return _stop_command(state)


def _stop_command(state: DeskState) -> str:
    return "" if state.running is not Running.NOTHING else _tr("No command is at work for this window.")


COMMAND_CHECKS: Final[Mapping[Action, Callable[[DeskState], str]]] = {
    Action.START_COMMAND: _start_command,
    Action.TRY_PLAN: _try_plan,
    Action.START_TRIAL: _start_trial,
    Action.PREVIEW_RESULT: _propose_now,
    Action.STOP_COMMAND: _stop_command,
}


def _read_base(state: DeskState) -> str:
    base = None if state.step is None else state.step.base
    return no_step(state) or _no_bytes(base, _tr("There was no file before this step."))


def _read_result(state: DeskState) -> str:
    result = None if state.step is None else state.step.result
    return no_step(state) or _no_bytes(result, _tr("This step leaves no file."))


def _no_bytes(side: FileImage | None, sentence: str) -> str:
    return "" if side is not None and side.sha256 is not None else sentence


def _shown_file(state: DeskState) -> str:
    return "" if state.has_file else _tr("Select a step, or read a file first.")


def _other_end(state: DeskState) -> str:
    if reason := no_step(state) or step_covered(state) or comparison_open(state) or editor_open(state):
        return reason
    return "" if state.moves_code else _tr("No code in this file is known to have moved.")


READING_CHECKS: Final[Mapping[Action, Callable[[DeskState], str]]] = {
    Action.READ_FILE: no_step,
    Action.READ_BASE: _read_base,
    Action.READ_RESULT: _read_result,
    Action.OPEN_IN_EDITOR: _shown_file,
    Action.SHOW_IN_FOLDER: _shown_file,
    Action.OTHER_END: _other_end,
    Action.READ_EARLIER: lambda s: "" if s.can_read_back else _tr("Nothing was read before."),
    Action.READ_LATER: lambda s: "" if s.can_read_ahead else _tr("Nothing was left by going back."),
}
