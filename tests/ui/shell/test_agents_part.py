"""The agents on the page of settings: where nothing of them can be asked, and what a row says."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel

from studio.ui.agents.agent_row import AgentRow
from studio.ui.agents.agents_part import AgentsPart
from studio.ui.look.times import utc_now
from studio.ui.runner import Runner
from tests.tools.connectable import every_condition


def test_without_doors_it_says_so(runner: Runner) -> None:
    part = AgentsPart(None, runner)
    part.show()
    (trouble,) = part.findChildren(QLabel, "agents-trouble")
    assert "without the agents' doors" in trouble.text() and trouble.isVisible()
    part.close()
    part.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def test_what_an_agent_could_still_do_has_a_heading(qapp: QApplication) -> None:
    """Also an agent that is connected; one that is not installed says nothing of it."""
    for agent in every_condition():
        row = AgentRow(agent, utc_now)
        said = [each.text() for each in row.findChildren(QLabel)]
        heading, listed = "What it could still do without asking:", [f"· {each}" for each in agent.unseen]
        assert (heading in said) is (agent.is_installed or agent.holds_ours), agent.name
        if heading in said:
            first = said.index(heading) + 1
            assert said[first:] == listed and listed, agent.name
        row.deleteLater()
