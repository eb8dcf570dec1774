"""Project tree badges: most severe state per file, folder counts; file creators."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from msgspec import field
from PySide6.QtCore import QCoreApplication

from studio.engine import Operation, Plan, PlanState, Step, StepState
from studio.names import show_name
from studio.ui.look.states import StateStyle, is_over, step_style
from studio.ui.look.words import say
from studio.ui.review.observed import ObservedRow
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import HistoryEntry

# Gravest first.
_GRAVITY: dict[StepState, int] = {
    StepState.INVALID: 0,
    StepState.STALE: 1,
    StepState.PENDING: 3,
    StepState.APPROVED: 4,
}
_OBSERVED = 2
_SHOWN_PLANS = {
    PlanState.PENDING,
    PlanState.APPROVED,
    PlanState.EXECUTING,
    PlanState.PAUSED,
    PlanState.FAILED,
}


class Badge(Value):
    """Icon beside a file, and the step or observed row it selects."""

    style: StateStyle
    gravity: int
    plan_id: str = ""
    step: int = 0
    observed: str = ""


class FolderBadge(Value):
    """Number of files with a badge beneath a folder, and the gravest."""

    count: int
    gravest: Badge


class Badges(Value):
    """All badges of open plans and observed changes.

    `proposed` are paths that would be created; True for folders.
    """

    files: dict[str, Badge] = field(default_factory=dict)
    folders: dict[str, FolderBadge] = field(default_factory=dict)
    proposed: dict[str, bool] = field(default_factory=dict)


def badges_of(plans: Iterable[Plan], observed: Iterable[ObservedRow] = ()) -> Badges:
    """Collect the badges of all plans and of observed changes."""
    badges = Badges()
    for plan in plans:
        if plan.state in _SHOWN_PLANS:
            for step in plan.steps:
                _add_step(badges, plan, step)
    style = StateStyle("observed", "observed", QCoreApplication.translate("Tree", "outside change"))
    for row in observed:
        for change in row.changes:
            for path in change.paths:
                _add(badges, path, Badge(style, _OBSERVED, observed=row.key))
    for path, badge in badges.files.items():
        for folder in _folders_above(path):
            before = badges.folders.get(folder)
            if before is None:
                badges.folders[folder] = FolderBadge(1, badge)
            else:
                gravest = min(before.gravest, badge, key=lambda each: each.gravity)
                badges.folders[folder] = FolderBadge(before.count + 1, gravest)
    return badges


def origins_of(history: Sequence[HistoryEntry]) -> dict[str, str]:
    """Return texts on who created each file, by path.

    `history` is newest first. A file that was moved since keeps its origin, one that was deleted has none.
    """
    origins: dict[str, str] = {}
    for entry in reversed(history):
        agent = show_name(entry.plan.agent) or QCoreApplication.translate("Tree", "you")
        created = QCoreApplication.translate("Tree", "created by {agent} in “{title}”")
        words = say(created, agent=agent, title=show_name(entry.plan.title))
        for step in entry.written:
            if step.state is StepState.APPLIED and step.result is not None and not step.result.is_folder:
                before = origins.pop(step.path, None) if step.op is Operation.MOVE else None
                is_new = step.op is Operation.COPY or step.base is None
                if is_new and entry.rolls_back is None:
                    origins[step.target] = words
                elif before is not None:
                    origins[step.target] = before
            elif step.state is StepState.APPLIED and step.op is Operation.DELETE:
                origins.pop(step.path, None)
    return origins


def _add_step(badges: Badges, plan: Plan, step: Step) -> None:
    gravity = _GRAVITY.get(step.state)
    if gravity is None:
        return
    for path in step.written_paths:
        _add(badges, path, Badge(_badge_style(plan, step, path), gravity, plan.id, step.number))
    # A refused step's path may be anything; only what could be written gets a row of its own.
    if step.state is not StepState.INVALID and step.result is not None:
        badges.proposed[step.target] = step.result.is_folder


def _add(badges: Badges, path: str, badge: Badge) -> None:
    existing = badges.files.get(path)
    if existing is None or badge.gravity < existing.gravity:
        badges.files[path] = badge


def _badge_style(plan: Plan, step: Step, path: str) -> StateStyle:
    style = step_style(plan, step)
    is_created = path == step.target and (step.base is None or step.to is not None)
    waits = step.state in (StepState.PENDING, StepState.APPROVED) and not is_over(plan, step)
    if is_created and waits:
        return StateStyle("plus", style.token, QCoreApplication.translate("Tree", "new"))
    return style


def _folders_above(path: str) -> Iterable[str]:
    while "/" in path:
        path = path.rpartition("/")[0]
        yield path
