"""What is left of an action once somebody has recovered: is everything at rest, and does everything agree."""

from __future__ import annotations

from typing import Any

from studio.engine.history.history_list import entries
from studio.engine.store import Store
from studio.errors import StudioError
from studio.journal.entries import REPLY_TYPES, FileFault
from tests.faults.bench import Bench, tree
from tests.faults.outcomes import Scene, difference, disagreements
from tests.tools.inside import context_of


def recover(bench: Bench) -> None:
    """As the next process does that opens the project."""
    workspace = bench.open()
    try:
        workspace.recover()
    finally:
        workspace.close()


def recover_twice(bench: Bench) -> dict[str, Any]:
    """Recover, and once more: the states afterwards, and whether the second time changed any."""
    recover(bench)
    first_tree, first = tree(bench.project), look(bench)
    recover(bench)
    return {**first, "is_stable": first_tree == tree(bench.project) and first == look(bench)}


def look(bench: Bench) -> dict[str, Any]:
    """What plans, journal and history say."""
    workspace = bench.open()
    try:
        store = context_of(workspace).store
        plans = store.plans.all()
        return {
            "plans": {
                plan.id: [plan.state.value, plan.rolls_back, [step.state.value for step in plan.steps]]
                for plan in plans
            },
            "parts": {plan.id: len(plan.parts) for plan in plans},
            "unanswered": sum(len(store.journal.unanswered(plan.id)) for plan in plans),
            "answers": {plan.id: _answers(store, plan.id) for plan in plans},
            "history": {entry.plan.id: entry.kept for entry in entries(context_of(workspace))},
            "unfinished": len(store.plans.unfinished()),
            "damage": store.journal.verify().damaged_at,
            "rows": len(store.journal.rows()),
            "notices": list(workspace.notices),
        }
    finally:
        workspace.close()


def _answers(store: Store, plan_id: str) -> str:
    """How the requests of a plan's last attempt were answered: done, not done, or mixed."""
    last = {request.correlation_id for _, request in store.journal.last_requests(plan_id)}
    found = {
        "not done" if isinstance(row.entry, FileFault) else "done"
        for row in store.journal.rows(plan_id=plan_id)
        if isinstance(row.entry, REPLY_TYPES) and row.entry.correlation_id in last
    }
    return found.pop() if len(found) == 1 else "mixed" if found else "none"


def judge(bench: Bench, scene: Scene, seen: dict[str, Any]) -> tuple[str, list[str]]:
    """old, new or mixed; and everything else that is wrong after `recover_twice`."""
    faults: list[str] = []
    now = tree(bench.project)
    outcome = "old" if now == scene.old else "new" if now == scene.new else "mixed"
    if outcome == "mixed":
        faults.append(difference(now, scene))
    if not seen["is_stable"]:
        faults.append("a second recovery changed something")
    if seen["unfinished"] or seen["unanswered"] or seen["damage"] is not None or seen["notices"]:
        faults.append(f"the store is not at rest: {seen}")
    if outcome in ("old", "new"):
        faults += disagreements(scene, outcome, seen)
    return outcome, faults


def judge_here(bench: Bench, scene: Scene) -> tuple[str, list[str]]:
    """Recover in this process, twice, and judge."""
    try:
        seen = recover_twice(bench)
    except StudioError as error:
        return "unrecovered", [f"recovery was refused: {error}"]
    return judge(bench, scene, seen)
