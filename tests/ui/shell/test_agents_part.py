"""The agents on the page of settings: where nothing of them can be asked, and what a row says."""

from __future__ import annotations

from pathlib import Path

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QAbstractButton, QApplication, QLabel, QWidget
from pytestqt.qtbot import QtBot

from studio.doors.doctor.gate_proof import Attempt
from studio.ui.agents.agents_part import AgentRow, AgentsPart
from studio.ui.agents.change_preview import GateTestPanel, attempt_words
from studio.ui.look.words import utc_now
from studio.ui.runner import Runner
from tests.tools.connectable import every_condition, stand_in_connections


def test_without_doors_it_says_so(runner: Runner) -> None:
    part = AgentsPart(None, runner)
    part.show()
    (trouble,) = part.findChildren(QLabel, "agents-trouble")
    assert "can't be connected from this window" in trouble.text() and trouble.isVisible()
    part.close()
    part.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_each_attempt_on_a_gate_has_words_of_the_window() -> None:
    """The names in JSON stay, and are no text to read."""
    words = attempt_words()
    assert list(words) == [attempt.value for attempt in Attempt]
    assert len(set(words.values())) == len(Attempt)


def test_what_an_agent_could_still_do_has_a_heading(qapp: QApplication) -> None:
    """Also an agent that is connected; one that is not installed says nothing of it."""
    for agent in every_condition():
        row = AgentRow(agent, utc_now)
        said = [each.text() for each in row.findChildren(QLabel)]
        heading, listed = "Not covered by the gate:", [f"· {each}" for each in agent.unseen]
        assert (heading in said) is (agent.is_installed or agent.holds_ours), agent.name
        if heading in said:
            first = said.index(heading) + 1
            assert said[first:] == listed and listed, agent.name
        row.deleteLater()


@pytest.mark.parametrize("way", ["own", "empty"])
def test_a_gate_is_tried_with_ones_own_settings_or_in_an_empty_home(
    qtbot: QtBot, runner: Runner, tmp_path: Path, way: str
) -> None:
    """What is copied into the sandbox is named before; each attempt has a row, and the result its words."""
    agent = replace(
        every_condition()[0], own_trial="claude --settings s", own_files=(".claude/settings.json",)
    )
    asked: list[bool] = []

    def command(is_own: bool) -> tuple[str, ...]:
        asked.append(is_own)
        return tuple(stand_in_connections().proof_command(agent.name, is_own))

    sheet = GateTestPanel(agent, runner, utc_now)
    sheet.ask(command, tmp_path)
    assert "copies of ~/.claude/settings.json" in sheet.words.text() and agent.own_trial in sheet.words.text()
    button = sheet.findChild(QAbstractButton, f"gate-proof-{way}")
    assert button is not None
    button.click()
    with qtbot.waitSignal(sheet.ended):
        pass
    assert asked == [way == "own"]
    assert sheet.title.text() == "Protected, fails open"
    assert len(sheet.findChildren(QWidget, "gate-proof-tried")) == 4
    sheet.deleteLater()
