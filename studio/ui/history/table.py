"""Reusable Qt table: row model, cell delegate, header and view."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from PySide6.QtCore import (
    QAbstractTableModel,
    QCoreApplication,
    QEvent,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QPoint,
    QRect,
    QRectF,
    QSize,
    Qt,
    Signal,
)
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPen, QResizeEvent
from PySide6.QtWidgets import (
    QAbstractItemView,
    QHeaderView,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QWidget,
)

from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import plain_tip
from studio.ui.widgets.painting import paint_check_box, paint_outline
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter, RowList
from studio.values import Value

Index = QModelIndex | QPersistentModelIndex
TOP = QModelIndex()
ROW = Qt.ItemDataRole.UserRole


class Cell(Value):
    """Cell with icon, text, quieter text and line counts.

    Without enough room a path is elided within its folder, other text at its end.
    """

    text: str = ""
    token: str = "text"
    icon: str = ""
    icon_token: str = "muted"
    second: str = ""
    added: int = 0
    removed: int = 0
    size: int = BODY
    weight: int = 400
    is_path: bool = False


class TableRow(Value):
    """Table row; `key` identifies it across updates.

    `checked` None means no check box. `accessible_text` is the text for screen readers; it also says why a
    row can't be checked. `choice` is shown as a field at the right end of the row that opens a menu. In a
    list with rows beneath rows, `level` is 0 or 1, and `is_open` is None for a row that has none beneath.
    """

    key: str
    cells: tuple[Cell, ...]
    accessible_text: str
    checked: bool | None = None
    checkable: bool = True
    choice: str = ""
    level: int | None = None
    is_open: bool | None = None


class Column(Value):
    """Heading and width in unscaled pixels, 0 for the remaining width.

    In a narrow table the column shrinks to `least`; it is hidden where that is 0.
    """

    heading: str
    width: int
    least: int = 90


BUTTONS_COLUMN = Column("", 236, least=30)
"""Room at the end of a table for the buttons of the current row, given up first."""


class TableModel(QAbstractTableModel):
    """Rows by key, updated one by one, so that the selection survives."""

    def __init__(self, columns: Sequence[Column], parent: QObject | None = None) -> None:
        super().__init__(parent)
        self.columns = tuple(columns)
        self._rows: list[TableRow] = []
        self._positions: dict[str, int] | None = None

    @property
    def rows(self) -> tuple[TableRow, ...]:
        return tuple(self._rows)

    def set_rows(self, rows: Sequence[TableRow]) -> None:
        """Show these rows, which have unique keys and all cells.

        Where rows that stay change their order, the model is reset.
        """
        # Qt requests each cell during painting, where an exception ends the program.
        assert all(len(row.cells) == len(self.columns) for row in rows)
        new_keys = {row.key for row in rows}
        end = len(self._rows)
        while end:
            start = end - 1
            is_gone = self._rows[start].key not in new_keys
            while start and (self._rows[start - 1].key not in new_keys) is is_gone:
                start -= 1
            if is_gone:
                self.beginRemoveRows(TOP, start, end - 1)
                del self._rows[start:end]
                self._positions = None
                self.endRemoveRows()
            end = start
        old_keys = {row.key for row in self._rows}
        if [row.key for row in self._rows] != [row.key for row in rows if row.key in old_keys]:
            self.beginResetModel()
            self._rows = list(rows)
            self._positions = None
            self.endResetModel()
            return
        index = 0
        while index < len(rows):
            if rows[index].key in old_keys:
                self._change(index, rows[index])
                index += 1
                continue
            end = next((at for at in range(index, len(rows)) if rows[at].key in old_keys), len(rows))
            self.beginInsertRows(TOP, index, end - 1)
            self._rows[index:index] = rows[index:end]
            self._positions = None
            self.endInsertRows()
            index = end

    def _change(self, index: int, row: TableRow) -> None:
        if self._rows[index] != row:
            self._rows[index] = row
            self.dataChanged.emit(self.index(index, 0), self.index(index, len(self.columns) - 1))

    def row(self, index: Index) -> TableRow | None:
        """Return the row at an index, None outside."""
        return self._rows[index.row()] if index.isValid() else None

    def index_of(self, key: str) -> QModelIndex:
        """Return the first cell of the row with a key, else invalid."""
        position = self._position(key)
        return self.index(position, 0) if position >= 0 else QModelIndex()

    def rowCount(self, parent: Index = TOP) -> int:
        return 0 if parent.isValid() else len(self._rows)

    def columnCount(self, parent: Index = TOP) -> int:
        return 0 if parent.isValid() else len(self.columns)

    def headerData(
        self, section: int, orientation: Qt.Orientation, role: int = Qt.ItemDataRole.DisplayRole
    ) -> Any:
        if orientation is Qt.Orientation.Horizontal and role == Qt.ItemDataRole.DisplayRole:
            return self.columns[section].heading
        return None

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> Any:
        row = self.row(index)
        if row is None:
            return None
        if role == ROW:
            return row
        if role == Qt.ItemDataRole.DisplayRole:
            return row.cells[index.column()].text
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return row.accessible_text + _fold_words(row)
        if role == Qt.ItemDataRole.ToolTipRole:
            return plain_tip(row.cells[index.column()].text, wraps=True)
        if role == Qt.ItemDataRole.CheckStateRole and row.checked is not None and index.column() == 0:
            return Qt.CheckState.Checked if row.checked else Qt.CheckState.Unchecked
        return None

    def _position(self, key: str) -> int:
        if self._positions is None:
            self._positions = {row.key: position for position, row in enumerate(self._rows)}
        return self._positions.get(key, -1)


def _fold_words(row: TableRow) -> str:
    if row.is_open is None:
        return ""
    if row.is_open:
        return ", " + QCoreApplication.translate("Table", "expanded")
    return ", " + QCoreApplication.translate("Table", "collapsed")


class CellDelegate(QStyledItemDelegate):
    """Painter of cells from their values, with current theme tokens."""

    def __init__(self, view: TableView) -> None:
        super().__init__(view)
        self._view = view

    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(max(option.rect.width(), px(40)), self._view.row_height)

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        row: TableRow | None = index.data(ROW)
        if row is None:
            return
        painter.save()
        area = QRect(option.rect)
        background = self._background(option)
        if background is not None:
            painter.fillRect(area, color(background))
        painted = ItemPainter(painter, area, left=self._left_margin(index), right=px(8))
        if index.column() == 0 and row.level is not None:
            self._paint_fold(painted, row)
        if index.column() == 0 and row.checked is not None:
            self._paint_check(painter, area, row)
            painted.left = area.left() + px(CHECK_WIDTH)
        if row.choice and index.column() == index.model().columnCount() - 1:
            painted.right = self._paint_choice(painter, area, row.choice)
        # In a narrow window the buttons on a row cover more than its last cell.
        painted.right = min(painted.right, self._view.viewport().width() - self._view.room_at_end_of(row.key))
        if painted.room:
            self._paint_cell(painted, row.cells[index.column()])
        painter.restore()

    def _left_margin(self, index: Index) -> int:
        return px(12) if index.column() == 0 else px(8)

    def _background(self, option: QStyleOptionViewItem) -> str | None:
        if option.state & QStyle.StateFlag.State_Selected:
            return "select" if self._view.has_keyboard() else "selectOff"
        return "hover" if option.state & QStyle.StateFlag.State_MouseOver else None

    def _paint_fold(self, painted: ItemPainter, row: TableRow) -> None:
        """Indent a row, and paint the arrow of one with rows beneath."""
        painted.left = painted.rect.left() + px(FOLD_WIDTH) * (row.level or 0) + px(8)
        if row.is_open is not None:
            painted.icon("down" if row.is_open else "right", "muted", size=14)
        painted.left = painted.rect.left() + px(FOLD_WIDTH) * ((row.level or 0) + 1)

    def _paint_cell(self, painted: ItemPainter, cell: Cell) -> None:
        if cell.icon:
            painted.icon(cell.icon, cell.icon_token, gap=8)
        if cell.text:
            painted.text(cell.text, cell.token, ui_font(cell.size, cell.weight), is_path=cell.is_path)
        if cell.second:
            painted.text(cell.second, "muted", ui_font(SECOND), elide=Qt.TextElideMode.ElideMiddle)
        painted.counts(cell.added, cell.removed)

    def _paint_check(self, painter: QPainter, area: QRect, row: TableRow) -> None:
        side = px(14)
        box = QRectF(area.left() + px(13), area.top() + (area.height() - side) // 2, side, side)
        state = Qt.CheckState.Checked if row.checked else Qt.CheckState.Unchecked
        paint_check_box(painter, box, state, enabled=row.checkable)

    def _paint_choice(self, painter: QPainter, area: QRect, words: str) -> int:
        """Paint the field of a row's choice; return its left edge."""
        field = choice_area(area)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(QPen(color("edge"), 1))
        painter.setBrush(color("field"))
        painter.drawRoundedRect(QRectF(field).adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)
        row = ItemPainter(painter, field, left=px(8), right=px(6))
        row.icon_right("down", "muted", size=14)
        row.text(words, "text", ui_font(SECOND))
        return field.left() - px(8)


