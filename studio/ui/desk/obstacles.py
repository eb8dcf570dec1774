"""What stands in the way of more than one action: one sentence for each, "" for nothing (R181)."""

from __future__ import annotations

from studio.engine.names import show_name
from studio.engine.plan import Plan, PlanState, Step, StepState
from studio.ui.desk.state import DeskState, Pasting
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say

_tr = translator("Reasons")


def no_step(state: DeskState) -> str:
    return "" if state.step is not None else _tr("Select a step first.")


def covered(state: DeskState) -> str:
    """What stands over the step, so that no key may do anything to it."""
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


def hands_off(state: DeskState) -> str:
    """Reasons that hold up every decision, whatever it is about."""
    if state.is_gone:
        return _tr("The project's folder is not there any more.")
    if state.busy:
        return say(_tr("Wait until this is done: {what}"), what=state.busy)
    if over := covered(state):
        return over
    if state.is_comparing:
        return _tr("Close the comparison with the earlier round first.")
    if state.is_editing:
        return _tr("Finish or close the editor first.")
    if state.is_deciding:
        return _tr("Your last decision is being saved.")
    if state.is_dead:
        return _tr("This just changed under your hand; one moment.")
    return ""


def decided_step(step: Step) -> str:
    """What became of a step that is not to be decided."""
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


def closed_plan(state: DeskState, plan: Plan) -> str:
    """What became of a plan that is not open."""
    if plan.state is PlanState.EXECUTING and state.needs_recovery:
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
