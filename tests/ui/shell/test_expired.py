"""An approval that counts no more says so where it has to be given again (review: approval_minutes)."""

from __future__ import annotations

import os
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLabel

from studio.engine.plan import StepState
from studio.engine.store import Store
from studio.engine.store.rows import now, time_text


def texts(widget: Any) -> list[str]:
    return [label.text() for label in widget.findChildren(QLabel) if label.isVisible()]


def test_step_plan_and_problems_say_which_approvals_are_too_old(
    bench: Any, open_window: Callable[[], Any]
) -> None:
    plan = bench.propose_three()
    desktop = open_window()
    for _ in range(2):
        desktop.press(Qt.Key.Key_A)
        desktop.settle()
    config = Path(os.environ["STUDIO_CONFIG_DIR"], "config.yaml")
    config.write_text("review: {approval_minutes: 30}\n")
    store = Store(bench.agent.state_folder)
    with store.database.write() as connection:
        connection.execute("UPDATE decisions SET made = ?", (time_text(now() - timedelta(minutes=31)),))
    store.close()
    desktop.desk.queue.refresh()
    desktop.settle()
    assert {step.state for step in desktop.desk.queue.plans[0].steps} == {StepState.PENDING}
    desktop.desk.select(plan.id, 1)
    desktop.settle()
    strip = desktop.find("step-strip")
    assert "The approvals for this plan have expired." in texts(strip)
    assert any("approved more than 30 minutes ago" in text for text in texts(strip))
    assert any("approved more than 30 minutes ago" in row.cells[0].text for row in problems(desktop))
    desktop.desk.select(plan.id, None)
    desktop.settle()
    says = texts(desktop.find("agent-says"))
    assert says[0] == "About this plan" and "approved more than 30 minutes ago" in says[1]
    assert "Message from the agent" not in says, "our words are not the agent's"
    desktop.desk.select(plan.id, 1)
    desktop.settle()
    for _ in range(3):
        desktop.press(Qt.Key.Key_A)
        desktop.settle()
    assert {step.state for step in desktop.desk.queue.plans[0].steps} == {StepState.APPROVED}
    assert not desktop.panes.pages.step.banner.isVisible() and problems(desktop) == ()


def problems(desktop: Any) -> tuple[Any, ...]:
    return tuple(desktop.panes.problems.view.rows.rows)
