"""Lines found across plans, project and history: each is shown in the middle, nothing is decided."""

from __future__ import annotations

from studio.engine.reader import SearchPlace
from studio.ui.desk.reading import FilePlace, PlanPlace
from tests.journeys.desktop import Desktop
from tests.journeys.hands import let_pass, wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_reading_files import apply_two, wait_for_file


def look_for(person: Person, words: str, place: SearchPlace) -> None:
    person.press("Ctrl+Shift+F")
    wait_for(lambda: person.focused().objectName() == "find-across-field", "the field")
    choice = person.panes.dock.search.place
    choice.setCurrentIndex(choice.findData(place))
    person.type(words)


def lines(person: Person) -> list[str]:
    return [row.cells[1].text for row in person.panes.dock.search.table.rows.rows]


def in_view(person: Person, text: str) -> bool:
    """Whether the step's diff has that line selected, which `go to line` does."""
    return person.panes.pages.step.diff.canvas.words_in_hand() == text


def test_every_step_that_touches_a_word_is_found_and_shown_by_keys(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Ctrl+Shift+F, the word, Down: three presses and its name."""
    plan = harbour.propose(
        "Names", one_txt=lines_with(l30="harbour master"), two_txt=lines_with(l5="Harbour light")
    )
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    look_for(person, "harbour", SearchPlace.PLAN)
    wait_for(lambda: lines(person) == ["one.txt:30", "two.txt:5"], "both lines")
    person.press("Down")
    wait_for(lambda: in_view(person, "harbour master"), "the first line")
    person.press("Down")
    wait_for(lambda: person.place == (plan, 2) and in_view(person, "Harbour light"), "the second line")
    assert person.focused().objectName() == "find-across-field", "typing goes on"
    person.type("A")
    wait_for(lambda: lines(person) == [], "no line with what is typed now")
    assert harbour.agent.states(plan) == ["pending", "pending"], "what is typed there is no command"
    person.press("Escape")
    wait_for(lambda: person.panes.pages.step.isAncestorOf(person.focused()), "the diff with the keyboard")


def test_the_project_and_the_history_are_searched_too(harbour: Harbour, desktop: Desktop) -> None:
    person, plan = apply_two(harbour, desktop)
    look_for(person, "five", SearchPlace.HISTORY)
    wait_for(lambda: lines(person) == ["two.txt:5"], "the line that was written")
    person.press("Down")
    wait_for(lambda: person.desk.reading.place == PlanPlace(plan, 2), "the plan as it was decided")
    wait_for(lambda: person.panes.pages.past_plan.diff.row_count() > 0, "its lines")
    choice = person.panes.dock.search.place
    choice.setCurrentIndex(choice.findData(SearchPlace.PROJECT))
    wait_for(lambda: lines(person) == ["two.txt:5"], "the line in the project")
    person.press("Down")
    wait_for(lambda: person.desk.reading.place == FilePlace("two.txt", 5), "the file")
    wait_for_file(person, "two.txt")
    person.press("Return")
    wait_for(lambda: person.panes.pages.file.isAncestorOf(person.focused()), "the file with the keyboard")


def test_changed_lines_one_side_and_expressions_narrow_it(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose("One", one_txt=lines_with(l3="line three"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    look_for(person, "line 3", SearchPlace.PLANS)
    wait_for(lambda: len(lines(person)) == 11, "line 3, and 30 to 39")
    person.click("find-across-changed")
    wait_for(lambda: lines(person) == ["one.txt:3"], "the line that goes")
    person.click("find-across-changed")
    person.click("find-across-expression")
    field = person.panes.dock.search.field
    field.setFocus()
    person.press("Ctrl+A")
    person.type("^line (3|th.*)$")
    wait_for(lambda: lines(person) == ["one.txt:3", "one.txt:3"], "before and after")
    person.press("Ctrl+A")
    person.type("(")
    wait_for(lambda: "mend it" in person.panes.dock.search.table.empty_text, "why it can't be looked for")
    let_pass(0.1)
    assert not lines(person)


def test_words_selected_in_the_diff_are_looked_for_in_the_project(harbour: Harbour, desktop: Desktop) -> None:
    harbour.propose("One", one_txt=lines_with(l3="line three"))
    harbour.write("two.txt", lines_with(l9="line three, too"))
    person = desktop.open(harbour.root)
    person.wait_for_step(1)
    person.panes.pages.step.diff.go_to_line("result", 3)
    person.press("Ctrl+Shift+F")
    wait_for(lambda: lines(person) == ["two.txt:9"], "the other file with these words")
    assert person.panes.dock.search.field.text() == "line three"
