"""The facts beside the diff are those of what would be written now, not of the proposal."""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Iterator
from types import FrameType
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from studio.engine.draft import DraftStep
from studio.engine.plan import Operation, PersonSource, StepState
from studio.text import describe
from studio.ui.facts import FactsPanel
from studio.ui.facts.facts_view import FactsView
from studio.ui.review.desk import Desk
from studio.workspace import Person, Workspace
from tests.tools.idle import run_until_idle
from tests.ui.shell.conftest import LINES, LaterRunner

KEY = "AKIA" + "Q7RZK3M5T2XW8YVN"


def values(sheet: FactsView | None) -> dict[str, str]:
    assert sheet is not None
    return {row.label: row.value for row in sheet.rows}


def titles(sheet: FactsView | None) -> list[str]:
    assert sheet is not None
    return [block.title for block in sheet.warnings]


def with_lines(**lines: str) -> str:
    changed = list(LINES)
    for name, text in lines.items():
        changed[int(name[1:]) - 1] = text + "\n"
    return "".join(changed)


@pytest.fixture
def later(qapp: QApplication, bench: Any) -> Iterator[tuple[Desk, FactsPanel, LaterRunner]]:
    """A step that brings a secret in its second hunk, on the desk of a slow machine."""
    content = with_lines(l3="changed 3", l30=f"key = '{KEY}'").encode()
    bench.propose("A key", DraftStep(Operation.MODIFY, "one.txt", content=content))
    runner = LaterRunner()
    workspace = Workspace.open(bench.root)
    desk = Desk(runner, workspace, workspace.reviewer(Person(PersonSource.WINDOW, "t")), clock=bench.clock)
    desk.start()
    panel = FactsPanel(desk)
    runner.run_all()
    yield desk, panel, runner
    panel.deleteLater()
    desk.close()
    desk.deleteLater()
    runner.close()
    runner.deleteLater()
    workspace.close()


FILES = (
    (b"one\ntwo", b"one\ntwo\nthree\n", "2 → 3"),
    ("one\n\u0a0a\n".encode("utf-16"), "one\n\u0a0a\nthree\n".encode("utf-16"), "2 → 3"),
    (b"one\n" * 1200, b"two\n" * 1200, "1,200"),
    (None, b"", "0"),
    (b"one\n", None, "1"),
)
"""What a file was and becomes, and how many lines of it the window names."""


def test_the_window_tells_lines_and_hash_of_a_file(bench: Any, open_window: Any) -> None:
    """What is known about a file, with its checksum, encoding and count of lines."""
    steps: list[DraftStep] = []
    for number, (base, result, _told) in enumerate(FILES):
        if base is not None:
            (bench.root / f"told-{number}.txt").write_bytes(base)
        op = Operation.CREATE if base is None else Operation.DELETE if result is None else Operation.MODIFY
        steps.append(DraftStep(op, f"told-{number}.txt", exact=result))
    plan, desktop = bench.propose("Told", *steps), open_window()
    for number, (base, result, told) in enumerate(FILES, start=1):
        desktop.desk.select(plan.id, number)
        desktop.settle()
        rows = {row.label: row for row in desktop.panes.facts.facts_view.rows}
        assert rows["Lines"].value == told
        hashes = [hashlib.sha256(data).hexdigest() for data in (base, result) if data is not None]
        assert rows["SHA-256"].value == " → ".join(each[:7] for each in hashes)
        assert rows["SHA-256"].tip == " → ".join(hashes)


def test_a_hunk_left_out_takes_its_facts_and_counts_with_it(
    later: tuple[Desk, FactsPanel, LaterRunner], bench: Any
) -> None:
    desk, panel, runner = later
    assert "Possible secret" in titles(panel.facts_view)
    whole = values(panel.facts_view)["Size"]
    bench.look(desk)
    desk.choices.toggle_hunk(2)
    assert values(panel.facts_view)["Result"] == "part of the proposal, checking…"
    runner.run_all()
    sheet = panel.facts_view
    assert titles(sheet) == [] and values(sheet)["Secrets"] == "none found"
    assert values(sheet)["Result"] == "part of the proposal"
    assert values(sheet)["Size"] != whole
    told = desk.outcomes.step()
    assert told is not None and (told.added, told.removed) == (1, 1)
    desk.choices.toggle_hunk(2)
    runner.run_all()
    assert "Possible secret" in titles(panel.facts_view) and "Result" not in values(panel.facts_view)


def test_an_answer_that_comes_too_late_is_not_shown_as_the_last_word(
    later: tuple[Desk, FactsPanel, LaterRunner], bench: Any
) -> None:
    """Two presses before the first was looked at: one look at a time, and the last choice counts."""
    desk, panel, runner = later
    bench.look(desk)
    desk.choices.toggle_hunk(2)
    bench.look(desk)
    desk.choices.toggle_hunk(1)
    desk.choices.toggle_hunk(2)
    assert len(runner.waiting) == 1
    runner.run_one()
    assert values(panel.facts_view)["Result"] == "part of the proposal, checking…"
    assert desk.outcomes.current is None
    runner.run_all()
    assert "Possible secret" in titles(panel.facts_view), "hunk 2 is in again"
    assert values(panel.facts_view)["Result"] == "part of the proposal"


