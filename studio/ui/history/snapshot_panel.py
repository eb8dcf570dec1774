"""The dock's snapshots: whole states of the project, each with its way back (look.md 4.9)."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.engine.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.row_buttons import RowButtons
from studio.ui.history.row_keys import plain_key
from studio.ui.history.snapshot_strip import SnapshotStrip
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.look.times import Clock, moment, utc_now
from studio.ui.look.words import counted, files, say, size
from studio.ui.widgets import STYLE_GAP, Button, ButtonKind, Surface, ToolIcon, column_of
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.engine.snapshots import SnapshotRecord
    from studio.ui.desk.desk import Desk

_tr = translator("Snapshots")


class SnapshotPanel(Surface):
    """Snapshots, newest first; the row under the pointer or the keys offers Restore… and to delete it."""

    use_changed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None, *, now: Clock = utc_now) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._now = now
        self.setObjectName("snapshots")
        self.setAccessibleName(self.tr("Snapshots"))
        columns = (
            Column(self.tr("When"), 96),
            Column(self.tr("Snapshot"), 0),
            Column(self.tr("Files"), 120),
            Column(self.tr("Size"), 100),
            Column(self.tr("Kept"), 420),
        )
        self.view = TableView(
            columns, self, name="snapshot-list", accessible=self.tr("Snapshots of the project")
        )
        self.view.empty_text = self.tr("Whole states of the project are listed here, and can be restored.")
        self.strip = SnapshotStrip(desk, self)
        column_of(self.view, self.strip, parent=self, spacing=STYLE_GAP)
        self.setFocusProxy(self.view)
        self.new_button = Button(
            self.tr("New snapshot…"),
            self,
            icon="plus",
            icon_token="text",
            kind=ButtonKind.TOOL,
            height=22,
            name="snapshot-new",
            tip=self.tr("Keeps the project's whole state; changes nothing in it."),
            pressed=self.ask_for_new,
        )
        self.restore = Button(
            self.tr("Restore…"),
            self.view.viewport(),
            icon="rolled-back",
            kind=ButtonKind.TOOL,
            height=22,
            name="snapshot-restore",
            tip=self.tr("Shows what would happen first; writes nothing."),
            pressed=lambda: self._show_restore(self._offered()),
        )
        self.delete = ToolIcon(
            "cross",
            self.tr("Delete snapshot…"),
            self.view.viewport(),
            name="snapshot-delete",
            pressed=lambda: self._ask_to_delete(self._offered()),
        )
        self._at_row = RowButtons(self.view, (self.restore, self.delete))
        self.strip.left.connect(self.view.setFocus)
        self.view.installEventFilter(self)
        self.view.acted.connect(lambda key: self._show_restore(self._record(key)))
        self._at_row.moved.connect(self._place_buttons)
        desk.snapshots.changed.connect(self._refresh)
        desk.guards.allowed_changed.connect(self._place_buttons)
        desk.queue.store_changed.connect(self._follow)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._desk.snapshots.look()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view and plain_key(event) == Qt.Key.Key_Delete:
            row = self.view.current_row()
            self._ask_to_delete(self._record(row.key) if row is not None else None)
            return True
        return super().eventFilter(watched, event)

    def use_words(self) -> str:
        """What snapshots take on the disk, and the most they may; "" before it is known."""
        use = self._desk.snapshots.use
        if use is None:
            return ""
        said = self.tr("Snapshots take {used} of {cap}")
        return say(said, used=size(use.used), cap=size(use.cap))

    def ask_for_new(self) -> None:
        """Ask what a new snapshot is called, where one can be made now."""
        if not self._desk.can(Action.NEW_SNAPSHOT):
            self.strip.ask_for_new()

    def close_innermost(self) -> bool:
        """Take the open question away; says whether there was one. Decides nothing."""
        return self.strip.close_innermost()

    def _follow(self) -> None:
        """Another process may have made one; read the list again, if anybody looks."""
        if self.isVisible():
            self._desk.snapshots.look()

    def _refresh(self) -> None:
        now = self._now()
        self.view.rows.set_rows([_row(record, now) for record in self._desk.snapshots.records])
        if not self.view.currentIndex().isValid() and self._desk.snapshots.records:
            self.view.setCurrentIndex(self.view.rows.index(0, 0))
        self._place_buttons()
        self.use_changed.emit()

    def _record(self, key: str) -> SnapshotRecord | None:
        return next((record for record in self._desk.snapshots.records if record.id == key), None)

    def _offered(self) -> SnapshotRecord | None:
        """What the buttons speak about: under the pointer, else current."""
        return self._record(self._at_row.key)

    def _place_buttons(self) -> None:
        self.new_button.set_reason(self._desk.reasons.of(Action.NEW_SNAPSHOT))
        record = self._offered()
        for button in (self.restore, self.delete):
            button.set_reason(self._desk.reasons.of(Action.PREVIEW_RESTORE))
        self._at_row.show_at(record.id if record is not None else "", (self.delete, self.restore))

    def _show_restore(self, record: SnapshotRecord | None) -> None:
        if record is not None:
            self._desk.restore.show(record)

    def _ask_to_delete(self, record: SnapshotRecord | None) -> None:
        if record is not None:
            self._desk.snapshots.ask_to_delete(record.id)


def _row(record: SnapshotRecord, now: datetime) -> TableRow:
    """One snapshot; its key is its id."""
    name, when = show_name(record.name), moment(record.created, now)
    kept = _kept_words(record)
    cells = (
        Cell(when, "muted"),
        Cell(name, icon="plan", second="" if not record.tag else record.short_id),
        Cell(files(record.files), size=SECOND),
        Cell(size(record.bytes), "muted", size=SECOND),
        Cell(kept, "warn" if record.left_out else "muted", size=SECOND),
    )
    return TableRow(record.id, cells, ", ".join((when, name, files(record.files), size(record.bytes), kept)))


def _kept_words(record: SnapshotRecord) -> str:
    if not record.left_out:
        return _tr("whole")
    return counted(record.left_out, _tr("but for {n} entry left out"), _tr("but for {n} entries left out"))
