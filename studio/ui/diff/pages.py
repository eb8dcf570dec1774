"""Layout of the diff view's parts, and its focus frame."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRect, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QApplication, QHBoxLayout, QStackedLayout, QVBoxLayout, QWidget

from studio.ui.diff.bars.accessible_text import AccessibleText
from studio.ui.diff.bars.finder import Finder
from studio.ui.diff.bars.headings import SideHeadings
from studio.ui.diff.bars.sub_bar import SubBar
from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.diff.canvas.overview import OverviewMap
from studio.ui.diff.special.card import SpecialCard
from studio.ui.diff.special.page import SpecialPage
from studio.ui.look.theme import color
from studio.ui.widgets import Label, Surface, column_of


class FocusFrame(QWidget):
    """Frame of 2 px around the diff that ignores the mouse."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("diff-focus-frame")
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.hide()

    def set_shown(self, shown: bool) -> None:
        self.setVisible(shown)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setPen(QPen(color("accent"), 2))
        painter.drawRect(self.rect().adjusted(1, 1, -1, -1))


class DiffPages(QWidget):
    """Base class of the diff view, which lays out its parts."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diff-view")
        self.sub_bar = SubBar(self)
        self.headings = SideHeadings(self)
        self.canvas = DiffCanvas(self)
        self.map = OverviewMap(self.canvas, self)
        self.finder = Finder(self.canvas, self)
        self.text = AccessibleText(self)
        self.card = SpecialPage(self)
        self.notice = SpecialCard(self)
        self.notice.setObjectName("special-notice")
        self.notice.offer_gone.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))
        self._frame = FocusFrame(self)
        self._lay_out()
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    def _lay_out(self) -> None:
        self._nothing = Surface("content", self)
        for page in (self._nothing, self.card):
            page.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._empty = Label(size=13, token="muted", wrap=True)
        self._empty.setAlignment(Qt.AlignmentFlag.AlignCenter)
        QVBoxLayout(self._nothing).addWidget(self._empty)
        self._lines = Surface("content", self)
        self._body = body = QHBoxLayout()
        body.setSpacing(0)
        body.addWidget(self.canvas, 1)
        body.addWidget(self.map)
        column_of(self.sub_bar, self.notice, self.headings, (body, 1), parent=self._lines)
        self._pages = QStackedLayout(self)
        self._pages.setContentsMargins(0, 0, 0, 0)
        for page in (self._nothing, self._lines, self.card, self.text):
            self._pages.addWidget(page)

    def add_gutter(self, gutter: QWidget) -> None:
        """Add a widget left of the lines."""
        self._body.insertWidget(0, gutter)

    def _show_page(self, page: QWidget) -> None:
        focused = QApplication.focusWidget()
        is_here = (
            focused is not None and self.isAncestorOf(focused) and page is not self._pages.currentWidget()
        )
        self._pages.setCurrentWidget(page)
        self.setFocusProxy(self.canvas if page is self._lines else page)
        if is_here:
            # Qt focuses the first button of the page, which Space would then press.
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        self._frame.raise_()

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        self._frame.set_shown(new is not None and new is self.focusProxy())
        self._place_frame()

    def _place_frame(self) -> None:
        if self._pages.currentWidget() is self._lines:
            area = self.canvas.geometry().united(self.map.geometry())
            self._frame.setGeometry(QRect(self._lines.mapTo(self, area.topLeft()), area.size()))
        else:
            self._frame.setGeometry(self.rect())
        self._frame.raise_()

    def event(self, event: QEvent) -> bool:
        handled = super().event(event)
        if event.type() in (QEvent.Type.Resize, QEvent.Type.LayoutRequest):
            self._place_frame()
        return handled
