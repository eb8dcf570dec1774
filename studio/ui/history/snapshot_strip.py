"""The strip below the snapshots: how a new one is called, how far it is, the question before deleting."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine.names import show_name
from studio.engine.observe_limits import SNAPSHOT_TAG_CHARACTERS
from studio.ui.actions.action import Action
from studio.ui.look.theme import px
from studio.ui.look.words import files, say, size
from studio.ui.widgets import STRETCH, STYLE_GAP, Banner, BannerKind, CountBar, row_of

if TYPE_CHECKING:
    from studio.engine.snapshots import SnapshotRecord
    from studio.ui.desk.desk import Desk

_BAR_WIDTH = 160


class SnapshotStrip(Banner):
    """One thing at a time; not modal."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="snapshot-strip", below=True)
        self._desk = desk
        self._is_naming = False
        self._asked: SnapshotRecord | None = None
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
        desk.guards.allowed_changed.connect(self.refresh)

    def ask_for_new(self) -> None:
        """Ask what a new snapshot is called."""
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
            reason=partial(self._desk.reasons.of, Action.NEW_SNAPSHOT),
        )
        self.add_close(self.tr("Cancel"), "snapshot-cancel", self._close)
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def close_innermost(self) -> bool:
        """Take an open question away; says whether there was one. What is being read goes on."""
        if self._is_naming or self._desk.snapshots.asked is not None:
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
        self._desk.snapshots.keep()

    def _follow(self) -> None:
        """Show what there is to say, or go."""
        snapshots, restore = self._desk.snapshots, self._desk.restore
        was_asked, self._asked = self._asked, snapshots.asked
        if snapshots.reading is not None:
            self._show_reading(self.tr("Keeping the project's state"))
        elif restore.reading is not None:
            self._show_reading(self.tr("Comparing the project with the snapshot"))
        elif snapshots.asked is not None:
            if snapshots.asked != was_asked:
                self._ask_to_delete(snapshots.asked)
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
            reason=partial(self._desk.reasons.of, Action.DELETE_SNAPSHOT),
        )
        keep.setFocus(Qt.FocusReason.OtherFocusReason)