def choice_area(area: QRect) -> QRect:
    """Return the rectangle of a row's choice in its last cell."""
    width = min(px(CHOICE_WIDTH), area.width() - px(16))
    return QRect(area.right() - px(8) - width, area.top() + px(2), width, area.height() - px(4))


_FOLD_KEYS = (Qt.Key.Key_Left, Qt.Key.Key_Right)
CHOICE_WIDTH = 224
_LEAST_NAME = 168
_LEAST_ROWS = 2
FOLD_WIDTH = 28
"""Width, from the left edge, in which a click shows or hides the rows beneath a row."""
CHECK_WIDTH = 40
"""Width, from the left edge, of a row's check box area."""


class TableHeader(QHeaderView):
    """Header with muted headings, each aligned with its column's text."""

    def __init__(self, parent: QWidget, left_of_first: int) -> None:
        super().__init__(Qt.Orientation.Horizontal, parent)
        self.setObjectName("table-header")
        self.setAccessibleName(QCoreApplication.translate("Table", "Columns"))
        self._left_of_first = left_of_first

    def paintSection(self, painter: QPainter, rect: QRect, section: int, /) -> None:
        painter.save()
        painter.fillRect(rect, color("panel"))
        painter.fillRect(rect.left(), rect.bottom(), rect.width(), 1, color("border"))
        left = px(self._left_of_first if section == 0 else 8)
        heading = self.model().headerData(section, Qt.Orientation.Horizontal)
        row = ItemPainter(painter, rect, left=left)
        row.text(heading, "muted", ui_font(SECOND), gap=4)
        if self.isSortIndicatorShown() and section == self.sortIndicatorSection():
            is_ascending = self.sortIndicatorOrder() is Qt.SortOrder.AscendingOrder
            row.icon("up" if is_ascending else "down", "muted", size=14)
        painter.restore()