def test_what_a_person_types_is_searched_like_a_proposal(
    later: tuple[Desk, FactsPanel, LaterRunner], bench: Any
) -> None:
    desk, panel, runner = later
    bench.look(desk)
    desk.editor.begin()
    desk.editor.finish(with_lines(l3="turned \u202e round"))
    runner.run_one()
    assert values(panel.facts_view)["Result"] == "your edited version, checking…"
    assert "Possible secret" not in titles(panel.facts_view), "nobody knows yet what this one holds"
    runner.run_all()
    sheet = panel.facts_view
    assert titles(sheet) == ["Bidirectional Unicode text"]
    assert values(sheet)["Secrets"] == "none found" and values(sheet)["Result"] == "your edited version"
    desk.edited.drop()
    runner.run_all()
    assert "Possible secret" in titles(panel.facts_view) and "Result" not in values(panel.facts_view)


def test_a_decided_step_keeps_the_facts_of_what_was_decided(
    later: tuple[Desk, FactsPanel, LaterRunner], bench: Any
) -> None:
    desk, panel, runner = later
    bench.look(desk)
    desk.choices.toggle_hunk(2)
    runner.run_all()
    bench.look(desk)
    desk.decisions.approve_step()
    runner.run_all()
    step = desk.queue.current_step
    assert step is not None and step.state is StepState.APPROVED
    assert titles(panel.facts_view) == [] and values(panel.facts_view)["Result"] == "part of the proposal"
    bench.look(desk)
    desk.decisions.take_back()
    runner.run_all()
    assert values(panel.facts_view)["Result"] == "part of the proposal", "the choice came back with it"


def test_the_card_above_an_edited_result_names_its_own_lines(desktop: Any) -> None:
    desktop.desk.editor.begin()
    desktop.desk.editor.finish(with_lines(l9="turned \u202e round"))
    desktop.settle()
    view = desktop.panes.pages.step.diff
    assert view.special_title() == "1 line has invisible characters"
    assert view.notice.line == 9
    assert desktop.find("step-approve_step").text() == "Approve as edited"
    desktop.desk.edited.drop()
    desktop.settle()
    assert view.special_title() == ""


def test_a_line_nobody_can_read_that_was_edited_away_asks_for_no_consent(
    bench: Any, open_window: Any
) -> None:
    """Consent is about what would be written; nothing is left to accept, so nothing holds it up."""
    bench.propose(
        "Long", DraftStep(Operation.MODIFY, "one.txt", content=with_lines(l3="x" * 20_000).encode())
    )
    desktop = open_window()
    assert desktop.desk.can("approve_step") == "Some lines are very long. Accept them first."
    desktop.desk.choices.toggle_hunk(1)
    desktop.desk.editor.begin()
    desktop.settle()
    desktop.desk.editor.finish(with_lines(l4="short"))
    desktop.settle()
    assert desktop.desk.can("approve_step") == ""
    desktop.press(Qt.Key.Key_A)
    assert desktop.desk.queue.plans[0].steps[0].state is StepState.APPROVED


def test_a_secret_that_was_left_out_or_edited_away_asks_for_no_consent(bench: Any, open_window: Any) -> None:
    """It is about what would be written."""
    key = "AK" + "IA2X5VBW7QZ3MNRT4K"
    content = with_lines(l3=f"key = {key}", l30="changed").encode()
    plan = bench.propose("Sign in", DraftStep(Operation.MODIFY, "one.txt", content=content))
    desktop = open_window()
    asked = "Some lines may contain secrets. Accept them first."
    assert desktop.desk.can("approve_step") == asked
    desktop.desk.select(plan.id, None)
    desktop.settle()
    left = (
        "All remaining steps have very long lines or possible secrets. Open each step and accept them there."
    )
    assert desktop.desk.can("approve_undecided") == left
    desktop.desk.select(plan.id, 1)
    desktop.settle()
    for can in ("", asked):
        desktop.click(desktop.find("secrets-accept"))
        desktop.settle()
        assert desktop.desk.can("approve_step") == can
    desktop.desk.choices.toggle_hunk(1)
    desktop.settle()
    assert desktop.desk.can("approve_step") == ""
    assert not desktop.panes.pages.step.secrets.isVisible()
    desktop.desk.choices.toggle_hunk(1)
    desktop.settle()
    assert desktop.desk.can("approve_step") == asked
    desktop.desk.editor.begin()
    desktop.settle()
    desktop.desk.editor.finish(with_lines(l4="short"))
    desktop.settle()
    assert desktop.desk.can("approve_step") == ""


def test_each_side_on_show_is_looked_at_once(bench: Any, desktop: Any) -> None:
    """What a text is, is asked once per side and carried along: by diff, facts and headings together."""
    plan = bench.propose("One", DraftStep(Operation.MODIFY, "one.txt", content=b"another text\n"))
    code, asked = describe.__code__, list[bytes]()

    def note(frame: FrameType, event: str, _argument: object) -> None:
        if event == "call" and frame.f_code is code:
            asked.append(frame.f_locals["data"])

    desktop.desk.queue.refresh()
    sys.setprofile(note)
    try:
        desktop.desk.select(plan.id, 1)
        bench.look(desktop.desk)
        run_until_idle()
    finally:
        sys.setprofile(None)
    assert sorted(asked) == sorted([bench.read("one.txt").encode(), b"another text\n"])
