"""Buttons shown on a list's hovered or current row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QObject, QPoint, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent

from studio.ui.actions.key_positions import letter_at
from studio.ui.look.theme import px

if TYPE_CHECKING:
    from PySide6.QtWidgets import QWidget

    from studio.ui.history.table import TableView


class RowButtons(QObject):
    """Buttons that follow the mouse pointer over a list.

    The owner decides which buttons a row has, and their labels.
    """

    moved = Signal()
    """Emitted when the buttons may have to move; call `show_at` with the row."""

    def __init__(self, view: TableView, buttons: Sequence[QWidget]) -> None:
        """Put the buttons on the list's viewport, without focus."""
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
        """The key of the hovered row, else of the current one.

        It is "" without either.
        """
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
        """Show buttons at a row, from the right edge; hide the others.

        Hides all where the row is not in view.
        """
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


# Keys that act on the current row of a list


def plain_key(event: QEvent) -> int | None:
    """Return a key pressed without modifiers, None if it auto-repeats.

    A letter of another script is the Latin one at its place.
    """
    if not isinstance(event, QKeyEvent) or event.type() is not QEvent.Type.KeyPress:
        return None
    # Qt sets this modifier for every key of the number pad.
    alone = event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier == Qt.KeyboardModifier.NoModifier
    key = ord(letter_at(event) or "\0") or event.key()
    return key if alone and not event.isAutoRepeat() else None
