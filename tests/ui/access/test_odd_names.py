"""Names from outside are shown as text wherever they are shown, and never interpreted.

Mark-up, control characters, writing that turns around, bytes that are no text, braces that our own sentences
use, and names as long as a file system holds.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QAbstractListModel, QModelIndex, Qt
from PySide6.QtGui import QAction, QTextDocument
from PySide6.QtWidgets import (
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QTabBar,
    QWidget,
)

from studio.engine.risks.naming import name_facts
from studio.names import is_hidden_character, show_name
from studio.ui.facts.facts_view import fact_title
from studio.ui.look.theme import set_theme
from studio.workspace import Workspace
from tests.tools.scenes import talked
from tests.tools.stage import ODD_NAME, Stage, propose_plan, review
from tests.ui.access.walk import rows_of

MARKUP = "<b>bold<i>&amp;.txt"
TURNING = "\u202egnp.\u05e9\u05dc\u05d5\u05dd.txt"
BRACES = "{n} {title} {file} %1 &x.txt"
LONG = "n" * 251 + ".txt"
PROPOSED = (MARKUP, TURNING, BRACES, LONG)
ON_DISK = (
    b"tab\there.txt", b"line\nbreak.txt", b"esc\x1b[31m.txt", b"bytes\xff\xfe.bin", b"\xe2\x80\xaeabc.txt"
)  # fmt: skip
TITLE = "<u>{steps}</u> \u202e plan"
AGENT = "<h1>{n}\u2067agent"
LINES = "".join(f"line {number}\n" for number in range(1, 31))
ROLES = (
    Qt.ItemDataRole.DisplayRole,
    Qt.ItemDataRole.AccessibleTextRole,
    Qt.ItemDataRole.AccessibleDescriptionRole,
    Qt.ItemDataRole.ToolTipRole,
    Qt.ItemDataRole.StatusTipRole,
)


@pytest.fixture
def stage(qapp: QApplication, tmp_path: Path, private_folders: object) -> Iterator[Stage]:
    """A window on a project of odd names: one plan applied, one file of it changed, another plan waiting."""
    assert private_folders is not None
    set_theme(qapp, "light")
    project = tmp_path / "<s>{project}"
    project.mkdir()
    for name in ON_DISK:
        (Path(os.fsdecode(os.fsencode(project) + b"/" + name))).write_bytes(b"there\n")
    for name in PROPOSED:
        (project / name).write_text(LINES)
    _propose(project, "applied")
    with review(project) as (reviewer, plans):
        reviewer.approve(plans[0].id)
        reviewer.apply(plans[0].id)
    _propose(project, "waiting")
    (project / TURNING).write_text(LINES.replace("line 3\n", "on disk\n"))
    (project / MARKUP).write_text(LINES)
    made = Stage(qapp, project)
    yield made
    made.close()


def _propose(project: Path, text: str) -> None:
    changed = LINES.replace("line 3\n", f"{text}\n")
    steps = [
        *({"op": "modify", "path": name, "content": changed, "reason": AGENT} for name in PROPOSED),
        {"op": "create", "path": "bad\x07<b>name.txt", "content": ""},
    ]
    document = json.dumps({"title": TITLE, "steps": steps}).encode()
    workspace = Workspace.open(project)
    try:
        propose_plan(workspace, document, TITLE, AGENT)
    finally:
        workspace.close()


def _states(stage: Stage) -> Iterator[str]:
    """Every place that shows names."""
    plan = stage.desk.queue.plans[0]
    stage.desk.select(plan.id, None)
    stage.settle()
    yield "plan"
    stage.trigger("approve_undecided")
    yield "approve undecided"
    stage.trigger("back")
    for step in plan.steps:
        stage.desk.select(plan.id, step.number)
        stage.settle()
        yield f"step {step.number}"
    stage.desk.select(plan.id, 2)
    stage.settle()
    stage.trigger("rebase")
    assert stage.desk.rebase.settlement is not None
    yield "conflict"
    stage.trigger("back")
    stage.desk.select(plan.id, 3)
    stage.settle()
    for action, finder in (("palette", "palette"), ("keys", "keys-list"), ("go_to_file", "go-to-file")):
        stage.trigger(action)
        if action == "go_to_file":
            stage.write("txt")
        yield action
        found = stage.control.window.findChild(QWidget, finder)
        assert found is not None
        found.hide()
    for name in ("dock_1", "journal", "dock_2", "dock_3", "problems"):
        stage.trigger(name)
        yield name
    talked(stage, AGENT)
    yield "agents"
    stage.desk.rollback.show(stage.desk.queue.history[0].plan.id)
    stage.settle()
    assert stage.desk.rollback.preview is not None
    yield "rollback"


def _rows_and_roles(view: QAbstractItemView) -> Iterator[tuple[str, str, bool]]:
    model = view.model()
    for index in rows_of(view):
        for column in range(
            1 if isinstance(model, QAbstractListModel) else model.columnCount(index.parent())
        ):
            cell: QModelIndex = index.siblingAtColumn(column)
            for role in ROLES:
                text = cell.data(role)
                if isinstance(text, str):
                    yield f"{view.objectName()} {role.name}", text, role is Qt.ItemDataRole.ToolTipRole


def _texts(window: QWidget) -> Iterator[tuple[str, str, bool]]:
    """Everything that is said, with where, and whether Qt would read it as mark-up."""
    for widget in (window, *window.findChildren(QWidget)):
        where = widget.objectName() or type(widget).__name__
        yield f"{where} tip", widget.toolTip(), True
        for said in (widget.statusTip(), widget.accessibleName(), widget.accessibleDescription()):
            yield where, said, False
        if isinstance(widget, QLabel):
            assert widget.textFormat() is Qt.TextFormat.PlainText, where
            yield where, widget.text(), False
        elif isinstance(widget, QLineEdit):
            yield where, widget.placeholderText(), False
        elif isinstance(widget, QTabBar):
            yield from ((where, widget.tabText(tab), False) for tab in range(widget.count()))
        elif isinstance(widget, QAbstractItemView):
            yield from _rows_and_roles(widget)
        elif isinstance(widget, QPlainTextEdit):
            assert not widget.property("isRich")
    for action in window.findChildren(QAction):
        yield f"action {action.objectName()}", action.text(), False
        yield f"action {action.objectName()} tip", action.toolTip(), True


def _faults(window: QWidget) -> Iterator[str]:
    for where, text, is_tip in _texts(window):
        shown = text
        if is_tip and "<" in text:
            document = QTextDocument()
            document.setHtml(text)
            shown = document.toPlainText()
            if not text.startswith("<span>") or text.count("<") != 2:
                yield f"{where}: mark-up in a tooltip, {text!r}"
        if any(is_hidden_character(sign) for sign in shown.replace("\n", "")):
            yield f"{where}: something that can't be seen, {text!r}"
        # Elided in the middle a name may have lost its beginning.
        if "bold" in shown and "<b>bold" not in shown and "…" not in shown:
            yield f"{where}: interpreted, {text!r}"


def test_names_are_text_wherever_they_are_shown(stage: Stage) -> None:
    window = stage.control.window
    faults: dict[str, list[str]] = {}
    seen: dict[str, set[str]] = {}
    for state in _states(stage):
        if found := sorted(set(_faults(window))):
            faults[state] = found
        for where, text, _ in _texts(window):
            seen.setdefault(where.partition(" ")[0], set()).add(text)
    assert faults == {}
    shown = {where: " ".join(texts) for where, texts in seen.items()}
    for place in ("queue-list", "tree-list", "go-to-file-list", "step-path"):
        assert show_name(MARKUP) in shown[place], place
    for name in ON_DISK:
        assert show_name(os.fsdecode(name)) in shown["tree-list"]


def test_our_own_words_are_not_filled_in_from_a_name(stage: Stage) -> None:
    """A title that holds "{steps}" says so, and no number."""
    stage.desk.select(stage.desk.queue.plans[0].id, 3)
    stage.settle()
    said = {text for _, text, _ in _texts(stage.control.window) if "plan" in text and "<u>" in text}
    assert said
    assert all("{steps}" in text for text in said), said
    assert any(BRACES in text for _, text, _ in _texts(stage.control.window))


def test_a_long_name_is_no_title() -> None:
    """What is wrong with a name is said in bold, the name itself below it."""
    (fact,) = (fact for fact in name_facts(ODD_NAME) if fact.kind == "name_hidden")
    title, words = fact_title(fact)
    assert title == "Invisible characters in name"
    assert "U+202E" in words
    assert "long" * 40 in words
