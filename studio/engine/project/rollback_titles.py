"""Titles of rollback and redo plans, and lookup of their original plan."""

from __future__ import annotations

from collections.abc import Callable

from msgspec.structs import replace

from studio.engine.plan import Plan
from studio.engine.project.context import Context
from studio.errors import StudioError
from studio.values import Value


class Turn(Value):
    """Undoing one plan: `title` is that of the original plan.

    `is_redo`: the plan is a rollback, so that what it removed comes back.
    """

    title: str
    is_redo: bool

    @property
    def plan_title(self) -> str:
        """The title of the plan that does it."""
        return f"Redo “{self.title}”" if self.is_redo else f"Roll back “{self.title}”"


def stored_plans(context: Context) -> Callable[[str], Plan | None]:
    """Return a function that finds stored plans by id.

    It returns None for a missing or unreadable one.
    """

    def find(plan_id: str) -> Plan | None:
        try:
            return context.store.plans.get(plan_id)
        except StudioError:
            return None

    return find


def turn_of(plan: Plan, find_plan: Callable[[str], Plan | None]) -> Turn:
    """Return what undoing `plan` is.

    `find_plan` returns the plans that were rolled back, by id.
    """
    first, turns = _find_original(plan, find_plan)
    return Turn(first.title, is_redo=turns % 2 == 1)


def first_of(plan: Plan, find_plan: Callable[[str], Plan | None]) -> Plan:
    """Return a rollback's or redo's original plan, else the plan itself."""
    return _find_original(plan, find_plan)[0]


def _find_original(plan: Plan, find_plan: Callable[[str], Plan | None]) -> tuple[Plan, int]:
    """Return the original plan, and the number of rollbacks since."""
    first, turns = plan, 0
    seen_ids = {plan.id}
    while first.rolls_back is not None and first.rolls_back not in seen_ids:
        before = find_plan(first.rolls_back)
        if before is None:
            break
        first, turns = before, turns + 1
        seen_ids.add(first.id)
    return first, turns


def with_plain_title(plan: Plan, find_plan: Callable[[str], Plan | None]) -> Plan:
    """Return a plan with the present form of a rollback's title.

    Older ones were stored with titles within titles.
    """
    rolled_back = find_plan(plan.rolls_back) if plan.rolls_back is not None else None
    return plan if rolled_back is None else replace(plan, title=turn_of(rolled_back, find_plan).plan_title)
