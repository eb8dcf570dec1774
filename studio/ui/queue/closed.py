"""Group of refused and withdrawn plans below the queue, folded by default."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, QModelIndex, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QWidget

from studio.ui.look.theme import px
from studio.ui.look.words import Clock, utc_now
from studio.ui.queue.delegate import PLAN_HEIGHT, QueueDelegate
from studio.ui.queue.model import QueueModel, Role
from studio.ui.queue.view import QueueView
from studio.ui.widgets import HairLine, PaneHeader, Surface, ToolIcon, column_of

if TYPE_CHECKING:
    from studio.ui.desk.desk import Desk

_HEADER_HEIGHT = 28


class _Fold(PaneHeader):
    """Header of the group; a click folds and unfolds it."""

    pressed = Signal()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.pressed.emit()
        event.accept()


class ClosedPlans(Surface):
    """Closed plans, which wait for nothing; folded ones are skipped in navigation."""

    folded_changed = Signal()

    def __init__(
        self,
        desk: Desk,
        parent: QWidget | None = None,
        *,
        now: Clock = utc_now,
    ) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self.setObjectName("closed-plans")
        title = self.tr("Refused and withdrawn")
        self.setAccessibleName(title)
        self.header = _Fold(title, self, height=_HEADER_HEIGHT)
        self.header.setObjectName("closed-plans-header")
        self.unfold = ToolIcon("right", self.tr("Show refused and withdrawn plans"), self)
        self.fold = ToolIcon("down", self.tr("Fold refused and withdrawn plans"), self)
        self.model = QueueModel(self)
        self.view = QueueView(self)
        self.view.setObjectName("closed-plans-list")
        self.view.setAccessibleName(title)
        self.view.setModel(self.model)
        self.view.setItemDelegate(QueueDelegate(self.view, self.model, now=now))
        self.view.setMinimumHeight(px(PLAN_HEIGHT) * 2)
        for button in (self.unfold, self.fold):
            self.header.add_widget(button)
            button.clicked.connect(self.toggle)
        column_of(HairLine(self), self.header, (self.view, 1), parent=self)
        self.header.pressed.connect(self.toggle)
        self.header.follow_focus_of(self.view)
        self.model.appearance_changed.connect(self.view.viewport().update)
        self.view.chosen.connect(self._choose)
        self.set_folded(folded=True)
        self.hide()

    @property
    def is_folded(self) -> bool:
        return self.view.isHidden()

    @property
    def step_order(self) -> tuple[tuple[str, int], ...]:
        """Plan id and number of the steps to navigate, none while folded."""
        return () if self.is_folded else self.model.step_order

    def toggle(self) -> None:
        """Toggle folding; the keyboard focus stays."""
        had_focus = self.unfold.hasFocus() or self.fold.hasFocus()
        self.set_folded(folded=not self.is_folded)
        if had_focus:
            (self.unfold if self.is_folded else self.fold).setFocus()

    def set_folded(self, *, folded: bool) -> None:
        """Show only the header, or the plans below it."""
        self.view.setVisible(not folded)
        self.unfold.setVisible(folded)
        self.fold.setVisible(not folded)
        self.folded_changed.emit()

    def refresh(self) -> None:
        """Update the refused and withdrawn plans; hide the group without any."""
        plans = [plan for plan in self._desk.queue.plans if self._desk.queue.is_archived(plan)]
        with self.view.unchosen():
            self.model.update(plans, self._desk.viewed.marks)
        self.header.set_detail(QLocale().toString(len(plans)))
        self.setVisible(bool(plans))

    def follow_desk(self) -> None:
        """Make the desk's current row current, or none."""
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        index = QModelIndex()
        if plan is not None:
            index = self.model.index_of(plan.id, step.number if step is not None else None)
        if index != self.view.currentIndex():
            self.view.show_current(index)

    def _choose(self) -> None:
        index = self.view.currentIndex()
        plan, step = index.data(Role.PLAN), index.data(Role.STEP)
        self._desk.select(plan.id, step.number if step is not None else None)
