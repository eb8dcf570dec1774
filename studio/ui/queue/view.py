"""List view of the queue: keys, folding, row under the pointer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.ui.look.theme import px
from studio.ui.queue.delegate import CHEVRON_AREA
from studio.ui.queue.model import Index, Role
from studio.ui.widgets.row_painter import RowList

_TALLER_THAN_SCREENS = 3000


class QueueView(RowList):
    """Queue list: arrows move and fold, Enter opens the diff.

    Typed letters are shortcuts of actions.
    """

    chosen = Signal()
    """Emitted when the user moves to another row."""
    entered_row = Signal()
    """Emitted on Enter, to move the focus to the diff."""
    pointer_left = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._silent = False
        self.setHeaderHidden(True)
        self.setItemsExpandable(True)
        self.setExpandsOnDoubleClick(False)
        self.setUniformRowHeights(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def show_current(self, index: QModelIndex) -> None:
        """Make a row current without emitting `chosen`.

        The row of a plan's generated files stays current where the plan is shown.
        """
        if self.currentIndex().data(Role.FOLD) and self.currentIndex().parent() == index:
            return
        with self.unchosen():
            if index.isValid():
                self.expand(index.parent())
                self.setCurrentIndex(index)
            else:
                self.selectionModel().clear()

    @contextmanager
    def unchosen(self) -> Generator[None]:
        """Suppress `chosen` meanwhile: Qt selects a neighbour of a removed row."""
        before, self._silent = self._silent, True
        try:
            yield
        finally:
            self._silent = before

    def content_height(self) -> int:
        """Return the height of all rows, or more than any screen has.

        It is known while the list is hidden, too.
        """
        index, height = self.model().index(0, 0), 0
        while index.isValid() and height < px(_TALLER_THAN_SCREENS):
            height += self.indexRowSizeHint(index)
            index = self.indexBelow(index)
        return height

    def pointer_is_over(self) -> bool:
        """Return whether the mouse is over the list; then no row moves."""
        return self.viewport().underMouse()

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Select nothing on focus; Qt would make the first row current."""
        nothing = not self.currentIndex().isValid()
        with self.unchosen():
            super().focusInEvent(event)
        if nothing:
            self.show_current(QModelIndex())

    def currentChanged(self, current: Index, previous: Index) -> None:
        super().currentChanged(current, previous)
        if current.isValid() and not self._silent:
            self.chosen.emit()

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are shortcuts of actions."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat() and not event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
                if self.currentIndex().data(Role.FOLD):
                    self._toggle(self.currentIndex())
                else:
                    self.entered_row.emit()
            return
        super().keyPressEvent(event)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if (
            index.data(Role.FOLD) or self._on_chevron(event.position().toPoint(), index)
        ) and event.button() is Qt.MouseButton.LeftButton:
            self._toggle(index)
            event.accept()
            return
        super().mousePressEvent(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and index.data(Role.STEP) is None:
            self._toggle(index)
        elif index.isValid():
            self.entered_row.emit()

    def scrollContentsBy(self, dx: int, dy: int) -> None:
        # Qt mistakes pixels for rows where a list scrolls by pixels, and repaints every row.
        self.scrollDirtyRegion(dx, dy)
        self.viewport().scroll(dx, dy)

    def viewportEvent(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Leave:
            self.pointer_left.emit()
        return super().viewportEvent(event)

    def _toggle(self, index: QModelIndex) -> None:
        self.setExpanded(index, not self.isExpanded(index))

    def _on_chevron(self, point: QPoint, index: QModelIndex) -> bool:
        return index.isValid() and index.data(Role.STEP) is None and point.x() < px(CHEVRON_AREA)
