"""Base class of popups with a search field and a result list."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, TypeVar

from PySide6.QtCore import (
    QAbstractListModel,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QHideEvent, QPainter, QPaintEvent, QShowEvent
from PySide6.QtWidgets import QApplication, QListView, QStyledItemDelegate, QStyleOptionViewItem, QWidget
from shiboken6 import isValid

from studio.ui.look.theme import color, px, ui_font
from studio.ui.widgets import Label, Surface, column_of
from studio.ui.widgets.painting import paint_outline
from studio.ui.widgets.row_painter import ItemPainter
from studio.ui.widgets.text_field import SearchField

Index = QModelIndex | QPersistentModelIndex
Row = TypeVar("Row")

ROW_HEIGHT = 30
_WIDTH = 560
_ROWS_SHOWN = 12
_TOP = QModelIndex()


class _Rows(QListView):
    """List that shows a text when it is empty."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.empty_text = self.tr("No matches.")

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self.model().rowCount() == 0:
            painter = QPainter(self.viewport())
            painter.setFont(ui_font(12))
            painter.setPen(color("muted"))
            area = self.viewport().rect().adjusted(px(16), 0, -px(16), 0)
            painter.drawText(
                area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.empty_text
            )


class _ResultModel(QAbstractListModel, Generic[Row]):
    """Model of the results; the finder formats each row."""

    def __init__(self, finder: Finder[Row]) -> None:
        super().__init__(finder)
        self._finder = finder
        self.rows: Sequence[Row] = ()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self.rows)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        row = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            return self._finder.words_of(row)
        return self._finder.accessible_text(row) if role == Qt.ItemDataRole.AccessibleTextRole else None

    def show_rows(self, rows: Sequence[Row]) -> None:
        self.beginResetModel()
        self.rows = rows
        self.endResetModel()

    def update_row(self, number: int) -> None:
        """Update a row whose display changed."""
        self.dataChanged.emit(self.index(number, 0), self.index(number, 0))


class _FoundRow(QStyledItemDelegate, Generic[Row]):
    def __init__(self, finder: Finder[Row]) -> None:
        super().__init__(finder)
        self._finder = finder

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(200), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        painter.save()
        if self._finder.list.currentIndex().row() == index.row():
            painter.fillRect(option.rect, color("select"))
            painter.fillRect(option.rect.adjusted(0, 0, px(3) - option.rect.width(), 0), color("accent"))
        row = ItemPainter(painter, option.rect, left=px(18), right=px(12))
        self._finder.paint_row(row, self._finder.found.rows[index.row()])
        painter.restore()


class Finder(Surface, Generic[Row]):
    """Non-modal popup that closes when it loses the focus.

    Closing it otherwise restores the previous focus.
    """

    def __init__(self, name: str, words: str, list_words: str, window: QWidget) -> None:
        super().__init__("panel", window)
        self._window = window
        self._previous_focus: QWidget | None = None
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.field = SearchField(f"{name}-field", words, self)
        self.list = _Rows(self)
        self.list.setObjectName(f"{name}-list")
        self.list.setAccessibleName(list_words)
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.note = Label("", self, size=12, token="muted", wrap=True, name=f"{name}-note")
        self.note.setContentsMargins(px(3), 0, px(3), 0)
        self.note.hide()
        column_of(
            self.field,
            (self.list, 1),
            self.note,
            parent=self,
            margins=(px(9), px(8), px(9), px(6)),
            spacing=px(6),
        )
        self.found = _ResultModel[Row](self)
        self.list.setModel(self.found)
        self.list.setItemDelegate(_FoundRow(self))
        self.field.textChanged.connect(self.search)
        self.field.moved.connect(self._move)
        self.field.done.connect(self._run_current)
        self.field.cancelled.connect(self.close_finder)
        self.field.left.connect(self.close_finder)
        self.list.clicked.connect(lambda index: self.run(self.found.rows[index.row()]))
        self.hide()

    def search(self, text: str) -> None:
        """Find the rows that match the text and call `show_found`."""
        raise NotImplementedError

    def run(self, row: Row) -> None:
        """Run the action of a row."""
        raise NotImplementedError

    def words_of(self, row: Row) -> str:
        """Return the text of a row."""
        raise NotImplementedError

    def accessible_text(self, row: Row) -> str | None:
        """Return a row's screen reader text, None for its text."""
        raise NotImplementedError

    def paint_row(self, painter: ItemPainter, row: Row) -> None:
        """Paint the content of a row."""
        raise NotImplementedError

    def current(self) -> Row | None:
        """Return the row that Enter would run."""
        index = self.list.currentIndex()
        return self.found.rows[index.row()] if index.isValid() else None

    def open_finder(self) -> None:
        """Show all rows and take the focus."""
        if self.isHidden():
            self._previous_focus = QApplication.focusWidget()
        if self.field.text():
            self.field.clear()
        else:
            self.search("")
        self._place_finder()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._window.installEventFilter(self)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._window.removeEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        """Stay centred while the window is resized."""
        if watched is self._window and event.type() is QEvent.Type.Resize:
            self._place_finder()
        return super().eventFilter(watched, event)

    def close_finder(self) -> None:
        """Close; restore the previous focus unless it has moved already."""
        if self.isHidden():
            return
        previous = self._previous_focus if self.field.hasFocus() else None
        self.hide()
        if previous is not None and isValid(previous):
            previous.setFocus(Qt.FocusReason.OtherFocusReason)

    def show_found(self, rows: Sequence[Row]) -> None:
        """List these rows; the first one is current."""
        self.found.show_rows(rows)
        self.list.setCurrentIndex(self.found.index(0, 0))
        self.list.setAccessibleDescription("" if rows else self.list.empty_text)
        self._place_finder()

    def show_note(self, words: str) -> None:
        """Show a line below the list; "" hides it."""
        self.note.setText(words)
        self.note.setVisible(bool(words))
        self._place_finder()

    def _place_finder(self) -> None:
        window = self._window
        width = min(px(_WIDTH), window.width() - px(40))
        rows = min(_ROWS_SHOWN, max(1, self.found.rowCount()))
        # Whole rows: half a row at the end would look cut off.
        around = px(8) + self.field.sizeHint().height() + px(6) + px(6)
        if self.note.text():
            around += px(6) + self.note.heightForWidth(width - 2 * px(9))
        height = px(ROW_HEIGHT) * rows + around
        self.setGeometry((window.width() - width) // 2, px(72), width, min(height, window.height() - px(90)))

    def _move(self, by: int) -> None:
        last = self.found.rowCount() - 1
        row = min(max(0, self.list.currentIndex().row() + by), last)
        if row >= 0:
            self.list.setCurrentIndex(self.found.index(row, 0))

    def _run_current(self) -> None:
        row = self.current()
        if row is not None:
            self.run(row)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        paint_outline(QPainter(self), self.rect(), "edge")
