"""How many presses the usual questions of a long review take: by keys alone, and by the mouse alone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtGui import QWindow

from tests.journeys.desktop import Desktop
from tests.journeys.hands import Hands, wait_for
from tests.journeys.harbour import LINES, Harbour
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, middle_of_line, open_menu, use_editor
from tests.journeys.test_plan_tree import popup
from tests.journeys.test_reading_files import wait_for_file

ROOT = Path(__file__).parents[2]
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
def counted(person: Person) -> Iterator[Counted]:
    hands = person.hands
    person.hands = counting = Counted(hands)
    yield counting
    person.hands = hands


@contextmanager
def at_most(presses: int, person: Person) -> Iterator[None]:
    """Fails where more presses were needed."""
    with counted(person) as hands:
        yield
    assert hands.presses <= presses, f"{hands.presses} presses"


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


class Tasks:
    """Everyday tasks of a reviewer, each with what it took."""

    def __init__(self, person: Person) -> None:
        self._person = person
        self.presses: dict[str, list[int]] = {}

    @contextmanager
    def of(self, task: str) -> Iterator[None]:
        with counted(self._person) as hands:
            yield
        self.presses.setdefault(task, []).append(hands.presses)


def documented() -> dict[str, list[int]]:
    """The presses of this program in the table of the documentation: by keys, by mouse."""
    lines = (ROOT / "docs/comparison.md").read_text(encoding="utf-8").splitlines()
    rows = [[cell.strip() for cell in line.split("|")] for line in lines if line.startswith("| ")]
    return {row[1]: [int(number) for number in row[2].split(" / ")] for row in rows if row[2][:1].isdigit()}


def test_ten_everyday_tasks_take_the_presses_of_the_documentation(
    harbour: Harbour, desktop: Desktop, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = use_editor(tmp_path, monkeypatch)
    harbour.propose_three("By keys")
    person = desktop.open(harbour.root)
    tasks, step = Tasks(person), person.panes.pages.step
    comments, choices = person.desk.comments, person.desk.choices

    person.wait_for_step(1)
    with tasks.of("Next hunk"):
        person.press("Alt+Down")
        wait_for(lambda: step.diff.current_hunk() == 2, "the second hunk")
    with tasks.of("Leave one hunk out"):
        person.press("X")
        wait_for(lambda: choices.current.get(2) is False, "the hunk left out")
    with tasks.of("Comment on line"):
        person.press("C")
        wait_for(lambda: person.focused().objectName() == "comment-editor", "the editor")
        person.type("why")
        person.press("Ctrl+Return")
        wait_for(lambda: [each.line for each in comments.current] == [30], "the comment")
    with tasks.of("Open in an editor at the line"):
        person.press("Ctrl+E")
        wait_for(told.exists, "the editor")
    with tasks.of("Approve one file"):
        person.press("A")
        person.wait_for_step(2)
    with tasks.of("Mark as viewed, go on"):
        person.press("Space")
        person.wait_for_step(3)
    with tasks.of("Next file to decide"):
        person.press("G")
        person.wait_for_step(2)
    with tasks.of("Reject one file, with a reason"):
        person.press("R")
        wait_for(lambda: person.focused().objectName() == "reason-editor", "the editor")
        person.type("no")
        wait_for(step.reason.reject.isEnabled, "the button")
        person.press("Ctrl+Return")
        person.wait_for_step(3)
    person.press("A")
    person.wait_until_on("apply")
    with tasks.of("Apply what is approved"):
        person.press("Ctrl+Shift+Return")
        person.wait_until_said("Applied 2 files")
    person.wait_until_on("undo_last")
    with tasks.of("Undo the last apply"):
        person.press("Ctrl+Alt+Z")
        person.wait_until_said("Rolled back 2 files")

    told.unlink()
    mouse = harbour.propose_three("By mouse")
    person.wait_for_step(1)
    with tasks.of("Next hunk"):
        person.click("diff-next-change")
        wait_for(lambda: step.diff.current_hunk() == 2, "the second hunk")
    with tasks.of("Leave one hunk out"):
        person.click_hunk_box(2)
        wait_for(lambda: choices.current.get(2) is False, "the hunk left out")
    line = middle_of_line(person, 30)
    with tasks.of("Comment on line"):
        left = step.diff.canvas.panes()[-1].left
        person.hover(step.diff.canvas.viewport(), QPoint(left + 8, line.y()))
        person.click_on(step.diff.canvas.viewport(), QPoint(left + 8, line.y()))
        wait_for(lambda: person.focused().objectName() == "comment-editor", "the editor")
        person.type("why")
        person.click("comment-done")
        wait_for(lambda: [each.line for each in comments.current] == [30], "the comment")
    line = middle_of_line(person, 30)
    with tasks.of("Open in an editor at the line"):
        choose(person, open_menu(person, step.diff.canvas.viewport(), line, "diff"), "Open in editor")
        wait_for(told.exists, "the editor")
    with tasks.of("Approve one file"):
        person.click("step-approve_step")
        person.wait_for_step(2)
    with tasks.of("Mark as viewed, go on"):
        person.click("step-mark_viewed")
        person.click_step(mouse, 3)
        person.wait_for_step(3)
    with tasks.of("Next file to decide"):
        person.click_step(mouse, 2)
        person.wait_for_step(2)
    with tasks.of("Reject one file, with a reason"):
        person.click("step-reject_step")
        wait_for(lambda: person.focused().objectName() == "reason-editor", "the editor")
        person.type("no")
        wait_for(step.reason.reject.isEnabled, "the button")
        person.click_on(step.reason.reject)
        person.wait_for_step(3)
    person.click("step-approve_step")
    with tasks.of("Apply what is approved"):
        person.click("toolbar-apply")
        person.wait_until_said("Applied 2 files")
    with tasks.of("Undo the last apply"):
        person.click("status-undo")
        person.wait_until_said("Rolled back 2 files")
    assert tasks.presses == documented()
