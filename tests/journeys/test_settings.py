"""The page of settings by real clicks: each edit ends in the user's own file as it was shown."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine.config.schema import SETTINGS, SOURCE_NAME, SettingKind
from studio.engine.policy import BUILT_IN
from studio.ui.configuration.entries import EntriesField
from studio.ui.configuration.parts import KEYS, Part
from studio.ui.configuration.setting_row import SettingRow
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.widgets import Button, Label
from studio.ui.window.settings_page import BuiltInPart, SettingsPage
from tests.journeys.desktop import Desktop
from tests.journeys.hands import wait_for
from tests.journeys.harbour import Harbour
from tests.journeys.person import Person
from tests.tools.idle import run_until_idle

OWN = """\
schema_version: 1
limits:
  steps: 200   # enough
file_rules:
  deny: ["made/"]
"""


@pytest.fixture
def own() -> Path:
    """The user's own file, which is there."""
    folder = Path(os.environ["STUDIO_CONFIG_DIR"])
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "config.yaml"
    file.write_text(OWN)
    return file


def open_settings(person: Person, part: Part = Part.RULES) -> SettingsPage:
    """By the key, and a click on the part."""
    person.press("Ctrl+Comma")
    wait_for(lambda: isinstance(person.window.over, SettingsPage), "the page of settings")
    page = person.window.over
    assert isinstance(page, SettingsPage)
    wait_for(lambda: page.model.read is not None, "what is configured")
    person.click_row(page.list, page.list.rows.index_of(part.value))
    wait_for(lambda: page.part(part).isVisible(), "the part")
    return page


def row_of(page: SettingsPage, key: str) -> SettingRow:
    return next(row for view in page.findChildren(QWidget) for row in (view,)
                if isinstance(row, SettingRow) and row.key == key)  # fmt: skip


def click_in(person: Person, page: SettingsPage, widget: QWidget) -> None:
    """Scroll to it, as a person does, and click."""

    def is_in_sight() -> bool:
        page.area.ensureWidgetVisible(widget, 0, 40)
        return person.window.childAt(widget.mapTo(person.window, widget.rect().center())) is widget

    wait_for(is_in_sight, "it to be in sight")
    person.click_on(widget)


def type_into(person: Person, page: SettingsPage, key: str, text: str) -> SettingRow:
    row = row_of(page, key)
    name = "entry-new" if isinstance(row.field, EntriesField) else "setting-value"
    field = row.findChild(QLineEdit, name)
    assert field is not None
    click_in(person, page, field)
    field.selectAll()
    person.type(text)
    return row


def is_in_sight(page: SettingsPage, widget: QWidget) -> bool:
    """Whether all of it stands in the part of the page that is shown."""
    area = page.area.viewport()
    return area.rect().contains(QRect(widget.mapTo(area, QPoint()), widget.size()))


def write(person: Person, page: SettingsPage, row: SettingRow) -> None:
    wait_for(lambda: row.change_preview.difference, "the difference")
    click_in(person, page, row.change_preview.write_button)
    wait_for(lambda: not row.change_preview.isVisible(), "it to be written")


