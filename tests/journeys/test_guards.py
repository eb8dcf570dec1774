"""Presses that must decide nothing, in the real window."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QApplication

from tests.doors.conftest import set_configuration
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

EVERY_COMMAND = "arznyvxlecuwfbpijkdg 123 "
"""Every command of one sign."""


def nothing_is_decided(person: Person) -> bool:
    return all(step.decision is None for plan in person.desk.queue.plans for step in plan.steps)


def test_a_press_right_after_a_change_and_a_reason_of_a_forgotten_plan_decide_nothing(
    harbour: Harbour, desktop: Desktop
) -> None:
    """9.1: the file moves away and comes back; the step is open again, and the hand is already falling.

    Then the store is deleted under the window, and the agent of another plan submits again.
    """
    set_configuration("review: {command_line: allow}")
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    second = harbour.propose("Second", one_txt=lines_with(l3="changed 3", l30="changed 30"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    approve = person.find("step-approve_step")
    harbour.write("two.txt", "something else\n")
    wait_for(lambda: person.desk.queue.plans[0].stale, "the step to turn stale")
    input_guard = person.desk.guards.dead_time
    wait_for(lambda: not input_guard.seconds_left, "the end of the dead time")
    person.clock.stop()
    harbour.write("two.txt", lines_with())
    wait_for(lambda: not person.desk.queue.plans[0].stale, "the step to be open again")
    person.click_on(approve)
    person.press("A")
    assert input_guard.seconds_left > 0, "no dead time began"
    person.clock.go_on()
    wait_for(lambda: not input_guard.seconds_left, "the end of the dead time")
    person.wait_until_on("approve_step")
    assert nothing_is_decided(person), "the presses were kept and carried out later"

    person.wait_for_step(1)
    person.click_on(approve)
    wait_for(lambda: not nothing_is_decided(person), "the decision")
    assert harbour.agent.states(plan) == ["approved"]

    QApplication.clipboard().setText("mine")
    person.click_step(second, 1)
    person.wait_for_step(1)
    ran: list[str] = []
    person.press("R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the reason")
    person.control.actions.triggered.connect(ran.append)
    person.type("Bec")
    harbour.agent.run("forget")
    file = harbour.texts / "anew.json"
    file.write_text(json.dumps({"title": "Anew", "steps": [{"op": "delete", "path": "three.txt"}]}))
    anew = harbour.agent.submit(file, "Anew")
    looked: list[bool] = []
    person.desk.queue.store_changed.connect(lambda: looked.append(True))
    person.desk.queue.disk_changed()
    wait_for(lambda: looked, "the window to look at the store")
    person.wait_until_on("palette")
    person.type(EVERY_COMMAND)
    assert person.find("reason-editor").toPlainText() == "Bec" + EVERY_COMMAND
    assert not ran, f"prose ran {ran}"
    assert person.place[0] in (second, ""), "the window went elsewhere under the hands"
    assert harbour.agent.states(anew) == ["pending"] and harbour.untouched()
    assert QApplication.clipboard().text() == "mine"
