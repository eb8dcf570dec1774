"""A pseudo-locale: every word of the window passes through a translator, else it can't be translated."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6 import QtCore, QtGui, QtWidgets
from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, Qt, QTranslator
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QAbstractItemView, QApplication, QLabel, QLineEdit, QMenu, QTabBar, QWidget

from studio.engine.config.schema import SETTINGS, SOURCE_NAME
from studio.formats.detect import FORMATS
from studio.journal.entries import REPLY_TYPES, REQUEST_TYPES
from studio.names import CONFIGURATION_NAME, show_name
from studio.text.encodings import ENCODINGS
from studio.ui.configuration.setting_row import SettingRow
from studio.ui.translation import Text
from studio.ui.window.settings_page import SettingsPage
from studio.ui.window.start_page import StartPage
from tests.tools.connectable import said_by_doors
from tests.tools.stage import Stage
from tests.tools.translations import texts
from tests.ui.access.walk import WALKS, rows_of, shown

BEGIN, END = "\N{LEFT WHITE LENTICULAR BRACKET}", "\N{RIGHT WHITE LENTICULAR BRACKET}"


class Brackets(QTranslator):
    """Every text is its own translation, in brackets."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: set[Text] = set()

    def isEmpty(self) -> bool:
        return False

    def translate(self, context: str, sourceText: str, disambiguation: str | None = None, n: int = -1) -> str:
        self.asked.add((context, sourceText))
        return f"{BEGIN}{sourceText}{END}"


def untranslated(stage: Stage) -> list[str]:
    """What can be seen or heard and never went through a translator."""
    known = _names(stage)
    found: list[str] = []
    for where, text in _texts(stage.control.window):
        rest = re.sub(f"{BEGIN}.*{END}", "", text, flags=re.DOTALL)
        # Before the names: four digits of an id may stand in a hash as well.
        rest = re.sub(r"\b[0-9a-f]{64}\b", "", rest)
        for name in known:
            rest = rest.replace(name, "")
        rest = re.sub(r"\b[0-9a-f]{7}\b", "", rest)  # hashes, cut
        if re.search(r"[^\W\d_]{3,}", rest):
            found.append(f"{where}: {text}")
    return found


def _texts(window: QWidget) -> Iterator[tuple[str, str]]:
    for widget in shown(window):
        name = f"{type(widget).__name__} {widget.objectName()}"
        yield name, widget.toolTip()
        yield name, widget.statusTip()
        yield name, widget.accessibleName()
        yield name, widget.accessibleDescription()
        if isinstance(widget, QLabel):
            yield name, widget.text()
        elif isinstance(widget, QLineEdit):
            yield name, widget.placeholderText()
        elif isinstance(widget, QTabBar):
            for tab in range(widget.count()):
                yield name, widget.tabText(tab)
        elif isinstance(widget, QAbstractItemView):
            for index in rows_of(widget):
                yield name, str(index.data(Qt.ItemDataRole.AccessibleTextRole) or "")
            yield from ((name, words) for words in _headings(widget))
        elif callable(text := getattr(widget, "text", None)):
            yield name, str(text())
    for menu in window.findChildren(QMenu):
        yield "menu", menu.title()
        yield from (("menu", action.text()) for action in menu.actions())
    for action in window.findChildren(QAction):
        yield f"action {action.objectName()}", action.text()


def _headings(view: QAbstractItemView) -> Iterator[str]:
    model = view.model()
    if isinstance(model, QAbstractListModel):
        return
    for column in range(model.columnCount(QModelIndex())):
        heading = model.headerData(column, Qt.Orientation.Horizontal)
        if isinstance(heading, str):
            yield heading


_OURS = (
    "Exacta Studio",
    "Ctrl",
    "Shift",
    "Enter",
    "Return",
    "Alt",
    "Esc",
    "SHA-256",
    "KiB",
    "MiB",
    "<span>",
    "</span>",
    "UTF-8",
    "UTF-16",
)
"""Names, keys and units are the same in every language."""