def test_a_number_is_written_as_it_was_shown_and_counts_at_once_whatever_others_do(
    harbour: Harbour, desktop: Desktop, own: Path
) -> None:
    """Edited by hand, by another process, broken, unreadable, gone: nothing of it is written over."""
    person = desktop.open(harbour.root)
    page = open_settings(person, Part.LIMITS)
    row = type_into(person, page, "limits.segment", "300")
    wait_for(lambda: "not between 1 and 255" in row.change_preview.trouble.text(), "why it is refused")
    assert not row.change_preview.write_button.isVisible()
    assert row.change_preview.trouble.text().startswith("300 is not"), "without where it would stand"
    person.press("Escape")
    wait_for(lambda: not row.change_preview.isVisible(), "the innermost thing to be closed")
    assert person.window.over is page
    QGuiApplication.clipboard().setText("9" * 5000)  # Python reads no number of so many digits
    row = type_into(person, page, "limits.steps", "1")
    person.press("Ctrl+V")
    wait_for(lambda: "whole number" in row.change_preview.trouble.text(), "why it is refused")
    assert row.counts.text() == "Effective value: 200 · config.yaml, line 3"
    type_into(person, page, "limits.steps", "1")
    wait_for(lambda: "+  steps: 1 " in row.change_preview.difference, "the difference of what is typed")
    person.press("Return")
    person.press("Ctrl+Return")
    rescan(person)
    assert own.read_text() == OWN, "no key writes"
    write(person, page, row)
    assert own.read_text() == OWN.replace("steps: 200", "steps: 1")
    wait_for(lambda: row.counts.text() == "Effective value: 1 · config.yaml, line 3", "the effective values")
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the page to be closed")
    assert submitted(harbour, two_steps(harbour)) == "plan.too_many_steps", (
        "the limit is obeyed by the next door"
    )

    own.write_text(OWN)
    page = open_settings(person, Part.SOURCES)
    row = type_into(person, page, "sources.file-action.steps", "3")
    wait_for(lambda: row.change_preview.difference, "the difference")
    source = page.part(Part.SOURCES).source
    field = source.lineEdit() if source is not None else None
    assert field is not None
    click_in(person, page, field)
    field.selectAll()
    person.type("Claude")
    wait_for(page.part(Part.SOURCES).no_name.isVisible, "that this is no name")
    field.selectAll()
    person.type("claude-code")
    wait_for(lambda: any(each.key == "sources.claude-code.steps" for each in shown(page)), "its rows")
    own.write_text(OWN + "# by hand\n")
    row = type_into(person, page, "sources.claude-code.steps", "1")
    wait_for(lambda: "# by hand" in row.change_preview.difference, "the difference")
    write(person, page, row)
    assert own.read_text() == OWN + "sources:\n  claude-code:\n    steps: 1\n# by hand\n"
    file = harbour.root.parent / "two.json"
    steps = [{"op": "modify", "path": name, "content": "x\n"} for name in ("one.txt", "two.txt")]
    file.write_text(json.dumps({"title": "Two", "agent": "claude-code", "steps": steps}))
    assert submitted(harbour, file) == "plan.too_many_steps"

    own.write_text(OWN)
    person.click_row(page.list, page.list.rows.index_of(Part.LIMITS.value))
    row = type_into(person, page, "limits.steps", "7")
    wait_for(lambda: row.change_preview.difference, "the difference")
    by_hand = OWN + "# by hand\n"
    own.write_text(by_hand)
    click_in(person, page, row.change_preview.write_button)
    wait_for(lambda: own.read_text() != by_hand or row.change_preview.trouble.text(), "an answer")
    if own.read_text() == by_hand:
        wait_for(lambda: "# by hand" in row.change_preview.difference, "it shown anew")
        assert "no longer as it was shown" in row.change_preview.trouble.text()
        write(person, page, row)
    assert own.read_text() == by_hand.replace("steps: 200", "steps: 7")

    broken = "limits: {steps: many}\n"
    own.write_text(broken)
    strip = person.find("settings-trouble")
    wait_for(strip.isVisible, "the file that can't be read, told")
    assert "config.yaml is invalid" in strip.title.text()
    row = type_into(person, page, "limits.depth", "9")
    wait_for(lambda: "whole number" in row.change_preview.trouble.text(), "why nothing can be written")
    assert not row.change_preview.write_button.isVisible()
    assert own.read_text() == broken

    own.unlink()
    own.mkdir()
    wait_for(lambda: "is a folder" in strip.words.text(), "that it is no file")
    own.rmdir()
    wait_for(lambda: not strip.isVisible(), "that all is well")
    wait_for(lambda: row.change_preview.difference, "what would be written now")
    write(person, page, row)
    assert own.read_text() == "schema_version: 1\nlimits:\n  depth: 9\n"

    own.unlink()
    own.symlink_to(own.parent / "nowhere" / "config.yaml")
    row = type_into(person, page, "limits.steps", "7")
    wait_for(lambda: "nothing is" in row.change_preview.trouble.text(), "that the link leads nowhere")
    assert own.is_symlink()
    own.unlink()
    person.press("Escape")
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "the page to be closed")

    said: list[StatusMessage] = []
    person.desk.project.status_reported.connect(said.append)
    notice = person.window.notice
    own.write_text("limits: {steps: many}\n")
    wait_for(notice.isVisible, "the file that can't be read, told")
    person.press("Escape")
    wait_for(lambda: not notice.isVisible(), "the banner to be closed")
    for _ in range(3):
        rescan(person)
    assert [each.tone for each in said] == [Tone.BAD], "a fault is said once"
    assert not notice.isVisible()
    own.write_text("limits: {depth: many}\n")
    wait_for(notice.isVisible, "another fault to be said")
    assert "limits.depth" not in person.window.status.sentence.text(), "once is enough"
    person.click("notice-mend")
    wait_for(lambda: person.sees("settings-trouble"), "the page that leads to the file")
    assert not notice.isVisible(), "the page says it"
    person.press("Escape")
    wait_for(notice.isVisible, "that it is still so")
    own.write_text(OWN)
    wait_for(lambda: not notice.isVisible(), "the banner to go")
    assert "are readable again" in said[-1].sentence


