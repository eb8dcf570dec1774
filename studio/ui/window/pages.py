"""Lazily created pages of the centre, and selection of the current page."""

from __future__ import annotations

from typing import TypeVar

from PySide6.QtCore import QObject, Qt, Signal
from PySide6.QtWidgets import QStackedWidget, QWidget

from studio.ui.conflict.pane import ConflictPane
from studio.ui.diff import DiffView
from studio.ui.history.observed_pane import ObservedPane
from studio.ui.history.restore_pane import RestorePane
from studio.ui.history.rollback_pane import RollbackPane
from studio.ui.plan.pane import PlanPane
from studio.ui.plan.paste_pane import PastePane
from studio.ui.reading.file_pane import FilePane
from studio.ui.reading.folder_pane import FolderPane
from studio.ui.reading.past_plan_pane import PastPlanPane
from studio.ui.review.desk import Desk
from studio.ui.review.reading import FileLocation, FolderLocation, PlanLocation
from studio.ui.step.pane import StepPane
from studio.ui.window.empty_page import EmptyPage

WITH_DIFF = (StepPane, RollbackPane, RestorePane, ObservedPane, FilePane, PastPlanPane)
WITHOUT_FACTS = (EmptyPage, PastePane, FilePane, FolderPane, PastPlanPane)
WITH_ACTIONS = (EmptyPage, StepPane, PlanPane, PastePane, ConflictPane)
"""Pages whose buttons trigger actions of the table."""

_AnyPage = (
    EmptyPage
    | StepPane
    | PlanPane
    | RollbackPane
    | RestorePane
    | ObservedPane
    | FilePane
    | PastPlanPane
    | FolderPane
    | PastePane
    | ConflictPane
)
_Page = TypeVar("_Page", bound=_AnyPage)


class Pages(QObject):
    """Pages that follow the desk, each created on first use.

    Creating all of them at once took half of the time to open a project.
    """

    page_created = Signal(QWidget)
    """Emitted when a page was created and added to the stack."""

    def __init__(self, desk: Desk, stack: QStackedWidget, parent: QWidget) -> None:
        super().__init__(parent)
        self._desk, self._stack, self._window = desk, stack, parent
        self._created: dict[type[QWidget], QWidget] = {}

    @property
    def current(self) -> QWidget | None:
        return self._stack.currentWidget()

    def created_pages(self) -> tuple[QWidget, ...]:
        return tuple(self._created.values())

    def is_created(self, kind: type[QWidget]) -> bool:
        return kind in self._created

    @property
    def empty(self) -> EmptyPage:
        return self._page(EmptyPage)

    @property
    def step(self) -> StepPane:
        return self._page(StepPane)

    @property
    def plan(self) -> PlanPane:
        return self._page(PlanPane)

    @property
    def rollback(self) -> RollbackPane:
        return self._page(RollbackPane)

    @property
    def restore(self) -> RestorePane:
        return self._page(RestorePane)

    @property
    def observed(self) -> ObservedPane:
        return self._page(ObservedPane)

    @property
    def file(self) -> FilePane:
        return self._page(FilePane)

    @property
    def past_plan(self) -> PastPlanPane:
        return self._page(PastPlanPane)

    @property
    def folder(self) -> FolderPane:
        return self._page(FolderPane)

    @property
    def paste(self) -> PastePane:
        return self._page(PastePane)

    @property
    def conflict(self) -> ConflictPane:
        return self._page(ConflictPane)

    def page_to_show(self) -> QWidget:
        """Return the page to show, by what is open, innermost first."""
        desk = self._desk
        if desk.rollback.preview is not None:
            return self.rollback
        if desk.restore.preview is not None:
            return self.restore
        if desk.observed.shown_row is not None:
            return self.observed
        if isinstance(desk.reading.location, FileLocation):
            return self.file
        if isinstance(desk.reading.location, PlanLocation):
            return self.past_plan
        if isinstance(desk.reading.location, FolderLocation):
            return self.folder
        if desk.submission.pasted is not None:
            return self.paste
        if desk.queue.current_plan is None:
            return self.empty
        if desk.rebase.settling is not None:
            return self.conflict
        return self.plan if desk.queue.current_step is None else self.step

    def _page(self, kind: type[_Page]) -> _Page:
        page = self._created.get(kind)
        if not isinstance(page, kind):
            page = self._created[kind] = kind(self._desk, self._window)
            self._stack.addWidget(page)
            self.page_created.emit(page)
        return page


def diff_of(page: QWidget | None) -> DiffView | None:
    """Return the diff on a page, None if it has none."""
    return page.diff if isinstance(page, WITH_DIFF) else None


def set_tab_order(page: QWidget, below: QWidget) -> None:
    """Make Tab go from a page to the bars below it.

    Qt puts the widgets created last at the end.
    """
    *_, last = _tab_stops(page)
    for stop in _tab_stops(below):
        QWidget.setTabOrder(last, stop)
        last = stop


def _tab_stops(widget: QWidget) -> list[QWidget]:
    """Return the widgets that accept Tab focus, in order of creation.

    Not by `nextInFocusChain`: PySide makes what that returns a child of the widget asked, so the window would
    belong to a label, and all wrappers obtained from the window would become invalid with the label.
    """
    found = widget.findChildren(QWidget)
    stops = [each for each in found if each.focusPolicy() & Qt.FocusPolicy.TabFocus]
    return [each for each in stops if each.window() is widget.window()]  # not the list of a combo box
