"""How many presses the usual questions of a long review take: by keys alone, and by the mouse alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from PySide6.QtCore import QPoint
from PySide6.QtGui import QWindow

from tests.journeys.desktop import Desktop
from tests.journeys.hands import Hands, wait_for
from tests.journeys.harbour import LINES, Harbour
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, middle_of_line
from tests.journeys.test_plan_tree import popup
from tests.journeys.test_reading_files import wait_for_file

HUNKS = 30
LONG = [f"line {number}\n" for number in range(1, 20 * HUNKS + 1)]


@dataclass
class Counted:
    """The hands of a person, and how often they pressed; typing a name is not counted."""

    hands: Hands
    presses: int = 0

    def move(self, window: QWindow, place: QPoint) -> None:
        self.hands.move(window, place)

    def click(self, window: QWindow, place: QPoint, *, held: str = "") -> None:
        self.presses += 1
        self.hands.click(window, place, held=held)

    def click_right(self, window: QWindow, place: QPoint) -> None:
        self.presses += 1
        self.hands.click_right(window, place)

    def press(self, window: QWindow, keys: str) -> None:
        self.presses += 1
        self.hands.press(window, keys)

    def type(self, window: QWindow, text: str) -> None:
        self.hands.type(window, text)


@contextmanager
def at_most(presses: int, person: Person) -> Iterator[None]:
    """Fails where more presses were needed."""
    counted = Counted(person.hands)
    person.hands = counted
    yield
    person.hands = counted.hands
    assert counted.presses <= presses, f"{counted.presses} presses"


def propose(harbour: Harbour, title: str = "Long") -> str:
    """A file with thirty hunks, and twenty catalogues."""
    harbour.write("long.py", "".join(LONG))
    changed = [line if at % 20 else f"changed_{at} = tide()\n" for at, line in enumerate(LONG, 1)]
    steps = [{"op": "modify", "path": "long.py", "content": "".join(changed)}]
    for number in range(20):
        path = f"locale/l{number}/app.po"
        (harbour.root / path).parent.mkdir(parents=True, exist_ok=True)
        harbour.write(path, "".join(LINES))
        steps.append({"op": "modify", "path": path, "content": "".join(LINES) + "tide\n"})
    file = harbour.texts / f"{title}.json"
    file.write_text(json.dumps({"title": title, "steps": steps}))
    return harbour.agent.submit(file, title)


def test_the_usual_questions_of_a_long_review_take_few_presses(harbour: Harbour, desktop: Desktop) -> None:
    before = harbour.propose_three("Last week")
    person = desktop.open(harbour.root)
    for number in (1, 2, 3):
        person.wait_for_step(number)
        person.press("A")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: len(person.history_states()) == 1, "it in the history")
    plan = propose(harbour)
    person.wait_for_step(1)

    with at_most(3, person):  # a plan of before
        person.press("Alt+1")
        wait_for(lambda: person.focused().objectName() == "history-list", "the history in hand")
        person.press("Return")
        wait_for(lambda: person.desk.reading.past is not None, "the plan as it was decided")
    past = person.desk.reading.past
    assert past is not None and past.plan.id == before
    with at_most(3, person):  # a file that no plan touches
        person.press("Ctrl+P")
        person.type("three.txt")
        finder = person.panes.go_to_file
        wait_for(lambda: finder.list.model().index(0, 0).data() == "three.txt", "the file")
        person.press("Return")
        wait_for_file(person, "three.txt")
    search = person.panes.dock.search
    with at_most(3, person):  # every place of a function
        person.press("Ctrl+Shift+F")
        wait_for(lambda: person.focused() is search.field, "the field in hand")
        person.type("tide()")
        person.press("Return")
        wait_for(lambda: search.table.rows.rowCount() >= HUNKS, "every place")

    person.click_step(plan)
    wait_for(lambda: person.sees("plan-pane"), "the plan")
    person.wait_until_on("tick_kind")
    with at_most(4, person):  # all catalogues, by keys
        person.press("S")
        handle = popup().windowHandle()
        assert handle is not None
        person.hands.press(handle, "Return")
        wait_for(lambda: len(person.desk.ticked.steps) == 20, "the ticks")
        person.wait_until_on("approve_step")
        person.press("A")
        wait_for(person.find("plan-approve-now").isEnabled, "the button")
        person.press("Space")
    wait_for(lambda: harbour.agent.states(plan).count("approved") == 20, "the decisions")
    person.wait_until_on("take_back")
    person.click("plan-take_back")
    person.wait_until_said("Undid 20 approvals")
    with at_most(4, person):  # and by the mouse
        person.click("plan-kinds-button")
        choose(person, popup(), "*.po · 20 steps · only added lines")
        wait_for(lambda: len(person.desk.ticked.steps) == 20, "the ticks")
        person.click("ticked-approve_step")
        person.click("plan-approve-now")
    wait_for(lambda: harbour.agent.states(plan).count("approved") == 20, "the decisions")

    person.click_step(plan, 1)
    person.wait_for_step(1)
    with at_most(2, person):  # who wrote a line
        person.click_on(person.panes.pages.step.diff.canvas, middle_of_line(person, 200))
        person.press("O")
        wait_for_file(person, "long.py")
    person.press("Escape")
    person.wait_for_step(1)
    with at_most(3, person):  # one hunk of thirty
        person.click_on(person.panes.pages.step.diff.canvas, middle_of_line(person, 200))
        wait_for(lambda: person.panes.pages.step.diff.current_hunk() == 10, "the hunk in hand")
        person.press("Shift+X")
        wait_for(lambda: person.desk.choices.current.named, "the others left out")
        person.press("A")
    wait_for(lambda: harbour.agent.states(plan)[0] == "approved", "the decision")
    wait_for(lambda: person.desk.queue.plans[0].steps[0].decision is not None, "it in the window")
    decision = person.desk.queue.plans[0].steps[0].decision
    assert decision is not None
    assert [hunk for hunk in range(1, HUNKS + 1) if decision.choices.get(hunk, True)] == [10]
