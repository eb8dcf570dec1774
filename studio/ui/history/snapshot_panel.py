"""Dock panel of project snapshots: create, restore, delete."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.limits import SNAPSHOT_TAG_CHARACTERS
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.row_buttons import RowButtons, plain_key
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, counted, files, moment, say, size, utc_now
from studio.ui.widgets import (
    STRETCH,
    STYLE_GAP,
    Banner,
    BannerKind,
    Button,
    ButtonKind,
    CountBar,
    Surface,
    ToolIcon,
    column_of,
    row_of,
)
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.extras.snapshots import SnapshotRecord
    from studio.ui.review.desk import Desk

_tr = translator("Snapshots")


class SnapshotPanel(Surface):
    """Snapshots, newest first; the hovered or current row offers the actions."""

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
        self.banner = SnapshotBanner(desk, self)
        column_of(self.view, self.banner, parent=self, spacing=STYLE_GAP)
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
            pressed=lambda: self._show_restore(self._target_record()),
        )
        self.delete = ToolIcon(
            "cross",
            self.tr("Delete snapshot…"),
            self.view.viewport(),
            name="snapshot-delete",
            pressed=lambda: self._ask_to_delete(self._target_record()),
        )
        self._row_buttons = RowButtons(self.view, (self.restore, self.delete))
        self.banner.dismissed.connect(self.view.setFocus)
        self.view.installEventFilter(self)
        self.view.acted.connect(lambda key: self._show_restore(self._record(key)))
        self._row_buttons.moved.connect(self._place_buttons)
        desk.snapshots.changed.connect(self._refresh)
        desk.guards.refresh_wanted.connect(self._place_buttons)
        desk.queue.store_changed.connect(self._follow)
        self._refresh()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._desk.snapshots.read_list()
        self._place_buttons()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view and plain_key(event) == Qt.Key.Key_Delete:
            row = self.view.current_row()
            self._ask_to_delete(self._record(row.key) if row is not None else None)
            return True
        return super().eventFilter(watched, event)

    def use_words(self) -> str:
        """Return the disk usage and limit of snapshots, "" before loading."""
        use = self._desk.snapshots.use
        if use is None:
            return ""
        template = self.tr("Snapshots take {used} of {cap}")
        return say(template, used=size(use.used), cap=size(use.cap))

    def ask_for_new(self) -> None:
        """Ask for the name of a new snapshot, if one is possible."""
        if not self._desk.can(Action.NEW_SNAPSHOT):
            self.banner.ask_for_new()

    def close_innermost(self) -> bool:
        """Dismiss the open question without deciding; return whether there was one."""
        return self.banner.close_innermost()

    def _follow(self) -> None:
        """Reload the visible list; another process may have made a snapshot."""
        if self.isVisible():
            self._desk.snapshots.read_list()

    def _refresh(self) -> None:
        now = self._now()
        self.view.rows.set_rows([_row(record, now) for record in self._desk.snapshots.records])
        if not self.view.currentIndex().isValid() and self._desk.snapshots.records:
            self.view.setCurrentIndex(self.view.rows.index(0, 0))
        self._place_buttons()
        self.use_changed.emit()

    def _record(self, key: str) -> SnapshotRecord | None:
        return next((record for record in self._desk.snapshots.records if record.id == key), None)

    def _target_record(self) -> SnapshotRecord | None:
        """Return the hovered snapshot, else the current one."""
        return self._record(self._row_buttons.key)

    def _place_buttons(self) -> None:
        if not self.isVisible():
            return
        self.new_button.set_reason(self._desk.reasons.of(Action.NEW_SNAPSHOT))
        record = self._target_record()
        for button in (self.restore, self.delete):
            button.set_reason(self._desk.reasons.of(Action.PREVIEW_RESTORE))
        self._row_buttons.show_at(record.id if record is not None else "", (self.delete, self.restore))

    def _show_restore(self, record: SnapshotRecord | None) -> None:
        if record is not None:
            self._desk.restore.show(record)

    def _ask_to_delete(self, record: SnapshotRecord | None) -> None:
        if record is not None:
            self._desk.snapshots.ask_to_delete(record.id)


def _row(record: SnapshotRecord, now: datetime) -> TableRow:
    """Return the row of one snapshot, keyed by its id."""
    name, when = show_name(record.name), moment(record.created, now)
    reason = _retention_words(record)
    cells = (
        Cell(when, "muted"),
        Cell(name, icon="plan", second="" if not record.tag else record.short_id),
        Cell(files(record.files), size=SECOND),
        Cell(size(record.bytes), "muted", size=SECOND),
        Cell(reason, "warn" if record.left_out else "muted", size=SECOND),
    )
    return TableRow(
        record.id, cells, ", ".join((when, name, files(record.files), size(record.bytes), reason))
    )


def _retention_words(record: SnapshotRecord) -> str:
    if not record.left_out:
        return _tr("whole")
    return counted(record.left_out, _tr("but for {n} entry left out"), _tr("but for {n} entries left out"))


# Banner below the snapshots: name of a new one, progress, confirmation before deletion

_BAR_WIDTH = 160


class SnapshotBanner(Banner):
    """Banner with one snapshot prompt at a time; not modal."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="snapshot-strip", below=True)
        self._desk = desk
        self._is_naming = False
        self._question: SnapshotRecord | None = None
        self.field = QLineEdit(self)
        self.field.setObjectName("snapshot-tag")
        self.field.setMaxLength(SNAPSHOT_TAG_CHARACTERS)
        self.field.setAccessibleName(self.tr("What the snapshot is called"))
        self.field.setPlaceholderText(self.tr("What it is called, for example: before the migration"))
        self.field.returnPressed.connect(self._make)
        self.add_field(self.field)
        self.bar = CountBar(self, width=_BAR_WIDTH)
        line = row_of(self.bar, STRETCH, margins=(px(2), px(4), 0, px(4)), spacing=STYLE_GAP)
        self.body.addLayout(line)
        desk.snapshots.changed.connect(self._follow)
        desk.restore.changed.connect(self._follow)
        desk.snapshots.progressed.connect(self._show_share)
        desk.restore.progressed.connect(self._show_share)
        desk.guards.refresh_wanted.connect(self.refresh)

    def ask_for_new(self) -> None:
        """Ask for the name of a new snapshot."""
        self._is_naming = True
        self.show_message(
            BannerKind.INFO,
            self.tr("Keep the project's whole state, ignored files too"),
            self.tr("It is kept beside the project; nothing in the project changes."),
            icon="plus",
        )
        self.field.show()
        self.bar.hide()
        self.add_choice(
            self.tr("Make snapshot"),
            icon="check",
            key="↵",
            name="snapshot-make",
            pressed=self._make,
            reason=lambda: self._desk.reasons.of(Action.NEW_SNAPSHOT),
        )
        self.add_close(self.tr("Cancel"), "snapshot-cancel", self._close)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_innermost(self) -> bool:
        """Dismiss an open question; return whether there was one.

        A running operation goes on.
        """
        if self._is_naming or self._desk.snapshots.prompt_snapshot is not None:
            self._close()
            return True
        return False

    def _make(self) -> None:
        if not self._desk.can(Action.NEW_SNAPSHOT):
            tag = self.field.text()
            self._is_naming = False
            self.field.clear()
            self._desk.snapshots.create(tag)

    def _close(self) -> None:
        self._is_naming = False
        self._desk.snapshots.close_prompt()

    def _follow(self) -> None:
        """Show the current prompt or progress, or hide the banner."""
        snapshots, restore = self._desk.snapshots, self._desk.restore
        was_asked, self._question = self._question, snapshots.prompt_snapshot
        if snapshots.reading is not None:
            self._show_reading(self.tr("Keeping the project's state"))
        elif restore.reading is not None:
            self._show_reading(self.tr("Comparing the project with the snapshot"))
        elif snapshots.prompt_snapshot is not None:
            if snapshots.prompt_snapshot != was_asked:
                self._ask_to_delete(snapshots.prompt_snapshot)
        elif not self._is_naming and not self.isHidden():
            self.leave()

    def _show_reading(self, title: str) -> None:
        self.field.hide()
        self.bar.show()
        if self.isHidden() or self.title.text() != title:
            self.show_message(BannerKind.INFO, title, icon="stale")
            self.add_choice(self.tr("Stop"), icon="cross", name="snapshot-stop", pressed=self._stop)
        self._show_share()

    def _show_share(self) -> None:
        snapshots, restore = self._desk.snapshots, self._desk.restore
        share = snapshots.share if snapshots.reading is not None else restore.share
        self.bar.set_counts(round(share * 100), 100)

    def _stop(self) -> None:
        self._desk.snapshots.stop()
        self._desk.restore.stop()

    def _ask_to_delete(self, record: SnapshotRecord) -> None:
        self._is_naming = False
        self.field.hide()
        self.bar.hide()
        title = say(self.tr("Delete “{name}” for good?"), name=show_name(record.name))
        words = self.tr("Its {files}, {size}, can't be restored any more; the project stays as it is.")
        words = say(words, files=files(record.files), size=size(record.bytes))
        self.show_message(BannerKind.DANGER, title, words, icon="cross")
        keep = self.add_close(self.tr("Keep it"), "snapshot-keep", self._close)
        self.add_choice(
            self.tr("Delete snapshot"),
            icon="cross",
            icon_token="bad",
            name="snapshot-delete-now",
            pressed=self._desk.snapshots.delete,
            reason=lambda: self._desk.reasons.of(Action.DELETE_SNAPSHOT),
        )
        keep.setFocus(Qt.FocusReason.OtherFocusReason)
