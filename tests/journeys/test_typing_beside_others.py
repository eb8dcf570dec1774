"""Typing while other processes take away what is typed about: no letter becomes anything else (promise 4)."""

from __future__ import annotations

import json

from PySide6.QtWidgets import QApplication

from tests.doors.conftest import set_configuration
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with

EVERY_COMMAND = "arznyvxlecuwfbpijk 123 "
"""Every command of one sign."""


def test_a_reason_stays_what_it_is_when_the_project_is_forgotten(harbour: Harbour, desktop: Desktop) -> None:
    """The store is deleted under the window, and the agent of another plan submits again."""
    set_configuration("review: {command_line: allow}")
    first = harbour.propose("First", one_txt=lines_with(l3="changed 3", l30="changed 30"))
    harbour.propose("Second", two_txt=lines_with(l5="changed 5"))
    QApplication.clipboard().setText("mine")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    ran: list[str] = []
    person.press("R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the reason")
    person.control.actions.triggered.connect(ran.append)
    person.type("Bec")
    harbour.agent.run("forget")
    file = harbour.texts / "anew.json"
    file.write_text(json.dumps({"title": "Anew", "steps": [{"op": "delete", "path": "two.txt"}]}))
    anew = harbour.agent.submit(file, "Anew")
    looked: list[bool] = []
    person.desk.queue.store_changed.connect(lambda: looked.append(True))
    person.desk.queue.disk_changed()
    wait_for(lambda: looked, "the window to look at the store")
    person.wait_until_on("palette")
    person.type(EVERY_COMMAND)
    assert person.find("reason-editor").toPlainText() == "Bec" + EVERY_COMMAND
    assert not ran, f"prose ran {ran}"
    assert person.place[0] in (first, ""), "the window went elsewhere under the hands"
    assert harbour.agent.states(anew) == ["pending"] and harbour.untouched()
    assert QApplication.clipboard().text() == "mine"
