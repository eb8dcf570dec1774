"""Buttons and keys for one row of a list: under the pointer, else the current one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from studio.ui.look.theme import px

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from studio.ui.history.table import TableView


class RowButtons(QObject):
    """Follows the pointer over a list; its owner says which of its buttons a row has, and what they say."""

    moved = Signal()
    """They may have to stand elsewhere, or at another row: `show_at` says where."""

    def __init__(self, view: TableView, buttons: Sequence[QWidget]) -> None:
        """The buttons lie on the list's viewport, and take no focus."""
        super().__init__(view)
        self._view = view
        self._buttons = buttons
        self._hovered = ""
        for button in buttons:
            button.setFocusPolicy(Qt.FocusPolicy.NoFocus)
            button.hide()
        view.viewport().installEventFilter(self)
        view.selectionModel().currentRowChanged.connect(self.moved)
        view.verticalScrollBar().valueChanged.connect(self.moved)

    @property
    def key(self) -> str:
        """Of the row under the pointer, where there is such a row by now, else of the current one; "" for
        none."""
        if self._view.rows.index_of(self._hovered).isValid():
            return self._hovered
        row = self._view.current_row()
        return row.key if row is not None else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QMouseEvent) and event.type() is QEvent.Type.MouseMove:
            row = self._view.row_at(event.position().toPoint())
            self._hover(row.key if row is not None else "")
        elif event.type() is QEvent.Type.Leave:
            self._hover("")
        elif event.type() is QEvent.Type.Resize:
            self.moved.emit()
        return super().eventFilter(watched, event)

    def show_at(self, key: str, buttons: Sequence[QWidget]) -> None:
        """Have these stand at a row, the first at the right edge; none where that row is not in view."""
        area = self._view.visualRect(self._view.rows.index_of(key))
        shown = buttons if area.isValid() else ()
        for button in self._buttons:
            if button not in shown:
                button.hide()
        width = self._view.viewport().width()
        right, middle = width - px(6), area.top() + area.height() // 2
        for button in shown:
            hint = button.sizeHint()
            right -= hint.width()
            button.resize(hint)
            button.move(QPoint(right, middle - hint.height() // 2))
            button.show()
        self._view.leave_room(key if shown else "", width - right + px(8) if shown else 0)

    def _hover(self, key: str) -> None:
        if key != self._hovered:
            self._hovered = key
            self.moved.emit()


# Keys that act on the current row of a list.


def plain_key(event: QEvent) -> int | None:
    """The key that was pressed alone; a key held down presses nothing here."""
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
        return None
    # Qt gives the keys of the number pad this modifier, though nobody holds a key for it.
    alone = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
    return event.key() if alone and not event.isAutoRepeat() else None
