"""The agents on the page of settings, where nothing of them can be asked."""

from __future__ import annotations

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import QApplication, QLabel

from studio.ui.agents.agents_part import AgentsPart
from studio.ui.runner import Runner


def test_without_doors_it_says_so(runner: Runner) -> None:
    part = AgentsPart(None, runner)
    part.show()
    (trouble,) = part.findChildren(QLabel, "agents-trouble")
    assert "without the agents' doors" in trouble.text() and trouble.isVisible()
    part.close()
    part.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
