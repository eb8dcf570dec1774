"""The agents on the page of settings, by hand: connected, disconnected and proved; the files tell."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import Mock

import pytest
from PySide6.QtCore import QEvent, QPoint, Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import (
    QAbstractButton,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QScrollArea,
    QWidget,
)

from studio.extras import sandbox
from studio.extras.agents import ConnectionState
from studio.extras.home_files import stored_file_path
from studio.extras.sandbox import SandboxRefused
from studio.open_window import agent_processes
from studio.ui.agents.agents_part import AgentRow, AgentsPart
from tests.doors.conftest import set_review
from tests.doors.doctor import stand_in
from tests.journeys.desktop import Desktop, children
from tests.journeys.hands import hands_of_this_display, wait_for
from tests.tools.sandboxed import PYTHON

CLAUDE, CODEX = "claude-code", "codex"
SETTINGS = b'{\r\n\t"mine" : [ ],\r\n\t"model": "opus"\r\n}\r\n'
SERVERS = b'{"mcpServers": {"other": {"command": "x"}}}'
SLOW = "#!/bin/sh\necho $$ > {marks}/client.new && mv {marks}/client.new {marks}/client\nexec sleep 300\n"


@dataclass
class Settings:
    """The part in a window of its own, and a person before it."""

    part: AgentsPart
    page: QScrollArea
    told: list[bool] = field(default_factory=list)

    def row(self, name: str = CLAUDE) -> AgentRow:
        return self.part.rows[name]

    def state(self, name: str = CLAUDE) -> ConnectionState:
        return self.row(name).agent.state

    def find(self, name: str, row: str = CLAUDE) -> QAbstractButton:
        """The button of that name in a row, once it can be pressed."""

        def found() -> QAbstractButton | None:
            buttons = self.row(row).findChildren(QAbstractButton, name)
            return next((each for each in buttons if each.isVisible() and each.isEnabled()), None)

        wait_for(found, f"the button {name}")
        button = found()
        assert button is not None
        return button

    def click(self, name: str, row: str = CLAUDE) -> None:
        button = self.find(name, row)
        self.page.ensureWidgetVisible(button)
        QApplication.processEvents()
        window = self.page.windowHandle()
        assert window is not None
        hands_of_this_display().click(window, button.mapTo(self.page, button.rect().center()))

    def press(self, keys: str) -> None:
        window = self.page.windowHandle()
        assert window is not None
        hands_of_this_display().press(window, keys)

    def text(self, row: str = CLAUDE) -> str:
        """All that a row says."""
        widgets: list[QWidget] = [*self.row(row).findChildren(QLabel)]
        said = [each.text() for each in widgets if isinstance(each, QLabel) and each.isVisible()]
        views = self.row(row).findChildren(QPlainTextEdit)
        return "\n".join([*said, *(view.toPlainText() for view in views if view.isVisible())])

    def wait_for_words(self, words: str, row: str = CLAUDE) -> None:
        wait_for(lambda: words in self.text(row), words)


@pytest.fixture
def programs(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where agents are looked for; this machine's own are not found."""
    folder = private_folders / "programs"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/usr/bin:/bin")
    install(folder, "claude", "#!/bin/sh\necho 9.9.9\n")
    return folder


@pytest.fixture
def home(private_folders: Path, programs: Path) -> Path:
    folder = private_folders / "home"
    (folder / ".claude").mkdir()
    (folder / ".claude/settings.json").write_bytes(SETTINGS)
    (folder / ".claude.json").write_bytes(SERVERS)
    return folder


@pytest.fixture
def before(home: Path) -> dict[Path, bytes]:
    """The agent's files as they were."""
    return {home / ".claude/settings.json": SETTINGS, home / ".claude.json": SERVERS}


@pytest.fixture
def settings(desktop: Desktop, home: Path) -> Iterator[Settings]:
    desktop.open(None)
    part = AgentsPart(agent_processes, desktop.runner)
    page = QScrollArea()
    page.setWidgetResizable(True)
    page.setWidget(part)
    page.resize(900, 700)
    made = Settings(part, page)
    part.changed.connect(lambda: made.told.append(True))
    page.show()
    QTest.qWaitForWindowActive(page)
    wait_for(lambda: part.rows, "the agents")
    yield made
    page.close()
    page.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)


def install(folder: Path, name: str, text: str) -> None:
    program = folder / name
    program.write_text(text)
    program.chmod(stat.S_IRWXU)


def bytes_of(files: dict[Path, bytes]) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files}


def kill_worker() -> None:
    (process,) = children()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)


