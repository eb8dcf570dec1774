"""QMainWindow frame: layout of toolbar, panes, dock and status bar; pane sizes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEvent, QMimeData, QSize, Qt, QTimer, Signal
from PySide6.QtGui import (
    QCloseEvent,
    QDragEnterEvent,
    QDropEvent,
    QGuiApplication,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QMainWindow, QSplitter, QStackedWidget, QVBoxLayout, QWidget
from shiboken6 import isValid

import studio
from studio.ui.actions.action import Action
from studio.ui.language import translator
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.settings import Settings
from studio.ui.widgets import Banner, BannerKind, Surface, column_of
from studio.ui.window.sidebar import Sidebar
from studio.ui.window.status_bar import StatusBar
from studio.ui.window.toolbar import Toolbar

_notice = translator("Notice")

WIDTH, HEIGHT = 1440, 900
_FRAME_WIDTH, _FRAME_HEIGHT = 8, 40
_LEFT, _FACTS, _DOCK = 304, 240, 190
_LEAST_DOCK, _MIDDLE_ABOVE_DOCK = 120, 350
"""Heights that a dock has in a small window, and that it leaves where it has more."""
_FACTS_FROM, _LEFT_FROM = 1100, 860
_NARROWEST, _LOWEST = 720, 420
_NOT_LIFTED = (0, 0)


class _Frame(QWidget):
    """Area below the menu bar; panes hide before it limits the width."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("window-frame")

    def minimumSizeHint(self) -> QSize:
        return QSize(px(_NARROWEST), px(_LOWEST))


