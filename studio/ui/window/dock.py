"""Foldable dock with tabs: history, journal, problems, agents, snapshots, commands, others."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QLocale, Qt, Signal
from PySide6.QtGui import QFocusEvent
from PySide6.QtWidgets import QStackedWidget, QTabBar, QWidget

from studio.ui.agents.panel import AgentPanel
from studio.ui.commands.panel import CommandPanel
from studio.ui.find.panel import FindPanel
from studio.ui.history.comments_panel import CommentsPanel
from studio.ui.history.journal_panel import JournalPanel
from studio.ui.history.observed_panel import ObservedPanel
from studio.ui.history.panels import HistoryPanel, ProblemsPanel
from studio.ui.history.snapshot_panel import SnapshotPanel
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import HairLine, Label, Surface, ToolIcon, column_of, row_of

if TYPE_CHECKING:
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.review.desk import Desk

TAB_HEIGHT = 30
_LARGEST = 16_777_215
"""Qt's maximum widget height, which means no limit."""


class Dock(Surface):
    """Tabbed panels below the centre, which fold to the tab bar."""

    folded_changed = Signal(bool)
    needs_height = Signal(bool)
    """Emitted with whether the current page has long texts."""

    def __init__(
        self, desk: Desk, parent: QWidget | None = None, agents: AgentProcesses | None = None
    ) -> None:
        super().__init__("window", parent)
        self.setObjectName("dock")
        self.setAccessibleName(self.tr("Dock"))
        self.history = HistoryPanel(desk, self)
        self.journal = JournalPanel(desk, self)
        self.observed = ObservedPanel(desk, self)
        self.problems = ProblemsPanel(desk, self)
        self.agents = AgentPanel(desk, agents, self)
        self.snapshots = SnapshotPanel(desk, self)
        self.commands = CommandPanel(desk, agents.logins if agents is not None else None, self)
        self.search = FindPanel(desk, self)
        self.comments = CommentsPanel(desk, self)
        self._panels = (
            self.history, self.journal, self.observed, self.problems, self.agents, self.snapshots,
            self.commands, self.search, self.comments,
        )  # fmt: skip
        self.tabs = QTabBar(self)
        self.tabs.setObjectName("dock-tabs")
        self.tabs.setAccessibleName(self.tr("Tabs of the dock"))
        self.tabs.setDrawBase(False)
        self.tabs.setExpanding(False)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.pages = QStackedWidget(self)
        self.pages.setObjectName("dock-pages")
        for page in self._panels:
            self.tabs.addTab(page.accessibleName())
            self.pages.addWidget(page)
        self._counts = Label("", self, size=12, weight=600, token="warn", name="dock-problem-count")
        self._counts.setContentsMargins(0, 0, px(8), 0)
        self._counts.hide()
        self.fold = ToolIcon(
            "down",
            self.tr("Fold the dock to its tabs"),
            self,
            key="Ctrl+J",
            pressed=lambda: self.set_folded(True),
        )
        self.unfold = ToolIcon(
            "up", self.tr("Show the dock again"), self, key="Ctrl+J", pressed=lambda: self.set_folded(False)
        )
        self.unfold.hide()
        self._row = Surface("window", self)
        self._row.setFixedHeight(px(TAB_HEIGHT))
        line = row_of(
            (self.tabs, 0, Qt.AlignmentFlag.AlignBottom),
            px(16),
            (self.history.kept, 1),
            parent=self._row,
            margins=(px(4), 0, px(8), 0),
        )
        line.addStretch(0)
        line.addWidget(self.history.filter)
        line.addWidget(self.journal.tools)
        line.addWidget(self.observed.keep_all)
        line.addWidget(self.snapshots.new_button)
        line.addWidget(self.fold)
        line.addWidget(self.unfold)
        column_of(self._row, HairLine(self), (self.pages, 1), parent=self)
        self._folded = False
        self.tabs.currentChanged.connect(self._show_page)
        self.tabs.tabBarClicked.connect(self._tab_clicked)
        self.problems.count_changed.connect(self._show_problem_count)
        self.observed.count_changed.connect(self._show_observed_count)
        self.comments.count_changed.connect(self._show_comment_count)
        self.history.kept_changed.connect(self._show_tools)
        self.snapshots.use_changed.connect(self._show_tools)
        self._show_problem_count(self.problems.count())
        self._show_observed_count(desk.observed.count)
        self._show_comment_count(self.comments.count())
        self._show_tools()

    def tab_count(self) -> int:
        return self.tabs.count()

    def tab_number(self, page: QWidget) -> int:
        """Return the number of a page's tab, from 1."""
        return self.pages.indexOf(page) + 1

    def show_tab(self, number: int) -> None:
        """Unfold the dock and focus a tab, numbered from 1."""
        if 1 <= number <= self.tabs.count():
            self.set_folded(False)
            self.tabs.setCurrentIndex(number - 1)
            self.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def is_folded(self) -> bool:
        return self._folded

    def set_folded(self, folded: bool) -> None:
        """Fold the dock to its tabs, or unfold it."""
        if folded == self._folded:
            return
        self._folded = folded
        self.pages.setVisible(not folded)
        self.setMaximumHeight(px(TAB_HEIGHT) + 1 if folded else _LARGEST)
        self.fold.setVisible(not folded)
        self.unfold.setVisible(folded)
        self._show_tools()
        self.folded_changed.emit(folded)

    def _tab_clicked(self, index: int) -> None:
        if index >= 0:
            self.set_folded(False)

    def _show_page(self, index: int) -> None:
        self.pages.setCurrentIndex(index)
        self._show_tools()
        self.needs_height.emit(self._panels[index] in (self.agents, self.commands, self.search))

    def _show_tools(self) -> None:
        """Show the current page's tools beside the tabs."""
        page = None if self._folded else self._panels[self.tabs.currentIndex()]
        summaries = {self.history: self.history.retention_words, self.snapshots: self.snapshots.use_words}
        self.history.kept.setText(summaries[page]() if page in summaries else "")
        self.history.filter.setVisible(page is self.history)
        self.observed.keep_all.setVisible(page is self.observed)
        self.snapshots.new_button.setVisible(page is self.snapshots)
        self.journal.tools.setVisible(page is self.journal)

    def focusInEvent(self, event: QFocusEvent) -> None:
        """Pass the focus to the current page, or to the folded tabs.

        Not by a focus proxy: with one, Tab never leaves the dock.
        """
        target = self.tabs if self._folded else self._panels[self.tabs.currentIndex()]
        target.setFocus(event.reason())

    def _show_observed_count(self, count: int) -> None:
        self._show_tab_count(self.observed, count, self.tr("Observed changes: {n}"))

    def _show_comment_count(self, count: int) -> None:
        self._show_tab_count(self.comments, count, self.tr("Comments: {n}"))

    def _show_tab_count(self, page: QWidget, count: int, words: str) -> None:
        """Show the number of a page's rows on its tab."""
        index, name = self.pages.indexOf(page), page.accessibleName()
        self.tabs.setTabText(index, f"{name} {QLocale().toString(count)}" if count else name)
        self.tabs.setAccessibleTabName(index, say(words, n=count))

    def _show_problem_count(self, count: int) -> None:
        self._counts.setText(str(count))
        # The tab bar measures a tab's button only when it is set.
        index = self._panels.index(self.problems)
        self.tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, None)
        if count:
            self._counts.adjustSize()
            self.tabs.setTabButton(index, QTabBar.ButtonPosition.RightSide, self._counts)
            self._counts.show()
        self.tabs.setAccessibleTabName(index, say(self.tr("Problems: {n}"), n=count))
