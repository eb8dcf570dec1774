"""Why nothing can be done about the ticked steps of a plan together (R181)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

from studio.engine.plan import OPEN_PLAN_STATES
from studio.ui.actions.action import Action
from studio.ui.desk.made import can_take_back
from studio.ui.desk.obstacles import closed_plan, covered, hands_off
from studio.ui.desk.state import DeskState, Ticked
from studio.ui.language import translator

_tr = translator("Reasons")


def why_not_ticked(state: DeskState, ticked: Ticked, action: Action) -> str:
    """The sentence that says why `action` is off for what is ticked, "" when it is on."""
    return TICKED_CHECKS[action](state, ticked)


def tick_kind(state: DeskState) -> str:
    """Why no kind of steps can be ticked now."""
    plan = state.plan
    if plan is None:
        return _tr("No plan is waiting.")
    return closed_plan(state, plan) if plan.state not in OPEN_PLAN_STATES else covered(state)


def _approve(state: DeskState, ticked: Ticked) -> str:
    reason = _undecided(state, ticked)
    if reason or ticked.approvable:
        return reason
    return _tr("Every ticked step has something to settle or to accept first. Look at each of them.")


def _undecided(state: DeskState, ticked: Ticked) -> str:
    plan = state.plan
    if plan is None:
        return _tr("No plan is waiting.")
    if plan.state not in OPEN_PLAN_STATES:
        return closed_plan(state, plan)
    if not ticked.undecided:
        return _tr("Every ticked step is decided. Take that back first.")
    return hands_off(state)


def _take_back(state: DeskState, ticked: Ticked) -> str:
    plan = state.plan
    if plan is None:
        return _tr("No plan is waiting.")
    if not can_take_back(plan):
        return closed_plan(state, plan)
    if not ticked.decided:
        return _tr("No ticked step has a decision to take back.")
    return hands_off(state)


def _in_sight(state: DeskState, _ticked: Ticked) -> str:
    return covered(state)


TICKED_CHECKS: Final[Mapping[Action, Callable[[DeskState, Ticked], str]]] = {
    Action.APPROVE_STEP: _approve,
    Action.REJECT_STEP: _undecided,
    Action.TOGGLE_HUNK: _undecided,
    Action.TAKE_BACK: _take_back,
    Action.MARK_VIEWED: _in_sight,
}
"""What the keys of a step do about every ticked one while the plan as a whole is current."""