class _Pages(QStackedWidget):
    """Pages of the centre; hidden ones need no room."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.currentChanged.connect(self.updateGeometry)

    def minimumSizeHint(self) -> QSize:
        """Return the current page's size: Qt's is that of the largest."""
        page = self.currentWidget()
        return page.minimumSizeHint() if page is not None else super().minimumSizeHint()


class MainWindow(QMainWindow):
    """Window frame, painted empty first; `fill` adds the panes later."""

    first_painted = Signal()
    activated = Signal()
    closing = Signal()
    pressed = Signal(object)
    """Emitted with the action id of a toolbar or status bar button."""
    dropped = Signal(list)
    """Emitted with the local files (`Path`) dropped on the window."""
    text_dropped = Signal(str)
    over_changed = Signal()
    """Emitted when a page covers everything, or none does any more."""

    def __init__(self, settings: Settings, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._settings = settings
        self._painted = False
        self._facts_belong = True
        self._closed_panes = {"facts"}
        """Side panes that are closed however wide the window is."""
        self._dock_height = px(_DOCK)
        self._saved_heights = _NOT_LIFTED
        """Heights of the dock before and after it was enlarged for its page."""
        self.setObjectName("main-window")
        self.setWindowTitle("Exacta Studio")
        self.setAcceptDrops(True)
        self.resize(_fitting_size())
        # Wayland has no work area: only the compositor knows the room beside panels (weston, GNOME).
        if QGuiApplication.platformName() == "wayland" and self.size() != _wanted_size():
            self.setWindowState(Qt.WindowState.WindowMaximized)
        self.menuBar().setObjectName("menu-bar")
        self.menus = [self.menuBar().addMenu(words) for words in self._menu_words()]
        self.toolbar = Toolbar(self)
        self.status = StatusBar(self)
        # Qt sends the tips of hovered controls to this one; an event() of ours would run for every event.
        hidden = self.statusBar()
        hidden.hide()
        hidden.messageChanged.connect(self.status.show_tip)
        self.notice = Banner(self, name="notice", below=True)
        self._left_splitter = self._splitter("left-column", Qt.Orientation.Vertical)
        self.left = Sidebar(self._left_splitter, self)
        self.middle = _Pages(self)
        self.middle.setObjectName("middle")
        self.middle.addWidget(Surface("content"))
        self.middle_column = QWidget(self)
        self.middle_column.setObjectName("middle-column")
        column_of((self.middle, 1), parent=self.middle_column)
        across = Qt.Orientation.Horizontal
        self.review = self._splitter("review", across, self.middle_column, Surface("panel"))
        self.right = self._splitter("right", Qt.Orientation.Vertical, self.review, Surface("panel"))
        self.whole = self._splitter("whole", across, self.left, self.right)
        self.pages = QStackedWidget(self)
        self.pages.setObjectName("pages")
        self.pages.addWidget(self.whole)
        self._over: QWidget | None = None
        self._below_over: tuple[QWidget, QWidget | None] = (self.whole, None)
        """The page below the one that covers everything, and its focused widget."""
        frame = _Frame(self)
        self._column = column = QVBoxLayout(frame)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.toolbar)
        column.addWidget(self.pages, 1)
        column.addWidget(self.notice)
        column.addWidget(self.status)
        self.setCentralWidget(frame)
        self.toolbar.pressed.connect(self.pressed)
        self.status.undo_pressed.connect(lambda: self.pressed.emit(Action.UNDO_LAST))
        self.status.stop_pressed.connect(lambda: self.pressed.emit(Action.STOP))
        self.whole.splitterMoved.connect(self._align_apply)
        self._usual_sizes()

    @property
    def facts(self) -> QWidget:
        return _pane(self.review, 1)

    @property
    def dock(self) -> QWidget:
        return _pane(self.right, 1)

    def show_start_page(self, page: QWidget) -> None:
        """Show the page without a project instead of all panes."""
        self.close_over()
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        self.toolbar.set_project_open(False)
        self.status.set_rule(say(self.tr("Version {v}"), v=studio.__version__))

    def prepare_project(self, name: str) -> None:
        """Show the frame of a project that is being opened."""
        self.close_over()
        self.setWindowTitle(say(self.tr("{project} – Exacta Studio"), project=_replace_unprintable(name)))
        self.pages.setCurrentWidget(self.whole)
        self.toolbar.set_project_open(True)
        self.status.set_rule(self.tr("Nothing is written until you click Apply"))
        self._align_apply()

    @property
    def over(self) -> QWidget | None:
        """The page that covers panes or start page, else None."""
        return self._over

    def show_over(self, page: QWidget) -> None:
        """Cover panes or start page with a focused page, until `close_over`.

        Its accessible name is shown as what must be closed before anything can be decided. The caller owns
        it: closing only hides it. Another page that covered them is closed.
        """
        if self._over is page:
            return
        below = self._below_over
        if self._over is None:
            below = (self.pages.currentWidget() or self.whole, self.focusWidget())
        else:
            self.pages.removeWidget(self._over)
        self._over, self._below_over = page, below
        self.pages.addWidget(page)
        self.pages.setCurrentWidget(page)
        _first_input(page).setFocus(Qt.FocusReason.OtherFocusReason)
        self.over_changed.emit()

    def close_over(self) -> bool:
        """Close the covering page and restore the focus.

        Returns whether there was one.
        """
        if self._over is None:
            return False
        page, (below, focus) = self._over, self._below_over
        self._over, self._below_over = None, (self.whole, None)
        self.pages.setCurrentWidget(below)
        self.pages.removeWidget(page)
        if focus is not None and isValid(focus) and focus.isVisible():
            focus.setFocus(Qt.FocusReason.OtherFocusReason)
        self.over_changed.emit()
        return True

    def fill(self, queue: QWidget, tree: QWidget, facts: QWidget, dock: QWidget) -> None:
        """Add the panes of an opened project, with their last sizes."""
        self.left.fill(queue, tree)
        for splitter, index, pane in (
            (self.review, 1, facts),
            (self.right, 1, dock),
        ):
            _pane(splitter, index).deleteLater()
            splitter.replaceWidget(index, pane)
            pane.setVisible(pane is not dock or "dock" in self._open_panes())
        if "facts" in self._open_panes():
            self._closed_panes.discard("facts")
        self._restore_sizes()
        self._fit_width()

    def _open_panes(self) -> list[str]:
        """Return the panes that were open when the sizes were stored."""
        return self._settings.text("sizes/open").split()

    def show_failure(self, sentence: str, hint: str, *, mend: Callable[[], object] | None = None) -> None:
        """Show a failure and advice until closed, or until a later success.

        It is at the bottom, so that nothing moves that is about to be clicked. `mend` opens the settings.
        """
        self.notice.show_message(BannerKind.DANGER, sentence, hint)
        if mend is not None:
            self.notice.add_choice(_notice("Settings…"), icon="settings", name="notice-mend", pressed=mend)
        self.notice.add_close(_notice("Close"), "notice-close", self.notice.hide)

    def add_banner(self, banner: QWidget) -> None:
        """Add a banner below the panes, so that they do not move."""
        self._column.insertWidget(self._column.indexOf(self.notice), banner)

    def add_below_page(self, bars: QWidget) -> None:
        """Add bars below the centre page, so that it does not move."""
        layout = self.middle_column.layout()
        assert layout is not None
        layout.addWidget(bars)

    def fit_dock(self, is_closing: bool) -> None:
        """Note the height of the dock that closes, or give it back."""
        if is_closing:
            self.lower_dock()
            self._dock_height = self.right.sizes()[1]
        else:
            self._set_dock_height(self._dock_height)

    def _set_dock_height(self, height: int, *, is_lifted: bool = False) -> None:
        """Share the height with the centre, up to 5/9 when lifted."""
        total = sum(self.right.sizes())
        above = min(px(_MIDDLE_ABOVE_DOCK), total * 4 // 9) if is_lifted else px(_MIDDLE_ABOVE_DOCK)
        height = max(px(_LEAST_DOCK), min(height, total - above))
        self.right.setSizes([total - height, height])

    def lift_dock(self, height: int) -> None:
        """Enlarge the dock for a panel with long texts, until `lower_dock`."""
        if self._saved_heights != _NOT_LIFTED:
            return
        sizes = self.right.sizes()
        if sizes[1] < height:
            self._set_dock_height(height, is_lifted=True)
            self._saved_heights = (sizes[1], self.right.sizes()[1])

    def lower_dock(self) -> None:
        """Restore the dock's height, unless the user changed it since."""
        before, lifted = self._saved_heights
        sizes = self.right.sizes()
        if sizes[1] == lifted:
            self._set_dock_height(before)
        self._saved_heights = _NOT_LIFTED

    def show_page(self, page: QWidget) -> None:
        """Show a page in the centre."""
        if self.middle.currentWidget() is not page:
            self.middle.setCurrentWidget(page)

    def toggle_left(self) -> None:
        """Toggle the left column explicitly, whatever the window's width."""
        self._toggle("left", self.left)

    def toggle_facts(self) -> None:
        """Toggle the facts explicitly, whatever the window's width."""
        self._toggle("facts", self.facts)

    def open_facts(self) -> None:
        """Open the facts, whatever the window's width."""
        if self.facts.isHidden():
            self.toggle_facts()

    def show_facts(self, belong: bool) -> None:
        """Set whether the centre page has facts at all."""
        if belong != self._facts_belong:
            self._facts_belong = belong
            self._fit_width()

    def _toggle(self, name: str, pane: QWidget) -> None:
        pane.setVisible(pane.isHidden())
        self._closed_panes ^= {name} if pane.isHidden() != (name in self._closed_panes) else set()
        self._align_apply()

    def store_sizes(self, settings: Settings) -> None:
        """Store the sizes of all panes for this project."""
        self.lower_dock()
        is_open = {"facts": "facts" not in self._closed_panes, "dock": not self.dock.isHidden()}
        if not self.dock.isHidden():
            self._dock_height = self.right.sizes()[1]
        settings.store_text("sizes/dock", str(self._dock_height))
        settings.store_text("sizes/open", " ".join(name for name, wanted in is_open.items() if wanted))
        for splitter in (self.whole, self.right, self.review):
            settings.store_geometry(f"sizes/{splitter.objectName()}", splitter.saveState())

    def use_settings(self, settings: Settings) -> None:
        """Use a project's settings for sizes from now on."""
        self._settings = settings

    def open_menu_bar(self) -> None:
        """Open the first menu; the arrows go on from there."""
        self.menuBar().setActiveAction(self.menus[0].menuAction())

    def _menu_words(self) -> tuple[str, ...]:
        """Return the menu titles in the order of `actions.Menu`.

        The entries are added after the first paint.
        """
        return (
            self.tr("File"), self.tr("Edit"), self.tr("View"), self.tr("Go"), self.tr("Decide"),
            self.tr("Hunk"), self.tr("Agents"), self.tr("Help"),
        )  # fmt: skip

    def _splitter(self, name: str, orientation: Qt.Orientation, *panes: QWidget) -> QSplitter:
        splitter = QSplitter(orientation, self)
        splitter.setObjectName(name)
        splitter.setHandleWidth(1)
        splitter.setChildrenCollapsible(False)
        for pane in panes:
            splitter.addWidget(pane)
        return splitter

    def _usual_sizes(self) -> None:
        rest = px(WIDTH) - px(_LEFT)
        body = px(HEIGHT) - px(26 + 36 + 26)
        self.whole.setSizes([px(_LEFT), rest])
        self.right.setSizes([body - px(_DOCK), px(_DOCK)])
        self.review.setSizes([rest - px(_FACTS), px(_FACTS)])
        for splitter, stretch in ((self.whole, 1), (self.right, 0), (self.review, 0)):
            splitter.setStretchFactor(stretch, 1)
            splitter.setStretchFactor(1 - stretch, 0)

    def _restore_sizes(self) -> None:
        self._usual_sizes()
        height = self._settings.text("sizes/dock")
        self._dock_height = int(height) if height.isdecimal() else px(_DOCK)
        for splitter in (self.whole, self.right, self.review):
            state = self._settings.geometry(f"sizes/{splitter.objectName()}")
            if not state.isEmpty():
                splitter.restoreState(state)
                # The stored state includes the handle's width.
                splitter.setHandleWidth(1)
        self.left.setMinimumWidth(px(220))
        self.left.setMaximumWidth(px(480))
        self.facts.setMinimumWidth(px(200))
        self.facts.setMaximumWidth(px(400))
        self._align_apply()

    def _align_apply(self) -> None:
        self.toolbar.align_apply(self.left.width() + 1 if self.left.isVisible() else 0)

    def _fit_width(self) -> None:
        """Hide side panes in a narrow window, for the diff."""
        for name, pane, least in (("facts", self.facts, _FACTS_FROM), ("left", self.left, _LEFT_FROM)):
            fits = self.width() >= px(least) and name not in self._closed_panes
            pane.setVisible(fits and (self._facts_belong or pane is not self.facts))
        self._align_apply()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._fit_width()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if not self._painted:
            self._painted = True
            # The children paint after their window; their paint events are queued before this.
            QTimer.singleShot(0, self.first_painted.emit)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.ActivationChange and self.isActiveWindow():
            self.activated.emit()

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if _local_files(event.mimeData()) or event.mimeData().hasText():
            _accept_copy(event)

    def dropEvent(self, event: QDropEvent) -> None:
        if not _accept_copy(event):
            return
        if files := _local_files(event.mimeData()):
            self.dropped.emit(files)
        else:
            self.text_dropped.emit(event.mimeData().text())

    def closeEvent(self, event: QCloseEvent) -> None:
        self.closing.emit()
        super().closeEvent(event)


