"""The dock's commands: what is given is shown, and nothing runs that was not typed."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.extras.agents import LOGIN_NAMES, NO_LOGINS
from studio.ui.actions.action import Action
from studio.ui.commands.panel import Aim, CommandPanel, OutputView
from studio.ui.look.theme import set_theme

pytestmark = pytest.mark.usefixtures("qapp")


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication, desk: Any) -> CommandPanel:
    set_theme(qapp, "light")
    panel = CommandPanel(desk, lambda _names: NO_LOGINS)
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    qtbot.waitExposed(panel)
    return panel


def test_enter_does_what_was_asked_for_last(panel: CommandPanel, desk: Any) -> None:
    panel.aim(Aim.RUN)
    QTest.keyClicks(panel.line, "make test")
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    panel.aim(Aim.TRY)
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    assert [each[:2] for each in desk.commands.asked] == [("run", "make test"), ("try", "make test")]


def test_what_is_typed_is_never_completed_to_another_command(panel: CommandPanel, desk: Any) -> None:
    desk.commands.memory = SimpleNamespace(recent=("rm -rf build", "make test"))
    desk.commands.settings_changed.emit()
    panel.aim(Aim.RUN)
    assert panel.line.currentText() == "rm -rf build"
    QTest.keyClicks(panel.line, "rm")
    assert panel.line.currentText() == "rm"
    desk.commands.trial_commands = ("pytest",)
    desk.commands.settings_changed.emit()  # the list came while somebody types
    QTest.keyClicks(panel.line, "dir x")
    assert panel.line.currentText() == "rmdir x"
    assert [panel.line.itemText(row) for row in range(3)] == ["rm -rf build", "make test", "pytest"]


def test_what_a_program_was_given_is_shown_before_it_is_begun(panel: CommandPanel, desk: Any) -> None:
    desk.commands.default_permissions = lambda line: SimpleNamespace(
        network=line.startswith("codex"), login="codex" if line.startswith("codex") else ""
    )
    panel.aim(Aim.RUN)
    QTest.keyClicks(panel.line, "codex exec x")
    assert panel.network.isChecked() and panel.login.currentData() == "codex"
    QTest.keyClick(panel.line, Qt.Key.Key_Return)
    assert desk.commands.asked == [("run", "codex exec x", True, "codex")]
    QTest.keySequence(panel.line, "Ctrl+A")
    QTest.keyClicks(panel.line, "make")
    assert not panel.network.isChecked() and panel.login.currentData() == ""
    assert panel.login.count() == len(LOGIN_NAMES) + 1


def test_a_button_that_is_off_says_why(panel: CommandPanel, desk: Any) -> None:
    desk.refusals[Action.START_TRIAL] = "There is no plan to review."
    desk.refusals[Action.STOP_COMMAND] = "No command is running in this window."
    desk.allowed_changed.emit()
    assert not panel.try_button.isEnabled() and panel.try_button.toolTip() == "There is no plan to review."
    assert not panel.stop_button.isEnabled() and panel.run_button.isEnabled()


def test_output_without_end_stays_short(qtbot: QtBot, qapp: QApplication) -> None:
    set_theme(qapp, "light")
    view = OutputView()
    qtbot.addWidget(view)
    for _ in range(30):
        view.append_text("x" * 1000)
    lengths = [len(line) for line in view.toPlainText().split("\n")]
    assert sum(lengths) == 30_000 and max(lengths) == 4000
    view.append_text("\n" * 20_000 + "last")
    assert view.blockCount() <= 10_000 and view.toPlainText().endswith("last")
    view.clear_output()
    view.append_text("again\n")
    assert view.toPlainText() == "again\n"
