"""Uncommitted changes are reviewed and taken back by clicks, while another process commits and edits."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication

from tests.engine.git_data.repositories import commit, git, init
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person

BEFORE = lines_with()
CHANGED = lines_with(l3="changed 3", l30="changed 30")


@pytest.fixture
def repository(harbour: Harbour) -> Path:
    init(harbour.root)
    git(harbour.root, "add", "-A")
    commit(harbour.root, {"one.txt": BEFORE, "two.txt": BEFORE, "three.txt": BEFORE})
    harbour.write("one.txt", CHANGED)
    harbour.write("two.txt", CHANGED)
    harbour.write("fresh.txt", "fresh\n")
    return harbour.root


def open_step(person: Person, plan: str, path: str) -> None:
    steps = {
        step.path: step.number for each in person.desk.queue.plans if each.id == plan for step in each.steps
    }
    person.click_step(plan, steps[path])
    person.wait_for_step(steps[path])


def current(person: Person) -> str:
    plan = person.desk.queue.current_plan
    return plan.id if plan is not None else ""


def shown_review(person: Person, than: str = "") -> str:
    def is_shown() -> bool:
        plan = person.desk.queue.current_plan
        return plan is not None and plan.is_review and plan.id != than

    wait_for(is_shown, "the review on screen")
    return current(person)


def reject(person: Person) -> None:
    person.press("R")
    wait_for(lambda: person.focused().objectName() == "reason-editor", "the editor")
    person.type("Not needed")
    wait_for(person.panes.pages.step.reason.reject.isEnabled, "Reject step to be on")
    person.press("Ctrl+Return")


def test_hunks_and_files_are_taken_back_and_the_undo_brings_them_again(
    harbour: Harbour, desktop: Desktop, repository: Path
) -> None:
    """A rejected hunk and an untracked file go by an ordinary plan; what another process wrote stays."""
    person = desktop.open(harbour.root)
    person.click("empty-review")
    review = shown_review(person)
    wait_for(lambda: person.find("toolbar-apply").text() == "Revert rejected", "what Apply would do")
    assert not person.find("toolbar-apply").isEnabled()
    open_step(person, review, "one.txt")
    person.click_hunk_box(2)
    person.wait_for_step(1)
    headings = person.panes.pages.step.diff.headings.texts()
    assert headings == ("Before · HEAD", "After this step · hunk 2 excluded")
    person.press("A")
    wait_for(lambda: harbour.agent.states(review)[0] == "approved", "the approval")
    open_step(person, review, "fresh.txt")
    reject(person)
    wait_for(lambda: person.find("toolbar-apply").text() == "Revert rejected (2)", "what is to be taken back")
    assert (harbour.read("one.txt"), harbour.read("fresh.txt")) == (CHANGED, "fresh\n")
    harbour.write("one.txt", lines_with(l3="changed 3", l15="by others", l30="changed 30"))
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    wait_for(lambda: current(person) not in ("", review), "the plan that takes it back")
    plan = current(person)
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    wait_for(lambda: harbour.agent.json("show", plan)["state"] == "approved", "the approval")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 2 files")
    assert harbour.read("one.txt") == lines_with(l3="changed 3", l15="by others")
    assert not (repository / "fresh.txt").exists()
    person.click("status-undo")
    person.wait_until_said("Rolled back 2 files")
    assert harbour.read("one.txt") == lines_with(l3="changed 3", l15="by others", l30="changed 30")
    assert harbour.read("fresh.txt") == "fresh\n"
    harbour.write("one.txt", CHANGED)
    wait_for(lambda: harbour.agent.states(review) == ["approved", "pending", "rejected"], "the mark again")
    open_step(person, review, "two.txt")
    person.press("A")
    person.click_step(review)
    person.click("plan-copy_message")
    person.wait_until_said("Copied the commit message.")
    assert QGuiApplication.clipboard().text().startswith("Modify one.txt and 1 more\n")


def test_a_review_is_made_again_while_others_commit_switch_and_stash(
    harbour: Harbour, desktop: Desktop, repository: Path
) -> None:
    """What is unchanged keeps its marks, a changed file is stale, and nothing left ends the review."""
    person = desktop.open(harbour.root)
    person.press("Ctrl+Shift+R")
    review = shown_review(person)
    open_step(person, review, "one.txt")
    person.press("A")
    wait_for(lambda: "approved" in harbour.agent.states(review), "the mark")
    open_step(person, review, "two.txt")
    harbour.write("two.txt", lines_with(l3="again"))
    person.click("strip-review_changes")
    again = shown_review(person, than=review)
    states = dict(zip(("one.txt", "two.txt", "fresh.txt"), harbour.agent.states(again), strict=True))
    assert states == {"one.txt": "approved", "two.txt": "pending", "fresh.txt": "pending"}
    assert harbour.agent.json("show", review)["state"] == "cancelled"
    shown = person.desk.queue.current_plan
    assert shown is not None
    viewed = [person.desk.viewed.has(shown, step) for step in shown.steps]
    assert viewed == [True, False, False], "what was approved was viewed, and is unchanged"

    git(repository, "stash", "-q")
    wait_for(lambda: harbour.agent.states(again)[:2] == ["stale", "stale"], "the stash to be seen")
    git(repository, "stash", "pop", "-q")
    wait_for(lambda: harbour.agent.states(again)[:2] == ["approved", "pending"], "the files again")
    git(repository, "checkout", "-q", "-b", "other")
    git(repository, "commit", "-q", "-a", "-m", "by others")
    person.click_step(again)
    person.click("plan-review_changes")
    left = shown_review(person, than=again)
    assert [step["path"] for step in harbour.agent.json("show", left)["steps"]] == ["fresh.txt"]
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "rest")
    person.click("plan-review_changes")
    person.wait_until_said("No differences found.")
    wait_for(lambda: person.sees("empty-review"), "the empty queue")


def test_commits_of_a_branch_are_approved_into_the_files(
    harbour: Harbour, desktop: Desktop, repository: Path
) -> None:
    """A review of commits, made at the command line, becomes an ordinary plan by a click."""
    git(repository, "checkout", "-q", "-b", "feature")
    git(repository, "add", "-A")
    git(repository, "commit", "-q", "-m", "feature")
    git(repository, "checkout", "-q", "main")
    review = harbour.agent.json("review", "main..feature")["plan"]
    person = desktop.open(harbour.root)
    open_step(person, review, "two.txt")
    person.press("A")
    wait_for(lambda: "approved" in harbour.agent.states(review), "the mark")
    assert person.panes.pages.step.diff.headings.texts()[0] == "Before · main"
    person.click_step(review)
    person.click("plan-propose_approved")
    wait_for(lambda: current(person) not in ("", review), "the plan")
    person.click("plan-approve_undecided")
    person.click("plan-approve-now")
    person.wait_until_on("apply")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file")
    assert (harbour.read("one.txt"), harbour.read("two.txt")) == (BEFORE, CHANGED)
