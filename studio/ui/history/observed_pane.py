"""Centre pane for file changes no plan wrote: diff, Keep, Revert."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.history.observed_lines import (
    change_words,
    hint_words,
    observed_file_columns,
    observed_file_rows,
)
from studio.ui.history.rollback_pane import ROW_HEIGHT
from studio.ui.history.table import TableRow, TableView
from studio.ui.limits import RESTORE_ROWS_AT_ONCE, ROLLBACK_ROWS_SHOWN
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px
from studio.ui.look.words import counted, say
from studio.ui.widgets import Button, ButtonKind, ElidedLabel, HairLine, Label, Surface, column_of, row_of

if TYPE_CHECKING:
    from studio.engine import HunkChoice, ObservedChange
    from studio.ui.review.desk import Desk
    from studio.ui.review.observed import ObservedFile, ObservedRow

_VERB_WIDTH = 72
"""Room for what happened to the file, as “changed”."""


class ObservedHeader(Surface):
    """Title of an observed change, a hint at its author, and actions."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("observed-header")
        self.setFixedHeight(px(36))
        self.title = ElidedLabel("", self, size=14, weight=600, is_path=True, name="observed-title")
        self.detail = ElidedLabel(
            "", self, size=12, token="muted", mode=Qt.TextElideMode.ElideRight, name="observed-detail"
        )
        self.detail.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)
        self.detail.setMinimumWidth(px(_VERB_WIDTH))
        self.close_button = Button(
            self.tr("Close"), self, kind=ButtonKind.TOOL, key="Esc", name="observed-close"
        )
        self.revert = Button(
            self.tr("Revert…"),
            self,
            icon="rolled-back",
            name="observed-revert-shown",
            tip=self.tr("Previews the revert without writing anything."),
        )
        self.keep = Button(
            self.tr("Keep"),
            self,
            icon="check",
            name="observed-keep-shown",
            decides=True,
            tip=self.tr("Leaves the file as it is and removes it from the list."),
        )
        row_of(
            Label(self.tr("Outside change"), self, size=14, token="muted"),
            self.title,
            (self.detail, 1),
            self.close_button,
            self.revert,
            px(10),
            self.keep,
            parent=self,
            margins=(px(38), 0, px(8), 0),
            spacing=px(10),
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        paint_icon(painter, "observed", "observed", px(13), (self.height() - px(18)) / 2, size=18)


class ObservedPane(Surface):
    """Files of a group above, the diff of the selected one below.

    Excluded hunks are those that a revert takes back.
    """

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._row: ObservedRow | None = None
        self._file: ObservedFile | None = None
        self._requested: ObservedChange | None = None
        """Change whose bytes were requested last."""
        self.setObjectName("observed-page")
        self.setAccessibleName(self.tr("Outside change"))
        self.header = ObservedHeader(self)
        self.table = TableView(
            observed_file_columns(),
            self,
            row_height=ROW_HEIGHT,
            name="observed-files",
            accessible=self.tr("Files in this group"),
        )
        self.diff = DiffView(self, runner=desk.project.runner)
        self.diff.canvas.chooses_lines = False
        self._name_sides(0)
        column_of(self.header, self.table, HairLine(self), (self.diff, 1), parent=self)
        self.header.close_button.clicked.connect(desk.observed.cancel)
        self.header.keep.clicked.connect(lambda: desk.observed.keep(self._changes()))
        self.header.revert.clicked.connect(lambda: desk.observed.revert(self._changes()))
        self.diff.hunk_toggled.connect(self._toggle_hunk)
        self.table.acted.connect(lambda _key: self.diff.setFocus(Qt.FocusReason.ShortcutFocusReason))
        self.table.selectionModel().currentRowChanged.connect(self._show_file)
        desk.observed.shown_changed.connect(self._refresh)
        desk.observed.chosen_changed.connect(self._paint)
        desk.guards.refresh_wanted.connect(self._update_buttons)
        self._refresh()

    def why_no_hunk(self) -> str:
        """Return why the current hunk can't be excluded, else ""."""
        if self._is_group():
            return self.tr("A group can only be kept or reverted as a whole.")
        if self._is_of_link():
            return self.tr("A link can only be kept or reverted as a whole.")
        return "" if self.diff.current_hunk() else self.tr("There are no changed lines here.")

    def _changes(self) -> tuple[ObservedChange, ...]:
        return self._row.changes if self._row is not None else ()

    def _refresh(self) -> None:
        row = self._desk.observed.shown_row
        if row is self._row:
            return
        is_another = row is None or self._row is None or row.key != self._row.key
        self._row = row
        if row is None or is_another:
            self._file = self._requested = None
            self.diff.clear("")
            self.table.rows.set_rows(())
        if row is None:
            return
        first = row.changes[0]
        named = first.group.name if row.is_group and first.group is not None else first.target
        self.header.title.setText(show_name(named))
        summary = "" if row.is_group else change_words(first)
        self.header.detail.setText(" · ".join(part for part in (summary, hint_words(first)) if part))
        self.table.setVisible(row.is_group)
        self.setFocusProxy(self.table if row.is_group else self.diff)
        self.table.rows.set_rows(observed_file_rows(row.changes[:RESTORE_ROWS_AT_ONCE]))
        if len(row.changes) > RESTORE_ROWS_AT_ONCE:
            self._desk.project.compute(observed_file_rows, row.changes, then=partial(self._got_rows, row))
        self.table.fit_rows(ROLLBACK_ROWS_SHOWN)
        if not self.table.currentIndex().isValid():
            self.table.setCurrentIndex(self.table.rows.index(0, 0))
        self._show_file()
        self._update_buttons()

    def _got_rows(self, row: ObservedRow, rows: list[TableRow]) -> None:
        if row is self._row:
            self.table.rows.set_rows(rows)

    def _selected_change(self) -> ObservedChange | None:
        """Return the change whose diff is selected."""
        row = self.table.current_row()
        key = row.key if row is not None else ""
        return next((change for change in self._changes() if change.id == key), None)

    def _show_file(self) -> None:
        change = self._selected_change()
        if change is None or change == self._requested:
            return
        self._requested = change
        if self._file is None or self._file.change.id != change.id:
            self.diff.clear("")
        self._desk.observed.file_of(change, self._got_file)

    def _got_file(self, file: ObservedFile) -> None:
        if file.change == self._selected_change():
            self._file = file
            self._paint()

    def _paint(self) -> None:
        file = self._file
        if file is None:
            return
        if file.is_other:
            self.diff.clear(self.tr("This file just changed again."))
        elif file.change.is_before_unknown:
            self.diff.clear(
                self.tr(
                    "This file changed while the project was being indexed. Its old "
                    "contents are unknown, so it has no diff and can't be reverted."
                )
            )
        else:
            excluded = (
                self._desk.observed.excluded_hunks(file.change) if not self._is_group() else frozenset[int]()
            )
            self._name_sides(len(excluded))
            choices: dict[int, HunkChoice] = dict.fromkeys(excluded, False)
            self.diff.show_step(
                file.step, file.diff, file.before, file.after, choices, setting=file.setting
            )  # fmt: skip
        self._update_buttons()

    def _name_sides(self, excluded: int) -> None:
        """Name the sides; the right one is without excluded hunks."""
        after = self.tr("On disk now · outside change")
        if excluded:
            after = counted(
                excluded, self.tr("After reverting {n} hunk"), self.tr("After reverting {n} hunks")
            )
        self.diff.set_read_only(self._is_group() or self._is_of_link())
        self.diff.name_sides(self.tr("Original"), after)

    def _is_group(self) -> bool:
        return self._row is not None and self._row.is_group

    def _is_of_link(self) -> bool:
        return self._file is not None and self._file.step.has_link_side

    def _toggle_hunk(self, number: int) -> None:
        # A group is reverted as a whole; single hunks can be chosen once its files are listed separately.
        if self._file is not None and not self._is_group() and not self._is_of_link():
            self._desk.observed.toggle_hunk(self._file.change, number)

    def _update_buttons(self) -> None:
        reasons, row = self._desk.reasons, self._row
        if row is None:
            return
        count, excluded = len(row.changes), len(self._desk.observed.excluded_hunks(row.changes[0]))
        self.header.keep.set_label(
            say(self.tr("Keep {n} files"), n=count) if row.is_group else self.tr("Keep")
        )
        words = say(self.tr("Revert {n} files…"), n=count) if row.is_group else self.tr("Revert…")
        if excluded and not row.is_group:
            self.header.keep.set_label(self.tr("Keep all"))
            words = counted(excluded, self.tr("Revert {n} hunk…"), self.tr("Revert {n} hunks…"))
        self.header.revert.set_label(words)
        self.header.keep.set_reason(reasons.of(Action.KEEP_OBSERVED))
        self.header.revert.set_reason(reasons.of(Action.PREVIEW_REVERT))
