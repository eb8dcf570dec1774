"""The demo in the window, and what becomes of it on disk."""

from __future__ import annotations

import hashlib
from functools import partial
from pathlib import Path

from studio.doors.cli.commands.demo import prepare_demo
from studio.engine.plan import PlanState, StepState
from studio.ui.history.history_rows import why_not_rolled_back
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.person import Person, Program
from tests.tools.packages import contents


def hashes_on_disk(root: Path, path: str) -> str | None:
    try:
        with (root / path).open("rb") as stream:
            return hashlib.sha256(stream.read()).hexdigest()
    except FileNotFoundError:
        return None


def approve_whole_plan(person: Person, plan: str) -> None:
    """Discard what is stale, accept what looks like a secret, and approve the rest over the plan's banner."""
    shown = next(each for each in person.desk.queue.plans if each.id == plan)
    for step in shown.steps:
        if step.state is StepState.STALE:
            person.click_step(plan, step.number)
            person.click("strip-discard_stale")
            wait_for(partial(_is_rejected, person, plan, step.number), "the discarded step")
        elif any(fact.kind == "secret" for fact in step.facts):
            person.click_step(plan, step.number)
            person.wait_for_step(step.number)
            person.click("secrets-accept")
    person.click_step(plan)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")


def _is_rejected(person: Person, plan: str, number: int) -> bool:
    shown = next(each for each in person.desk.queue.plans if each.id == plan)
    return shown.steps[number - 1].state is StepState.REJECTED


def _has_entries(person: Person, count: int) -> bool:
    return len(person.history_states()) == count


def test_the_demo_from_its_first_plan_to_its_last_and_back(tmp_path: Path, desktop: Desktop) -> None:
    """All seven plans: what was reviewed is on disk by its hash; taken back, the tree is as it was."""
    root = prepare_demo(tmp_path / "tidewatch")
    before = contents(root)
    agent = Program(root)
    person = desktop.open(root)
    wait_for(lambda: len(person.desk.queue.plans) == 7, "seven plans")
    applied: list[str] = []
    refused = stale = 0
    for plan in [each.id for each in person.desk.queue.plans]:
        shown = next(each for each in person.desk.queue.plans if each.id == plan)
        refused += sum(step.state is StepState.INVALID for step in shown.steps)
        stale += sum(step.state is StepState.STALE for step in shown.steps)
        approve_whole_plan(person, plan)
        person.wait_until_on("apply")
        person.click("toolbar-apply")
        wait_for(partial(_has_entries, person, len(applied) + 1), f"“{shown.title}” in the history")
        applied.append(plan)
        for step in agent.json("show", plan)["steps"]:
            if step["state"] != "applied":
                assert step["state"] in ("invalid", "rejected")
            elif step["op"] != "mkdir":
                assert hashes_on_disk(root, step.get("to") or step["path"]) == step["result_sha256"]
    assert (len(applied), refused, stale) == (7, 1, 1)
    assert contents(root) != before

    for row in range(len(applied)):
        # Each rollback stands above the plans: the next one to take back is two rows further down.
        person.open_rollback(2 * row)
        person.click("rollback-write")
        wait_for(partial(_has_entries, person, len(applied) + row + 1), "the rollback")
    assert contents(root) == before
    assert {agent.json("show", plan)["state"] for plan in applied} == {PlanState.ROLLED_BACK.value}
    newest = person.desk.queue.history[0]
    assert why_not_rolled_back(newest) == ""
