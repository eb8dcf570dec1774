"""Commands in the sandbox, by hand: run, looked at while they run, stopped, tried with a plan."""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import pytest

from studio.engine.plan import StepState
from studio.errors import FileError
from studio.extras.agents import Logins
from studio.ui.actions.action import Action
from studio.ui.facts.facts_view import WarningText
from studio.ui.review.state import Running
from studio.ui.worker import THREAD
from tests.doors.conftest import set_configuration
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.tools.sandboxed import container_root, opened

LONG = 1_000_000 + os.getpid()
"""Seconds that no other process sleeps."""


@pytest.fixture(autouse=True)
def confined(harbour: Harbour) -> None:
    opened(harbour.root).close()


def type_command(person: Person, line: str) -> None:
    """Put a command into the field that has the keyboard, all of it anew."""
    field = person.panes.dock.commands.line
    wait_for(field.hasFocus, "the field for the command")
    person.press("Ctrl+A")
    person.type(line)
    wait_for(lambda: field.currentText() == line, f"{line} in the field, not {field.currentText()}")


def printed(person: Person) -> str:
    return person.panes.dock.commands.view.toPlainText()


def wait_for_end(person: Person) -> None:
    wait_for(lambda: person.desk.commands.running is Running.NOTHING, "the end of the command")


def paths_of(person: Person) -> dict[str, StepState]:
    return {step.path: step.state for plan in person.desk.queue.plans for step in plan.steps}


def type_command_anew(person: Person, line: str) -> None:
    person.click("command-line-text")
    type_command(person, line)


def sleeping() -> bool:
    found: list[str] = []
    for line in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):
            found.append(line.read_bytes().decode("utf-8", "replace"))
    return any(f"sleep\x00{LONG}" in line for line in found)


