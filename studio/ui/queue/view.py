"""List view of the queue: keys, folding, row under the pointer."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from PySide6.QtCore import QEvent, QModelIndex, QPoint, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QMouseEvent
from PySide6.QtWidgets import QAbstractItemView, QWidget

from studio.engine import Plan, Step
from studio.ui.look.theme import px
from studio.ui.queue.delegate import CHEVRON_AREA
from studio.ui.queue.model import Index, QueueModel, Role, is_plan
from studio.ui.widgets.row_painter import RowList

_TALLER_THAN_SCREENS = 3000


_CLICK_TICKS = Qt.KeyboardModifier.ShiftModifier | Qt.KeyboardModifier.ControlModifier


class QueueView(RowList):
    """Queue list: arrows move and fold, Enter opens the diff.

    Ctrl+Space ticks, and Space alone where the plan as a whole is shown; Shift and the arrows tick both rows,
    Ctrl+A all listed ones. A click ticks on a box or with Ctrl, with Shift all rows from the last one on.
    Typed letters are shortcuts of actions.
    """

    chosen = Signal()
    """Emitted when the user moves to another row."""
    entered_row = Signal()
    """Emitted on Enter, to move the focus to the diff."""
    pointer_left = Signal()
    tick_wanted = Signal(str, object, bool)
    """Emitted with a plan's id, numbers of its steps, and whether to tick them."""

    def __init__(self, rows: QueueModel, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self.rows = rows
        self._silent = False
        self._is_ticking = False
        """Whether the current row was ticked: it stays current while its plan is shown."""
        self._anchor: tuple[str, str] = "", ""
        """Plan id and key of the row from which Shift ticks."""
        self.shows_whole_plan = False
        """Whether the centre shows a plan and no step."""
        self.setModel(rows)
        self.setHeaderHidden(True)
        self.setItemsExpandable(True)
        self.setExpandsOnDoubleClick(False)
        self.setUniformRowHeights(False)
        self.setVerticalScrollMode(QAbstractItemView.ScrollMode.ScrollPerPixel)

    def show_current(self, index: QModelIndex) -> None:
        """Make a row current without emitting `chosen`.

        A folder's row, or the one ticked last, stays current where its plan is shown.
        """
        is_in_use = self._is_ticking or self.currentIndex().data(Role.FOLD)
        if is_in_use and self.currentIndex().parent() == index:
            return
        self._is_ticking = False
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
            self._is_ticking = False
            self.chosen.emit()

    def keyboardSearch(self, search: str) -> None:
        """Do nothing: letters are shortcuts of actions."""

    def event(self, event: QEvent) -> bool:
        """Use keys that tick here, before they are shortcuts of actions."""
        if event.type() is QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent):
            held = event.modifiers()
            is_all = event.key() == Qt.Key.Key_A and held == Qt.KeyboardModifier.ControlModifier
            if is_all or self._is_tick_key(event):
                event.accept()
                return True
        return super().event(event)

    def _is_tick_key(self, event: QKeyEvent) -> bool:
        is_held = event.modifiers() == Qt.KeyboardModifier.ControlModifier
        is_alone = self.shows_whole_plan and not event.modifiers()
        return event.key() == Qt.Key.Key_Space and (is_held or is_alone)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index, key, held = self.currentIndex(), event.key(), event.modifiers()
        if key in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            if not event.isAutoRepeat() and not held & ~Qt.KeyboardModifier.KeypadModifier:
                self._enter(index)
        elif not index.isValid():
            super().keyPressEvent(event)
        elif self._is_tick_key(event):
            self._toggle_ticks(index)
        elif key == Qt.Key.Key_A and held == Qt.KeyboardModifier.ControlModifier:
            top = index if is_plan(index) else index.parent()
            self._tick(top, self.rows.steps_at(top), True)
        elif key in (Qt.Key.Key_Up, Qt.Key.Key_Down) and held == Qt.KeyboardModifier.ShiftModifier:
            self._extend(index, self.indexBelow(index) if key == Qt.Key.Key_Down else self.indexAbove(index))
        elif key not in (Qt.Key.Key_Left, Qt.Key.Key_Right) or held or not self._fold(index, key):
            super().keyPressEvent(event)

    def _enter(self, index: Index) -> None:
        if index.data(Role.FOLD):
            self._toggle(index)
            return
        if self.shows_whole_plan and index.data(Role.STEP) is not None:
            self.chosen.emit()
        self.entered_row.emit()

    def _fold(self, index: Index, key: int) -> bool:
        """Fold, unfold or go to a folder; return whether there was one."""
        entry = self.rows.entry_at(index)
        if entry is None:
            return False
        is_left = key == Qt.Key.Key_Left
        if entry.is_folder and entry.is_open is is_left:
            self._toggle(index)
            return True
        above = (index.sibling(row, 0) for row in range(index.row() - 1, -1, -1))
        parents = (each for each in above if self._depth(each) < entry.depth)
        folder = next(parents, None) if is_left and entry.depth else None
        if folder is not None:
            self.setCurrentIndex(folder)
        return folder is not None

    def _depth(self, index: Index) -> int:
        entry = self.rows.entry_at(index)
        return entry.depth if entry is not None else -1

    def _toggle_ticks(self, index: Index) -> None:
        steps = self.rows.steps_at(index)
        is_ticked = self.rows.are_ticked(index)
        self._anchor = self._place(index)
        self._tick(index, steps, not is_ticked)

    def tick_row(self, index: Index) -> None:
        """Tick the steps of a folder, as its box does."""
        with self.unchosen():
            self.setCurrentIndex(index)
        self._tick(index, self.rows.steps_at(index), True)

    def _extend(self, index: Index, other: Index) -> None:
        """Tick the current row and the next, which becomes current."""
        for each in (index, other):
            if each.isValid() and not is_plan(each) and each.parent() == index.parent():
                with self.unchosen():
                    self.setCurrentIndex(each)
                if not each.data(Role.FOLD):
                    self._tick(each, self.rows.steps_at(each), True)

    def _tick_from_anchor(self, index: Index) -> None:
        plan_id, key = self._anchor
        start = self.rows.fold_of(plan_id, key)
        if not start.isValid() or start.parent() != index.parent():
            self._toggle_ticks(index)
            return
        first, last = sorted((start.row(), index.row()))
        rows = [index.sibling(row, 0) for row in range(first, last + 1)]
        # An open folder contains more than the rows between.
        closed = [row for row in rows if (fold := row.data(Role.FOLD)) is None or not fold.is_open]
        self._tick(index, [step for row in closed for step in self.rows.steps_at(row)], True)

    def _place(self, index: Index) -> tuple[str, str]:
        entry = self.rows.entry_at(index)
        return (index.data(Role.PLAN).id, entry.key) if entry is not None else ("", "")

    def _tick(self, index: Index, steps: list[Step], ticked: bool) -> None:
        self._is_ticking = True
        plan: Plan = index.data(Role.PLAN)
        self.tick_wanted.emit(plan.id, [step.number for step in steps], ticked)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        index, before = self.indexAt(event.position().toPoint()), self.currentIndex()
        if event.button() is not Qt.MouseButton.LeftButton:
            super().mousePressEvent(event)
        elif self._is_tick_click(index, event):
            with self.unchosen():
                self.setCurrentIndex(index)
            is_range = event.modifiers() & Qt.KeyboardModifier.ShiftModifier
            (self._tick_from_anchor if is_range else self._toggle_ticks)(index)
        elif index.data(Role.FOLD) or self._on_chevron(event.position().toPoint(), index):
            self._toggle(index)
            event.accept()
        else:
            super().mousePressEvent(event)
            if index == before and self.shows_whole_plan and index.data(Role.STEP) is not None:
                self.chosen.emit()

    def _is_tick_click(self, index: Index, event: QMouseEvent) -> bool:
        """Return whether a click ticks: on a box, or with modifiers."""
        if not index.isValid() or is_plan(index):
            return False
        is_on_box = event.position().x() < px(CHEVRON_AREA) and self.rows.check_state(index) is not None
        return is_on_box or bool(event.modifiers() & _CLICK_TICKS)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        index = self.indexAt(event.position().toPoint())
        if index.isValid() and self._is_tick_click(index, event):
            self.mousePressEvent(event)
        elif index.isValid() and index.data(Role.STEP) is None:
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

    def _toggle(self, index: Index) -> None:
        """Open or close a plan or folder.

        A folder that hides the current row becomes current.
        """
        fold = index.data(Role.FOLD)
        if fold is None:
            self.setExpanded(index, not self.isExpanded(index))
            return
        now = self.currentIndex()
        current = self.rows.entry_at(now) if now.isValid() and now.parent() == index.parent() else None
        if fold.is_open and current is not None and set(current.steps) <= set(fold.steps):
            self.setCurrentIndex(index)
        with self.unchosen():
            self.rows.toggle(index)

    def _on_chevron(self, point: QPoint, index: QModelIndex) -> bool:
        return index.isValid() and is_plan(index) and point.x() < px(CHEVRON_AREA)