def taking_out(row: SettingRow, entry: str) -> list[Button]:
    return [each for each in row.findChildren(Button, "entry-take-out") if entry in each.accessibleName()]


def submitted(harbour: Harbour, file: Path) -> str:
    """The state of a plan that an agent submits."""
    agent = harbour.agent.start("submit", str(file), "--json", output=subprocess.PIPE)
    told, _ = agent.communicate()
    said = json.loads(told)
    return str(said.get("state") or said["error"]["code"])


def two_steps(harbour: Harbour) -> Path:
    file = harbour.root.parent / "two.diff"
    file.write_text(harbour.diff("one.txt", "1\n") + harbour.diff("two.txt", "2\n"))
    return file


def test_each_entry_of_a_list_names_its_line(harbour: Harbour, desktop: Desktop, own: Path) -> None:
    """Also a folder that is a mapping, as older files have it."""
    own.write_text(
        "file_rules:\n"
        "  deny: [made/]\n"
        "  allowed_directories:\n"
        "    - ../shared\n"
        "    - path: ${HOME}/notes\n"
        "      write: false\n"
    )
    page = open_settings(desktop.open(harbour.root))

    def entries(key: str) -> list[tuple[str, str]]:
        lines = row_of(page, key).findChildren(QWidget, "entry")
        return [
            (first.text(), second.text())
            for first, second, *_ in (each.findChildren(Label) for each in lines)
        ]

    assert entries("file_rules.allowed_directories") == [
        ("../shared", "config.yaml, line 4"),
        ("${HOME}/notes", "config.yaml, line 5"),
    ]
    assert entries("file_rules.deny") == [("made/", "config.yaml, line 2")]


def test_every_setting_is_found_and_a_rule_says_what_it_touches_and_is_taken_out_again(
    harbour: Harbour, desktop: Desktop, own: Path
) -> None:
    """Walked from the schema without a project; what was written there is obeyed by the next door."""
    person = desktop.open(None)
    page = open_settings(person)
    part = page.part(Part.RULES).findChild(BuiltInPart)
    assert part is not None and part.isVisible() and not part.findChildren(QLineEdit)
    texts = [label.text() for label in part.findChildren(Label)]
    assert all(rule.pattern in texts for rule in BUILT_IN)
    denied = (
        "Denied by default: build output. Allowed only if a rule permits it or the folder has files in HEAD."
    )
    assert denied in texts
    assert "Locked: data of git. No rule can override this." in texts
    for setting in SETTINGS:
        key = setting.key.replace(SOURCE_NAME, "file-action")
        page.field.setText(key)
        wait_for(lambda key=key: key in [row.key for row in shown(page)], key)
        row = row_of(page, key)
        assert row.isVisible()
        if setting.kind is SettingKind.NUMBER:
            assert any("Allowed range" in label.text() for label in row.field.findChildren(type(row.counts)))
    assert {row.key for part in KEYS.values() for row in part} == {setting.key for setting in SETTINGS}
    page.field.setText("")
    row = type_into(person, page, "file_rules.allow", "bin/")
    allowing = row.rule_preview
    assert allowing is not None
    wait_for(lambda: "Open a project" in allowing.sentence.text(), "that there are no files to try it on")
    write(person, page, row)
    assert "bin/" in own.read_text()
    page.field.setText("no such words")
    wait_for(page.nothing.isVisible, "that nothing is called so")
    person.click_on(page.field)
    person.press("Escape")
    wait_for(lambda: not page.field.text(), "the words to go first")
    assert person.window.over is page
    person.press("Escape")
    wait_for(lambda: person.window.over is None, "then the page")
    own.write_text(OWN)
    person.window.close()

    person = desktop.open(harbour.root)
    page = open_settings(person)
    row = type_into(person, page, "file_rules.deny", "*.txt")
    sheet = row.rule_preview
    assert sheet is not None
    wait_for(lambda: "will be denied" in sheet.sentence.text(), "what it would touch")
    paths = [each.key for each in sheet.list.rows.rows]
    assert "one.txt" in paths
    wait_for(lambda: row.change_preview.difference, "the difference")
    assert isinstance(row.field, EntriesField)
    assert is_in_sight(page, row.field.field), "the page does not go past what is typed in"
    person.press("Tab")
    assert person.focused() is sheet.list, "by keyboard the files come before the button that writes"
    person.press("Tab")
    assert person.focused() is row.change_preview.write_button
    person.press("Space")
    wait_for(lambda: not row.change_preview.isVisible(), "it to be written")
    assert own.read_text() == OWN.replace('["made/"]', '["made/", "*.txt"]')
    person.type("other/")
    wait_for(lambda: "other/" in row.change_preview.difference, "what is typed next, in the same setting")
    person.press("Escape")
    one = harbour.root.parent / "one.diff"
    one.write_text(harbour.diff("one.txt", "x\n"))
    assert submitted(harbour, one) == "invalid"
    wait_for(lambda: taking_out(row, "*.txt"), "it in the list")
    click_in(person, page, taking_out(row, "*.txt")[0])
    write(person, page, row)
    assert own.read_text() == OWN
    assert submitted(harbour, one) == "pending"