def test_a_command_is_looked_at_stopped_killed_and_refused_and_the_next_one_runs(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Closing the window ends it too."""
    set_configuration("sandbox: {network: {curl: true}}")
    person = desktop.open(harbour.root)
    person.control.trigger(Action.RUN_COMMAND)
    panel, commands = person.panes.dock.commands, person.desk.commands
    script = "echo 1 > a.txt; echo one; while ! test -e b.txt; do sleep 0.05; done"
    type_command(person, f"sh -c '{script}'")
    person.click("command-run")
    wait_for(lambda: "one" in printed(person), "the first word")
    person.click("command-look")
    wait_for(lambda: set(paths_of(person)) == {"a.txt"}, "what is there so far")
    assert commands.running is Running.COMMAND
    person.click("command-stop")
    wait_for_end(person)
    assert "stopped by hand" in commands.status
    assert len(person.desk.queue.plans) == 1 and harbour.untouched()
    assert not (harbour.root / "a.txt").exists()

    type_command_anew(person, f"sh -c 'echo x > x.txt; sleep {LONG}'")
    person.click("command-run")
    person.click("command-stop")  # before it has begun
    wait_for_end(person)
    wait_for(lambda: not sleeping(), "its end")

    def unreadable(_names: Sequence[str]) -> Logins:
        raise FileError("login.read", "The settings of gemini can't be read.", "Check their rights.")

    commands.set_login_reader(unreadable)
    type_command_anew(person, "echo with a login")
    panel.login.choose("gemini")
    person.click("command-run")
    person.wait_until_said("The settings of gemini can't be read.")
    wait_for_end(person)
    assert "Check their rights." in commands.status and not printed(person)

    type_command_anew(person, "curl x")
    wait_for(panel.network.isChecked, "the network as the person's own file says")
    type_command(person, "true")
    assert not panel.network.isChecked() and panel.login.login == "", "another program was given none"
    person.click("command-network")
    person.click("command-run")
    wait_for(lambda: "with the network" in commands.status, "the end")
    type_command_anew(person, "echo other")
    assert not panel.network.isChecked()
    type_command(person, "true again")
    assert panel.network.isChecked()

    type_command_anew(person, f"sh -c 'echo begun; sleep {LONG}'")
    person.press("Return")
    wait_for(lambda: "begun" in printed(person), "the first word")
    for child in multiprocessing.active_children():
        if child.name == THREAD:
            child.kill()
    wait_for_end(person)
    assert "was killed" in commands.status
    wait_for(lambda: not sleeping(), "the end of the command")
    type_command_anew(person, f"sh -c 'echo again; sleep {LONG}'")
    person.press("Return")
    wait_for(lambda: printed(person) == "again\n" and sleeping(), "the next one")
    person.press("Ctrl+W")
    wait_for(lambda: not sleeping(), "a command ends with its window")


def test_a_plan_is_tried_as_it_is_chosen_and_a_later_choice_makes_it_stale(
    harbour: Harbour, desktop: Desktop
) -> None:
    set_configuration("sandbox: {try: ['grep -c changed one.txt']}")
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.click_hunk_box(2)
    person.press("T")
    field = person.panes.dock.commands.line
    wait_for(field.hasFocus, "the field for the command")
    wait_for(lambda: field.currentText() == "grep -c changed one.txt", "the person's own command in it")
    person.press("Return")
    person.wait_until_said("Passed: grep -c changed one.txt")
    assert printed(person) == "1\n", "the hunk that was left out was not tried"
    assert harbour.untouched()
    wait_for(
        lambda: "Passed: grep -c changed one.txt" in [block.title for block in shown(person)],
        "the trial among the facts",
    )
    assert not is_stale(person)
    person.click_step(plan, 1)
    person.click_hunk_box(2)
    wait_for(lambda: is_stale(person), "that something else would be written now")
    person.click_hunk_box(2)
    wait_for(lambda: not is_stale(person), "the choice as it was tried")

    type_command_anew(person, "true")
    person.press("Return")
    person.wait_until_said("true, run by")
    wait_for_end(person)
    type_command_anew(person, "false")
    person.press("Return")
    wait_for(lambda: len(harbour.agent.json("show", plan)["trials"]) == 3, "its trial")
    wait_for_end(person)
    trials = harbour.agent.json("show", plan)["trials"]
    assert [trial["remembered"] for trial in trials].count(True) == 1, "the person's own command alone"


def test_a_plan_is_tried_in_a_container(harbour: Harbour, desktop: Desktop) -> None:
    plan = harbour.propose_three()
    person = desktop.open(harbour.root)
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.press("T")
    type_command(person, "sh -c 'test $HOME = /run/home && grep -c changed one.txt'")
    person.click("command-container")
    person.type(container_root())
    person.click("command-try")
    person.wait_until_said(", run by")
    wait_for_end(person)
    [trial] = harbour.agent.json("show", plan)["trials"]
    assert (trial["way"], trial["exit"]) == ("container", 0) and harbour.untouched()


def shown(person: Person) -> list[WarningText]:
    sheet = person.panes.facts.facts_view
    return list(sheet.warnings) if sheet is not None else []


def is_stale(person: Person) -> bool:
    return any("This run is stale" in block.words for block in shown(person) if "grep" in block.title)


def test_an_apply_ends_all_commands_and_what_they_did_is_approved_and_written(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Those of the window and of a terminal."""
    plan = harbour.propose("A plan", two_txt=lines_with(l5="changed 5"))
    running = harbour.agent.start("run", "--", "sh", "-c", f"echo y > y.txt; sleep {LONG}")
    wait_for(sleeping, "the command of a terminal")
    person = desktop.open(harbour.root)
    person.control.trigger(Action.RUN_COMMAND)
    type_command(
        person, "sh -c 'echo new > new.txt; sed -i s/line.3$/changed/ one.txt; echo begun; sleep 60'"
    )
    person.press("Return")
    wait_for(lambda: "begun" in printed(person), "the first word")
    approve(person, plan)
    wait_for(lambda: "stops the command" in person.find("apply-sentence").text(), "that it ends the command")
    person.click("toolbar-apply")
    wait_for(lambda: harbour.read("two.txt") == lines_with(l5="changed 5"), "the plan on the disk")
    wait_for_end(person)
    assert "a plan is to be written" in person.desk.commands.status
    running.wait(20)
    wait_for(
        lambda: {"new.txt", "one.txt", "y.txt"} <= set(paths_of(person)), "what both had done until then"
    )
    assert harbour.read("one.txt") == lines_with() and not (harbour.root / "new.txt").exists()
    ours = next(each for each in person.desk.queue.plans if each.agent == "sh" and "begun" in each.message)
    approve(person, ours.id)
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied 2 files")
    assert (harbour.root / "new.txt").read_text() == "new\n"
    assert harbour.read("one.txt") == lines_with(l3="changed")


def approve(person: Person, plan: str) -> None:
    person.click_step(plan)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
