"""Any file is read, with who wrote its lines; applied plans open as they were decided."""

from __future__ import annotations

from PySide6.QtCore import QPoint

from studio.ui.history.table import TableView
from studio.ui.review.reading import PlanLocation
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person


def apply_two(harbour: Harbour, desktop: Desktop) -> tuple[Person, str]:
    """One plan of two steps: of the first a hunk is left out, the second is approved with a note."""
    plan = harbour.propose(
        "Two files", one_txt=lines_with(l3="three", l30="thirty"), two_txt=lines_with(l5="five")
    )
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.press("Alt+Down")
    wait_for(lambda: person.panes.pages.step.diff.current_hunk() == 2, "the second change")
    person.press("X")
    person.wait_until_on("approve_step")
    person.press("A")
    person.wait_for_step(2)
    person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    person.wait_until_said("Applied")
    wait_for(lambda: len(person.history_states()) == 1, "the plan in the history")
    return person, plan


def go_to_file(person: Person, name: str) -> None:
    person.press("Ctrl+P")
    wait_for(lambda: person.focused().objectName() == "go-to-file-field", "the field")
    person.type(name)
    rows = person.panes.go_to_file.list.model()
    wait_for(lambda: rows.index(0, 0).data() == name, f"{name} first in the list")
    person.press("Return")


def wait_for_file(person: Person, path: str) -> None:
    wait_for(lambda: person.sees("file-page"), "the page of the file")
    reading = person.desk.reading
    wait_for(lambda: reading.file is not None and reading.file.path == path, path)
    wait_for(lambda: reading.blame is not None, "who wrote it")


def content_of(person: Person) -> bytes:
    file = person.desk.reading.file
    return file.content if file is not None else b""


def test_a_file_is_read_with_who_wrote_its_lines_and_no_key_decides_below_it(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Three presses and its name: Ctrl+P, Enter, and Esc back."""
    person, applied = apply_two(harbour, desktop)
    (harbour.root / "data.bin").write_bytes(b"\0\1\2")
    plan = harbour.propose("One", two_txt=lines_with(l5="five", l9="nine"))
    person.wait_for_step(1)
    go_to_file(person, "three.txt")
    wait_for_file(person, "three.txt")
    diff = person.panes.pages.file.diff
    assert diff.line_count() == 40 and diff.row_count() >= 40, "all lines, none folded away"
    assert not diff.canvas.has_hunk_buttons
    for key in ("A", "R", "X", "Z", "E", "C"):
        person.press(key)
        person.click_on(diff.canvas.viewport())  # after one that did nothing single keys wait
    assert harbour.agent.states(plan) == ["pending"], "what is read hides the step, and no key decides it"
    assert person.desk.editor.part is None and person.panes.pages.step.comment.isHidden()
    harbour.write("three.txt", lines_with(l1="new"))
    wait_for(lambda: b"new" in content_of(person), "it as it is now")

    go_to_file(person, "data.bin")
    wait_for(lambda: person.panes.pages.file.header.title.text() == "data.bin", "the file")
    wait_for(lambda: content_of(person) == b"\0\1\2", "its bytes")
    file = person.desk.reading.file
    assert file is not None and file.diff is None and not person.panes.pages.file.gutter.isVisible()
    (harbour.root / "data.bin").unlink()
    wait_for(lambda: person.desk.reading.missing, "that it is gone")
    assert "data.bin" in person.desk.reading.missing
    person.press("Escape")
    person.wait_for_step(1)

    go_to_file(person, "one.txt")
    wait_for_file(person, "one.txt")
    gutter, canvas = person.panes.pages.file.gutter, person.panes.pages.file.diff.canvas
    mine, other = gutter.at_line(2), gutter.at_line(29)
    assert mine is not None and mine.plan_id == applied
    assert other is not None and other.plan_id is None, "what was left out was never written"
    layout = canvas.layout_
    assert layout is not None
    place = QPoint(gutter.width() // 2, layout.top(2) + layout.row_height(2) // 2 - canvas.view_lines()[0])
    person.click_on(gutter, place)
    wait_for(lambda: person.desk.reading.location == PlanLocation(applied, 1), "the plan")
    wait_for(lambda: person.desk.reading.past is not None, "it as it was decided")
    assert person.find("past-plan-title").text() == "Two files"
    person.press("Alt+Left")
    wait_for_file(person, "one.txt")
    person.press("Alt+Right")
    wait_for(lambda: person.desk.reading.location == PlanLocation(applied, 1), "the plan again")
    person.click("past-plan-back")
    wait_for_file(person, "one.txt")
    table = person.find("file-changes")
    assert isinstance(table, TableView)
    person.click_row(table, table.rows.index(0, 0))
    wait_for(
        lambda: person.desk.reading.location == PlanLocation(applied, 1), "the plan from the list beside"
    )

    person.press("Alt+1")
    person.press("Return")
    wait_for(lambda: person.desk.reading.past is not None, "the plan as it was decided")
    pane = person.panes.pages.past_plan
    assert [row.cells[3].text for row in pane.table.rows.rows] == [
        "Approved in part (1 of 2 hunks)", "Approved",
    ]  # fmt: skip
    assert "in the window" in person.find("past-plan-words").text()
    assert not pane.diff.canvas.has_hunk_buttons
    person.click_on(person.find("history-filter"))
    rows = person.panes.dock.history.view.rows
    person.type("three.txt")
    wait_for(lambda: not rows.rows and "1 hidden" in person.panes.dock.history.view.empty_text, "none")
    person.press("Escape")
    wait_for(lambda: [row.key for row in rows.rows] == [applied], "it again")
    person.click("past-plan-roll-back")
    wait_for(lambda: person.desk.rollback.preview is not None, "the preview of the rollback")
    assert not person.sees("past-plan-page")
    assert harbour.read("two.txt") == lines_with(l5="five"), "nothing is written before that is pressed"
