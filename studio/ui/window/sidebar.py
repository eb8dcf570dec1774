"""Left side: the queue above the files, or tabs of both."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QApplication, QSplitter, QTabBar, QWidget

from studio.ui.look.theme import px
from studio.ui.widgets import Surface, column_of

_LEAST_FILES = 180
"""Height that the files need; with less room, both panes become tabs."""


class Sidebar(QWidget):
    """Two panes, or tabs where the upper leaves the lower no room.

    The upper pane gets the height of its rows, until the user moves the handle.
    """

    def __init__(self, splitter: QSplitter, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("sidebar")
        self._splitter = splitter
        self._is_moved = False
        self._wanted = 0
        self.tabs = QTabBar(self)
        self.tabs.setObjectName("sidebar-tabs")
        self.tabs.setAccessibleName(self.tr("Queue and files"))
        self.tabs.setDrawBase(False)
        self.tabs.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.tabs.hide()
        for _pane in range(2):
            splitter.addWidget(Surface("panel"))
            self.tabs.addTab("")
        column_of(self.tabs, (splitter, 1), parent=self)
        self.tabs.currentChanged.connect(self._show_panes)
        splitter.splitterMoved.connect(self._on_moved)

    @property
    def is_tabbed(self) -> bool:
        return self._wanted + px(_LEAST_FILES) > self.height()

    def fill(self, upper: QWidget, lower: QWidget) -> None:
        """Replace the panes; the tabs have their accessible names."""
        for index, pane in enumerate((upper, lower)):
            before = self._splitter.replaceWidget(index, pane)
            if before is not None:
                before.deleteLater()
            self.tabs.setTabText(index, pane.accessibleName())
        self._is_moved = False
        self._show_panes()

    def fit(self, wanted: int) -> None:
        """Lay out for an upper pane that would fill this height."""
        if wanted != self._wanted:
            self._wanted = wanted
            self._show_panes()

    def show_pane(self, pane: QWidget) -> None:
        """Bring the tab of a pane to the front."""
        self.tabs.setCurrentIndex(self._splitter.indexOf(pane))

    def _show_panes(self) -> None:
        is_tabbed = self.is_tabbed
        focused = QApplication.focusWidget()
        if is_tabbed and self.tabs.isHidden() and focused is not None:
            # The pane in use stays in front.
            for index in range(self._splitter.count()):
                pane = self._splitter.widget(index)
                if pane is not None and pane.isAncestorOf(focused):
                    self.tabs.setCurrentIndex(index)
        self.tabs.setVisible(is_tabbed)
        for index in range(self._splitter.count()):
            pane = self._splitter.widget(index)
            if pane is not None:
                pane.setVisible(not is_tabbed or index == self.tabs.currentIndex())
        if not is_tabbed and not self._is_moved:
            self._splitter.setSizes([self._wanted, self.height() - self._wanted])

    def _on_moved(self) -> None:
        self._is_moved = True

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().height() != event.oldSize().height():
            self._show_panes()
