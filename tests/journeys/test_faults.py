"""An exception that nobody caught: said once, and nothing that was decided or typed is lost."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QTimer
from PySide6.QtGui import QGuiApplication

from studio.ui.help.fault_banner import FaultBanner
from studio.ui.limits import FAULTS_LOGGED
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person

pytestmark = pytest.mark.expects_log(
    "^ERROR studio: (Uncaught|A job of the window|A thread ended|Ignored|Exception in callback|A fault can)"
)


@pytest.fixture(autouse=True)
def hears_faults(desktop: Desktop) -> Iterator[None]:
    """As the program does, where a test would fail with the exception."""
    faults = desktop.session.faults
    faults.begin(asyncio.get_event_loop())
    ours = sys.excepthook
    yield
    faults.end()
    assert sys.excepthook is not ours, "whoever had it before has it again"


class OnPurposeError(Exception):
    pass


def fail(*_: object) -> None:
    raise OnPurposeError(f"on purpose, in {Path.home()}/work")


def fail_in_a_slot() -> None:
    QTimer.singleShot(0, fail)


def strip_of(person: Person) -> FaultBanner:
    strip = person.find("fault")
    assert isinstance(strip, FaultBanner)
    return strip


def wait_for_title(person: Person, words: str) -> None:
    wait_for(lambda: words in strip_of(person).title.text(), f"“{words}” in the banner")


def test_what_is_decided_and_typed_outlives_a_fault(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("A")
    person.wait_for_step(2)
    person.press("R")
    field = person.focused()
    person.type("half a rea")
    fail_in_a_slot()
    strip = strip_of(person)
    assert person.focused() is field, "it takes no keyboard from somebody who types"
    assert strip.title.text() == "Exacta Studio encountered an internal error."
    for words in ("No files are partially written", "Your decisions are saved", "Your text is saved"):
        wait_for(lambda words=words: words in strip.words.text(), f"“{words}” in {strip.words.text()}")
    assert harbour.agent.states(plan) == ["approved", "pending", "pending"], "recorded before it failed"
    assert person.desk.project.unsent.is_stored()
    assert harbour.untouched()
    person.type("son")
    person.window.close()
    again = desktop.open(harbour.root)
    again.click_step(plan, 2)
    again.wait_for_step(2)
    again.press("R")
    reason = again.panes.pages.step.reason.editor
    wait_for(lambda: reason.toPlainText() == "half a reason", "what was typed")
    again.press("Escape")
    again.click_step(plan, 3)
    again.wait_for_step(3)
    again.clock.stop()
    fail_in_a_slot()
    strip = strip_of(again)
    again.press("A")
    assert harbour.agent.states(plan)[2] == "pending", "the panes had just given way to the strip"
    again.clock.go_on()
    again.press("Escape")
    wait_for(strip.isHidden, "the banner to be closed")
    fail_in_a_slot()
    wait_for_title(again, "internal error.")
    assert "times" not in strip.title.text(), "counted from one again"
    again.wait_until_on("approve_step")
    again.press("A")
    wait_for(lambda: harbour.agent.states(plan)[2] == "approved", "the step to be approved after a fault")


def test_every_way_an_exception_can_get_lost_ends_in_one_strip_and_a_short_log(
    harbour: Harbour, desktop: Desktop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    person = desktop.open(None)
    before = len(person.window.children())
    fail_in_a_slot()
    assert "No project is open in this window" in strip_of(person).words.text()
    thread = threading.Thread(target=fail)
    thread.start()
    thread.join()

    class Leaves:
        def __del__(self) -> None:
            fail()

    Leaves()
    asyncio.get_event_loop().call_soon(fail)
    desktop.runner.call(fail)
    desktop.runner.compute(fail)
    desktop.runner.call(int, then=fail)
    wait_for_title(person, "(7 times)")
    assert not person.window.notice.isVisible()
    person.click("fault-show")
    shown = strip_of(person).details.toPlainText()
    assert "OnPurposeError" in shown
    assert "~/work" in shown
    assert str(Path.home()) not in shown
    person.click("fault-copy")
    assert QGuiApplication.clipboard().text() == shown

    for _ in range(500):
        fail_in_a_slot()
    wait_for_title(person, "(507 times)")
    written = [record for record in caplog.records if record.levelno >= logging.ERROR]
    assert len(written) == FAULTS_LOGGED
    assert len(person.window.findChildren(FaultBanner)) == 1
    assert len(person.window.children()) <= before + 1
    person.click("fault-diagnostics")
    assert person.find("diagnostics").accessibleName() == "Diagnostics"
    person.press("Escape")

    person.click("fault-close")
    monkeypatch.setattr(FaultBanner, "show_fault", fail)
    fail_in_a_slot()
    wait_for(lambda: "A fault can't be shown" in caplog.messages, "the log")
    assert not person.sees("fault")
