"""Queue pane: header, waiting plans, and foldable group of refused or withdrawn."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QModelIndex, Qt, QTimer, Signal
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.engine import Plan, Step
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, count_text, counted, say, utc_now
from studio.ui.queue.arrangement import Arrangement, unknown_mark
from studio.ui.queue.delegate import PLAN_HEIGHT, QueueDelegate
from studio.ui.queue.model import QueueModel, Role
from studio.ui.queue.tools import QueueTools
from studio.ui.queue.view import QueueView
from studio.ui.widgets import Button, ButtonKind, HairLine, PaneHeader, Surface, ToolIcon, column_of

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk

_HEADER_HEIGHT = 28
_AROUND = 40
_AGES_EVERY = 30_000
"""Milliseconds between repaints that update the ages."""


def _create_list(parent: QWidget, name: str, title: str, now: Clock) -> tuple[QueueModel, QueueView]:
    model = QueueModel(parent)
    view = QueueView(model, parent)
    view.setObjectName(name)
    view.setAccessibleName(title)
    view.setItemDelegate(QueueDelegate(view, model, now=now))
    return model, view


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
        self.fold = ToolIcon("down", self.tr("Hide refused and withdrawn plans"), self)
        self.model, self.view = _create_list(self, "closed-plans-list", title, now)
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
        self.header.set_detail(count_text(len(plans)))
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


class QueuePanel(Surface):
    """Plans and steps to decide; choosing a row selects it."""

    activated = Signal()
    """Emitted on Enter, to move the focus to the diff."""
    observed_wanted = Signal()
    """Emitted to show the observed changes."""
    problems_wanted = Signal()
    height_changed = Signal(int)
    """Emitted with the height in pixels at which every row is visible."""

    def __init__(
        self,
        desk: Desk,
        parent: QWidget | None = None,
        *,
        now: Clock = utc_now,
    ) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self.setObjectName("queue")
        self.setAccessibleName(self.tr("To review"))
        self.header = PaneHeader(self.tr("To review"), self)
        self.model, self.view = _create_list(self, "queue-list", self.tr("Plans and steps"), now)
        self.tools = QueueTools(self, desk.walk.filter, lambda: self.model.agents)
        self.header.add_widget(self.tools.filter_button)
        self.header.add_widget(self.tools.order_button)
        column = column_of(self.header, self.tools.row, (self.view, 3), parent=self)
        self.observed = Button(
            "",
            self,
            icon="observed",
            icon_token="observed",
            kind=ButtonKind.TOOL,
            name="queue-observed",
            tip=self.tr("Changes already on disk that were not proposed by an agent."),
            pressed=self.observed_wanted,
        )
        self.problems = Button(
            "",
            self,
            icon="look-out",
            icon_token="warn",
            kind=ButtonKind.TOOL,
            name="queue-problems",
            tip=self.tr("Lists refused, stale and failed plans and steps, and what to do about them."),
            pressed=self.problems_wanted,
        )
        column.addWidget(self.problems)
        column.addWidget(self.observed)
        self.closed = ClosedPlans(desk, self, now=now)
        column.addWidget(self.closed, 0)
        self.closed.folded_changed.connect(self._share_height)
        self.closed.view.entered_row.connect(self.activated)
        self.setFocusProxy(self.view)
        self.header.follow_focus_of(self.view)
        self.model.appearance_changed.connect(self.view.viewport().update)
        self.tools.changed.connect(self._arrange)
        self.tools.fold_all_wanted.connect(self._fold_all)
        field = self.tools.row.field
        for signal in (field.done, field.cancelled, field.moved):
            signal.connect(lambda *_: self.view.setFocus(Qt.FocusReason.OtherFocusReason))
        self.view.chosen.connect(self._choose)
        self.view.entered_row.connect(self.activated)
        self.view.tick_wanted.connect(self._tick)
        for signal in (self.model.rowsInserted, self.model.rowsRemoved):
            signal.connect(self._list_steps)
        desk.walk.steps_of_row = self._steps_of_row
        self.view.pointer_left.connect(self._refresh)
        for folding in (self.view.expanded, self.view.collapsed, self.model.appearance_changed):
            folding.connect(self._measure)
        desk.queue.plans_changed.connect(self._refresh)
        desk.queue.current_changed.connect(self._follow_desk)
        desk.edit_drafts.changed.connect(self._refresh)
        desk.ticked.changed.connect(self._show_ticks)
        desk.review_context.changed.connect(lambda: self.tools.set_groups(desk.review_context.value.groups))
        desk.recovery.changed.connect(self._show_counts)
        desk.observed.changed.connect(self._show_observed_count)
        self._age_timer = QTimer(self, interval=_AGES_EVERY)
        self._age_timer.timeout.connect(self.view.viewport().update)
        self._age_timer.start()
        self._refresh()
        self._show_observed_count()
        self.show_problem_count(0)

    def _show_observed_count(self) -> None:
        """Show the number of observed changes, apart from the proposed ones."""
        count = self._desk.observed.count
        words = counted(count, self.tr("{n} outside change…"), self.tr("{n} outside changes…"))
        self.observed.set_label(words)
        self.observed.setVisible(bool(count))

    def show_problem_count(self, count: int) -> None:
        """Show the number of problems; nothing without any."""
        self.problems.set_label(counted(count, self.tr("{n} problem…"), self.tr("{n} problems…")))
        self.problems.setVisible(bool(count))

    def _share_height(self) -> None:
        """Give closed plans a share of the height, only while unfolded."""
        layout = self.layout()
        if isinstance(layout, QVBoxLayout):
            layout.setStretchFactor(self.closed, 0 if self.closed.is_folded else 2)
        self._list_steps()

    def _list_steps(self) -> None:
        self._desk.walk.listed_steps = (*self.model.step_order, *self.closed.step_order)
        self._desk.walk.folded_steps = self.model.folded_steps

    def _tick(self, plan_id: str, numbers: list[int], ticked: bool) -> None:
        """Tick steps and show the page of their plan."""
        queue = self._desk.queue
        if queue.current_step is not None or queue.current_plan is None or queue.current_plan.id != plan_id:
            self._desk.select(plan_id, None)
        if queue.current_plan is not None and queue.current_plan.id == plan_id:
            self._desk.ticked.tick(numbers, ticked)

    def _show_ticks(self) -> None:
        """Show boxes where the plan is current or has ticks."""
        plan, step, numbers = (
            self._desk.queue.current_plan,
            self._desk.queue.current_step,
            self._desk.ticked.numbers,
        )
        self.view.shows_whole_plan = plan is not None and step is None
        self.model.set_ticks(plan.id if plan is not None and (step is None or numbers) else "", numbers)

    def _arrange(self, arrangement: Arrangement) -> None:
        folded = {plan.id for plan in self.model.plans if not self._is_open(plan)}
        with self.view.unchosen():
            self.model.arrange(arrangement)
        for plan in self.model.plans:
            self.view.setExpanded(self.model.index_of(plan.id), plan.id not in folded)
        self._show_empty_text()
        self._follow_desk()
        self._list_steps()
        self._show_counts()

    def _show_empty_text(self) -> None:
        """Show why the list is empty, nothing before it was read."""
        text = self.tr("Plans appear here when an agent proposes changes or you paste a diff.")
        if self.tools.arrangement.hides and self.model.hidden:
            text = self._hidden_text()
        self.view.empty_text = text if self._desk.queue.is_loaded else ""

    def _hidden_text(self) -> str:
        if unknown := unknown_mark(self.tools.arrangement.words):
            return say(
                self.tr("“{word}” is not a filter. See the filter menu for all filters."), word=unknown
            )
        return self.tr("The filter hides all steps. Press Esc to clear it.")

    def _fold_all(self) -> None:
        with self.view.unchosen():
            self.model.toggle_all(self._desk.queue.plan_id or "")
        self._desk.select(self._desk.queue.plan_id)

    def _is_open(self, plan: Plan) -> bool:
        index = self.model.index_of(plan.id)
        return self.view.isExpanded(index) or not self.model.rowCount(index)

    def _refresh(self) -> None:
        """Update the plans; rows under the pointer stay until it leaves."""
        self._show_empty_text()
        self.model.set_waiting(self._desk.queue.waiting)
        holds_still = self.view.pointer_is_over()
        stay = {plan.id for plan in self.model.plans} if holds_still else set[str]()
        waiting = [plan for plan in self._desk.queue.plans if not self._desk.queue.is_archived(plan)]
        with self.view.unchosen():
            arrived = self.model.update(
                waiting,
                self._desk.viewed.marks,
                keep=stay,
                kept_texts=self._desk.edit_drafts.steps,
                revised=self._desk.viewed.revised,
                holds_still=holds_still,
            )
        self.closed.refresh()
        for plan_id in arrived:
            self.view.setExpanded(self.model.index_of(plan_id), True)
        self.tools.keep_open(self.model.has_folders)
        self._follow_desk()
        self._list_steps()
        self._show_counts()

    def _follow_desk(self) -> None:
        plan, step = self._desk.queue.current_plan, self._desk.queue.current_step
        number = step.number if step is not None else None
        index, has_arrived, has_left = QModelIndex(), False, False
        if plan is not None:
            has_arrived = self._list_selected(plan.id, number)
            index = self.model.index_of(plan.id, number)
        if index != self.view.currentIndex():
            self.view.show_current(index)
        if not self.view.pointer_is_over():
            has_left = self.model.unlist_steps((plan.id if plan is not None else "", number))
        self.closed.follow_desk()
        self._show_ticks()
        if has_arrived or has_left:
            self._list_steps()
            self._show_counts()

    def _list_selected(self, plan_id: str, number: int | None) -> bool:
        """List the selected step even if filtered out, as keys decide it.

        Returns whether it was not listed.
        """
        is_new = not self.model.index_of(plan_id).isValid()
        arrived = self.model.list_step(plan_id, number)
        if arrived and is_new and number is not None:
            self.view.setExpanded(self.model.index_of(plan_id), True)
        return arrived

    def _choose(self) -> None:
        index = self.view.currentIndex()
        plan: Plan = index.data(Role.PLAN)
        step: Step | None = index.data(Role.STEP)
        self._desk.select(plan.id, step.number if step is not None else None)

    def _steps_of_row(self) -> list[Step]:
        index = self.view.currentIndex()
        return self.model.steps_at(index) if index.data(Role.FOLD) else []

    def _unsettled_words(self) -> str:
        """Return what must be settled before anything is written, else ""."""
        need = self._desk.recovery.need
        if need is None:
            return ""
        return self.tr("apply interrupted") if need.is_same_folder else self.tr("folder not confirmed")

    def _show_counts(self) -> None:
        # The most important comes first, as the end is elided when space is short.
        counts: list[str] = []
        waits = self._unsettled_words()
        if waits:
            counts.append(waits)
        if self.model.hidden:
            counts.append(say(self.tr("{n} hidden"), n=self.model.hidden))
        if self._desk.queue.new_plans:
            counts.append(say(self.tr("{n} new"), n=len(self._desk.queue.new_plans)))
        if self.model.waiting_plans:
            if not self.model.hidden:
                counts.append(counted(self.model.waiting_plans, self.tr("{n} plan"), self.tr("{n} plans")))
            undecided = self.model.undecided
            words = say(self.tr("{n} to decide"), n=undecided)
            counts.append(words if undecided else self.tr("all decided"))
        elif not waits:
            counts.append(self.tr("nothing pending") if self._desk.queue.is_loaded else self.tr("loading…"))
        self.header.set_detail(" · ".join(counts))
        self._measure()

    def leaveEvent(self, event: QEvent) -> None:
        super().leaveEvent(event)
        self._measure()

    def _measure(self) -> None:
        """Report the height of all rows, unless the pointer is here."""
        if not self.underMouse():
            around = self.height() - self.view.height() if self.isVisible() else px(_AROUND)
            self.height_changed.emit(self.view.content_height() + around)