def _names(stage: Stage) -> list[str]:
    """What comes from outside of the window: names, and sentences of the engine, with one language."""
    desk = stage.control.desk
    names: set[str] = {*_OURS, *said_by_doors()}
    for page in stage.control.window.findChildren(StartPage):
        names |= {text for path in page.recent for text in (str(path), path.name)}
    for page in stage.control.window.findChildren(SettingsPage):
        names |= set(_configured(page))
    if desk is None:
        return sorted(names, key=len, reverse=True)
    plans = [*desk.queue.plans, *(entry.plan for entry in desk.queue.history)]
    names |= {desk.project.name, str(desk.project.root_path), *desk.project.notices}
    for plan in plans:
        names |= {plan.title, plan.agent, plan.format, plan.id, plan.short_id, plan.id[:4], plan.id[4:8]}
        names |= {text for problem in plan.problems for text in (problem.message, problem.hint)}
        for step in plan.steps:
            names |= {step.path, step.target, step.reason, *step.target.split("/"), *step.path.split("/")}
            names |= {step.path.rpartition("/")[0], step.target.rpartition("/")[0]}
            reason = " ".join(step.reason.split())
            names |= {reason, html.escape(reason)}
            names |= {text for problem in step.problems for text in (problem.message, problem.hint)}
            names |= {part for fact in step.facts for part in (fact.message, *fact.message.split(". "))}
    if desk.rollback.preview is not None:
        names |= {file.sentence for file in desk.rollback.preview.files}
    for record in desk.snapshots.records:
        names |= {record.name, record.short_id}
    for change in (change for row in desk.observed.rows for change in row.changes):
        names |= {*change.hints, *map(show_name, (change.path, *change.path.split("/")))}
        names |= {show_name(change.path.rpartition("/")[0])}
        names |= {change.group.name} if change.group is not None else set()
    if desk.restore.preview is not None:
        names |= {*map(show_name, desk.restore.preview.unplanned), *desk.restore.preview.left_out.values()}
        names |= {part for path in desk.restore.preview.left_out for part in (path, *path.split("/"))}
    panes = stage.control.panes
    sheet = panes.facts.facts_view if panes is not None else None
    if sheet is not None and sheet.rule is not None:
        names.add(sheet.rule.words.rpartition(END)[2].strip())
    names |= {kind.__name__ for kind in (*REQUEST_TYPES, *REPLY_TYPES)}
    for view in (stage.control.panes.tree.view,) if stage.control.panes is not None else ():
        names |= {str(index.data()) for index in rows_of(view)}
    return sorted((name for name in names if name), key=len, reverse=True)


def _configured(page: SettingsPage) -> Iterator[str]:
    """Keys, examples and values of the configuration, its files, and the engine's word on a wrong one."""
    for row in SETTINGS:
        yield from (row.key.replace(SOURCE_NAME, "file-action"), row.example, *row.choices)
    yield from (*FORMATS, *ENCODINGS.values())
    read = page.model.read
    if read is None:
        return
    yield from (str(read.user.path), read.user.path.name, CONFIGURATION_NAME)
    effective = read.effective.settings if read.effective is not None else ()
    waiting = read.effective.project_file if read.effective is not None else None
    for setting in (*effective, *(waiting.waiting if waiting is not None else ())):
        yield from map(str, setting.value if isinstance(setting.value, tuple) else (setting.value,))
    for row in page.findChildren(SettingRow):
        yield row.change_preview.trouble.text()
        yield row.change_preview.difference
    for problem in (*read.user.problems, *read.problems):
        yield from (problem.message, problem.hint, f"{problem.message} {problem.hint}")


@pytest.fixture
def brackets(qapp: QApplication) -> Iterator[Brackets]:
    translator = Brackets()
    assert qapp.installTranslator(translator)
    yield translator
    qapp.removeTranslator(translator)


@pytest.mark.parametrize("walk", WALKS)
def test_every_word_can_be_translated(
    walk: str, brackets: Brackets, qapp: QApplication, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("STUDIO_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("STUDIO_CONFIG_DIR", str(tmp_path / "config"))
    found = {name: untranslated(stage) for name, stage in WALKS[walk](qapp, tmp_path / "projects")}
    assert len(found) > 15
    left = sorted({text for said in found.values() for text in said})
    assert not left, "\n".join(left)
    assert sorted(_missing(brackets.asked, texts())) == []


def _missing(asked: set[Text], told: frozenset[Text]) -> Iterator[Text]:
    """What was asked for and no file could say: a text of a class is one of all that come of it as well."""
    contexts = {kind.__name__: [each.__name__ for each in kind.__mro__] for kind in _kinds(QObject)}
    for context, text in asked:
        is_qts = any(hasattr(module, context) for module in (QtCore, QtGui, QtWidgets))
        names = contexts.get(context, [context])
        if text and not is_qts and not any((name, text) in told for name in names):
            yield context, text


def _kinds(kind: type) -> Iterator[type]:
    for each in kind.__subclasses__():
        yield each
        yield from _kinds(each)
