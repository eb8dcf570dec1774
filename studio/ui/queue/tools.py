"""Queue header controls: filter menu, sort order menu, filter field with chips."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QGridLayout, QMenu, QWidget

from studio.extras.grouping import ReviewGroup
from studio.names import show_name
from studio.ui.look.theme import px
from studio.ui.queue.arrangement import IS, Arrangement, Order, StepOrder
from studio.ui.review.walk import StepFilter
from studio.ui.widgets import Button, Surface, ToolIcon, column_of
from studio.ui.widgets.menus import add_choices, named_menu
from studio.ui.widgets.text_field import SearchField


class FilterRow(Surface):
    """Filter field with a chip for each usual filter."""

    def __init__(self, steps: StepFilter, parent: QWidget) -> None:
        super().__init__("window", parent)
        self.setObjectName("queue-filter-row")
        self._steps = steps
        self.field = SearchField("queue-path", self.tr("Path, *.po, is:delete"), self)
        self.field.textChanged.connect(steps.set_words)
        marks = {
            "undecided": self.tr("Undecided"),
            "warning": self.tr("Warnings"),
            "unviewed": self.tr("Not viewed"),
            "generated": self.tr("Generated"),
        }
        self.chips = {IS + mark: self._chip(mark, words) for mark, words in marks.items()}
        self._grid = QGridLayout()
        self._grid.setSpacing(px(4))
        self._columns = 0
        column = column_of(self.field, parent=self, margins=(px(12), px(2), px(12), px(6)), spacing=px(4))
        column.addLayout(self._grid)
        steps.changed.connect(self._show_words)
        self._arrange_chips()
        self.hide()

    def _chip(self, mark: str, words: str) -> Button:
        chip = Button(words, self, height=22, name=f"queue-chip-{mark}")
        chip.setCheckable(True)
        chip.clicked.connect(lambda: self._steps.toggle(IS + mark))
        return chip

    def _show_words(self) -> None:
        words = self._steps.words
        if self.field.text() != words:
            self.field.setText(words)
        for word, chip in self.chips.items():
            chip.setChecked(word in words.split())

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._arrange_chips()

    def _arrange_chips(self) -> None:
        """Place the chips in one line, or two in narrow panes."""
        wanted = sum(chip.sizeHint().width() + px(4) for chip in self.chips.values()) + px(24)
        columns = len(self.chips) if wanted <= self.width() else 2
        if columns != self._columns:
            self._columns = columns
            self._grid.setColumnStretch(columns, 1)
            for at, chip in enumerate(self.chips.values()):
                self._grid.addWidget(chip, at // columns, at % columns)


class QueueTools(QObject):
    """Filter and order buttons with their menus."""

    changed = Signal(object)
    """Emitted with the new `Arrangement`."""
    fold_all_wanted = Signal()
    """Emitted to close every folder of the current plan, or open all."""

    def __init__(self, panel: QWidget, steps: StepFilter, agents: Callable[[], Iterable[str]]) -> None:
        super().__init__(panel)
        self._agents, self._steps = agents, steps
        self.arrangement = Arrangement()
        self.stays_open = False
        """Whether the filter row is shown without words, for a plan that is listed as its folders."""
        self.row = FilterRow(steps, panel)
        self.filter_menu = named_menu("queue-filter", self.tr("Filter steps"), panel)
        self.order_menu = named_menu("queue-order", self.tr("Sort plans and steps"), panel)
        self.filter_button = self._button("filter", self.tr("Choose which steps to list"), self.filter_menu)
        self.order_button = self._button("sort", self.tr("Choose the sort order"), self.order_menu)
        # Filled when opened, as the agents change.
        self.filter_menu.aboutToShow.connect(self._fill_filter)
        self.order_menu.aboutToShow.connect(self._fill_order)
        self._fill_filter()
        self._fill_order()
        steps.changed.connect(lambda: self._choose(replace(self.arrangement, words=steps.words)))
        self.row.field.cancelled.connect(self.close_field)

    def open_filter(self) -> None:
        """Open the filter menu below its button."""
        self._open(self.filter_button, self.filter_menu)

    def open_order(self) -> None:
        """Open the order menu below its button."""
        self._open(self.order_button, self.order_menu)

    def open_field(self) -> None:
        """Show and focus the filter field."""
        self.row.show()
        self.row.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.row.field.selectAll()

    def close_field(self) -> None:
        """Clear the filter field, and hide it unless a plan needs it."""
        self._steps.set_words("")
        self.row.setVisible(self.stays_open)

    def keep_open(self, is_needed: bool) -> None:
        """Show the filter row while a plan is listed as its folders."""
        if is_needed != self.stays_open:
            self.stays_open = is_needed
            self.row.setVisible(is_needed or bool(self._steps.words))

    def show_all(self) -> None:
        """Reset the filter, but not the order."""
        self.close_field()
        self._choose(replace(self.arrangement, agent=None))

    def set_groups(self, groups: tuple[ReviewGroup, ...]) -> None:
        """Set the groups that the filter may name."""
        self._choose(replace(self.arrangement, groups=groups))

    def _button(self, icon: str, words: str, menu: QMenu) -> ToolIcon:
        button = ToolIcon(icon, words, toggle=True, name=menu.objectName() + "-button")
        button.clicked.connect(lambda: self._open(button, menu))
        return button

    def _open(self, button: ToolIcon, menu: QMenu) -> None:
        self._show_in_use()
        menu.popup(button.mapToGlobal(QPoint(0, button.height())))

    def _choose(self, arrangement: Arrangement) -> None:
        if arrangement != self.arrangement:
            self.arrangement = arrangement
            self.changed.emit(arrangement)
        self._show_in_use()

    def _show_in_use(self) -> None:
        usual = Arrangement()
        now = self.arrangement
        self.filter_button.setChecked(now.hides)
        self.order_button.setChecked((now.order, now.step_order) != (usual.order, usual.step_order))

    def _fill_filter(self) -> None:
        menu, now = self.filter_menu, self.arrangement
        menu.clear()
        for mark, title in self._marks().items():
            entry = menu.addAction(title)
            entry.setCheckable(True)
            entry.setChecked(IS + mark in self._steps.words.split())
            entry.triggered.connect(lambda _checked=False, mark=mark: self._toggle_mark(mark))
        menu.addSeparator()
        names: dict[str | None, str] = {None: self.tr("All agents")}
        names |= {agent: show_name(agent).replace("&", "&&") or self.tr("You") for agent in self._agents()}
        add_choices(menu, names, now.agent, lambda agent: self._choose(replace(now, agent=agent)))
        menu.addSeparator()
        by_path = menu.addAction(self.tr("Filter by path…"))
        by_path.triggered.connect(self.open_field)
        everything = menu.addAction(self.tr("Clear filter"))
        everything.setEnabled(now.hides)
        everything.triggered.connect(self.show_all)

    def _fill_order(self) -> None:
        menu, now = self.order_menu, self.arrangement
        menu.clear()
        add_choices(menu, self._orders(), now.order, lambda order: self._choose(replace(now, order=order)))
        menu.addSeparator()
        add_choices(
            menu, self._step_orders(), now.step_order,
            lambda order: self._choose(replace(now, step_order=order)),
        )  # fmt: skip
        menu.addSeparator()
        fold = menu.addAction(self.tr("Fold or unfold all folders"))
        fold.setEnabled(self.stays_open)
        fold.triggered.connect(self.fold_all_wanted)

    def _toggle_mark(self, mark: str) -> None:
        self.row.show()
        self._steps.toggle(IS + mark)

    def _marks(self) -> dict[str, str]:
        return {
            "undecided": self.tr("Undecided steps"),
            "unviewed": self.tr("Steps not viewed"),
            "warning": self.tr("Steps with warnings"),
            "conflict": self.tr("Steps that overlap another plan"),
            "approved": self.tr("Approved steps"),
            "rejected": self.tr("Rejected steps"),
            "stale": self.tr("Stale steps"),
            "invalid": self.tr("Refused steps"),
        }

    def _orders(self) -> dict[Order, str]:
        return {
            Order.OLDEST_FIRST: self.tr("Oldest plan first"),
            Order.NEWEST_FIRST: self.tr("Newest plan first"),
            Order.BY_AGENT: self.tr("Plans by agent"),
            Order.MOST_TO_DECIDE: self.tr("Most undecided steps first"),
        }

    def _step_orders(self) -> dict[StepOrder, str]:
        return {
            StepOrder.AS_PROPOSED: self.tr("Steps in proposed order"),
            StepOrder.BY_PATH: self.tr("Steps by path"),
            StepOrder.BY_STATE: self.tr("Steps by state"),
            StepOrder.LARGEST_FIRST: self.tr("Largest change first"),
            StepOrder.GRAVEST_FIRST: self.tr("Warnings first"),
        }