def _fitting_size() -> QSize:
    """Return the default size, limited by the screen.

    Offscreen pictures have the full size. A window manager's frame comes on top, and its size is known only
    once the window is shown.
    """
    wanted = _wanted_size()
    if QGuiApplication.platformName() == "offscreen":
        return wanted
    room = QGuiApplication.primaryScreen().availableSize() - QSize(px(_FRAME_WIDTH), px(_FRAME_HEIGHT))
    return wanted.boundedTo(room)


def _wanted_size() -> QSize:
    return QSize(px(WIDTH), px(HEIGHT))


def _accept_copy(event: QDropEvent) -> bool:
    """Accept a drop only as a copy.

    After a move, the source program would delete its data.
    """
    is_own = event.source() is not None  # text dragged out of a field of this window
    if is_own or not event.possibleActions() & Qt.DropAction.CopyAction:
        event.ignore()
        return False
    event.setDropAction(Qt.DropAction.CopyAction)
    event.accept()
    return True


def _local_files(dropped: QMimeData) -> list[Path]:
    return [Path(url.toLocalFile()) for url in dropped.urls() if url.isLocalFile()]


def _replace_unprintable(name: str) -> str:
    """Replace a folder name's unprintable characters for the title bar."""
    return "".join(sign if sign.isprintable() else "\N{REPLACEMENT CHARACTER}" for sign in name)


def _first_input(page: QWidget) -> QWidget:
    """Return the widget to focus on a page: itself, or its first.

    It is the page if it accepts the focus, else its first enabled widget that Tab reaches.
    """
    if page.focusProxy() is not None or page.focusPolicy() & Qt.FocusPolicy.TabFocus:
        return page
    children = page.findChildren(QWidget)
    takes = (each for each in children if each.isEnabled() and each.focusPolicy() & Qt.FocusPolicy.TabFocus)
    return next(takes, page)


def _pane(splitter: QSplitter, index: int) -> QWidget:
    pane = splitter.widget(index)
    assert pane is not None
    return pane