def test_an_agent_is_connected_and_disconnected_by_two_presses_whatever_others_do(
    settings: Settings, before: dict[Path, bytes], home: Path, programs: Path
) -> None:
    """No press that comes with the change, no Enter, and no click that brings the window to the front."""
    set_review("off")  # of the command line: a press in the window is a person all the same
    file, servers = before
    assert "Everything: Claude Code is not connected" in settings.text()
    width = settings.part.width()
    height = settings.part.heightForWidth(width)
    settings.click("agent-connect")
    settings.find("agent-change-now")
    assert '+\t"hooks": {' in settings.text() and "-" in settings.text()
    assert "Each tool call asks Exacta Studio first." in settings.text()
    assert bytes_of(before) == before, "the first press shows"
    focused = QApplication.focusWidget()
    assert focused is not None
    settings.find("agent-change-now").setFocus()
    settings.press("Return")
    assert settings.row().sheet is not None, "Enter writes nothing"
    focused.setFocus()
    settings.press("Escape")
    wait_for(lambda: settings.row().sheet is None, "it is left")
    assert QApplication.focusWidget() is settings.row().connect_button
    wait_for(lambda: not children(), "its process has ended")
    assert bytes_of(before) == before and not settings.told

    file.write_bytes(b'{"model": }')
    settings.click("agent-connect")
    settings.wait_for_words("settings.json was not changed: line 1")
    assert not settings.row().findChildren(QAbstractButton, "agent-change-now")
    file.write_bytes(SETTINGS)
    settings.click("agent-change-again")
    settings.find("agent-change-now")
    kill_worker()
    settings.wait_for_words("The process was killed.")
    assert "Nothing was changed." in settings.text() and bytes_of(before) == before
    settings.click("agent-change-again")
    settings.find("agent-change-now")
    before[file] = SETTINGS.replace(b"opus", b"sonnet")
    file.write_bytes(before[file])
    settings.click("agent-change-now")
    settings.wait_for_words("changed since it was shown. Nothing was written.")
    assert bytes_of(before) == before

    field = QLineEdit(settings.page)
    field.show()
    settings.click("agent-change-again")
    field.setFocus()
    settings.wait_for_words("sonnet")
    settings.find("agent-change-now")
    assert field.hasFocus(), "what comes late takes the keyboard from nobody"
    field.hide()
    (button,) = settings.row().findChildren(QAbstractButton, "agent-change-now")
    other = QWidget()
    other.show()
    other.activateWindow()
    QTest.qWaitForWindowActive(other)
    settings.page.activateWindow()
    QTest.qWaitForWindowActive(settings.page)
    assert not button.isEnabled()
    other.close()
    other.deleteLater()
    settings.click("agent-change-now")  # once it can be pressed
    settings.wait_for_words("Claude Code is connected.")
    settings.wait_for_words("wrote nothing even without a gate")  # it was tested at once
    focused = QApplication.focusWidget()
    assert focused is not None and focused.objectName() == "gate-proof-close"
    whole = file.read_bytes()
    assert b'"onFailure": "block"' in whole and b'"mine" : [ ],\r\n' in whole and b"sonnet" in whole
    assert json.loads(servers.read_bytes())["mcpServers"]["other"] == {"command": "x"}
    assert stored_file_path("hooks/claude-code").is_file()
    wait_for(lambda: settings.state() is ConnectionState.CONNECTED, "it looks anew")
    assert "Command-line options" in settings.text() and settings.told
    assert settings.part.heightForWidth(width) > height, "it is as high as what it says"
    settings.click("gate-proof-close")

    file.write_bytes(whole.replace(b'"matcher": "*"', b'"matcher": "Bash"'))
    settings.part.scan()
    settings.wait_for_words("Configuration entry was changed")
    assert not settings.row().prove_button.isEnabled()
    assert "Connect it again" in settings.row().prove_button.accessibleDescription()
    settings.click("agent-connect")  # it says "Mend…" now
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is connected.")
    assert file.read_bytes() == whole
    settings.click("gate-proof-close")
    connected = bytes_of(before)
    settings.click("agent-disconnect")
    wait_for(lambda: settings.row().findChildren(QAbstractButton, "agent-change-now"), "it is shown")
    (button,) = settings.row().findChildren(QAbstractButton, "agent-change-now")
    assert not button.isEnabled() and button.toolTip(), "whoever presses now has not read anything"
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(9, 9))
    settings.find("agent-change-now")
    assert bytes_of(before) == connected
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is no longer connected.")
    assert bytes_of(before) == before and not stored_file_path("hooks/claude-code").exists()
    wait_for(lambda: settings.state() is ConnectionState.NOT_CONNECTED, "it looks anew")
    settings.click("agent-change-close")

    # Codex is asked for its trust once the files are written, and does not answer.
    install(programs, "codex", SLOW.format(marks=programs))
    settings.part.scan()
    wait_for(lambda: settings.row(CODEX).agent.is_installed, "it is found")
    settings.click("agent-connect", CODEX)
    settings.find("agent-change-now", CODEX)
    assert "Codex will trust the hook." in settings.text(CODEX)
    settings.click("agent-change-now", CODEX)
    wait_for((programs / "client").exists, "Codex is asked")
    settings.press("Escape")
    assert settings.row(CODEX).sheet is not None, "it can't be left while it works"
    kill_worker()
    os.kill(int((programs / "client").read_text()), signal.SIGKILL)
    settings.wait_for_words("Changes made so far are kept", CODEX)
    assert "exec" in (home / ".codex/hooks.json").read_text()
    wait_for(lambda: settings.state(CODEX) is ConnectionState.CONNECTED, "it looks anew")

    settings.click("agent-connect")
    settings.find("agent-change-now")
    assert children()
    settings.page.takeWidget().deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    wait_for(lambda: not children(), "a window that closes lets its process go")
    assert bytes_of(before) == before


