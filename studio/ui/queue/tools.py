"""Queue header controls: filter menu, sort order menu, and path filter field."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from msgspec.structs import replace
from PySide6.QtCore import QObject, QPoint, Signal
from PySide6.QtWidgets import QMenu, QWidget

from studio.names import show_name
from studio.ui.look.theme import px
from studio.ui.queue.arrangement import Arrangement, Order, Show, StepOrder
from studio.ui.widgets import STYLE_GAP, Surface, ToolIcon, row_of
from studio.ui.widgets.menus import add_choices, named_menu
from studio.ui.widgets.text_field import SearchField


class PathRow(Surface):
    """Row with the path field, below the header on demand."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__("window", parent)
        self.setObjectName("queue-path-row")
        self.field = SearchField("queue-path", self.tr("Words of the path"), self)
        row_of(self.field, parent=self, margins=(px(12), px(2), px(12), px(6)), spacing=STYLE_GAP)
        self.hide()


class QueueTools(QObject):
    """Filter and order buttons with their menus."""

    changed = Signal(object)
    """Emitted with the new `Arrangement`."""

    def __init__(self, panel: QWidget, agents: Callable[[], Iterable[str]]) -> None:
        super().__init__(panel)
        self._agents = agents
        self.arrangement = Arrangement()
        self.path_row = PathRow(panel)
        self.filter_menu = named_menu("queue-filter", self.tr("Which steps are listed"), panel)
        self.order_menu = named_menu("queue-order", self.tr("Order of plans and steps"), panel)
        self.filter_button = self._button(
            "filter", self.tr("Choose which steps are listed"), self.filter_menu
        )
        self.order_button = self._button("sort", self.tr("Choose the order"), self.order_menu)
        # Filled when opened, as the agents change.
        self.filter_menu.aboutToShow.connect(self._fill_filter)
        self.order_menu.aboutToShow.connect(self._fill_order)
        self._fill_filter()
        self._fill_order()
        field = self.path_row.field
        field.textChanged.connect(lambda text: self._choose(replace(self.arrangement, path=text)))
        field.cancelled.connect(self.close_path)

    def open_filter(self) -> None:
        """Open the filter menu below its button."""
        self._open(self.filter_button, self.filter_menu)

    def open_order(self) -> None:
        """Open the order menu below its button."""
        self._open(self.order_button, self.order_menu)

    def open_path(self) -> None:
        """Show and focus the path field."""
        self.path_row.show()
        self.path_row.field.setFocus()
        self.path_row.field.selectAll()

    def close_path(self) -> None:
        """Clear and hide the path field, which ends path filtering."""
        self.path_row.field.clear()
        self.path_row.hide()

    def show_all(self) -> None:
        """Reset the filter, but not the order."""
        self.close_path()
        self._choose(replace(self.arrangement, show=Show.ALL, agent=None))

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
        add_choices(menu, self._shows(), now.show, lambda show: self._choose(replace(now, show=show)))
        names: dict[str | None, str] = {None: self.tr("Every agent")}
        names |= {agent: show_name(agent).replace("&", "&&") or self.tr("You") for agent in self._agents()}
        menu.addSeparator()
        add_choices(menu, names, now.agent, lambda agent: self._choose(replace(now, agent=agent)))
        menu.addSeparator()
        by_path = menu.addAction(self.tr("By path…"))
        by_path.triggered.connect(self.open_path)
        everything = menu.addAction(self.tr("Hide nothing"))
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

    def _shows(self) -> dict[Show, str]:
        return {
            Show.ALL: self.tr("All steps"),
            Show.UNDECIDED: self.tr("Steps to decide"),
            Show.NOT_VIEWED: self.tr("Steps not viewed"),
            Show.WARNINGS: self.tr("Steps to look out for"),
            Show.CONFLICTS: self.tr("Steps that another plan writes too"),
            Show.APPROVED: self.tr("Approved steps"),
            Show.REJECTED: self.tr("Rejected steps"),
            Show.STALE: self.tr("Stale steps"),
            Show.REFUSED: self.tr("Refused steps"),
        }

    def _orders(self) -> dict[Order, str]:
        return {
            Order.OLDEST_FIRST: self.tr("Oldest plan first"),
            Order.NEWEST_FIRST: self.tr("Newest plan first"),
            Order.BY_AGENT: self.tr("Plans by agent"),
            Order.MOST_TO_DECIDE: self.tr("Most to decide first"),
        }

    def _step_orders(self) -> dict[StepOrder, str]:
        return {
            StepOrder.AS_PROPOSED: self.tr("Steps as proposed"),
            StepOrder.BY_PATH: self.tr("Steps by path"),
            StepOrder.BY_STATE: self.tr("Steps by state"),
            StepOrder.LARGEST_FIRST: self.tr("Largest change first"),
            StepOrder.GRAVEST_FIRST: self.tr("What to look out for first"),
        }
