"""The first hour in one flow: an agent is connected and tested, its first plan applied and undone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractButton

from studio.extras.home_files import stored_file_path
from tests.doors.doctor import stand_in
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import PROCESS_SECONDS, Person
from tests.journeys.test_agents_part import SERVERS, SETTINGS, install
from tests.tools.sandboxed import PYTHON


@pytest.fixture
def home(private_folders: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with settings of Claude Code, and its program outside of the PATH."""
    home = private_folders / "home"
    (home / ".claude").mkdir()
    (home / ".claude/settings.json").write_bytes(SETTINGS)
    (home / ".claude.json").write_bytes(SERVERS)
    (odd := home / "odd").mkdir()
    install(odd, "claude", f"#!{sys.executable}\n{Path(stand_in.__file__).read_text()}")
    (odd / "way").write_text("closed")
    (home / "bin").mkdir()
    monkeypatch.setenv("PATH", f"{home / 'bin'}:/usr/bin:/bin:{Path(PYTHON).parent}")
    return home


def click_in(person: Person, row: str, name: str) -> None:
    """Press a button of an agent's row; the focus scrolls the row into view."""

    def found() -> QAbstractButton | None:
        buttons = person.find(row).findChildren(QAbstractButton, name)
        return next((each for each in buttons if each.isVisible() and each.isEnabled()), None)

    wait_for(found, name)
    button = found()
    assert button is not None
    button.setFocus()
    place = button.rect().center()
    wait_for(lambda: button.visibleRegion().contains(place), f"{name} in view")
    person.click_on(button)


def ask_hook(root: Path) -> subprocess.Popen[bytes]:
    """What the client does before it writes a file: it asks the program that its settings name."""
    asked = {
        "session_id": "s",
        "cwd": str(root),
        "hook_event_name": "PreToolUse",
        "tool_name": "Write",
        "tool_input": {"file_path": str(root / "HELLO.md"), "content": "Three files of lines.\n"},
    }
    process = subprocess.Popen(
        [stored_file_path("hooks/claude-code")],
        env=dict(os.environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert process.stdin is not None
    process.stdin.write(json.dumps(asked).encode())
    process.stdin.close()
    process.stdin = None
    return process


def test_an_agent_that_is_elsewhere_is_connected_tested_and_its_first_plan_applied_and_undone(
    harbour: Harbour, desktop: Desktop, home: Path
) -> None:
    person = desktop.open(harbour.root)
    person.click_on(person.panes.pages.empty.connect_agent)
    wait_for(lambda: person.focused().objectName() == "agents-elsewhere", "that none is found")
    assert not person.sees("agent-claude-code")

    person.click("agents-others")
    person.click("other-agents-copy")
    entry = json.loads(QGuiApplication.clipboard().text())
    assert entry["mcpServers"]["studio"]["args"][-1] == "mcp"
    assert "folder set in Settings" in person.find("other-agents-inbox").text()
    person.press("Escape")
    assert not person.sees("other-agents")

    person.click("agents-elsewhere")
    click_in(person, "agent-claude-code", "agent-place")
    person.choose_file(home / "odd/claude")
    person.find("agent-change-now")
    assert (home / ".claude/settings.json").read_bytes() == SETTINGS, "it is a difference so far"
    click_in(person, "agent-claude-code", "agent-change-now")
    person.find("gate-proof-again")
    said = person.find("gate-proof").words.text()
    assert said.startswith("Claude Code is connected.\n") and "wrote nothing in any failure we tested" in said
    assert b"PreToolUse" in (home / ".claude/settings.json").read_bytes()

    person.find("first-request")
    click_in(person, "agent-claude-code", "first-request-command")
    assert QGuiApplication.clipboard().text() == f"cd {harbour.root} && {home / 'odd/claude'}"
    click_in(person, "agent-claude-code", "first-request-sentence")
    assert "HELLO.md" in QGuiApplication.clipboard().text()
    process = ask_hook(harbour.root)
    person.wait_for_step(1)
    assert not (harbour.root / "HELLO.md").exists()
    person.click("step-approve_step")
    person.click("toolbar-apply")
    out, _ = process.communicate(timeout=PROCESS_SECONDS)
    assert b"the reviewer approved this change" in out
    assert harbour.read("HELLO.md") == "Three files of lines.\n"
    person.wait_until_on("undo_last")
    person.press("Ctrl+Alt+Z")
    wait_for(lambda: not (harbour.root / "HELLO.md").exists(), "the file to go")
    assert harbour.untouched()
    assert not person.sees("first-request"), "the first plan was applied"
