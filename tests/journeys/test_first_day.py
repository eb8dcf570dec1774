"""The first steps: shown once, never in the way, and true in what they say is done."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit

from studio.extras.agents import Gate, GateStatus
from studio.program.app_folders import config_directory, demo_directory, state_directory
from studio.ui.actions.action import Action
from studio.ui.settings import Settings
from studio.ui.window.first_steps import FirstDayPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person, Program

INI = "window.ini"


@pytest.fixture
def is_first_day() -> bool:
    return True


def page_of(person: Person) -> FirstDayPage:
    page = person.find("first-day")
    assert isinstance(page, FirstDayPage)
    return page


def is_marked() -> bool:
    return not Settings(state_directory() / INI).is_first_day


def test_it_is_shown_once_and_a_project_opened_from_it_ends_it(harbour: Harbour, desktop: Desktop) -> None:
    person = desktop.open(None)
    first = page_of(person)
    assert first.isVisible() and not person.sees("start-page")
    for step in ("connect_agents", "rules"):
        person.click(f"first-day-{step}")
        person.find("settings-page")
        assert not first.isVisible() and not is_marked()
        person.click("settings-close")
        wait_for(first.isVisible, "it to wait below the page that a step opened")
    person.control.project_wanted.emit(harbour.root / "gone")
    wait_for(lambda: person.control.failure is not None, "the failure")
    assert not is_marked(), "what can't be opened ends nothing"
    person.window.close()

    person = desktop.open(None)
    assert person.sees("first-day")
    person.click("first-day-open")
    dialog = person.find("file-dialog")
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    assert name is not None
    name.setText(str(harbour.root))
    dialog.accept()
    wait_for(lambda: person.control.desk is not None, "the project")
    assert person.window.over is None and is_marked()
    person.window.close()
    again = desktop.open(None)
    assert again.sees("start-page") and not again.sees("first-day")


def test_it_comes_back_over_a_demo_decides_nothing_and_says_what_is_done(
    desktop: Desktop, tmp_path: Path
) -> None:
    """An agent is connected, and rules are written by another program, while the page is open."""
    project = demo_directory() / "tidewatch"
    project.mkdir(parents=True)
    (project / "one.txt").write_text("one\n")
    diff = tmp_path / "one.diff"
    diff.write_text("--- a/one.txt\n+++ b/one.txt\n@@ -1 +1 @@\n-one\n+two\n")
    plan = Program(project).submit(diff, "One file")
    person = desktop.open(project)
    assert not person.sees("first-day"), "a project that is named comes first"
    person.wait_for_step(1)
    person.control.actions.trigger(Action.FIRST_STEPS)
    page = page_of(person)
    steps = ("open", "connect_agents", "rules", "demo")
    assert [page.is_done(step) for step in steps] == [True, False, False, True]
    person.press("A")
    person.control.show_gates(
        (GateStatus("codex", Gate.CLOSED, True, "The client wrote nothing in any failure we tested."),)
    )
    assert page.is_done("connect_agents")
    own = config_directory() / "config.yaml"
    own.write_text("schema_version: 1\nreview: {groups: []}\n")
    page.looked_at.emit()
    assert not page.is_done("rules"), "that is no rule"
    own.write_text("schema_version: 1\nfile_rules: {deny: ['*.pem']}\n")
    wait_for(lambda: page.is_done("rules"), "the rules")
    own.write_text("file_rules: [broken\n")
    wait_for(lambda: not page.is_done("rules"), "the rules to count no more")
    person.control.show_gates(())
    assert not page.is_done("connect_agents")
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the panes")
    assert person.desk.queue.plans[0].id == plan and not person.desk.queue.plans[0].steps[0].decision
