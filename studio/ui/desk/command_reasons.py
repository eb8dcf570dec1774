"""Why nothing can be run in the sandbox now, or nothing looked at there (R181)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from studio.engine.names import show_name
from studio.engine.plan import OPEN_PLAN_STATES, StepState
from studio.ui.actions.action import Action
from studio.ui.desk.obstacles import closed_plan
from studio.ui.desk.state import DeskState, Running
from studio.ui.language import translator
from studio.ui.look import words
from studio.ui.look.words import say

_tr = translator("Reasons")


def _start(state: DeskState) -> str:
    if state.is_gone:
        return _tr("The project's folder is not there any more.")
    if state.running is not Running.NOTHING:
        return _tr("A command is at work. Stop it first, or wait for its end.")
    return ""


def _try_plan(state: DeskState) -> str:
    plan = state.plan
    if plan is None:
        return _tr("No plan is waiting.")
    if plan.state not in OPEN_PLAN_STATES:
        return closed_plan(state, plan)
    stale = next((step for step in plan.steps if step.state is StepState.STALE), None)
    if stale is not None:
        file = show_name(words.split_path(stale.target)[1])
        return say(_tr("{file} changed on disk. Choose what happens next first."), file=file)
    if not any(step.state in (StepState.PENDING, StepState.APPROVED) for step in plan.steps):
        return _tr("Nothing of this plan would be written.")
    return ""


def _start_trial(state: DeskState) -> str:
    return _try_plan(state) or _start(state)


def _look_now(state: DeskState) -> str:
    if state.running is Running.TRIAL:
        return _tr("What a command writes while a plan is tried is no change of the project.")
    return _stop(state)


def _stop(state: DeskState) -> str:
    return "" if state.running is not Running.NOTHING else _tr("No command is at work for this window.")


COMMAND_CHECKS: Final[Mapping[Action, Callable[[DeskState], str]]] = {
    Action.START_COMMAND: _start,
    Action.TRY_PLAN: _try_plan,
    Action.START_TRIAL: _start_trial,
    Action.LOOK_NOW: _look_now,
    Action.STOP_COMMAND: _stop,
}
