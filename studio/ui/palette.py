"""The command palette: every action by name, with its key and why it is off (look.md 8)."""

from __future__ import annotations

from PySide6.QtCore import QAbstractListModel, QModelIndex, QObject, QPersistentModelIndex, QSize, Qt, Signal
from PySide6.QtGui import QAction, QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QLineEdit,
    QListView,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from studio.ui.actions import ACTIONS, ActionEntry, Actions, action_text, shown_key
from studio.ui.row_painter import SECOND, RowPainter
from studio.ui.theme import color, px, ui_font
from studio.ui.widgets import Surface
from studio.ui.widgets.strokes import key_hint_width, paint_key_hint, paint_outline

Index = QModelIndex | QPersistentModelIndex

_WIDTH = 560
_ROW = 30
_ROWS_SHOWN = 12
_TOP = QModelIndex()
_ENTRY = Qt.ItemDataRole.UserRole
_REASON = Qt.ItemDataRole.UserRole + 1


class _Commands(QAbstractListModel):
    """The actions whose words hold every typed word; possible ones first."""

    def __init__(self, actions: Actions, parent: QObject) -> None:
        super().__init__(parent)
        self._actions = actions
        self._entries: tuple[ActionEntry, ...] = ()

    def search(self, text: str) -> None:
        typed = text.casefold().split()
        found = [
            entry
            for entry in ACTIONS
            if entry.id != "palette" and all(word in action_text(entry).casefold() for word in typed)
        ]
        self.beginResetModel()
        self._entries = tuple(sorted(found, key=lambda entry: bool(self._actions.reason(entry.id))))
        self.endResetModel()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._entries)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        entry = self._entries[index.row()]
        if role == _ENTRY:
            return entry
        if role == _REASON:
            return self._actions.reason(entry.id)
        if role == Qt.ItemDataRole.DisplayRole:
            reason = self._actions.reason(entry.id)
            return f"{action_text(entry)}: {reason}" if reason else action_text(entry)
        return None


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(200), px(_ROW))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        entry: ActionEntry = index.data(_ENTRY)
        reason: str = index.data(_REASON)
        view = self.parent()
        painter.save()
        if isinstance(view, QListView) and view.currentIndex().row() == index.row():
            painter.fillRect(option.rect, color("select"))
            bar = option.rect.adjusted(0, 0, px(3) - option.rect.width(), 0)
            painter.fillRect(bar, color("accent"))
        row = RowPainter(painter, option.rect, left=px(18), right=px(12))
        token = "off" if reason else "muted"
        if entry.icon:
            row.icon(entry.icon, token, gap=8)
        else:
            row.left += px(24)
        if entry.keys:
            keys = shown_key(entry.keys[0])
            middle = option.rect.top() + option.rect.height() / 2
            paint_key_hint(painter, row.right, middle, keys, text=token)
            row.right -= key_hint_width(keys) + px(8)
        row.text(action_text(entry), "off" if reason else "text", ui_font(13, 500))
        row.text(reason, "muted", ui_font(SECOND))
        painter.restore()


class Palette(Surface):
    """Opens over the window, is not modal, and closes when it loses the focus."""

    def __init__(self, actions: Actions, window: QWidget) -> None:
        super().__init__("panel", window)
        self._actions = actions
        self._window = window
        self._came_from: QWidget | None = None
        self.setObjectName("palette")
        self.setAccessibleName(self.tr("Find a command"))
        self.field = _Field(self)
        self.field.setPlaceholderText(self.tr("Find a command"))
        self.list = QListView(self)
        self.list.setObjectName("palette-list")
        self.list.setAccessibleName(self.tr("Commands"))
        self.list.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.list.setMouseTracking(True)
        self.list.setUniformItemSizes(True)
        self.list.setItemDelegate(_Row(self.list))
        self._commands = _Commands(actions, self)
        self.list.setModel(self._commands)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(9), px(8), px(9), px(6))
        column.setSpacing(px(6))
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        self.field.textChanged.connect(self._search)
        self.field.moved.connect(self._move)
        self.field.done.connect(self._run_current)
        self.field.cancelled.connect(self.close_palette)
        self.field.left.connect(self.close_palette)
        self.list.clicked.connect(self._run)
        self.hide()

    def open_palette(self) -> None:
        """Show every command and take the keyboard."""
        self._came_from = QApplication.focusWidget()
        self.field.clear()
        self._search("")
        self._place()
        self.show()
        self.raise_()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def close_palette(self) -> None:
        if self.isHidden():
            return
        back = self._came_from if self.field.hasFocus() else None
        self.hide()
        if back is not None and isValid(back):
            back.setFocus(Qt.FocusReason.OtherFocusReason)

    def _place(self) -> None:
        window = self._window
        width = min(px(_WIDTH), window.width() - px(40))
        rows = min(_ROWS_SHOWN, max(1, self._commands.rowCount()))
        height = px(_ROW) * rows + px(54)
        self.setGeometry((window.width() - width) // 2, px(72), width, min(height, window.height() - px(90)))

    def _search(self, text: str) -> None:
        self._commands.search(text)
        self.list.setCurrentIndex(self._commands.index(0, 0))
        self._place()

    def _move(self, by: int) -> None:
        row = self.list.currentIndex().row() + by
        if 0 <= row < self._commands.rowCount():
            self.list.setCurrentIndex(self._commands.index(row, 0))

    def _run_current(self) -> None:
        self._run(self.list.currentIndex())

    def _run(self, index: Index) -> None:
        if not index.isValid() or index.data(_REASON):
            return
        entry: ActionEntry = index.data(_ENTRY)
        self.close_palette()
        action: QAction = self._actions[entry.id]
        action.trigger()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        paint_outline(painter, self.rect(), "edge")


class _Field(QLineEdit):
    """What is looked for; up and down move in the list, Enter runs, Esc closes."""

    moved = Signal(int)
    done = Signal()
    cancelled = Signal()
    left = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("palette-field")
        self.setAccessibleName(self.tr("Find a command"))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        key = event.key()
        if key in (Qt.Key.Key_Down, Qt.Key.Key_Up):
            self.moved.emit(1 if key == Qt.Key.Key_Down else -1)
        elif key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat():
                self.done.emit()
        elif key == Qt.Key.Key_Escape:
            self.cancelled.emit()
        else:
            super().keyPressEvent(event)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() is not Qt.FocusReason.ActiveWindowFocusReason:
            self.left.emit()
