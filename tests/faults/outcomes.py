"""What the sweep compares: the scene of one action, what is left of it, and the numbers of a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.engine.plan import PlanState
from tests.faults.bench import Saved, Tree
from tests.faults.injection import Injection

GOOD = ("old", "new", "agreed")
"""The tree is all old or all new; or two counts agree."""


@dataclass(frozen=True, slots=True)
class Scene:
    """One action from one saved start: what the tree is before, and what it is once the action is done."""

    name: str
    start: Saved
    plan_id: str
    old: Tree
    new: Tree
    is_rollback: bool = False
    is_first: bool = False
    """The action begins with the first proposal: before that there is no plan."""
    in_parts: bool = False
    """The action is the second part of a plan that stays open."""


@dataclass
class Numbers:
    """What became of the points of one part."""

    points: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    """How many points were kills, and how many each error."""

    def add(self, outcome: str, faults: Sequence[str], where: object) -> None:
        self.points += 1
        self.outcomes[outcome] += 1
        if isinstance(where, Injection):
            self.kinds[where.error or "KILL"] += 1
        if outcome not in GOOD or faults:
            self.failures.append(f"{where}: {outcome}; {'; '.join(faults)}")


def disagreements(scene: Scene, outcome: str, seen: Mapping[str, Any]) -> list[str]:
    """States, answers and history that do not fit the tree; `seen` is what `settling.look` saw."""
    plans, written = seen["plans"], seen["history"]
    if scene.plan_id not in plans:
        return [] if scene.is_first and outcome == "old" else ["the plan is gone"]
    state = plans[scene.plan_id][0]
    backs = [plan_id for plan_id, entry in plans.items() if entry[1] == scene.plan_id]
    if scene.in_parts:
        parts = 2 if outcome == "new" else 1
        steps = plans[scene.plan_id][2]
        open_steps = steps.count("pending"), steps.count("approved")
        agrees = state == "pending" and seen["parts"][scene.plan_id] == parts and written[scene.plan_id]
        agrees = agrees and (open_steps[0], bool(open_steps[1])) == (1, outcome == "old")
        return [] if agrees else [f"{outcome} tree, but the plan is {state} in parts: {seen}"]
    if not scene.is_rollback:
        fits = _FIRST if scene.is_first and outcome == "old" else _FITTING[outcome]
        agrees = PlanState(state) in fits and _answered(scene.plan_id, outcome, seen)
        return [] if agrees else [f"{outcome} tree, but the plan is {state}: {seen}"]
    done = [plan_id for plan_id in backs if PlanState(plans[plan_id][0]) is PlanState.COMPLETED]
    agrees = (state, len(done)) == (("rolled_back", 1) if outcome == "new" else ("completed", 0))
    agrees = agrees and scene.plan_id in written
    agrees = agrees and not any(PlanState(plans[back][0]).is_open for back in backs)
    agrees = agrees and all(_answered(back, "new" if back in done else "old", seen) for back in backs)
    return [] if agrees else [f"{outcome} tree, but the plan is {state}, rolled back by {backs}: {seen}"]


_FITTING = {"new": (PlanState.COMPLETED,), "old": (PlanState.APPROVED, PlanState.PAUSED)}
_FIRST = (PlanState.PENDING, PlanState.APPROVED, PlanState.PAUSED)


def _answered(plan_id: str, outcome: str, seen: Mapping[str, Any]) -> bool:
    """Whether the journal's answers and the history tell of a plan what the disk tells."""
    answers = ("done",) if outcome == "new" else ("none", "not done")
    return seen["answers"][plan_id] in answers and seen["history"].get(plan_id, False) == (outcome == "new")


def difference(now: Tree, scene: Scene) -> str:
    new = {name for name in now.keys() | scene.new.keys() if now.get(name) != scene.new.get(name)}
    old = {name for name in now.keys() | scene.old.keys() if now.get(name) != scene.old.get(name)}
    return f"differs from the old tree in {sorted(old)}, from the new one in {sorted(new)}"
