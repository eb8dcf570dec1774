"""Find bar and go-to-line bar below the diff page."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import isValid

from studio.ui.diff.view import DiffView
from studio.ui.limits import HITS_UP_TO
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.widgets import Label, Surface, ToolIcon, column_of, row_of


class PageBars(QWidget):
    """Find and go-to-line bars, independent of the page shown.

    A field keeps focus and text when the page changes. `shown` returns the visible diff view, None if there
    is none; `focus_page` focuses the page.
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
        self._previous_focus: QWidget | None = None
        self.find_bar = FindBar(self)
        self.go_bar = GoBar(self)
        column = column_of(parent=self)
        for bar in (self.find_bar, self.go_bar):
            bar.hide()
            column.addWidget(bar)
        # A new page is empty at first: only its final content is announced.
        self._update_timer = QTimer(self, singleShot=True, interval=0)
        self._update_timer.timeout.connect(self._follow)
        self.find_bar.wanted.connect(lambda: self._search(go=True))
        self.find_bar.stepped.connect(self.step)
        self.find_bar.closed.connect(self.close_find)
        self.go_bar.wanted.connect(self._go_to_line)
        self.go_bar.closed.connect(self.close_go)

    def watch(self, *views: DiffView) -> None:
        """Follow the contents of these views."""
        for view in views:
            view.find_wanted.connect(self.open_find)
            view.finder.document_changed.connect(self._update_timer.start)
            view.finder.counted.connect(self._show_count)

    @property
    def nothing(self) -> str:
        """The reason why a page without lines can't be searched."""
        return self._nothing or self.tr("Nothing to search on this page")

    def page_changed(self, nothing: str = "") -> None:
        """Update for another page; `nothing` is why it can't be searched."""
        self._nothing = nothing
        self._update_timer.start()

    def open_find(self) -> None:
        """Show and focus the find field, and search its current text."""
        view = self._shown()
        if view is not None:
            view.close_text()
        self._remember_focus()
        self.find_bar.show()
        self.find_bar.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.find_bar.field.selectAll()
        self._search_in(view, go=True)

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) hit, or start searching."""
        if self.find_bar.isHidden() or not self.find_bar.field.text():
            self.open_find()
        elif self._searched is not None:
            self._searched.finder.step(by)

    def open_go(self) -> None:
        """Show the bar that takes a line number."""
        self._remember_focus()
        self.go_bar.open_for(self._line_count())

    def close_innermost(self, *, focused: bool = False) -> bool:
        """Close the innermost bar; return whether there was one.

        With `focused`, only a bar that has the focus.
        """
        for bar, close in ((self.go_bar, self.close_go), (self.find_bar, self.close_find)):
            if not bar.isHidden() and (not focused or _has_focus(bar)):
                close()
                return True
        return False

    def close_find(self) -> None:
        """Close the search and restore the keyboard focus."""
        had_focus = _has_focus(self.find_bar)
        self.find_bar.hide()
        if self._searched is not None:
            self._searched.finder.clear()
        self._searched = None
        self._restore_focus(had_focus)

    def close_go(self) -> None:
        """Close the go-to-line bar."""
        had_focus = _has_focus(self.go_bar)
        self.go_bar.hide()
        self._restore_focus(had_focus)

    def _go_to_line(self, line: int) -> None:
        self.go_bar.hide()
        view = self._shown()
        if view is not None:
            view.setFocus(Qt.FocusReason.OtherFocusReason)
            view.go_to_shown_line(line)

    def _follow(self) -> None:
        """Search the changed page without scrolling it."""
        if not self.find_bar.isHidden():
            self._search_in(self._shown(), go=False)
        if not self.go_bar.isHidden():
            self.go_bar.set_lines(self._line_count())

    def _search_in(self, view: DiffView | None, *, go: bool) -> None:
        if self._searched is not None and view is not self._searched:
            self._searched.finder.clear()
        self._searched = view
        self._search(go=go)

    def _search(self, *, go: bool) -> None:
        view = self._searched
        if view is not None and view.finder.has_lines:
            view.finder.find(self.find_bar.field.text(), go=go)
        elif view is not None and view.is_waiting():
            self.find_bar.show_reason("")
        else:
            self.find_bar.show_reason(self.nothing)

    def _show_count(self, current: int, total: int, searching: bool) -> None:
        if self._searched is not None and self.sender() is self._searched.finder:
            self.find_bar.show_count(current, total, searching=searching)

    def _line_count(self) -> int:
        view = self._shown()
        return view.line_count() if view is not None else 0

    def _remember_focus(self) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and not self.isAncestorOf(focused):
            self._previous_focus = focused

    def _restore_focus(self, had_focus: bool) -> None:
        back, self._previous_focus = self._previous_focus, None
        if not had_focus:
            return
        if back is not None and isValid(back) and back.isVisible() and back.isEnabled():
            back.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self._focus_page()


def _has_focus(bar: QWidget) -> bool:
    focused = QApplication.focusWidget()
    return focused is not None and bar.isAncestorOf(focused)


# Find bar


class FindBar(Surface):
    """Find field with hit count and buttons to move between hits."""

    wanted = Signal()
    stepped = Signal(int)
    """Emitted with 1 for the next hit, -1 for the previous one."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("find-bar")
        self.field = QLineEdit()
        self.field.setObjectName("find-field")
        self.field.setAccessibleName(self.tr("Find on this page"))
        self.field.setPlaceholderText(self.tr("Find on this page"))
        self.field.setMinimumWidth(px(220))
        self.field.installEventFilter(self)
        self.count = Label(size=12, token="muted")
        self.previous = ToolIcon(
            "up", self.tr("Find previous"), key="Shift+F3", pressed=lambda: self.stepped.emit(-1)
        )
        self.next = ToolIcon("down", self.tr("Find next"), key="F3", pressed=lambda: self.stepped.emit(1))
        self.close_button = ToolIcon("cross", self.tr("Close search"), key="Esc", pressed=self.closed)
        row_of(
            self.field,
            self.previous,
            self.next,
            (self.count, 1),
            self.close_button,
            parent=self,
            margins=(px(12), px(3), px(10), px(3)),
            spacing=px(6),
        )
        self.field.textChanged.connect(lambda _text: self.wanted.emit())

    def show_count(self, current: int, total: int, *, searching: bool = False) -> None:
        """Show the current hit (from 1), the hit count, and search progress."""
        if not self.field.text():
            words = ""
        elif searching:
            words = say(self.tr("{n} of {total}, still searching…"), n=current, total=total)
        elif not total:
            words = self.tr("Not found")
        elif not current:
            words = counted(total, self.tr("{n} occurrence"), self.tr("{n} occurrences"))
        elif total >= HITS_UP_TO:
            words = say(self.tr("{n} of {total}+"), n=current, total=total)
        else:
            words = say(self.tr("{n} of {total}"), n=current, total=total)
        self._describe(words, "" if total else self.tr("Not found."))

    def show_reason(self, words: str) -> None:
        """Show why there is no hit count."""
        self._describe(words, words or self.tr("Not found."))

    def _describe(self, words: str, reason: str) -> None:
        self.count.setText(words)
        self.field.setAccessibleDescription(words)
        self.next.set_reason(reason)
        self.previous.set_reason(reason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                back = bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier)
                self.stepped.emit(-1 if back else 1)
                return True
        return super().eventFilter(watched, event)


