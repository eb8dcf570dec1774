"""What the sweep compares: the scene of one action, what is left of it, and the numbers of a part."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from studio.engine.plan import PlanState
from tests.faults.bench import Saved, Tree


@dataclass(frozen=True, slots=True)
class Scene:
    """One action from one saved start: what the tree is before, and what it is once the action is done."""

    name: str
    start: Saved
    plan_id: str
    old: Tree
    new: Tree
    is_rollback: bool = False


@dataclass
class Numbers:
    """What became of the points of one part."""

    points: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    failures: list[str] = field(default_factory=list)

    def add(self, outcome: str, faults: Sequence[str], where: object) -> None:
        self.points += 1
        self.outcomes[outcome] += 1
        if outcome not in ("old", "new") or faults:
            self.failures.append(f"{where}: {outcome}; {'; '.join(faults)}")


def disagreements(scene: Scene, outcome: str, plans: Mapping[str, Any]) -> list[str]:
    """States of the plans that do not fit the tree."""
    if scene.plan_id not in plans:
        return ["the plan is gone"]
    state = plans[scene.plan_id][0]
    if not scene.is_rollback:
        fits = (PlanState.COMPLETED,) if outcome == "new" else (PlanState.APPROVED, PlanState.PAUSED)
        return [] if PlanState(state) in fits else [f"{outcome} tree, but the plan is {state}"]
    backs = [PlanState(entry[0]) for entry in plans.values() if entry[1] == scene.plan_id]
    if outcome == "new":
        agrees = state == "rolled_back" and PlanState.COMPLETED in backs
    else:
        agrees = state == "completed" and PlanState.COMPLETED not in backs
    return [] if agrees else [f"{outcome} tree, but the plan is {state} and its rollbacks are {backs}"]


def difference(now: Tree, scene: Scene) -> str:
    new = {name for name in now.keys() | scene.new.keys() if now.get(name) != scene.new.get(name)}
    old = {name for name in now.keys() | scene.old.keys() if now.get(name) != scene.old.get(name)}
    return f"differs from the old tree in {sorted(old)}, from the new one in {sorted(new)}"
