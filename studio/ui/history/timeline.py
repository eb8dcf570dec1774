"""What became of a plan, or of one step of it, in one line (R191)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from studio.engine.names import show_name
from studio.engine.plan import Decision, Plan, Step, StepState, Verdict
from studio.ui.language import translator
from studio.ui.look.times import exact_moment
from studio.ui.look.words import counted, decided_words, say

if TYPE_CHECKING:
    from studio.engine.history import HistoryEntry

_tr = translator("Timeline")

_WRITTEN = (StepState.APPLIED, StepState.ROLLED_BACK)


def timeline_words(wanted: str, plans: Iterable[Plan], history: Sequence[HistoryEntry], now: datetime) -> str:
    """Of the plan or step with that id: when it was proposed, decided by whom, applied and taken back; ""
    where there is none."""
    for plan in (*plans, *(entry.plan for entry in history)):
        if plan.id == wanted:
            return _line(plan, plan.steps, history, now, show_name(plan.title))
        for step in plan.steps:
            if step.id == wanted:
                return _line(plan, (step,), history, now, show_name(step.target))
    return ""


def _line(
    plan: Plan, steps: Sequence[Step], history: Sequence[HistoryEntry], now: datetime, name: str
) -> str:
    by = show_name(plan.agent)
    proposed = say(_tr("proposed {when} by {who}"), who=by) if by else _tr("proposed {when}")
    parts = [_at(proposed, plan.created, now), *_decided(steps, now)]
    written = any(step.state in _WRITTEN for step in steps)
    if plan.applied is not None and written:
        parts.append(_at(_tr("applied {when}"), plan.applied, now))
    if any(step.state is StepState.ROLLED_BACK for step in steps):
        back = _taken_back(plan, history)
        parts.append(_at(_tr("rolled back {when}"), back, now) if back else _tr("rolled back"))
    if plan.discarded is not None:
        parts.append(_at(_tr("its undo discarded {when}"), plan.discarded, now))
    return f"{name}: {' → '.join(parts)}"


def _decided(steps: Sequence[Step], now: datetime) -> list[str]:
    """A part for each verdict of each person, in the order of their latest decisions."""
    groups: dict[tuple[Verdict, str], list[Decision]] = {}
    for step in steps:
        if step.decision is not None:
            groups.setdefault((step.decision.verdict, decided_words(step.decision)), []).append(step.decision)
    ordered = sorted(groups.items(), key=lambda group: max(made.when for made in group[1]))
    return [_verdict(verdict, who, made, now, is_one=len(steps) == 1) for (verdict, who), made in ordered]


def _verdict(verdict: Verdict, who: str, made: Sequence[Decision], now: datetime, *, is_one: bool) -> str:
    words = _verdict_words(verdict)
    if not is_one:
        words = f"{counted(len(made), _tr('{n} step'), _tr('{n} steps'))} {words}"
    return _at(f"{words} {who} {{when}}", max(each.when for each in made), now)


def _verdict_words(verdict: Verdict) -> str:
    return {
        Verdict.APPROVE: _tr("approved"),
        Verdict.REJECT: _tr("rejected"),
        Verdict.REQUEST_CHANGES: _tr("sent back"),
    }[verdict]


def _taken_back(plan: Plan, history: Sequence[HistoryEntry]) -> datetime | None:
    """When the latest rollback of it was applied."""
    backs = [entry.applied_at for entry in history if entry.rolls_back == plan.id]
    return max(backs, default=None)


def _at(words: str, when: datetime, now: datetime) -> str:
    return words.replace("{when}", exact_moment(when, now))
