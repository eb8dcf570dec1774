"""Rows of snapshots in the history; banner to create and delete them."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.limits import SNAPSHOT_TAG_CHARACTERS
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.history.table import Cell, TableRow
from studio.ui.language import translator
from studio.ui.look.theme import px
from studio.ui.look.words import counted, files, moment, say, size
from studio.ui.widgets import (
    STRETCH,
    STYLE_GAP,
    Banner,
    BannerKind,
    Button,
    ButtonKind,
    CountBar,
    ToolIcon,
    row_of,
)
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.extras.snapshots import SnapshotRecord
    from studio.ui.history.table import TableView
    from studio.ui.review.desk import Desk

_tr = translator("Snapshots")


class SnapshotRows(QObject):
    """Snapshots among the rows of the history: row buttons, banner, restoring."""

    changed = Signal()

    def __init__(self, desk: Desk, view: TableView, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk = desk
        self._view = view
        self.banner = SnapshotBanner(desk, parent)
        self.banner.dismissed.connect(view.setFocus)
        self.new_button = Button(
            self.tr("New snapshot…"),
            parent,
            icon="plus",
            icon_token="text",
            kind=ButtonKind.TOOL,
            height=22,
            name="snapshot-new",
            tip=self.tr("Saves the project's entire state. No files are changed."),
            pressed=self.ask_for_new,
        )
        self.restore = Button(
            self.tr("Restore…"),
            view.viewport(),
            icon="rolled-back",
            kind=ButtonKind.TOOL,
            height=22,
            key="R",
            name="snapshot-restore",
            tip=self.tr("Previews the result without writing anything."),
        )
        self.delete = ToolIcon("cross", self.tr("Delete snapshot…"), view.viewport(), name="snapshot-delete")
        desk.snapshots.changed.connect(self.changed)
        desk.queue.store_changed.connect(self._follow)

    def read(self) -> None:
        """Read the list anew; another process may have made a snapshot."""
        self._desk.snapshots.read_list()

    def listed(self, words: str, now: datetime) -> list[tuple[datetime, TableRow]]:
        """Return time and row of each snapshot whose name has every word."""
        wanted = words.casefold().split()
        return [
            (record.created, _row(record, now))
            for record in self._desk.snapshots.records
            if all(word in record.name.casefold() for word in wanted)
        ]

    def record(self, key: str) -> SnapshotRecord | None:
        """Return the snapshot of a row, None for another row."""
        return next((each for each in self._desk.snapshots.records if _key(each) == key), None)

    def buttons(self) -> tuple[QWidget, ...]:
        """Return the buttons of a snapshot's row, from the right, with reasons."""
        for button in (self.restore, self.delete):
            button.set_reason(self._desk.reasons.of(Action.PREVIEW_RESTORE))
        return self.delete, self.restore

    def use_words(self) -> str:
        """Return the disk usage and limit of snapshots, "" before loading."""
        use = self._desk.snapshots.use
        if use is None or not self._desk.snapshots.records:
            return ""
        template = self.tr("Snapshots use {used} of {cap}")
        return say(template, used=size(use.used), cap=size(use.cap))

    def ask_for_new(self) -> None:
        """Ask for the name of a new snapshot, if one is possible."""
        if not self._desk.can(Action.NEW_SNAPSHOT):
            self.banner.ask_for_new()

    def show_restore(self, record: SnapshotRecord) -> None:
        self._desk.restore.show(record)

    def ask_to_delete(self, record: SnapshotRecord) -> None:
        self._desk.snapshots.ask_to_delete(record.id)

    def _follow(self) -> None:
        if self._view.isVisible():
            self.read()


def _key(record: SnapshotRecord) -> str:
    return f"snapshot/{record.id}"


def _row(record: SnapshotRecord, now: datetime) -> TableRow:
    """Return a snapshot's row in the columns of the history."""
    name, when = show_name(record.name), moment(record.created, now)
    reason = _retention_words(record)
    cells = (
        Cell(when, "muted"),
        Cell(name, icon="plan", second="" if not record.tag else record.short_id),
        Cell(reason, "warn" if record.left_out else "muted", size=SECOND),
        Cell(_tr("snapshot"), "muted", size=SECOND),
        Cell(files(record.files), size=SECOND),
        Cell(size(record.bytes), "muted", size=SECOND),
        Cell(),
    )
    words = say(_tr("Snapshot {name}"), name=name)
    accessible = ", ".join((when, words, files(record.files), size(record.bytes), reason))
    return TableRow(_key(record), cells, accessible, level=0)


def _retention_words(record: SnapshotRecord) -> str:
    if not record.left_out:
        return _tr("complete")
    return counted(record.left_out, _tr("{n} entry not stored"), _tr("{n} entries not stored"))


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
        self.field.setAccessibleName(self.tr("Snapshot name"))
        self.field.setPlaceholderText(self.tr("Name, for example “before the migration”"))
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
            self.tr("Save the project's entire state, including ignored files"),
            self.tr("The snapshot is stored outside the project."),
            icon="plus",
        )
        self.field.show()
        self.bar.hide()
        self.add_choice(
            self.tr("Create snapshot"),
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
            self._show_reading(self.tr("Saving the project's state…"))
        elif restore.reading is not None:
            self._show_reading(self.tr("Comparing the project with the snapshot…"))
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
        title = say(self.tr("Permanently delete “{name}”?"), name=show_name(record.name))
        words = self.tr(
            "You will no longer be able to restore its {files} ({size}). The project is not changed."
        )
        words = say(words, files=files(record.files), size=size(record.bytes))
        self.show_message(BannerKind.DANGER, title, words, icon="cross")
        keep = self.add_close(self.tr("Keep"), "snapshot-keep", self._close)
        self.add_choice(
            self.tr("Delete snapshot"),
            icon="cross",
            icon_token="bad",
            name="snapshot-delete-now",
            decides=True,
            pressed=self._desk.snapshots.delete,
            reason=lambda: self._desk.reasons.of(Action.DELETE_SNAPSHOT),
        )
        keep.setFocus(Qt.FocusReason.OtherFocusReason)
