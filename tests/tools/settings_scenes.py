"""Pictures of the page of settings: rules tried, values refused, files broken, and what wants trust."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtTest import QTest
from PySide6.QtWidgets import QLineEdit, QWidget

if TYPE_CHECKING:
    from collections.abc import Callable

    from studio.ui.configuration.setting_row import SettingRow
    from tests.tools.stage import Stage

_OWN = """\
schema_version: 1
limits:
  steps: 200   # enough for us
file_rules:
  deny: ["docs/archive/"]
notify: {codex: false}
"""
_PROJECT = """\
file_rules:
  deny: ["data/"]
  allow: [".github/workflows/", "*.pem"]
limits: {steps: 5000, file_bytes: 2048}
"""


def settings(part: str, *, own: str = _OWN, project: str = "") -> Callable[[Stage], None]:
    """The page at a part, with what the two files say."""

    def play(stage: Stage) -> None:
        folder = Path(os.environ["STUDIO_CONFIG_DIR"])
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "config.yaml").write_text(own, encoding="utf-8")
        if project:
            (stage.desk.project.root_path / "studio.yaml").write_text(project, encoding="utf-8")
        stage.trigger("settings")
        page = stage.control.window.over
        assert page is not None
        from studio.ui.configuration.parts import Part
        from studio.ui.window.settings_page import SettingsPage

        assert isinstance(page, SettingsPage)
        page.show_part(Part(part))
        stage.settle()

    return play


def with_trust(stage: Stage) -> None:
    """What the project's own file would allow, beside what counts."""
    settings("trust", project=_PROJECT)(stage)


def trust_strip(stage: Stage) -> None:
    """The banner that asks about it."""
    (stage.desk.project.root_path / "studio.yaml").write_text(_PROJECT, encoding="utf-8")
    stage.desk.queue.reload()
    stage.settle()


def tried_rule(stage: Stage) -> None:
    """A pattern is typed, and nothing is written yet."""
    settings("rules")(stage)
    sheet = _type(stage, "file_rules.deny", "entry-new", "src/**/*.py").rule_preview
    assert sheet is not None
    # What was typed before the last letter is answered first, and each answer moves what is below it.
    while sheet.is_trying:
        stage.settle()
    stage.settle()


def folder_to_be_allowed(stage: Stage) -> None:
    """A folder of build output is filled in, and nothing is written yet."""
    from studio.engine.config.schema import PROJECT_FOLDERS
    from studio.ui.configuration.parts import Part
    from studio.ui.window.settings_page import SettingsPage

    folder = stage.desk.project.root_path / "web" / "obj"
    folder.mkdir(parents=True)
    for name in ("chart.js", "map.js", "signing.pem", "site.css"):
        (folder / name).write_text("one\n", encoding="utf-8")
    settings("rules")(stage)
    page = stage.control.window.over
    assert isinstance(page, SettingsPage)
    page.propose(Part.RULES, PROJECT_FOLDERS, "web/obj")
    row = next(row for row in page.part(Part.RULES).rows if row.key == PROJECT_FOLDERS)
    assert row.rule_preview is not None
    while row.rule_preview.is_trying or not row.change_preview.difference:
        stage.settle()
    stage.settle()


def refused_value(stage: Stage) -> None:
    """A number beyond its hard limits."""
    settings("limits")(stage)
    _type(stage, "limits.segment", "setting-value", "300")


def searched(stage: Stage) -> None:
    """Words that several parts say."""
    settings("rules")(stage)
    page = stage.control.window.over
    assert page is not None
    field = page.findChild(QLineEdit, "settings-find")
    assert field is not None
    QTest.keyClicks(field, "network")
    for _ in range(30):
        stage.settle()


def _type(stage: Stage, key: str, name: str, text: str) -> SettingRow:
    from studio.ui.configuration.setting_row import SettingRow

    page = stage.control.window.over
    assert page is not None
    row = next(row for row in page.findChildren(SettingRow) if row.key == key)
    field = row.findChild(QWidget, name)
    assert field is not None
    field.setFocus()
    QTest.keyClicks(field, text)
    for _ in range(10):
        stage.settle()
    return row
