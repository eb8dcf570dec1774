"""The bars below the page in the middle: where one searches it, and asks for a line of it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, Qt, QTimer, Signal
from PySide6.QtGui import QIntValidator, QKeyEvent
from PySide6.QtWidgets import QApplication, QLineEdit, QWidget
from shiboken6 import isValid

from studio.engine.limits import HITS_UP_TO
from studio.ui.diff.view import DiffView
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.widgets import Label, Surface, ToolIcon, column_of, row_of


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


# The banner in which one searches the page in the middle.


class FindBar(Surface):
    """What is looked for, how often it is there, and the way to the next place."""

    wanted = Signal()
    stepped = Signal(int)
    """1 for the next place, -1 for the one before."""
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
        self.close_button = ToolIcon("cross", self.tr("Close the search"), key="Esc", pressed=self.closed)
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
        """Say which of how many places is current (from 1), and whether more may be found."""
        if not self.field.text():
            words = ""
        elif searching:
            words = self.tr("{n} of {total}, still looking…").format(n=current, total=total)
        elif not total:
            words = self.tr("Not found")
        elif not current:
            words = counted(total, self.tr("{n} place"), self.tr("{n} places"))
        elif total >= HITS_UP_TO:
            words = self.tr("{n} of more than {total}").format(n=current, total=total)
        else:
            words = self.tr("{n} of {total}").format(n=current, total=total)
        self._describe(words, "" if total else self.tr("Nothing is found."))

    def say(self, words: str) -> None:
        """Say why nothing is counted."""
        self._describe(words, words or self.tr("Nothing is found."))

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


# The banner in which one names the line to go to.


class GoBar(Surface):
    """A field for the number of a line, and which numbers there are."""

    wanted = Signal(int)
    """A line of the file (from 1) that is there."""
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
        """Ask for one of that many lines."""
        self.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()
        self.set_lines(lines)

    def set_lines(self, lines: int) -> None:
        """What is shown has that many lines by now."""
        self._lines = lines
        self._describe()

    def _describe(self) -> None:
        number = int(self.field.text() or 0)
        if not self._lines:
            words = self.tr("There are no lines on this page")
        elif self.field.text() and not 1 <= number <= self._lines:
            words = self.tr("There is no such line; the last one is {n}.")
        else:
            words = self.tr("1 to {n}, Enter goes there")
        self.range.setText(say(words, n=self._lines))

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
