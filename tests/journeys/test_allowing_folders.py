"""A folder that is denied by default is allowed where the refusal is read: what it opens, then a press."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from studio.ui.configuration.setting_row import SettingRow
from studio.ui.step.banners import refused_folder
from studio.ui.tree.model import Role
from studio.ui.window.settings_page import SettingsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person
from tests.journeys.test_context_menus import choose, tree_menu
from tests.journeys.test_settings import row_of, write

KEY = "projects.allowed_folders"

_OLDER_HINT = (
    "Leave this file out, or ask the user to allow the folder in a terminal: studio config allow obj"
)


@pytest.fixture
def denied(harbour: Harbour) -> Path:
    """A file in a folder that is denied by its name, beside one that stays denied."""
    folder = harbour.root / "obj"
    (folder / "deep").mkdir(parents=True)
    (folder / "deep" / "a.txt").write_text("one\n")
    (folder / "own.pem").write_text("key\n")
    return folder / "deep" / "a.txt"


def propose(harbour: Harbour, *paths: str) -> str:
    file = harbour.root.parent / "steps.json"
    steps = [{"op": "modify", "path": path, "content": "two\n"} for path in paths]
    file.write_text(json.dumps({"title": "Deep", "steps": steps}))
    agent = harbour.agent.start("submit", str(file), "--json", output=subprocess.PIPE)
    return str(json.loads(agent.communicate()[0])["plan"])


def is_denied(person: Person, path: str) -> bool:
    return bool(person.panes.tree.model.index_of(path).data(Role.DENIED))


def proposed_row(person: Person, folder: str) -> tuple[SettingsPage, SettingRow]:
    """The setting with the folder filled in, once it says what would be opened and written."""
    wait_for(lambda: isinstance(person.window.over, SettingsPage), "the page of settings")
    page = person.window.over
    assert isinstance(page, SettingsPage)
    row = row_of(page, KEY)
    wait_for(lambda: row.change_preview.difference, "the difference")
    assert f'path: "{folder}"' in row.change_preview.difference
    sheet = row.rule_preview
    assert sheet is not None
    wait_for(lambda: "will be allowed" in sheet.sentence.text(), "what it would open")
    return page, row


def menu_of(person: Person, path: str) -> list[str]:
    menu = tree_menu(person, path)
    words = [action.text() for action in menu.actions()]
    choose(person, menu, "Allow this folder…" if "Allow this folder…" in words else "Copy path")
    return words


def test_a_refused_step_is_allowed_and_written(harbour: Harbour, desktop: Desktop, denied: Path) -> None:
    (harbour.root / ".claude").mkdir()
    (harbour.root / ".claude" / "settings.json").write_text("{}\n")
    refused = propose(harbour, "obj/deep/a.txt", "one.txt")
    person = desktop.open(harbour.root)
    for name in ("obj", ".claude"):
        wait_for(lambda name=name: is_denied(person, name), f"{name} to be marked")
    assert "Allow this folder…" not in menu_of(person, ".claude"), "it is locked"
    assert "Allow this folder…" in menu_of(person, "obj")
    proposed_row(person, "obj")
    person.press("Escape")
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the page to be closed")
    person.click_step(refused, 1)
    wait_for(lambda: person.sees("strip-allow_folder"), "the way to allow it")
    step = person.desk.queue.current_step
    assert step is not None
    stored = replace(step, problems=tuple(replace(each, hint=_OLDER_HINT) for each in step.problems))
    assert refused_folder(stored) == "obj", "also of a plan that an older build refused"
    person.click("strip-allow_folder")
    page, row = proposed_row(person, "obj")
    assert row.rule_preview is not None
    changed = [each.key for each in row.rule_preview.list.rows.rows if "allowed" in each.cells[2].text]
    assert changed == ["obj/deep/a.txt"], "each file that would be opened, and no key"
    own = Path(os.environ["STUDIO_CONFIG_DIR"]) / "config.yaml"
    before = own.read_bytes() if own.exists() else b""
    assert b"obj" not in before, "nothing is written before the second press"
    write(person, page, row)
    assert f'project: "{harbour.root}"' in own.read_text()
    wait_for(lambda: not is_denied(person, "obj"), "the tree to follow")
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the page to be closed")
    plan = propose(harbour, "obj/deep/a.txt")
    assert harbour.agent.states(plan) == ["pending"]
    wait_for(lambda: plan in person.queue_ids(), "the plan")
    person.click_step(plan, 1)
    person.wait_for_step(1)
    person.press("A")
    wait_for(lambda: harbour.agent.states(plan) == ["approved"], "the decision")
    person.wait_until_on("apply")
    person.press("Ctrl+Shift+Return")
    wait_for(lambda: denied.read_text() == "two\n", "the bytes")
    own.write_text("file_rules: {deny: [one.txt]}\n")
    wait_for(lambda: is_denied(person, "one.txt"), "a rule that another process writes")
