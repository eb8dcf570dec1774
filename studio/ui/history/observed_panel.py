"""Dock panel of file changes no plan wrote, with Keep and Revert."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, Qt, Signal
from PySide6.QtWidgets import QWidget

from studio.ui.actions.action import Action
from studio.ui.history.observed_lines import observed_columns, observed_row
from studio.ui.history.row_buttons import RowButtons, plain_key
from studio.ui.history.table import TableRow, TableView
from studio.ui.limits import RESTORE_ROWS_AT_ONCE
from studio.ui.look.words import Clock, counted, utc_now
from studio.ui.review.guards import foreign_change_seconds
from studio.ui.widgets import STYLE_GAP, Banner, BannerKind, Button, ButtonKind, Surface, column_of

if TYPE_CHECKING:
    from collections.abc import Sequence
    from datetime import datetime

    from PySide6.QtGui import QShowEvent

    from studio.ui.review.desk import Desk
from studio.ui.review.observed import Lines, ObservedRow

# Confirmation before keeping all observed changes; not modal


class ObservedBanner(Banner):
    """Banner that asks whether to keep all observed changes.

    It gives their number, and says that they can't be reverted afterwards.
    """

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="observed-question", below=True)
        self._desk = desk
        desk.observed.changed.connect(self._follow)
        desk.guards.refresh_wanted.connect(self.refresh)

    def close_innermost(self) -> bool:
        """Dismiss the question without deciding; return whether there was one."""
        is_asked = bool(self._desk.observed.prompt_changes)
        if is_asked:
            self._desk.observed.close_prompt()
        return is_asked

    def _follow(self) -> None:
        question = self._desk.observed.prompt_changes
        if question and self.isHidden():
            self._ask(len(question))
        elif not question and self.close_banner():
            self.dismissed.emit()

    def _ask(self, count: int) -> None:
        title = counted(count, self.tr("Keep {n} outside change?"), self.tr("Keep {n} outside changes?"))
        words = self.tr("The files stay as they are, but you will no longer be able to revert them here.")
        self.show_message(BannerKind.INFO, title, words, icon="observed")
        observed = self._desk.observed
        cancel = self.add_close(self.tr("Cancel"), "observed-keep-none", observed.close_prompt)
        self.add_choice(
            self.tr("Keep all"),
            icon="check",
            name="observed-keep-all-now",
            decides=True,
            pressed=observed.keep_prompted,
            reason=lambda: self._desk.reasons.of(Action.KEEP_ALL_OBSERVED),
        )
        cancel.setFocus(Qt.FocusReason.OtherFocusReason)


class ObservedPanel(Surface):
    """List of observed changes and groups with Keep and Revert buttons.

    The buttons are at the hovered or current row. Enter or a click shows the change in the centre, K keeps
    it, Delete previews its revert.
    """

    count_changed = Signal(int)

    def __init__(self, desk: Desk, parent: QWidget | None = None, *, now: Clock = utc_now) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._now = now
        self._is_renewed = False
        self._read: ObservedRow | None = None
        """Content of the current row when it was last painted."""
        self.setObjectName("observed")
        self.setAccessibleName(self.tr("Outside changes"))
        self.view = TableView(
            observed_columns(), self, name="observed-list", accessible=self.tr("Outside changes")
        )
        self.banner = ObservedBanner(desk, self)
        column_of(self.view, self.banner, parent=self, spacing=STYLE_GAP)
        self.setFocusProxy(self.view)
        self.keep_all = Button(
            self.tr("Keep all…"),
            self,
            icon="check",
            icon_token="text",
            kind=ButtonKind.TOOL,
            height=22,
            name="observed-keep-all",
            tip=self.tr("Asks for confirmation first. Files are not changed."),
            pressed=desk.observed.confirm_keep_all,
        )
        self.keep = Button(
            self.tr("Keep"),
            self.view.viewport(),
            icon="check",
            kind=ButtonKind.TOOL,
            height=22,
            key="K",
            name="observed-keep",
            decides=True,
            tip=self.tr("Leaves the file as it is and removes it from the list."),
            pressed=lambda: self._keep_row(self._target_row()),
        )
        self.revert = Button(
            self.tr("Revert…"),
            self.view.viewport(),
            icon="rolled-back",
            kind=ButtonKind.TOOL,
            height=22,
            name="observed-revert",
            tip=self.tr("Previews the revert without writing anything."),
            pressed=lambda: self._revert(self._target_row()),
        )
        self._row_buttons = RowButtons(self.view, (self.keep, self.revert))
        self.banner.dismissed.connect(self.view.setFocus)
        self.view.installEventFilter(self)
        self.view.acted.connect(desk.observed.show)
        self.view.clicked.connect(self._show_current)
        self.view.selectionModel().currentRowChanged.connect(self._current_changed)
        self._row_buttons.moved.connect(self._place_buttons)
        desk.observed.changed.connect(self._refresh)
        desk.observed.shown_changed.connect(self._follow_shown)
        desk.guards.refresh_wanted.connect(self._place_buttons)
        self._refresh()

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view and (key := plain_key(event)) in (Qt.Key.Key_K, Qt.Key.Key_Delete):
            (self._keep_row if key == Qt.Key.Key_K else self._revert)(self._current())
            return True
        return super().eventFilter(watched, event)

    def close_innermost(self) -> bool:
        """Dismiss the open question without deciding; return whether there was one."""
        return self.banner.close_innermost()

    def _refresh(self) -> None:
        rows, lines, now = self._desk.observed.rows, self._desk.observed.lines, self._now()
        if len(rows) > RESTORE_ROWS_AT_ONCE:
            self._desk.project.compute(_rows, rows, lines, now, then=partial(self._got_rows, rows))
        else:
            self._got_rows(rows, _rows(rows, lines, now))
        listed_here = self.tr("Files changed without a plan are listed here.")
        self.view.empty_text = self._desk.observed.why_not or listed_here
        self.view.viewport().update()
        self.count_changed.emit(self._desk.observed.count)

    def _got_rows(self, source: tuple[ObservedRow, ...], rows: Sequence[TableRow]) -> None:
        if source is not self._desk.observed.rows:
            return
        self._is_renewed = True
        self.view.rows.set_rows(rows)
        if not self.view.currentIndex().isValid() and rows:
            self.view.setCurrentIndex(self.view.rows.index(0, 0))
        self._is_renewed = False
        now = self._current()
        if self._read is not None and now != self._read and self.view.hasFocus():
            # A key press still in the event queue was meant for the former row.
            self._desk.guards.dead_time.begin(foreign_change_seconds())
        self._read = now
        self._place_buttons()

    def _row(self, key: str) -> ObservedRow | None:
        return next((row for row in self._desk.observed.rows if row.key == key), None)

    def _current(self) -> ObservedRow | None:
        row = self.view.current_row()
        return self._row(row.key) if row is not None else None

    def _target_row(self) -> ObservedRow | None:
        """Return the hovered change, else the current one."""
        return self._row(self._row_buttons.key)

    def _current_changed(self) -> None:
        if not self._is_renewed:
            self._read = self._current()
        if self._desk.observed.shown_row is not None and self.view.hasFocus():
            self._show_current()
        self._place_buttons()

    def _follow_shown(self) -> None:
        """Select the change in the centre, which the tree may have opened."""
        shown = self._desk.observed.shown_row
        index = self.view.rows.index_of(shown.key) if shown is not None else None
        if index is not None and index.isValid() and index.row() != self.view.currentIndex().row():
            self.view.setCurrentIndex(index)

    def _show_current(self) -> None:
        row = self._current()
        if row is not None and row is not self._desk.observed.shown_row:
            self._desk.observed.show(row.key)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place_buttons()

    def _place_buttons(self) -> None:
        if not self.isVisible():
            return
        reasons = self._desk.reasons
        self.keep_all.set_reason(reasons.of(Action.KEEP_ALL_OBSERVED))
        row = self._target_row()
        self.keep.set_reason(reasons.of(Action.KEEP_OBSERVED))
        self.revert.set_reason(reasons.of(Action.PREVIEW_REVERT))
        self._row_buttons.show_at(row.key if row is not None else "", (self.revert, self.keep))

    def _keep_row(self, row: ObservedRow | None) -> None:
        if row is not None:
            self._desk.observed.keep(row.changes)

    def _revert(self, row: ObservedRow | None) -> None:
        if row is not None:
            self._desk.observed.revert(row.changes)


def _rows(rows: tuple[ObservedRow, ...], lines: Lines, now: datetime) -> list[TableRow]:
    """Return the table rows; slow for thousands of them."""
    return [observed_row(row, lines, now) for row in rows]