def shown(page: SettingsPage) -> list[SettingRow]:
    return [row for row in page.findChildren(SettingRow) if row.isVisible()]


def rescan(person: Person) -> None:
    """As at each turn of its clock: what changed, and then all of it."""
    answers: list[int] = []
    person.desk.poll()
    for number in range(2):
        person.desk.project.ask(int, then=lambda _zero: answers.append(0))
        wait_for(lambda wanted=number: len(answers) > wanted, "the engine's answer")


def test_a_typed_rule_survives_esc_and_the_page_stays_where_it_is(
    harbour: Harbour, desktop: Desktop, own: Path
) -> None:
    """Esc, another setting's change and a search threw the rule away or moved what was read."""
    person = desktop.open(harbour.root)
    page = open_settings(person)
    deny = type_into(person, page, "file_rules.deny", "*.txt")
    wait_for(lambda: deny.change_preview.difference, "the difference")
    person.press("Escape")
    wait_for(lambda: not deny.change_preview.isVisible(), "the preview to be closed")
    assert isinstance(deny.field, EntriesField) and deny.field.field.text() == "*.txt"
    assert deny.draft_note.isVisible() and deny.rule_preview is not None
    assert not deny.rule_preview.isVisible()
    person.press("Return")
    wait_for(lambda: deny.change_preview.difference, "the diff again")
    assert not deny.draft_note.isVisible()

    allow = type_into(person, page, "file_rules.allow", "bin/")
    assert isinstance(allow.field, EntriesField)
    field = allow.field.field
    wait_for(lambda: allow.change_preview.difference, "the difference of the other setting")
    assert deny.change_preview.isVisible(), "what is typed there is not thrown away, and nothing moves"
    run_until_idle()
    own.write_text(OWN.replace('["made/"]', '["made/", "a/", "b/", "c/"]'))
    before = field.mapTo(page.area.viewport(), QPoint()).y()
    wait_for(lambda: len(taking_out(deny, "c/")) == 1, "the entries that another program wrote")
    wait_for(lambda: "c/" in deny.change_preview.difference, "both previews")
    wait_for(
        lambda: field.mapTo(page.area.viewport(), QPoint()).y() == before,
        "the field in which is typed to stay where it is",
    )

    position = page.area.verticalScrollBar().value()
    assert position > 0
    person.click_on(page.field)
    person.type("network")
    wait_for(lambda: not deny.isVisible(), "what is found")
    person.press("Escape")
    wait_for(deny.isVisible, "the part as it was")
    assert page.area.verticalScrollBar().value() == position
    assert (deny.field.field.text(), field.text()) == ("*.txt", "bin/")
    write(person, page, deny)
    assert '"*.txt"' in own.read_text() and field.text() == "bin/"
