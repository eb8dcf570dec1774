"""Generated files: in one row, passed by, summed up, decided with the others, unless they are warned of."""

from __future__ import annotations

import json
from pathlib import Path

from studio.engine.plan import StepState
from studio.ui.queue.model import Role
from studio.ui.widgets import ElidedLabel
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import LINES, Harbour, lines_with
from tests.journeys.person import Person

LOCKS = Path(__file__).parents[1] / "data/locks"
LOCK, ONE, VENDORED, TWO, EVIL, MADE = range(1, 7)
SUMMED_UP = "package-lock.json: 3 packages up, 3 new, 1 removed"


def propose(harbour: Harbour) -> str:
    """Lock, vendored and marked files beside two texts, and a lock file with a package of another source."""
    old, new = ((LOCKS / f"npm-3-{which}").read_text() for which in ("old", "new"))
    (harbour.root / "web").mkdir()
    harbour.write("package-lock.json", old)
    harbour.write("web/package-lock.json", old)
    harbour.write("made.txt", "".join(LINES))
    harbour.write(".gitattributes", "made.* linguist-generated\n")
    evil = new.replace("https://registry.example/ms/-/ms-2.0.0.tgz", "https://evil.example/ms/-/ms-2.0.0.tgz")
    texts = {
        "package-lock.json": new,
        "one.txt": lines_with(l3="changed 3"),
        "vendor/tide.js": "tide()\n",
        "two.txt": lines_with(l5="changed 5"),
        "web/package-lock.json": evil,
        "made.txt": lines_with(l9="changed 9"),
    }
    steps = [
        {"op": "create" if path.startswith("vendor") else "modify", "path": path, "content": content}
        for path, content in texts.items()
    ]
    file = harbour.texts / "generated.json"
    file.write_text(json.dumps({"title": "Update", "steps": steps}))
    return harbour.agent.submit(file, "Update")


def rows(person: Person, plan: str) -> list[str]:
    model = person.panes.queue.model
    top = model.index_of(plan)
    return [str(model.index(row, 0, top).data()) for row in range(model.rowCount(top))]


def test_generated_files_are_one_row_that_keys_pass_and_a_card_sums_each_up(
    harbour: Harbour, desktop: Desktop
) -> None:
    plan = propose(harbour)
    shown = harbour.agent.run("show", plan)
    assert "note: 3 packages up, 3 new, 1 removed." in shown
    assert "warning: 1 package from another source: ms." in shown
    person = desktop.open(harbour.root)
    person.wait_for_step(ONE)
    queue, diff = person.panes.queue, person.panes.pages.step.diff
    assert rows(person, plan) == ["one.txt", "two.txt", "package-lock.json", "3 generated files"]
    for number in (TWO, EVIL):
        person.press("J")
        person.wait_for_step(number)
    assert diff.row_count() > 0, "what comes from another source is shown whole"
    person.press("J")
    assert person.place == (plan, EVIL), "the row of generated files is closed"

    fold = queue.model.fold_of(plan)
    person.click_row(queue.view, fold)
    wait_for(lambda: queue.model.fold_of(plan).data(Role.FOLD).is_open, "the row to open")
    assert person.place == (plan, EVIL), "opening it goes nowhere"
    person.press("J")
    person.wait_for_step(LOCK)
    assert (diff.special_title(), diff.row_count()) == (SUMMED_UP, 0)
    person.press("V")
    wait_for(lambda: queue.model.index_of(plan, LOCK).data(Role.VIEWED), "the mark")
    queue.view.setFocus()
    person.press("Return")
    person.press("Return")
    wait_for(lambda: diff.row_count() > 0, "the whole diff")
    person.wait_for_step(LOCK)
    person.press("J")
    person.wait_for_step(VENDORED)
    assert diff.special_title() == "tide.js: 1 line"
    person.click("card-whole")
    wait_for(lambda: diff.row_count() > 0, "the whole diff")
    person.press("K")
    person.wait_for_step(LOCK)
    assert diff.row_count() > 0, "what was asked for stays"


def test_generated_files_come_last_and_are_named_where_all_are_approved(
    harbour: Harbour, desktop: Desktop
) -> None:
    plan = propose(harbour)
    person = desktop.open(harbour.root)
    for number in (ONE, TWO, EVIL, LOCK, VENDORED):
        person.wait_for_step(number)
        person.press("A")
    person.wait_for_step(MADE)
    assert person.panes.queue.model.fold_of(plan).data(Role.FOLD).is_open, "it opened for them"
    person.click_step(plan)
    pane = person.panes.pages.plan
    labels = pane.findChildren(ElidedLabel)
    wait_for(lambda: any("4 generated files" in label.text() for label in labels), "their number")
    person.press("Ctrl+F")
    person.type("is:generated")
    wait_for(lambda: len(person.panes.queue.model.step_order) == 4, "the filter")
    person.press("Escape")
    person.click("plan-approve_undecided")
    person.find("plan-confirm")
    assert "1 generated file: made.txt." in pane.confirm.words.text()
    person.click("plan-approve-now")
    wait_for(
        lambda: [step.state for step in person.desk.queue.plans[0].steps] == [StepState.APPROVED] * 6, "all"
    )


def test_the_row_of_generated_files_shows_the_plan_so_that_no_key_decides_another_step(
    harbour: Harbour, desktop: Desktop
) -> None:
    plan = propose(harbour)
    person = desktop.open(harbour.root)
    person.wait_for_step(ONE)
    view = person.panes.queue.view
    view.setFocus()
    for place in ((plan, TWO), (plan, EVIL), (plan, None)):
        person.press("Down")
        wait_for(lambda place=place: person.place == place, f"{place}")
    assert view.currentIndex().data(Role.FOLD)
    person.press("Return")
    wait_for(lambda: view.currentIndex().data(Role.FOLD).is_open, "the row to open")
    person.press("Down")
    person.wait_for_step(LOCK)
    harbour.write("package-lock.json", (LOCKS / "npm-2-old").read_text())
    person.desk.queue.refresh()
    wait_for(lambda: "2 generated files" in rows(person, plan), "the stale one to leave them")
    assert rows(person, plan)[0] == "package-lock.json"
