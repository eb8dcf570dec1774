"""Lines found across plans, project and history: each is shown in the middle, nothing is decided."""

from __future__ import annotations

from studio.extras.reader import SearchPlace
from studio.ui.review.reading import FileLocation, PlanLocation
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour, lines_with
from tests.journeys.person import Person
from tests.journeys.test_reading_files import apply_two, wait_for_file


def look_for(person: Person, words: str, place: SearchPlace) -> None:
    person.press("Ctrl+Shift+F")
    wait_for(lambda: person.focused().objectName() == "find-across-field", "the field")
    choice = person.panes.dock.search.place
    choice.setCurrentIndex(choice.findData(place))
    person.press("Ctrl+A")
    person.type(words)


def lines(person: Person) -> list[str]:
    return [row.cells[1].text for row in person.panes.dock.search.table.rows.rows]


def in_view(person: Person, text: str) -> bool:
    """Whether the step's diff has that line selected, which `go to line` does."""
    return person.panes.pages.step.diff.canvas.chosen_words() == text


def test_plans_project_and_history_are_searched_by_keys_and_nothing_is_decided(
    harbour: Harbour, desktop: Desktop
) -> None:
    """Ctrl+Shift+F, the word, Down: three presses and its name."""
    person, first = apply_two(harbour, desktop)
    plan = harbour.propose(
        "Names",
        one_txt=lines_with(l3="three", l20="harbour master"),
        three_txt=lines_with(l5="Harbour light"),
    )
    person.wait_for_step(1)
    look_for(person, "harbour", SearchPlace.PLAN)
    wait_for(lambda: lines(person) == ["one.txt:20", "three.txt:5"], "both lines")
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

    harbour.write("two.txt", lines_with(l5="five", l9="Harbour light, too"))
    person.panes.pages.step.diff.go_to_line("result", 5)
    search = person.panes.dock.search
    search.place.setCurrentIndex(search.place.findData(SearchPlace.PROJECT))
    person.press("Ctrl+Shift+F")
    wait_for(lambda: lines(person) == ["two.txt:9"], "the other file with the words that are selected")
    assert search.field.text() == "Harbour light"

    look_for(person, "five", SearchPlace.HISTORY)
    wait_for(lambda: lines(person) == ["two.txt:5"], "the line that was written")
    person.press("Down")
    wait_for(lambda: person.desk.reading.location == PlanLocation(first, 2), "the plan as it was decided")
    wait_for(lambda: person.panes.pages.past_plan.diff.row_count() > 0, "its lines")
    search.place.setCurrentIndex(search.place.findData(SearchPlace.PROJECT))
    wait_for(lambda: lines(person) == ["two.txt:5"], "the line in the project")
    person.press("Down")
    wait_for(lambda: person.desk.reading.location == FileLocation("two.txt", 5), "the file")
    wait_for_file(person, "two.txt")

    look_for(person, "line 20", SearchPlace.PLANS)
    wait_for(lambda: len(lines(person)) == 2, "the line in both files")
    person.click("find-across-changed")
    wait_for(lambda: lines(person) == ["one.txt:20"], "the line that goes")
    person.click("find-across-changed")
    person.click("find-across-expression")
    search.field.setFocus()
    person.press("Ctrl+A")
    person.type("^(line 20|harb.*)$")
    wait_for(lambda: lines(person)[:2] == ["one.txt:20", "one.txt:20"], "before and after")
    person.press("Ctrl+A")
    person.type("(")
    wait_for(lambda: "correct it" in search.table.empty_text, "why it can't be looked for")
    wait_for(lambda: not lines(person), "no lines")
