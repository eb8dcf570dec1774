"""The dock's snapshots and the preview of a restore."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.plan import Operation, Step, StepState
from studio.errors import Refused
from studio.extras.snapshots import DiskUse, RestorePreview, SnapshotRecord
from studio.extras.snapshots.snapshots import RestoredSides
from studio.journal.file_image import FileImage, sha256
from studio.ui.actions.action import Action
from studio.ui.history.panels import HistoryPanel
from studio.ui.history.restore_pane import RestorePane
from studio.ui.look.theme import set_theme
from studio.ui.review.restore import SnapshotReturn
from studio.ui.widgets import Button
from tests.ui.panels.conftest import NOW

pytestmark = pytest.mark.usefixtures("qapp")

CALM = SnapshotRecord("c" * 36, "calm <b>", NOW, 1204, 4_400_000, 0, "1" * 40)
ODD = SnapshotRecord("d" * 36, "\u202eodd", NOW, 1, 3, 2, "2" * 40)


@pytest.fixture
def panel(qtbot: QtBot, qapp: QApplication, desk: Any) -> HistoryPanel:
    set_theme(qapp, "light")
    desk.snapshots.records = (ODD, CALM)
    desk.snapshots.use = DiskUse(2048, 1 << 30)
    panel = HistoryPanel(desk, now=lambda: NOW)
    qtbot.addWidget(panel)
    panel.resize(1000, 300)
    panel.show()
    qtbot.waitExposed(panel)
    desk.asked.clear()
    return panel


def press(panel: HistoryPanel, name: str) -> None:
    button = panel.findChild(Button, name)
    assert isinstance(button, Button)
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)


def test_each_row_says_what_it_keeps_as_plain_text(panel: HistoryPanel) -> None:
    rows = panel.view.rows.rows
    assert [[cell.text for cell in row.cells[1:6]] for row in rows] == [
        ["\\u202eodd", "2 entries not stored", "snapshot", "1 file", "3 B"],
        ["calm <b>", "complete", "snapshot", "1,204 files", "4.2 MiB"],
    ]
    assert panel.kept_words() == "Snapshots use 2.0 KiB of 1.0 GiB"


def test_keys_ask_for_the_preview_and_the_question(panel: HistoryPanel, desk: Any) -> None:
    panel.view.setFocus()
    QTest.keyClick(panel.view, Qt.Key.Key_Return)
    assert desk.asked == [("restore", ODD.id)]
    QTest.keyClick(panel.view, Qt.Key.Key_Delete)
    assert "\\u202eodd" in panel.snapshots.banner.title.text() and not panel.snapshots.banner.isHidden()
    delete = panel.findChild(Button, "snapshot-delete-now")
    assert delete is not None
    desk.snapshots.changed.emit()  # the list was read again
    assert panel.findChild(Button, "snapshot-delete-now") is delete, "what is aimed at stays"
    assert panel.close_innermost() and panel.snapshots.banner.isHidden() and not panel.close_innermost()


def test_a_new_one_is_named_in_place(panel: HistoryPanel, desk: Any) -> None:
    QTest.mouseClick(panel.new_snapshot, Qt.MouseButton.LeftButton)
    QTest.keyClicks(panel.snapshots.banner.field, "before")
    desk.refusals[Action.NEW_SNAPSHOT] = "Project files are still being read."
    desk.allowed_changed.emit()
    QTest.keyClick(panel.snapshots.banner.field, Qt.Key.Key_Return)
    press(panel, "snapshot-make")
    assert desk.asked == [] and panel.snapshots.banner.field.text() == "before", "what is typed is kept"
    assert panel.new_snapshot.toolTip() == desk.refusals[Action.NEW_SNAPSHOT]
    desk.refusals.clear()
    desk.allowed_changed.emit()
    press(panel, "snapshot-make")
    assert desk.asked == [("create", "before")]


def test_what_is_read_shows_its_share_and_can_be_stopped(panel: HistoryPanel, desk: Any) -> None:
    desk.restore.reading = object()
    desk.restore.changed.emit()
    desk.restore.share = 0.4
    desk.restore.progressed.emit()
    assert panel.snapshots.banner.bar.accessibleName() == "40 of 100"
    press(panel, "snapshot-stop")
    assert ("stop",) in desk.asked
    desk.restore.reading = None
    desk.restore.changed.emit()
    assert panel.snapshots.banner.isHidden()


def step(number: int, path: str, op: Operation, now: bytes | None, after: bytes | None) -> Step:
    base, result = (
        FileImage(sha256(data), len(data), 0o644) if data is not None else None for data in (now, after)
    )
    return Step(number, str(number), op, path, None, StepState.APPROVED, base, result)


@pytest.fixture
def pane(qtbot: QtBot, qapp: QApplication, desk: Any) -> RestorePane:
    set_theme(qapp, "light")
    sides = {"one.txt": RestoredSides(b"now\n", b"then\n", None), "two.txt": RestoredSides(b"x", None, None)}
    desk.workspace.snapshots = SimpleNamespace(sides=lambda _preview, path: sides[path])
    pane = RestorePane(desk)
    qtbot.addWidget(pane)
    pane.resize(900, 600)
    pane.show()
    qtbot.waitExposed(pane)
    return pane


PREVIEW = RestorePreview(
    "Restore “calm”",
    (
        step(1, "one.txt", Operation.MODIFY, b"now\n", b"then\n"),
        step(2, "two.txt", Operation.DELETE, b"x", None),
    ),
    "fingerprint",
    ("two.txt",),
    {"sub/.git": "git data of a repository in it"},
)


def shown(desk: Any, preview: RestorePreview) -> None:
    desk.restore.preview, desk.restore.restore_source = preview, SnapshotReturn(CALM)
    desk.restore.changed.emit()


def test_the_preview_says_what_becomes_of_each_path(pane: RestorePane, desk: Any) -> None:
    shown(desk, PREVIEW)
    rows = [(row.cells[0].text, row.cells[2].text, row.cells[2].token) for row in pane.table.rows.rows]
    assert rows == [
        ("one.txt", "restored", "text"),
        ("two.txt", "deleted; the file has outside changes", "warn"),
        (".git", "unchanged: git data of a repository in it", "muted"),
    ]
    assert pane.header.title.text() == "Restore “calm <b>”"
    assert pane.header.roll_back.text() == "Restore 2 files"
    assert pane.banner.title.text() == "1 file has outside changes"
    assert pane.diff.row_count() > 0
    pane.table.setCurrentIndex(pane.table.rows.index(2, 0))
    assert pane.diff.row_count() == 0
    QTest.mouseClick(pane.header.roll_back, Qt.MouseButton.LeftButton)
    assert desk.asked[-1] == ("carry out",)


def test_thousands_of_paths_are_all_listed(pane: RestorePane, desk: Any) -> None:
    """In the order of the preview, what stays last; nothing is listed twice."""
    many = tuple(step(number, f"{number:04}", Operation.CREATE, None, b"x") for number in range(1, 501))
    desk.workspace.snapshots.sides = lambda *_: RestoredSides(None, b"x", None)
    shown(desk, replace(PREVIEW, steps=many, left_out={"pipe": "no file"}))
    listed = [row.cells[0].text for row in pane.table.rows.rows]
    assert listed == [*(f"{number:04}" for number in range(1, 501)), "pipe"]
    assert pane.table.currentIndex().row() == 0


def test_a_refused_restore_says_why_and_does_nothing(pane: RestorePane, desk: Any) -> None:
    refusal = Refused("apply.refused", "Nothing was written: two.txt is locked.", "Unlock it.")
    desk.refusals[Action.RESTORE] = refusal.message
    shown(desk, replace(PREVIEW, refusal=refusal))
    assert pane.banner.title.text() == refusal.message and pane.banner.words.text() == refusal.hint
    assert not pane.header.roll_back.isEnabled()
    shown(desk, replace(PREVIEW, steps=(), unplanned=()))
    assert pane.banner.title.text() == "The project already matches the snapshot."
