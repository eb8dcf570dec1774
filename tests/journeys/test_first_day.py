"""The first steps: shown once, never in the way, and true in what they say is done."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from PySide6.QtWidgets import QLineEdit

from studio.engine.app_folders import config_directory, demo_directory, state_directory
from studio.engine.gate import Gate, GateStanding
from studio.ui.actions.action import Action
from studio.ui.settings import Settings
from studio.ui.window.first_day import FirstDayPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person
from tests.tools.rights import IS_ROOT

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


@pytest.mark.parametrize("way", ["Done", "Escape"])
def test_it_is_shown_once(desktop: Desktop, way: str) -> None:
    person = desktop.open(None)
    assert page_of(person).isVisible() and not person.sees("start-page")
    assert not is_marked(), "it is not over before the person says so"
    if way == "Done":
        person.click("first-day-done")
    else:
        person.press(way)
    wait_for(lambda: person.sees("start-page"), "the start page")
    assert is_marked()
    person.window.close()
    again = desktop.open(None)
    assert again.sees("start-page") and not again.sees("first-day")


def test_a_project_that_is_named_comes_first(harbour: Harbour, desktop: Desktop) -> None:
    person = desktop.open(harbour.root)
    assert not person.sees("first-day")
    person.window.close()
    again = desktop.open(None)
    assert again.sees("start-page") and not again.sees("first-day"), "somebody has begun already"


def test_a_project_opened_from_it_ends_it(harbour: Harbour, desktop: Desktop) -> None:
    person = desktop.open(None)
    person.click("first-day-open")
    dialog = person.find("file-dialog")
    name = dialog.findChild(QLineEdit, "fileNameEdit")
    assert name is not None
    name.setText(str(harbour.root))
    dialog.accept()
    wait_for(lambda: person.control.desk is not None, "the project")
    assert person.window.over is None and is_marked()


def test_a_project_that_can_not_be_opened_ends_nothing(harbour: Harbour, desktop: Desktop) -> None:
    person = desktop.open(None)
    person.control.project_wanted.emit(harbour.root / "gone")
    wait_for(lambda: person.control.failure is not None, "the failure")
    assert person.sees("start-page") and not person.sees("first-day"), "what went wrong is to be read"
    assert not is_marked()


def test_it_comes_back_over_a_project_and_goes_again(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose("One file", one_txt="changed\n")
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.control.actions.trigger(Action.FIRST_STEPS)
    page = page_of(person)
    assert page.is_done("open") and not page.is_done("demo") and not page.is_done("connect_agents")
    person.press("A")
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the panes")
    assert harbour.agent.states(plan) == ["pending"]


def test_what_it_says_is_done_is_so(desktop: Desktop) -> None:
    """An agent is connected, and rules are written by another program, while the page is open."""
    person = desktop.open(None)
    page = page_of(person)
    steps = ("open", "connect_agents", "rules", "demo")
    assert [page.is_done(step) for step in steps] == [False] * 4
    person.control.show_gates((GateStanding("codex", Gate.CLOSED, True, "It wrote in none of the ways."),))
    assert page.is_done("connect_agents")
    own = config_directory() / "config.yaml"
    own.write_text("schema_version: 1\nreview: {groups: []}\n")
    let_pass(0.1)
    page.looked_at.emit()
    assert not page.is_done("rules"), "that is no rule"
    own.write_text("schema_version: 1\nfile_rules: {deny: ['*.pem']}\n")
    wait_for(lambda: page.is_done("rules"), "the rules")
    own.write_text("file_rules: [broken\n")
    wait_for(lambda: not page.is_done("rules"), "the rules to count no more")
    person.control.show_gates(())
    assert not page.is_done("connect_agents")


def test_a_demo_counts_once_it_was_opened(desktop: Desktop) -> None:
    project = demo_directory() / "tidewatch"
    project.mkdir(parents=True)
    person = desktop.open(project)
    person.control.show_first_steps()
    assert page_of(person).is_done("demo")


@pytest.mark.parametrize("step", ["connect_agents", "rules"])
def test_it_waits_below_the_page_that_a_step_opened(desktop: Desktop, step: str) -> None:
    person = desktop.open(None)
    first = page_of(person)
    person.click(f"first-day-{step}")
    person.find("settings-page")
    assert not first.isVisible() and not is_marked()
    person.click("settings-close")
    wait_for(first.isVisible, "the first steps again")
    person.press("Escape")
    wait_for(lambda: person.sees("start-page"), "the start page")
    assert is_marked()


@pytest.mark.parametrize("text", ["[General]\nrecent_projects=12\n", "\0\xff[[", "first_day"])
def test_settings_that_are_broken_are_no_first_day_twice(desktop: Desktop, text: str) -> None:
    """Whatever stands in them: the window comes up, and what is closed stays closed."""
    (state_directory() / INI).write_bytes(text.encode("latin-1"))
    person = desktop.open(None)
    if person.sees("first-day"):
        person.press("Escape")
    wait_for(lambda: person.sees("start-page"), "the start page")
    person.window.close()
    assert not desktop.open(None).sees("first-day")


def _close(ini: Path) -> None:
    ini.write_text("[General]\ntheme=dark\n")
    ini.chmod(0o400)


@pytest.mark.parametrize(
    "spoil",
    [Path.mkdir, lambda ini: ini.symlink_to("/nowhere/at/all.ini"), _close],
    ids=["a folder", "a link to nowhere", "read only"],
)
def test_settings_that_keep_nothing_show_no_first_steps(
    desktop: Desktop, spoil: Callable[[Path], object]
) -> None:
    """They would come at every start."""
    spoil(state_directory() / INI)
    person = desktop.open(None)
    keeps = spoil is _close and IS_ROOT
    assert person.sees("first-day") == keeps and person.sees("start-page") != keeps
    person.control.show_first_steps()
    page_of(person)
    person.press("Escape")
    wait_for(lambda: person.sees("start-page"), "the start page")
