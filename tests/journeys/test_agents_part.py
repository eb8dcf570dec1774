"""The agents on the page of settings, by hand: connected, disconnected and proved; the files tell."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import threading
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

from studio.__main__ import agent_processes
from studio.engine import sandbox
from studio.engine.agent_connection import ConnectionState
from studio.engine.home_files import kept_path
from studio.engine.sandbox import SandboxRefused
from studio.ui.agents import agent_process
from studio.ui.agents.agent_row import AgentRow
from studio.ui.agents.agents_part import AgentsPart
from studio.ui.desk import worker
from tests.doors.conftest import set_review
from tests.doors.doctor import stand_in
from tests.journeys.desktop import Desktop, children
from tests.journeys.hands import hands_of_this_display, let_pass, wait_for
from tests.tools.sandboxed import PYTHON, UNSEEN, is_unseen, opened

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
    for thread in threading.enumerate():
        if thread.name in (worker.THREAD, agent_process.THREAD):
            thread.join(20)


def install(folder: Path, name: str, text: str) -> None:
    program = folder / name
    program.write_text(text)
    program.chmod(stat.S_IRWXU)


def bytes_of(files: dict[Path, bytes]) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in files}


def connect(settings: Settings, name: str = CLAUDE) -> None:
    settings.click("agent-connect", name)
    settings.click("agent-change-now", name)
    wait_for(lambda: settings.state(name) is ConnectionState.CONNECTED, "connected")
    settings.click("agent-change-close", name)


def test_an_agent_is_connected_and_disconnected_by_two_presses_each(
    settings: Settings, before: dict[Path, bytes]
) -> None:
    set_review("off")  # of the command line: a press in the window is a person all the same
    assert "Everything: Claude Code is not connected" in settings.text()
    settings.click("agent-connect")
    settings.find("agent-change-now")
    assert '+\t"hooks": {' in settings.text() and "-" in settings.text()
    assert "Every tool it uses asks Exacta Studio first." in settings.text()
    assert bytes_of(before) == before, "the first press shows"
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is connected.")
    focused = QApplication.focusWidget()
    assert focused is not None and focused.objectName() == "agent-change-close"
    file, servers = before
    assert b'"onFailure": "block"' in file.read_bytes() and b'"mine" : [ ],\r\n' in file.read_bytes()
    assert json.loads(servers.read_bytes())["mcpServers"]["other"] == {"command": "x"}
    assert kept_path("hooks/claude-code").is_file()
    wait_for(lambda: settings.state() is ConnectionState.CONNECTED, "it looks anew")
    assert "Options at its start" in settings.text() and settings.told
    settings.click("agent-change-close")
    settings.click("agent-disconnect")
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is no longer connected.")
    assert bytes_of(before) == before and not kept_path("hooks/claude-code").exists()
    wait_for(lambda: settings.state() is ConnectionState.NOT_CONNECTED, "it looks anew")


def test_what_comes_late_takes_the_keyboard_from_nobody(settings: Settings) -> None:
    settings.click("agent-connect")
    field = QLineEdit(settings.page)
    field.show()
    field.setFocus()
    settings.find("agent-change-now")
    assert field.hasFocus()
    settings.click("agent-change-close")


def test_enter_presses_nothing_and_esc_leaves(settings: Settings, before: dict[Path, bytes]) -> None:
    settings.click("agent-connect")
    settings.find("agent-change-now")
    settings.press("Return")
    let_pass(0.2)
    assert settings.row().sheet is not None
    settings.press("Escape")
    wait_for(lambda: settings.row().sheet is None, "it is left")
    assert QApplication.focusWidget() is settings.row().connect_button
    wait_for(lambda: not children(), "its process has ended")
    assert bytes_of(before) == before and not settings.told


def test_a_press_that_comes_with_the_change_is_none(settings: Settings, before: dict[Path, bytes]) -> None:
    """Whoever presses at the place where the button appears has not read anything."""
    settings.click("agent-connect")
    wait_for(lambda: settings.row().findChildren(QAbstractButton, "agent-change-now"), "it is shown")
    (button,) = settings.row().findChildren(QAbstractButton, "agent-change-now")
    assert not button.isEnabled() and button.toolTip()
    QTest.mouseClick(button, Qt.MouseButton.LeftButton, Qt.KeyboardModifier.NoModifier, QPoint(9, 9))
    settings.find("agent-change-now")
    assert bytes_of(before) == before
    settings.press("Escape")


def test_the_click_that_brings_the_window_to_the_front_is_none(
    settings: Settings, before: dict[Path, bytes]
) -> None:
    settings.click("agent-connect")
    button = settings.find("agent-change-now")
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
    assert bytes_of(before) != before


def test_a_file_that_changed_meanwhile_is_shown_anew(settings: Settings, before: dict[Path, bytes]) -> None:
    file = next(iter(before))
    settings.click("agent-connect")
    settings.find("agent-change-now")
    file.write_bytes(b'{"model": "sonnet"}\n')
    settings.click("agent-change-now")
    settings.wait_for_words("is no longer as it was shown. Nothing was changed.")
    assert file.read_bytes() == b'{"model": "sonnet"}\n'
    settings.click("agent-change-again")
    settings.wait_for_words('-{"model": "sonnet"}')
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is connected.")
    assert json.loads(file.read_bytes())["model"] == "sonnet"


def test_a_broken_file_is_told_and_left(settings: Settings, before: dict[Path, bytes]) -> None:
    file = next(iter(before))
    file.write_bytes(b'{"model": }')
    settings.click("agent-connect")
    settings.wait_for_words("settings.json is not changed: line 1")
    assert not settings.row().findChildren(QAbstractButton, "agent-change-now")
    assert file.read_bytes() == b'{"model": }'
    file.write_bytes(SETTINGS)
    settings.click("agent-change-again")
    settings.find("agent-change-now")
    settings.press("Escape")


def kill_worker() -> None:
    (process,) = children()
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)


def test_a_process_that_is_killed_before_the_press_changed_nothing(
    settings: Settings, before: dict[Path, bytes]
) -> None:
    settings.click("agent-connect")
    settings.find("agent-change-now")
    kill_worker()
    settings.wait_for_words("was killed from outside.")
    assert "Nothing was changed." in settings.text() and bytes_of(before) == before
    settings.click("agent-change-again")
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is connected.")


def test_a_process_that_is_killed_while_it_works_is_told(
    settings: Settings, home: Path, programs: Path
) -> None:
    """Codex is asked for its trust once the files are written, and does not answer."""
    install(programs, "codex", SLOW.format(marks=programs))
    settings.part.look()
    wait_for(lambda: settings.row(CODEX).agent.is_installed, "it is found")
    settings.click("agent-connect", CODEX)
    settings.find("agent-change-now", CODEX)
    assert "Codex is told to trust the hook." in settings.text(CODEX)
    settings.click("agent-change-now", CODEX)
    wait_for((programs / "client").exists, "Codex is asked")
    settings.press("Escape")
    assert settings.row(CODEX).sheet is not None, "it can't be left while it works"
    kill_worker()
    os.kill(int((programs / "client").read_text()), signal.SIGKILL)
    settings.wait_for_words("What it had changed by then stays", CODEX)
    assert "exec" in (home / ".codex/hooks.json").read_text()
    wait_for(lambda: settings.state(CODEX) is ConnectionState.CONNECTED, "it looks anew")


def test_what_somebody_changed_is_said_and_mended(settings: Settings, before: dict[Path, bytes]) -> None:
    connect(settings)
    file = next(iter(before))
    whole = file.read_bytes()
    file.write_bytes(whole.replace(b'"matcher": "*"', b'"matcher": "Bash"'))
    settings.part.look()
    settings.wait_for_words("Somebody changed our entry")
    assert not settings.row().prove_button.isEnabled()
    assert "connect it again" in settings.row().prove_button.accessibleDescription()
    settings.click("agent-connect")  # it says "Mend…" now
    settings.click("agent-change-now")
    settings.wait_for_words("Claude Code is connected.")
    assert file.read_bytes() == whole


def test_a_window_that_closes_lets_its_process_go(settings: Settings, before: dict[Path, bytes]) -> None:
    settings.click("agent-connect")
    settings.find("agent-change-now")
    assert children()
    settings.page.takeWidget().deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    wait_for(lambda: not children(), "its process has ended")
    assert bytes_of(before) == before


@pytest.mark.parametrize(
    ("way", "worth", "line"),
    [
        ("closed", "Gate active", "Where the hook program itself is missing: not written"),
        ("open", "Gate open on failure", "Where the hook program itself is missing: written"),
        ("own", "Gate active", "Where the hook program itself is missing: not written"),
    ],
)
def test_a_gate_is_proved_beside_the_window(
    settings: Settings, home: Path, tmp_path: Path, *, way: str, worth: str, line: str
) -> None:
    (programs := home / "bin").mkdir()  # of /tmp a sandbox shows nothing
    os.environ["PATH"] = f"{programs}:{os.environ['PATH']}:{Path(PYTHON).parent}"
    install(programs, "claude", f"#!{sys.executable}\n{Path(stand_in.__file__).read_text()}")
    (programs / "way").write_text(way)
    if way == "own":
        (tmp_path / "tried").mkdir()
        set_up_own(home, tmp_path / "tried")
    connect(settings)
    (home / ".claude.json").write_text('{"primaryApiKey": "secret", "mcpServers": {}}')
    settings.click("agent-prove")
    if way == "own":
        assert "--settings" in settings.text() and "~/.claude/settings.json" in settings.text()
        assert ".credentials" not in settings.text()
    settings.click(f"gate-proof-{'own' if way == 'own' else 'empty'}")
    settings.wait_for_words("Where there is no gate: written, as it has to be")
    wait_for(lambda: "9.9.9 (stand-in)" in settings.text(), "it is over", 60)
    assert worth in settings.text() and line in settings.text()
    wait_for(lambda: is_proved(settings.row()), "it looks anew")
    assert json.loads(kept_path("gates.json").read_text())[0]["proved"] is True
    settings.click("gate-proof-close")
    assert settings.row().sheet is None and worth in settings.text()
    said = "with your own settings" if way == "own" else "in an empty home"
    assert f"Tried {said}" in settings.text()


def test_where_no_sandbox_can_be_had_an_empty_home_alone_is_offered(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = SandboxRefused("sandbox.none", "This system gives us no name space.", "")
    monkeypatch.setattr(sandbox, "Sandbox", Mock(side_effect=refused))
    connect(settings)
    settings.click("agent-prove")
    settings.wait_for_words("Claude Code could not be tested with your own settings.")
    assert "no name space" in settings.text() and settings.find("gate-proof-empty")
    assert settings.row().findChild(QAbstractButton, "gate-proof-own") is None


def set_up_own(home: Path, project: Path) -> None:
    """What the stand-in asks for in the home of a person who is logged in; skips without a sandbox."""
    if is_unseen():
        pytest.skip(UNSEEN)
    opened(project).close()
    (home / ".claude/hooks").mkdir()
    (home / ".claude/hooks/mine.sh").write_text("#!/bin/sh\n")
    (home / ".claude/settings.json").write_text(stand_in.SETTINGS)
    (home / ".claude/.credentials.json").write_text('{"token": "secret"}')


def is_proved(row: AgentRow) -> bool:
    return row.agent.standing is not None and row.agent.standing.proved


def is_there(process: int) -> bool:
    return Path(f"/proc/{process}/cwd").exists()


def test_a_proof_is_stopped_with_its_client_and_the_old_one_stands(
    settings: Settings, programs: Path
) -> None:
    connect(settings)
    kept_path("gates.json").write_text("[]\n")
    install(programs, "claude", SLOW.format(marks=programs))
    settings.part.look()
    settings.click("agent-prove")
    settings.click("gate-proof-empty")
    wait_for((programs / "client").exists, "it is started")
    client = int((programs / "client").read_text())
    settings.click("gate-proof-stop")
    settings.wait_for_words("It was stopped.")
    wait_for(lambda: not is_there(client), "its client is gone")
    assert kept_path("gates.json").read_text() == "[]\n"
    settings.click("gate-proof-close")


def test_why_a_gate_was_not_tried_is_told(settings: Settings, programs: Path) -> None:
    connect(settings)
    install(programs, "claude", "no program at all\n\x00")
    settings.click("agent-prove")
    settings.click("gate-proof-empty")
    settings.wait_for_words("The gate was not tried.")
    assert "can't be started" in settings.text()
    settings.press("Escape")
    wait_for(lambda: settings.row().sheet is None, "the innermost thing to be closed")


def test_a_trial_that_cant_be_started_is_told(
    settings: Settings, programs: Path, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    connect(settings)
    monkeypatch.setenv("HOME", str(home / "gone"))
    settings.click("agent-prove")
    settings.click("gate-proof-empty")
    settings.wait_for_words("The trial can't be started")
    settings.click("gate-proof-close")


def test_it_is_as_high_as_what_it_says(settings: Settings) -> None:
    width = settings.part.width()
    height = settings.part.heightForWidth(width)
    connect(settings)
    assert settings.part.heightForWidth(width) > height
    assert settings.page.horizontalScrollBar().maximum() == 0


def test_without_doors_it_says_so(desktop: Desktop) -> None:
    desktop.open(None)
    part = AgentsPart(None, desktop.runner)
    part.show()
    (trouble,) = [label for label in part.findChildren(QLabel) if label.objectName() == "agents-trouble"]
    assert "without the agents' doors" in trouble.text() and trouble.isVisible()
    part.close()
    part.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
