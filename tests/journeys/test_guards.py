"""Presses that must decide nothing, in the real window (look.md 9)."""

from __future__ import annotations

from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def nothing_is_decided(person: Person) -> bool:
    return all(step.decision is None for plan in person.desk.queue.plans for step in plan.steps)


def test_a_press_right_after_a_change_under_the_hand_decides_nothing(
    harbour: Harbour, desktop: Desktop
) -> None:
    """9.1: the file moves away and comes back; the step is open again, and the hand is already falling."""
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    approve = person.find("step-approve_step")
    harbour.write("two.txt", "something else\n")
    wait_for(lambda: person.desk.queue.plans[0].stale, "the step to turn stale")
    dead_time = person.desk.guards.dead_time
    wait_for(lambda: not dead_time.left, "the end of the dead time")
    person.clock.stop()
    harbour.write("two.txt", lines_with())
    wait_for(lambda: not person.desk.queue.plans[0].stale, "the step to be open again")
    person.click_on(approve)
    person.press("A")
    assert dead_time.left > 0, "no dead time began"
    person.clock.go_on()
    wait_for(lambda: not dead_time.left, "the end of the dead time")
    person.wait_until_on("approve_step")
    assert nothing_is_decided(person), "the presses were kept and carried out later"

    person.wait_for_step(1)
    person.click_on(approve)
    wait_for(lambda: not nothing_is_decided(person), "the decision")
    assert harbour.agent.states(plan) == ["approved"]