class TableView(RowList):
    """Table controlled by keys: arrows move, Enter acts, Space toggles check boxes.

    Typed letters never search; they are shortcuts of actions.
    """

    acted = Signal(str)
    """Emitted with a row's key on Enter or a double click."""
    chosen = Signal(str)
    """Emitted like `acted`, and on a single click, for rows that open at once."""
    checked = Signal(str, bool)
    """Emitted with a row's key and the requested state of its check box."""
    choice_wanted = Signal(str, QPoint)
    """Emitted with a row's key and the screen position of the menu of its choice."""
    fold_wanted = Signal(str, bool)
    """Emitted with a row's key and whether the rows beneath it should show."""

    def __init__(
        self,
        columns: Sequence[Column],
        parent: QWidget | None = None,
        *,
        row_height: int = 23,
        left_of_first: int = 12,
        name: str = "",
        accessible: str = "",
    ) -> None:
        super().__init__("panel", parent)
        self.setObjectName(name)
        self.setAccessibleName(accessible)
        self.row_height = px(row_height)
        self._columns = columns
        self._covered = ("", 0)
        self._fitted = 0
        self._least_name = _LEAST_NAME + left_of_first
        self.rows = TableModel(columns, self)
        self.setModel(self.rows)
        self.setItemDelegate(CellDelegate(self))
        self.setExpandsOnDoubleClick(False)
        self.setSelectionBehavior(QAbstractItemView.SelectionBehavior.SelectRows)
        self._set_up_header(columns, left_of_first)
        self.acted.connect(self.chosen)
        self.clicked.connect(lambda index: self.chosen.emit(index.data(ROW).key))

    def _set_up_header(self, columns: Sequence[Column], left_of_first: int) -> None:
        header = TableHeader(self, left_of_first)
        self.setHeader(header)
        header.setFixedHeight(px(23))
        header.setSectionsMovable(False)
        header.setSectionsClickable(False)
        header.setHighlightSections(False)
        header.setStretchLastSection(False)
        header.setMinimumSectionSize(px(30))
        for section, column in enumerate(columns):
            if column.width:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Fixed)
                header.resizeSection(section, px(column.width))
            else:
                header.setSectionResizeMode(section, QHeaderView.ResizeMode.Stretch)

    def fit_rows(self, most: int) -> None:
        """Show all rows, or `most`; fewer where the window is low."""
        rows, above = min(self.rows.rowCount(), most), self.header().maximumHeight()
        self._fitted = above + self.row_height * rows
        self.setMaximumHeight(self._fitted)
        self.setMinimumHeight(above + self.row_height * min(rows, _LEAST_ROWS))

    def sizeHint(self) -> QSize:
        """Return the height of all rows where they were fitted."""
        size = super().sizeHint()
        return QSize(size.width(), self._fitted or size.height())

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Hide columns, then shrink the last ones first, when space is short.

        The column that names the row is the last to shrink.
        """
        super().resizeEvent(event)
        header = self.header()
        columns = [(section, column) for section, column in enumerate(self._columns) if column.width]
        needed = px(self._least_name) + sum(px(column.width) for _section, column in columns)
        missing = needed - self.viewport().width()
        for section, column in columns:
            if not column.least:
                header.setSectionHidden(section, missing > 0)
                missing -= px(column.width) if missing > 0 else 0
        for section, column in reversed([each for each in columns if each[1].least]):
            share = min(max(0, missing), max(0, px(column.width) - px(column.least)))
            header.resizeSection(section, px(column.width) - share)
            missing -= share

    def leave_room(self, key: str, width: int) -> None:
        """Elide a row's text by this many pixels, for its buttons."""
        if self._covered != (key, width):
            self._covered = key, width
            self.viewport().update()

    def room_at_end_of(self, key: str) -> int:
        """Return the pixels covered at the end of a row."""
        covered, width = self._covered
        return width if key == covered else 0

    def has_keyboard(self) -> bool:
        """Return whether the selected row is drawn as having the keyboard focus."""
        return self.hasFocus() and self.isActiveWindow()

    def current_row(self) -> TableRow | None:
        """Return the row that has the keyboard focus."""
        return self.rows.row(self.currentIndex())

    def row_at(self, point: QPoint) -> TableRow | None:
        """Return the row at a point of the viewport."""
        return self.rows.row(self.indexAt(point))

    def drawRow(self, painter: QPainter, options: QStyleOptionViewItem, index: Index) -> None:
        super().drawRow(painter, options, index)
        if not self.selectionModel().isSelected(self.rows.index(index.row(), 0)):
            return
        area = options.rect
        painter.fillRect(area.left(), area.top(), px(3), area.height(), color("accent"))
        if self.has_keyboard():
            paint_outline(painter, area, "accent")

    def event(self, event: QEvent) -> bool:
        """Use Space for a row with check box or choice.

        Otherwise the key pages on.
        """
        if isinstance(event, QKeyEvent) and event.type() is QEvent.Type.ShortcutOverride:
            row = self.current_row()
            takes = row is not None and (row.checked is not None or bool(row.choice))
            if event.key() == Qt.Key.Key_Space and not event.modifiers() and takes:
                event.accept()
                return True
        return super().event(event)

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are shortcuts of actions."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        row = self.current_row()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            plain = not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
            if row is not None and plain and not event.isAutoRepeat():
                self.acted.emit(row.key)
            return
        if event.key() in _FOLD_KEYS and row is not None and row.is_open is not None:
            self.fold_wanted.emit(row.key, event.key() == Qt.Key.Key_Right)
            return
        if event.key() == Qt.Key.Key_Left and row is not None and row.level:
            above = reversed(self.rows.rows[: self.currentIndex().row()])
            self.setCurrentIndex(self.rows.index_of(next(each.key for each in above if not each.level)))
            return
        if event.key() == Qt.Key.Key_Space and row is not None and row.choice and not row.checkable:
            self._open_choice(row)
            return
        if event.key() == Qt.Key.Key_Space and row is not None and row.checked is not None:
            self._toggle(row)
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        point = event.position().toPoint()
        row = self.row_at(point)
        if row is not None and row.checked is not None and point.x() < px(CHECK_WIDTH):
            self._toggle(row)
        elif row is not None and row.choice and self._choice_area(row).contains(point):
            self._open_choice(row)
        elif row is not None and row.is_open is not None and point.x() < px(FOLD_WIDTH):
            self.fold_wanted.emit(row.key, not row.is_open)

    def _choice_area(self, row: TableRow) -> QRect:
        last = self.rows.index(self.rows.index_of(row.key).row(), len(self.rows.columns) - 1)
        return choice_area(self.visualRect(last))

    def _open_choice(self, row: TableRow) -> None:
        field = self._choice_area(row)
        self.choice_wanted.emit(row.key, self.viewport().mapToGlobal(field.bottomLeft()))

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        row = self.row_at(point)
        if row is None:
            return
        if row.checked is not None and point.x() < px(CHECK_WIDTH):
            self._toggle(row)
        elif row.is_open is None or point.x() >= px(FOLD_WIDTH):
            self.acted.emit(row.key)

    def _toggle(self, row: TableRow) -> None:
        if row.checkable and row.checked is not None:
            self.checked.emit(row.key, not row.checked)