# Go-to-line bar


class GoBar(Surface):
    """Field for a line number, with the valid range."""

    wanted = Signal(int)
    """Emitted with an existing line, from 1."""
    closed = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("go-bar")
        self._lines = 0
        self.field = QLineEdit()
        self.field.setObjectName("go-field")
        self.field.setAccessibleName(self.tr("Go to line"))
        self.field.setPlaceholderText(self.tr("Go to line"))
        self.field.setMinimumWidth(px(140))
        self.field.setValidator(QIntValidator(0, 2_000_000_000, self.field))
        self.field.installEventFilter(self)
        self.range = Label(size=12, token="muted")
        self.close_button = ToolIcon("cross", self.tr("Close"), key="Esc", pressed=self.closed)
        row_of(
            self.field,
            (self.range, 1),
            self.close_button,
            parent=self,
            margins=(px(12), px(3), px(10), px(3)),
            spacing=px(8),
        )
        self.field.textChanged.connect(self._describe)

    def open_for(self, lines: int) -> None:
        """Show the bar for a page of that many lines."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.set_lines(lines)

    def set_lines(self, lines: int) -> None:
        """Update the number of lines."""
        self._lines = lines
        self._describe()

    def _describe(self) -> None:
        number = int(self.field.text() or 0)
        if not self._lines:
            words = self.tr("There are no lines on this page")
        elif self.field.text() and not 1 <= number <= self._lines:
            words = self.tr("No such line. The last line is {n}.")
        else:
            words = self.tr("Enter a line from 1 to {n}")
        self.range.setText(say(words, n=str(self._lines)))

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() == Qt.Key.Key_Escape:
                self.closed.emit()
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                number = int(self.field.text() or 0)
                if 1 <= number <= self._lines:
                    self.wanted.emit(number)
                return True
        return super().eventFilter(watched, event)
