"""A file changes on disk after its step was proposed: rebase, preview again, discard, settle conflicts."""

from __future__ import annotations

import subprocess

from studio.engine.plan import StepState
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_deciding import strip_words


def wait_for_stale(person: Person) -> None:
    wait_for(lambda: person.desk.rebase.staleness is not None, "the stale step looked at")
    person.wait_until_on("rebase")


def approve_and_apply(person: Person) -> None:
    person.wait_for_step(1)
    person.click("step-approve_step")
    person.click("toolbar-apply")
    person.wait_until_said("Applied 1 file")


def test_a_stale_step_is_rebased_with_the_text_begun_for_it_or_previewed_again(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Stale shows before the click; after B both changes are on disk, after P the result as proposed.

    What was typed when the window was closed is put on the file as it is then.
    """
    harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.wait_until_on("edit")
    person.press("E")
    wait_for(lambda: person.focused().objectName() == "result-text", "the editor")
    person.press("Ctrl+Home")
    person.type("mine ")
    person.window.close()
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    assert person.sees("strip-use_text")
    harbour.write("two.txt", lines_with(l30="by another program"))
    wait_for_stale(person)
    for words in ("1 line has changed.", "without conflicts.", "Your draft is kept."):
        assert words in strip_words(person, "step-strip")
    assert not person.find("step-approve_step").isEnabled()
    person.press("B")
    wait_for(lambda: person.sees("strip-use_text"), "the banner about the kept text")
    assert "will be applied to the current text" in strip_words(person, "step-strip")
    person.click("strip-use_text")
    wait_for(lambda: person.find("step-approve_step").text() == "Approve as edited", "the text in use")
    approve_and_apply(person)
    assert harbour.read("two.txt") == "mine " + lines_with(l5="changed 5", l30="by another program")
    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    person.wait_until_said("Rolled back 1 file")
    assert harbour.read("two.txt") == lines_with(l30="by another program")

    harbour.propose("Another place", three_txt=lines_with(l5="changed 5"))
    person.wait_for_step(1)
    harbour.write("three.txt", lines_with(l30="by another program"))
    wait_for_stale(person)
    person.press("P")
    person.wait_for_step(1)
    assert person.desk.shown.diff is not None and len(person.desk.shown.diff.changes) == 2
    approve_and_apply(person)
    assert harbour.read("three.txt") == lines_with(l5="changed 5")


def test_conflicts_are_settled_by_keys_buttons_and_typing_and_left_ones_are_kept(
    harbour: Harbour, desktop: Desktop
) -> None:
    """1 disk, 2 proposed, 3 both, E own lines; F what lies between, B what stood there; none of it writes."""
    mine = {"l3": "disk 3", "l15": "disk 15", "l30": "disk 30", "l40": "disk 40"}
    harbour.propose("Four places", one_txt=lines_with(l3="new 3", l15="new 15", l30="new 30", l40="new 40"))
    harbour.write("one.txt", lines_with(**mine, l22="disk 22"))
    person = desktop.open(harbour.root)
    wait_for_stale(person)
    assert "4 conflicts to resolve." in strip_words(person, "step-strip")
    person.press("B")
    pane, view = person.find("conflict-pane"), person.panes.pages.conflict.view
    person.click_on(person.find("conflict-view"))
    while view.current > 0:
        person.press("Alt+Up")
    use = person.find("conflict-use_result")
    assert not use.isEnabled()
    assert use.toolTip() == "4 conflicts are unresolved."
    rows = len(view.rows)
    person.press("F")
    wait_for(lambda: len(view.rows) > rows, "the lines between")
    person.press("F")
    wait_for(lambda: len(view.rows) == rows, "the folds")
    person.press("B")
    wait_for(lambda: len(view.rows) == rows + 4, "the lines of the base")
    person.press("B")
    for number, key in enumerate("12", start=1):
        person.press(key)
        wait_for(lambda n=number: view.settlement is not None and view.settlement.open == 4 - n, f"key {key}")
    person.click("conflict-settle_both")
    person.click("conflict-back")
    wait_for(lambda: not person.sees("conflict-pane"), "the step again")
    assert person.desk.queue.plans[0].steps[0].state is StepState.STALE
    assert harbour.read("one.txt") == lines_with(**mine, l22="disk 22"), "nothing is written by settling"
    person.wait_until_on("rebase")
    person.click("strip-rebase")
    person.find("conflict-pane")
    assert person.desk.rebase.settlement is not None and person.desk.rebase.settlement.open == 1
    for _ in range(4):
        if view.current != 3:
            person.press("Alt+Down")
    assert view.current == 3, "the conflict that is left"
    person.press("E")
    wait_for(lambda: person.focused().objectName() == "conflict-text", "the field")
    person.press("Ctrl+A")
    person.type("mine 40")
    person.press("Ctrl+Return")
    wait_for(use.isEnabled, "Use this result to be on")
    assert pane.isVisible()
    person.press("Ctrl+Return")
    approve_and_apply(person)
    assert harbour.read("one.txt") == lines_with(
        l3="disk 3", l15="new 15", l22="disk 22", l30="disk 30\nnew 30", l40="mine 40"
    )


def test_a_branch_switch_there_and_back_leaves_the_page_live(harbour: Harbour, desktop: Desktop) -> None:
    """Also where the conflicts with the other branch were on screen."""

    def git(*words: str) -> None:
        author = "-c", "user.name=a", "-c", "user.email=a@example.org"
        subprocess.run(["git", *author, *words], cwd=harbour.root, check=True, capture_output=True)

    for words in ("init -q -b main", "add .", "commit -qm one", "checkout -qb other"):
        git(*words.split())
    harbour.write("two.txt", lines_with(l5="theirs"))
    git("commit", "-qam", "two")
    git("checkout", "-q", "main")
    plan = harbour.propose("One place", two_txt=lines_with(l5="changed 5"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    git("checkout", "-q", "other")
    wait_for_stale(person)
    person.press("B")
    person.find("conflict-pane")
    git("checkout", "-q", "main")
    person.wait_for_step(1)
    person.wait_until_on("approve_step")
    person.press("A")
    person.wait_until_said("Approved two.txt")
    assert harbour.agent.states(plan) == ["approved"]
