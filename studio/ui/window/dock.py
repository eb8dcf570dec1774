"""Dock of four tabs: history, outside changes, find, terminal; closed until wanted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from studio.ui.agents.panel import AgentPanel
from studio.ui.commands.panel import CommandPanel
from studio.ui.find.panel import FindPanel
from studio.ui.history.observed_panel import ObservedPanel
from studio.ui.history.panels import HistoryPanel
from studio.ui.look.theme import px
from studio.ui.look.words import count_text, say
from studio.ui.widgets import HairLine, Surface, ToolIcon, column_of, row_of

if TYPE_CHECKING:
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.review.desk import Desk

TOOLS_HEIGHT = 30
_OBSERVED = 1
"""Index of the tab that is hidden while nothing was changed from outside."""


def _tab_bar(name: str, accessible: str, parent: QWidget) -> QTabBar:
    tabs = QTabBar(parent)
    tabs.setObjectName(name)
    tabs.setAccessibleName(accessible)
    tabs.setDrawBase(False)
    tabs.setExpanding(False)
    tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
    return tabs


class _Tab(QStackedWidget):
    """Panels that share a tab, and the bar that switches between them."""

    switched = Signal()

    def __init__(self, name: str, title: str, panels: tuple[QWidget, ...], parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(title)
        self.bar = _tab_bar(f"{name}-views", title, parent)
        # With scroll buttons Qt 6.11 makes a bar of one tab wide enough for them.
        self.bar.setUsesScrollButtons(False)
        for panel in panels:
            self.addWidget(panel)
            self.bar.addTab(panel.accessibleName())
        self.bar.currentChanged.connect(self._switch)

    def show_panel(self, panel: QWidget) -> None:
        self.bar.setCurrentIndex(self.indexOf(panel))

    def _switch(self, index: int) -> None:
        self.setCurrentIndex(index)
        self.switched.emit()


class Dock(Surface):
    """Tabbed panels below the centre, with tabs in the status bar.

    Closed, it takes no height.
    """

    folded_changed = Signal(bool)
    """Emitted before the dock closes and after it opened, with whether it closes."""
    needs_height = Signal(bool)
    """Emitted with whether the current panel has long texts."""

    def __init__(
        self, desk: Desk, parent: QWidget | None = None, agents: AgentProcesses | None = None
    ) -> None:
        super().__init__("window", parent)
        self._desk = desk
        self.setObjectName("dock")
        self.setAccessibleName(self.tr("Dock"))
        self.history = HistoryPanel(desk, self)
        self.observed = ObservedPanel(desk, self)
        self.search = FindPanel(desk, self)
        self.agents = AgentPanel(desk, agents, self)
        self.commands = CommandPanel(desk, agents.logins if agents is not None else None, self)
        self._pages = tuple(
            _Tab(name, title, panels, self)
            for name, title, panels in (
                ("dock-history", self.tr("History"), (self.history,)),
                ("dock-observed", self.tr("Outside changes"), (self.observed,)),
                ("dock-find", self.tr("Find"), (self.search,)),
                ("dock-terminal", self.tr("Terminal"), (self.agents, self.commands)),
            )
        )
        self.tabs = _tab_bar("dock-tabs", self.tr("Dock tabs"), self)
        self.stack = QStackedWidget(self)
        self.stack.setObjectName("dock-pages")
        for page in self._pages:
            self.tabs.addTab(page.accessibleName())
            self.stack.addWidget(page)
            page.switched.connect(self._show_panel)
        self.fold = ToolIcon(
            "down",
            self.tr("Close the dock"),
            self,
            key="Ctrl+J",
            pressed=lambda: self.set_folded(True),
        )
        self._row = Surface("window", self)
        self._row.setFixedHeight(px(TOOLS_HEIGHT))
        row_of(
            *((page.bar, 0, Qt.AlignmentFlag.AlignBottom) for page in self._pages),
            px(16),
            (self.history.kept, 1),
            self.history.tools,
            self.observed.keep_all,
            self.fold,
            parent=self._row,
            margins=(px(4), 0, px(8), 0),
        )
        column_of(HairLine(self), self._row, HairLine(self), (self.stack, 1), parent=self)
        self.tabs.currentChanged.connect(self._show_page)
        self.tabs.tabBarClicked.connect(self._tab_clicked)
        self.observed.count_changed.connect(self._show_observed_count)
        self.history.kept_changed.connect(self._show_tools)
        self._show_observed_count(desk.observed.count)
        self._show_panel()
        self.hide()
        self._mark_closed()

    @property
    def panel(self) -> QWidget:
        """The current panel, also while the dock is closed."""
        panel = self._pages[self.tabs.currentIndex()].currentWidget()
        assert panel is not None
        return panel

    def tab_count(self) -> int:
        return self.tabs.count()

    def show_tab(self, number: int) -> None:
        """Open the dock and focus a tab, numbered from 1."""
        if 1 <= number <= self.tabs.count():
            self.tabs.setTabVisible(number - 1, True)
            self.tabs.setCurrentIndex(number - 1)
            self.set_folded(False)
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def show_panel(self, panel: QWidget) -> None:
        """Open the dock and focus one of its panels."""
        number, page = next((n, page) for n, page in enumerate(self._pages, 1) if page.indexOf(panel) >= 0)
        page.show_panel(panel)
        self.show_tab(number)

    def is_folded(self) -> bool:
        return self.isHidden()

    def set_folded(self, folded: bool) -> None:
        """Close the dock, or open it at the current tab."""
        if folded == self.is_folded():
            return
        if folded:
            self.folded_changed.emit(True)
        self.setVisible(not folded)
        if not folded:
            self.folded_changed.emit(False)
        self._show_panel()
        self._mark_closed()

    def _mark_closed(self) -> None:
        """Draw no tab as open while the dock is closed."""
        self.tabs.setProperty("closed", self.is_folded())
        self.tabs.style().polish(self.tabs)

    def _tab_clicked(self, index: int) -> None:
        """Open the pressed tab; another press on it closes the dock."""
        if index >= 0:
            self.set_folded(not self.is_folded() and index == self.tabs.currentIndex())

    def _show_page(self, index: int) -> None:
        self.stack.setCurrentIndex(index)
        self._show_panel()

    def _show_panel(self) -> None:
        """Show the current panel's tools, and what height it needs."""
        self._show_tools()
        if not self.is_folded():
            self._show_observed_count(self._desk.observed.count)
            self.needs_height.emit(self.panel in (self.agents, self.commands, self.search))

    def _show_tools(self) -> None:
        """Show the current panel's tools in the first row."""
        panel = self.panel
        for page in self._pages:
            page.bar.setVisible(page is self.stack.currentWidget())
        self.history.kept.setText(self.history.kept_words() if panel is self.history else "")
        self.history.tools.setVisible(panel is self.history)
        self.observed.keep_all.setVisible(panel is self.observed)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus to the current panel.

        Not by a focus proxy: with one, Tab never leaves the dock.
        """
        self.panel.setFocus(event.reason())

    def _show_observed_count(self, count: int) -> None:
        """Show the number of outside changes on their tab, if any."""
        index, page = _OBSERVED, self._pages[_OBSERVED]
        self.tabs.setTabText(index, f"{page.accessibleName()} {count_text(count)}")
        self.tabs.setAccessibleTabName(index, say(self.tr("Outside changes: {n}"), n=count))
        is_shown = self.stack.currentWidget() is page and not self.is_folded()
        self.tabs.setTabVisible(index, bool(count) or is_shown)
        # Qt 6.11 gives a bar no other width when a tab is shown or hidden.
        self.tabs.updateGeometry()