def is_proved(row: AgentRow) -> bool:
    return row.agent.gate_status is not None and row.agent.gate_status.proved


def is_there(process: int) -> bool:
    return Path(f"/proc/{process}/cwd").exists()


def test_a_gate_is_proved_stopped_with_its_client_or_says_why_it_was_not_tried(
    settings: Settings, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (programs := home / "bin").mkdir()  # of /tmp a sandbox shows nothing
    monkeypatch.setenv("PATH", f"{programs}:/usr/bin:/bin:{Path(PYTHON).parent}")
    install(programs, "claude", f"#!{sys.executable}\n{Path(stand_in.__file__).read_text()}")
    (programs / "way").write_text("open")
    settings.click("agent-connect")
    settings.click("agent-change-now")
    settings.click("gate-proof-stop")  # it begins by itself
    settings.wait_for_words("Stopped.")
    settings.click("gate-proof-close")
    (home / ".claude.json").write_text('{"primaryApiKey": "secret", "mcpServers": {}}')
    settings.click("agent-prove")
    settings.click("gate-proof-empty")
    settings.wait_for_words("Without a gate: written, as expected")
    line = "Hook program missing: written"
    wait_for(lambda: line in settings.text(), line, 60)
    settings.wait_for_words("Protected, fails open")
    assert "9.9.9 (stand-in)" in settings.text()
    wait_for(lambda: is_proved(settings.row()), "it looks anew")
    gates = stored_file_path("gates.json").read_text()
    assert json.loads(gates)[0]["proved"] is True
    settings.click("gate-proof-close")
    assert settings.row().sheet is None
    settings.wait_for_words("Verified in an empty home")
    settings.wait_for_words("Protected, fails open")

    refused = SandboxRefused("sandbox.none", "This system gives us no name space.", "")
    monkeypatch.setattr(sandbox, "Sandbox", Mock(side_effect=refused))
    install(programs, "claude", SLOW.format(marks=programs))
    settings.part.scan()
    wait_for(lambda: settings.row().agent.own_refusal, "that no sandbox can be had")
    settings.click("agent-prove")
    settings.wait_for_words("The gate for Claude Code can't be verified with your own settings.")
    assert "no name space" in settings.text()
    assert settings.row().findChild(QAbstractButton, "gate-proof-own") is None
    settings.click("gate-proof-empty")
    wait_for((programs / "client").exists, "it is started")
    client = int((programs / "client").read_text())
    settings.click("gate-proof-stop")
    settings.wait_for_words("Stopped.")
    wait_for(lambda: not is_there(client), "its client is gone")
    assert stored_file_path("gates.json").read_text() == gates
    settings.click("gate-proof-close")

    install(programs, "claude", "no program at all\n\x00")
    settings.click("agent-prove")
    settings.click("gate-proof-empty")
    settings.wait_for_words("The gate was not verified.")
    assert "can't be started" in settings.text()
    settings.press("Escape")
    wait_for(lambda: settings.row().sheet is None, "the innermost thing to be closed")

    install(programs, "claude", "#!/bin/sh\necho 9.9.9\n")
    monkeypatch.setenv("HOME", str(home / "gone"))
    settings.click("agent-prove")
    settings.click("gate-proof-empty")
    settings.wait_for_words("The trial can't be started")
    settings.click("gate-proof-close")
