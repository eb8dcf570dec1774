"""Warnings on steps whose path another open plan writes too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication

from studio.engine.plan import OPEN_PLAN_STATES, Fact, Plan, Severity, Step

if TYPE_CHECKING:
    from studio.engine.proposer import PathConflict
    from studio.engine.workspace import Workspace

CONFLICT = "conflict"
"""Kind of the fact that names the other plan."""


def with_path_conflicts(workspace: Workspace, plans: Sequence[Plan]) -> list[Plan]:
    """Return the plans with a fact on each conflicting open step.

    Paths that the disk takes for one (case, Unicode) conflict too. Runs on the engine thread.
    """
    titles = {plan.id: plan for plan in plans if plan.state in OPEN_PLAN_STATES}
    if len(titles) < 2:
        return list(plans)
    return [
        _with_facts(plan, workspace.proposer.path_conflicts(plan.id), titles) if plan.id in titles else plan
        for plan in plans
    ]


def is_conflict(step: Step) -> bool:
    """Return whether another open plan writes this step's path."""
    return any(fact.kind == CONFLICT for fact in step.facts)


def _with_facts(plan: Plan, conflicts: Iterable[PathConflict], plans: dict[str, Plan]) -> Plan:
    others: dict[int, dict[str, PathConflict]] = {}
    for conflict in conflicts:
        if conflict.other_plan in plans:
            others.setdefault(conflict.step, {})[conflict.other_plan] = conflict
    if not others:
        return plan
    steps = tuple(
        replace(step, facts=(*step.facts, *_facts(others[step.number].values(), plans)))
        if step.number in others
        else step
        for step in plan.steps
    )
    return replace(plan, steps=steps)


def _facts(conflicts: Iterable[PathConflict], plans: dict[str, Plan]) -> tuple[Fact, ...]:
    return tuple(
        Fact(CONFLICT, Severity.WARNING, _sentence(plans[each.other_plan], each)) for each in conflicts
    )


def _sentence(other: Plan, conflict: PathConflict) -> str:
    template = QCoreApplication.translate(
        "Conflicts", "Another plan writes this file too. “{title}” of {agent}, step {n}, {path}."
    )
    agent = other.agent or QCoreApplication.translate("Conflicts", "you")
    path, title = conflict.other_path, other.title
    return template.format(n=conflict.other_step, agent=agent, path=path, title=title)
