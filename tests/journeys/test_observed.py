"""What others wrote, by hand: looked at, kept, taken back whole or in part; bytes on disk each time."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtWidgets import QApplication

from studio.engine.workspace import Workspace
from studio.ui.widgets import Label
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import LINES, Harbour, lines_with
from tests.journeys.person import Person

WHOLE = "".join(LINES)


def look(harbour: Harbour) -> None:
    """What the process beside the window does."""
    workspace = Workspace.open(harbour.root)
    try:
        workspace.observed.look()
    finally:
        workspace.close()


def kept_ids(harbour: Harbour) -> list[str]:
    workspace = Workspace.open(harbour.root)
    try:
        return [change.target for change in workspace.observed.open()]
    finally:
        workspace.close()


def seen(harbour: Harbour, desktop: Desktop, **texts: str) -> Person:
    """A window that shows these changes of others: `one` stands for one.txt."""
    look(harbour)
    person = desktop.open(harbour.root)
    for name, text in texts.items():
        harbour.write(f"{name}.txt", text)
    look(harbour)
    wait_for(lambda: person.desk.observed.count == len(texts), "what was observed")
    person.press("Alt+3")
    return person


def names(person: Person) -> list[str]:
    return [row.cells[1].text for row in person.panes.dock.observed.view.rows.rows]


def point_at(person: Person, row: int = 0) -> None:
    view = person.panes.dock.observed.view
    index = view.rows.index(row, 1)
    person.click_row(view, index)
    person.hover(view.viewport(), view.visualRect(index).center())


def open_page(person: Person, row: int = 0) -> None:
    point_at(person, row)
    wait_for(lambda: person.panes.pages.observed.diff.row_count() > 0, "its diff")


def test_one_is_kept_and_the_other_reverted_and_that_rolled_back(harbour: Harbour, desktop: Desktop) -> None:
    person = seen(harbour, desktop, one=lines_with(l3="a storm"), two=lines_with(l5="a calm"))
    assert names(person) == ["one.txt", "two.txt"] and person.sees("queue-observed")
    assert person.find("queue-observed").text() == "2 observed changes…"
    open_page(person, 1)
    person.click("observed-keep-shown")
    person.wait_until_said("Kept what was observed in two.txt.")
    wait_for(lambda: names(person) == ["one.txt"], "the other alone")
    assert harbour.read("two.txt") == lines_with(l5="a calm") and kept_ids(harbour) == ["one.txt"]
    point_at(person)
    person.click("observed-revert")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    assert harbour.read("one.txt") == lines_with(l3="a storm"), "a preview writes nothing"
    wait_for(lambda: person.panes.pages.restore.diff.row_count() > 0, "the diff of what would be written")
    person.click("restore-write")
    person.wait_until_said("Reverted what was observed: 1 file.")
    assert harbour.read("one.txt") == WHOLE and harbour.read("two.txt") == lines_with(l5="a calm")
    wait_for(lambda: not names(person), "nothing left")
    assert not person.sees("queue-observed")
    wait_for(lambda: len(person.history_states()) == 1, "the revert in the history")
    person.click("status-undo")
    person.wait_until_said("Rolled back")
    assert harbour.read("one.txt") == lines_with(l3="a storm")


def test_a_group_goes_back_as_one_and_everything_is_kept_after_a_question(
    harbour: Harbour, desktop: Desktop
) -> None:
    texts = {f"new{number}": f"flotsam {number}\n" for number in range(12)}
    person = seen(harbour, desktop, **texts)
    assert len(names(person)) == 1 and "12 files" in names(person)[0]
    point_at(person)
    page = person.panes.pages.observed
    wait_for(lambda: page.table.rows.rowCount() == 12, "its files")
    wait_for(lambda: page.diff.row_count() > 0, "the diff of the first")
    person.click("observed-revert-shown")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.click("restore-write")
    person.wait_until_said("Reverted what was observed: 12 files.")
    assert not list(harbour.root.glob("new*")) and harbour.untouched()

    harbour.write("three.txt", lines_with(l5="a gale"))
    look(harbour)
    wait_for(lambda: "three.txt" in names(person), "another change")
    person.press("Alt+3")
    person.click("observed-keep-all")
    wait_for(lambda: person.sees("observed-keep-all-now"), "the question")
    person.press("Escape")
    wait_for(lambda: not person.sees("observed-keep-all-now"), "the question gone")
    assert "three.txt" in kept_ids(harbour)
    person.click("observed-keep-all")
    person.click("observed-keep-all-now")
    wait_for(lambda: kept_ids(harbour) == [] and not names(person), "an empty list")
    assert harbour.read("three.txt") == lines_with(l5="a gale")


def test_hunks_are_reverted_by_clicks_and_by_keys(harbour: Harbour, desktop: Desktop) -> None:
    """What is observed stands over the step: no key of the step reaches it."""
    plan = harbour.propose_three()
    person = seen(harbour, desktop, one=lines_with(l3="a storm", l20="fog", l37="a calm"))
    open_page(person)
    for hunk in (1, 3):
        person.click_hunk_box(hunk, person.panes.pages.observed.diff)
    wait_for(lambda: person.find("observed-revert-shown").text() == "Revert 2 hunks…", "two hunks left out")
    person.press("A")
    person.click("observed-revert-shown")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.click("restore-write")
    person.wait_until_said("Reverted what was observed: 1 file.")
    assert harbour.read("one.txt") == lines_with(l20="fog")
    assert harbour.agent.states(plan)[1:] == ["pending"] * 2

    harbour.write("two.txt", lines_with(l3="a storm", l30="a calm"))
    look(harbour)
    wait_for(lambda: "two.txt" in names(person), "the other file")
    person.press("Alt+3")
    point_at(person, names(person).index("two.txt"))
    person.press("Return")
    wait_for(lambda: person.panes.pages.observed.diff.row_count() > 0, "its diff")
    person.press("Shift+F6")
    person.press("Shift+F6")
    wait_for(
        lambda: person.panes.pages.observed.isAncestorOf(person.window.focusWidget()), "the diff in hand"
    )
    person.press("X")
    wait_for(lambda: person.find("observed-revert-shown").text() == "Revert 1 hunk…", "one hunk left out")
    person.press("Alt+3")
    person.press("Delete")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: harbour.read("two.txt") == lines_with(l30="a calm"), "the hunk that was left out")

    harbour.write("three.txt", lines_with(l3="a storm"))
    look(harbour)
    wait_for(lambda: "three.txt" in names(person), "the third file")
    person.press("Alt+3")
    point_at(person, names(person).index("three.txt"))
    person.click("observed-revert")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.wait_until_on("apply")
    harbour.write("three.txt", lines_with(l9="quite another"))  # and nobody looked at it since
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Nothing was written")
    assert harbour.read("three.txt") == lines_with(l9="quite another")


def test_a_file_that_became_a_link_is_shown_as_one_and_comes_back(
    harbour: Harbour, desktop: Desktop, tmp_path: Path
) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("of somebody else\n")
    look(harbour)
    person = desktop.open(harbour.root)
    (harbour.root / "one.txt").unlink()
    (harbour.root / "one.txt").symlink_to(outside)
    (harbour.root / "new-link").symlink_to("two.txt")
    look(harbour)
    wait_for(lambda: person.desk.observed.count == 2, "what was observed")
    person.press("Alt+3")
    view = person.panes.dock.observed.view
    said = {row.cells[1].text: row.cells[2].text for row in view.rows.rows}
    assert said == {"one.txt": "a link now", "new-link": "new link"}
    page = person.panes.pages.observed
    for name, title in (("new-link", "New link"), ("one.txt", "File becomes a link")):
        point_at(person, names(person).index(name))
        wait_for(lambda title=title: page.diff.special_title() == title, title)
    person.press("Return")
    person.press("X")
    let_pass(0.05)
    assert person.find("observed-revert-shown").text() == "Revert…", "a link goes as a whole"
    person.press("Alt+3")
    point_at(person, names(person).index("new-link"))
    person.click("observed-keep")
    person.wait_until_said("Kept what was observed in new-link.")
    wait_for(lambda: names(person) == ["one.txt"], "the other alone")
    point_at(person)
    person.click("observed-revert")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.wait_until_on("apply")
    person.click("restore-write")
    person.wait_until_said("Reverted what was observed: 1 file.")
    assert not (harbour.root / "one.txt").is_symlink() and harbour.read("one.txt") == WHOLE
    assert outside.read_text() == "of somebody else\n"
    assert (harbour.root / "new-link").readlink() == Path("two.txt")


def test_what_moved_on_or_was_never_known_is_not_reverted(harbour: Harbour, desktop: Desktop) -> None:
    acts = [lambda: harbour.write("two.txt", lines_with(l3="a gale"))]
    workspace = Workspace.open(harbour.root)
    try:
        workspace.observed.look(progress=lambda *_: acts.pop()() if acts else None)
    finally:
        workspace.close()
    person = desktop.open(harbour.root)
    wait_for(lambda: person.desk.observed.count == 1, "what was observed")
    person.press("Alt+3")
    (row,) = person.panes.dock.observed.view.rows.rows
    assert (row.cells[1].text, row.cells[2].text) == ("two.txt", "changed while indexing")
    point_at(person)
    page = person.panes.pages.observed
    why, texts = "What it was before is not known", page.diff.findChildren(Label)
    wait_for(lambda: any(why in each.text() for each in texts), "why there is no diff")
    person.click("observed-revert")
    person.wait_until_said("Nothing was reverted: two.txt changed while the project was first indexed")
    person.click("observed-keep-shown")
    person.wait_until_said("Kept what was observed in two.txt.")
    wait_for(lambda: not names(person), "nothing left")

    harbour.write("one.txt", lines_with(l3="a storm"))
    look(harbour)
    wait_for(lambda: names(person) == ["one.txt"], "the change")
    open_page(person)
    person.click("observed-revert-shown")
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.wait_until_on("apply")
    harbour.write("one.txt", lines_with(l3="a storm", l9="and more"))
    look(harbour)
    person.wait_until_said("What was observed has changed since it was shown.")
    assert person.desk.restore.preview is None
    person.press("Ctrl+Shift+Return")
    QApplication.processEvents()
    assert harbour.read("one.txt") == lines_with(l3="a storm", l9="and more")
    assert kept_ids(harbour) == ["one.txt"] and not person.history_states()
