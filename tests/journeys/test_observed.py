"""What others wrote, by hand: looked at, kept, taken back whole or in part; bytes on disk each time."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from studio.ui.review.observed import ObservedFile
from studio.ui.widgets import Label
from studio.workspace import Workspace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import LINES, Harbour, lines_with
from tests.journeys.person import Person

WHOLE = "".join(LINES)


def look(harbour: Harbour, progress: Callable[..., None] | None = None) -> None:
    """What the process beside the window does."""
    workspace = Workspace.open(harbour.root)
    try:
        workspace.observed.look(progress=progress)
    finally:
        workspace.close()


def kept_ids(harbour: Harbour) -> list[str]:
    workspace = Workspace.open(harbour.root)
    try:
        return [change.target for change in workspace.observed.open()]
    finally:
        workspace.close()


def names(person: Person) -> list[str]:
    return [row.cells[1].text for row in person.panes.dock.observed.view.rows.rows]


def point_at(person: Person, name: str) -> None:
    view = person.panes.dock.observed.view
    wait_for(lambda: name in names(person), f"{name} in the list")
    person.press("Alt+2")
    index = view.rows.index(names(person).index(name), 1)
    person.click_row(view, index)
    person.hover(view.viewport(), view.visualRect(index).center())


def open_page(person: Person, name: str) -> None:
    point_at(person, name)
    wait_for(lambda: person.panes.pages.observed.diff.row_count() > 0, "its diff")


def wait_for_preview(person: Person) -> None:
    wait_for(lambda: person.desk.restore.preview is not None, "the preview")
    person.wait_until_on("apply")


def revert(person: Person, button: str, files: str) -> None:
    person.click(button)
    wait_for_preview(person)
    person.click("restore-write")
    person.wait_until_said(f"Reverted outside changes in {files}.")


def test_what_others_wrote_is_kept_or_goes_back_whole_in_part_and_as_a_group(
    harbour: Harbour, desktop: Desktop
) -> None:
    """What is observed stands over the step: no key of the step reaches it."""
    plan = harbour.propose_three()
    look(harbour)
    person = desktop.open(harbour.root)
    storm = lines_with(l3="a storm", l20="fog", l37="a calm")
    harbour.write("one.txt", storm)
    harbour.write("two.txt", lines_with(l5="a calm"))
    look(harbour)
    wait_for(lambda: names(person) == ["one.txt", "two.txt"], "what was observed")
    assert person.find("queue-observed").text() == "2 outside changes…"
    open_page(person, "two.txt")
    person.click("observed-keep-shown")
    person.wait_until_said("Kept the outside change to two.txt.")
    wait_for(lambda: names(person) == ["one.txt"], "the other alone")
    assert harbour.read("two.txt") == lines_with(l5="a calm") and kept_ids(harbour) == ["one.txt"]
    open_page(person, "one.txt")
    for hunk in (1, 3):
        person.click_hunk_box(hunk, person.panes.pages.observed.diff)
    wait_for(lambda: person.find("observed-revert-shown").text() == "Revert 2 hunks…", "two hunks left out")
    person.press("A")
    person.click("observed-revert-shown")
    wait_for_preview(person)
    assert harbour.read("one.txt") == storm, "a preview writes nothing"
    wait_for(lambda: person.panes.pages.restore.diff.row_count() > 0, "the diff of what would be written")
    person.click("restore-write")
    person.wait_until_said("Reverted outside changes in 1 file.")
    assert harbour.read("one.txt") == lines_with(l20="fog")
    assert harbour.agent.states(plan)[2] == "pending"
    wait_for(lambda: len(person.history_states()) == 1, "the revert in the history")
    person.click("status-undo")
    person.wait_until_said("Rolled back")
    assert harbour.read("one.txt") == storm

    left = lines_with(l5="a calm", l30="fog")
    harbour.write("two.txt", lines_with(l3="a storm", l5="a calm", l30="fog"))
    look(harbour)
    point_at(person, "two.txt")
    person.press("Return")
    page = person.panes.pages.observed
    wait_for(lambda: page.diff.row_count() > 0, "its diff")
    person.press("Shift+F6")
    wait_for(lambda: page.isAncestorOf(person.window.focusWidget()), "the diff in hand")
    person.press("X")
    wait_for(lambda: person.find("observed-revert-shown").text().startswith("Revert 1 hunk"), "one left out")
    person.press("Alt+2")
    person.press("Delete")
    wait_for_preview(person)
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: harbour.read("two.txt") == left, "the hunk that was left out")
    wait_for(lambda: len(person.history_states()) == 3, "it in the history")
    person.press("Alt+2")
    person.click("observed-keep-all")
    person.click("observed-keep-all-now")
    wait_for(lambda: kept_ids(harbour) == [] and not names(person), "an empty list")
    assert harbour.read("two.txt") == left

    for number in range(12):
        harbour.write(f"new{number}.txt", f"flotsam {number}\n")
    look(harbour)
    wait_for(lambda: len(names(person)) == 1 and "12 files" in names(person)[0], "the group")
    point_at(person, names(person)[0])
    wait_for(lambda: page.table.rows.rowCount() == 12, "its files")
    wait_for(lambda: page.diff.row_count() > 0, "the diff of the first")
    revert(person, "observed-revert-shown", "12 files")
    assert not list(harbour.root.glob("new*")) and harbour.read("one.txt") == storm
    wait_for(lambda: not person.sees("queue-observed"), "nothing left")


def test_links_and_what_moved_on_or_was_never_known(
    harbour: Harbour, desktop: Desktop, tmp_path: Path
) -> None:
    """A link is shown as one and goes as a whole; what was not shown is not reverted."""
    outside = tmp_path / "outside.txt"
    outside.write_text("of somebody else\n")
    acts = [lambda: harbour.write("two.txt", lines_with(l3="a gale"))]
    look(harbour, lambda *_: acts.pop()() if acts else None)
    person = desktop.open(harbour.root)
    (harbour.root / "one.txt").unlink()
    (harbour.root / "one.txt").symlink_to(outside)
    (harbour.root / "new-link").symlink_to("three.txt")
    look(harbour)
    wait_for(lambda: person.desk.observed.count == 3, "what was observed")
    person.press("Alt+2")
    view = person.panes.dock.observed.view
    assert {row.cells[1].text: row.cells[2].text for row in view.rows.rows} == {
        "one.txt": "now a link", "new-link": "new link", "two.txt": "changed while indexing",
    }  # fmt: skip
    point_at(person, "two.txt")
    page = person.panes.pages.observed

    def says(words: str) -> bool:
        return any(words in each.text() for each in page.diff.findChildren(Label))

    wait_for(lambda: says("Its old contents are unknown"), "why there is no diff")
    person.click("observed-revert")
    person.wait_until_said("Nothing was reverted: two.txt changed while the project was first indexed")
    person.click("observed-keep-shown")
    person.wait_until_said("Kept the outside change to two.txt.")
    for name, title in (("new-link", "New link"), ("one.txt", "Changed to a link")):
        point_at(person, name)
        wait_for(lambda title=title: page.diff.special_title() == title, title)
    point_at(person, "new-link")
    person.click("observed-keep")
    person.wait_until_said("Kept the outside change to new-link.")
    point_at(person, "one.txt")
    revert(person, "observed-revert", "1 file")
    wait_for(lambda: not names(person), "nothing left")
    assert not (harbour.root / "one.txt").is_symlink() and harbour.read("one.txt") == WHOLE
    assert outside.read_text() == "of somebody else\n"
    assert (harbour.root / "new-link").readlink() == Path("three.txt")

    harbour.write("one.txt", lines_with(l3="a storm"))
    look(harbour)
    wait_for(lambda: names(person) == ["one.txt"], "the change")
    change = person.desk.observed.rows[0].changes[0]
    harbour.write("one.txt", lines_with(l3="a gale"))
    look(harbour)
    answers: list[ObservedFile] = []
    person.desk.observed.file_of(change, answers.append)
    wait_for(lambda: answers, "both sides")
    assert answers[0].is_other and answers[0].diff is None, "bytes that the list does not tell of"
    wait_for(lambda: person.desk.observed.rows[0].changes[0] != change, "the change as it is now")
    open_page(person, "one.txt")
    person.click("observed-revert-shown")
    wait_for_preview(person)
    harbour.write("one.txt", lines_with(l3="a storm"))  # and nobody looked at it since
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Nothing was written")
    harbour.write("one.txt", lines_with(l3="a storm", l9="and more"))
    look(harbour)
    person.wait_until_said("The outside change just changed.")
    assert person.desk.restore.preview is None
    assert harbour.read("one.txt") == lines_with(l3="a storm", l9="and more")
    assert kept_ids(harbour) == ["one.txt"] and len(person.history_states()) == 1
