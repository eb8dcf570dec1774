"""The bars below the page in the middle: where one searches it, and asks for a line of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication, QWidget
from shiboken6 import isValid

from studio.ui.diff.bars.find_bar import FindBar
from studio.ui.diff.bars.go_bar import GoBar
from studio.ui.diff.view import DiffView
from studio.ui.widgets import column_of


class PageBars(QWidget):
    """Belong to no page: a field keeps the hand that types in it, and its text, when another page comes.

    `shown` says which lines stand in the middle now, None where none do; `focus_page` gives the keyboard to
    the page.
    """

    def __init__(
        self,
        shown: Callable[[], DiffView | None],
        focus_page: Callable[[], object],
        parent: QWidget | None = None,
    ) -> None:
        super().__init__(parent)
        self.setObjectName("page-bars")
        self._shown = shown
        self._focus_page = focus_page
        self._nothing = ""
        self._searched: DiffView | None = None
        self._came_from: QWidget | None = None
        self.find_bar = FindBar(self)
        self.go_bar = GoBar(self)
        column = column_of(parent=self)
        for bar in (self.find_bar, self.go_bar):
            bar.hide()
            column.addWidget(bar)
        # A page that comes shows nothing, then its lines: only the last of this is told.
        self._soon = QTimer(self, singleShot=True, interval=0)
        self._soon.timeout.connect(self._follow)
        self.find_bar.wanted.connect(lambda: self._search(go=True))
        self.find_bar.stepped.connect(self.step)
        self.find_bar.closed.connect(self.close_find)
        self.go_bar.wanted.connect(self._go)
        self.go_bar.closed.connect(self.close_go)

    def watch(self, *views: DiffView) -> None:
        """Follow what these views show."""
        for view in views:
            view.find_wanted.connect(self.open_find)
            view.finder.document_changed.connect(self._soon.start)
            view.finder.counted.connect(self._show_count)

    @property
    def nothing(self) -> str:
        """Why a page without lines can't be searched."""
        return self._nothing or self.tr("Nothing to search on this page")

    def page_changed(self, nothing: str = "") -> None:
        """Another page stands in the middle; `nothing` says why it can't be searched, where it has text."""
        self._nothing = nothing
        self._soon.start()

    def open_find(self) -> None:
        """Show the field, put the cursor into it, and find what still stands there."""
        view = self._shown()
        if view is not None:
            view.close_text()
        self._remember_focus()
        self.find_bar.show()
        self.find_bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_bar.field.selectAll()
        self._search_in(view, go=True)

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) place; where nothing is looked for yet, ask for what."""
        if self.find_bar.isHidden() or not self.find_bar.field.text():
            self.open_find()
        elif self._searched is not None:
            self._searched.finder.step(by)

    def open_go(self) -> None:
        """Ask for a line to go to."""
        self._remember_focus()
        self.go_bar.open_for(self._line_count())

    def close_innermost(self, *, focused: bool = False) -> bool:
        """Close a bar, with `focused` only one that has the keyboard; says whether there was one."""
        for bar, close in ((self.go_bar, self.close_go), (self.find_bar, self.close_find)):
            if not bar.isHidden() and (not focused or _has_focus(bar)):
                close()
                return True
        return False

    def close_find(self) -> None:
        """Close the search; the keyboard goes back to where it came from."""
        had_focus = _has_focus(self.find_bar)
        self.find_bar.hide()
        if self._searched is not None:
            self._searched.finder.forget()
        self._searched = None
        self._give_back(had_focus)

    def close_go(self) -> None:
        """Close the bar that asks for a line."""
        had_focus = _has_focus(self.go_bar)
        self.go_bar.hide()
        self._give_back(had_focus)

    def _go(self, line: int) -> None:
        self.go_bar.hide()
        view = self._shown()
        if view is not None:
            view.setFocus(Qt.FocusReason.OtherFocusReason)
            view.go_to_shown_line(line)

    def _follow(self) -> None:
        """The page or its lines are others: search them, without moving what is being read."""
        if not self.find_bar.isHidden():
            self._search_in(self._shown(), go=False)
        if not self.go_bar.isHidden():
            self.go_bar.set_lines(self._line_count())

    def _search_in(self, view: DiffView | None, *, go: bool) -> None:
        if self._searched is not None and view is not self._searched:
            self._searched.finder.forget()
        self._searched = view
        self._search(go=go)

    def _search(self, *, go: bool) -> None:
        view = self._searched
        if view is not None and view.finder.has_lines:
            view.finder.find(self.find_bar.field.text(), go=go)
        elif view is not None and view.is_waiting():
            self.find_bar.say("")
        else:
            self.find_bar.say(self.nothing)

    def _show_count(self, current: int, total: int, searching: bool) -> None:
        if self._searched is not None and self.sender() is self._searched.finder:
            self.find_bar.show_count(current, total, searching=searching)

    def _line_count(self) -> int:
        view = self._shown()
        return view.line_count() if view is not None else 0

    def _remember_focus(self) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and not self.isAncestorOf(focused):
            self._came_from = focused

    def _give_back(self, had_focus: bool) -> None:
        back, self._came_from = self._came_from, None
        if not had_focus:
            return
        if back is not None and isValid(back) and back.isVisible() and back.isEnabled():
            back.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._focus_page()


def _has_focus(bar: QWidget) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and bar.isAncestorOf(focused)
