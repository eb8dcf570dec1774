"""Context menus of queue, diff, tree and history, from the action table."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QAbstractItemView, QMenu, QWidget

from studio.engine import folder_to_allow
from studio.extras.reader import FolderQuery
from studio.ui.actions.action import Action
from studio.ui.queue.model import Role as QueueRole
from studio.ui.reading.file_pane import FilePane
from studio.ui.reading.past_plan_pane import PastPlanPane
from studio.ui.review.reading import FileLocation, FolderLocation
from studio.ui.step.pane import StepPane
from studio.ui.tree.model import Role

if TYPE_CHECKING:
    from studio.ui.actions.actions import Actions
    from studio.ui.diff.canvas.canvas import DiffCanvas
    from studio.ui.finders.go_to_file import GoToFile
    from studio.ui.history.panels import HistoryPanel
    from studio.ui.queue.view import QueueView
    from studio.ui.review.desk import Desk
    from studio.ui.tree.panel import TreeView

_OF_A_PLAN = (
    Action.APPROVE_UNDECIDED,
    Action.TICK_KIND,
    Action.REQUEST_CHANGES,
    Action.REJECT_PLAN,
    Action.TRY_PLAN,
    Action.DISMISS,
)
_OF_A_STEP = (
    Action.APPROVE_STEP,
    Action.REJECT_STEP,
    Action.REVOKE_DECISION,
    Action.MARK_VIEWED,
    None,
    Action.READ_FILE,
    Action.READ_BASE,
    Action.READ_RESULT,
    Action.BROWSE_FOLDER,
    Action.OPEN_IN_EDITOR,
    Action.SHOW_IN_FOLDER,
    Action.COPY_PATH,
    None,
    *_OF_A_PLAN,
)
_OF_TICKED = (
    Action.APPROVE_STEP,
    Action.REJECT_STEP,
    Action.TOGGLE_HUNK,
    Action.REVOKE_DECISION,
    Action.MARK_VIEWED,
    None,
    Action.TICK_KIND,
)
_OF_A_LINE = (
    Action.TOGGLE_HUNK,
    Action.ONLY_THIS,
    Action.LINES,
    Action.EDIT,
    Action.COMMENT,
    None,
    Action.OTHER_END,
    Action.COPY,
    Action.FIND_ACROSS,
    Action.READ_FILE,
    Action.READ_BASE,
    Action.READ_RESULT,
    Action.OPEN_IN_EDITOR,
    Action.SHOW_IN_FOLDER,
    Action.COPY_PATH,
    None,
    Action.UNIFIED,
    Action.WHITE_SPACE,
    Action.IGNORE_SPACE,
    Action.WRAP,
    Action.FOLDS,
)
_OF_WHAT_IS_READ = (
    Action.COPY,
    Action.FIND_ACROSS,
    Action.BROWSE_FOLDER,
    Action.OPEN_IN_EDITOR,
    Action.SHOW_IN_FOLDER,
    None,
    Action.READ_EARLIER,
    Action.READ_LATER,
    Action.BACK,
    None,
    Action.WHITE_SPACE,
    Action.WRAP,
)


class ContextMenus(QObject):
    """Context menus for the item under the pointer, which becomes current first.

    Disabled entries give the reason, as everywhere.
    """

    allow_wanted = Signal(str)
    """Emitted with the folder that agents should be allowed to change."""

    def __init__(self, desk: Desk, actions: Actions, go_to_file: GoToFile, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._actions, self._go_to_file = desk, actions, go_to_file

    def offer(self, queue: QueueView, tree: TreeView, history: HistoryPanel) -> None:
        """Install the menus on queue, tree and history."""
        self._offer(queue, "queue", partial(self._row_entries, queue))
        self._offer(tree, "tree", partial(self._file_entries, tree))
        self._offer(history.view, "history", partial(self._history_entries, history))

    def offer_on(self, page: QWidget) -> None:
        """Install the menu on a newly created page of the centre."""
        if isinstance(page, StepPane):
            self._offer(page.diff.canvas, "diff", partial(_point_entries, page.diff.canvas, _OF_A_LINE))
        elif isinstance(page, FilePane | PastPlanPane):
            self._offer(page.diff.canvas, "read", partial(_point_entries, page.diff.canvas, _OF_WHAT_IS_READ))

    def _offer(self, widget: QWidget, name: str, entries: Callable[[QPoint], _Entries]) -> None:
        widget.setContextMenuPolicy(Qt.ContextMenuPolicy.CustomContextMenu)
        widget.customContextMenuRequested.connect(partial(self._open, widget, name, entries))

    def _open(self, widget: QWidget, name: str, entries: Callable[[QPoint], _Entries], point: QPoint) -> None:
        menu = QMenu(widget)
        menu.setObjectName(f"context-{name}")
        menu.setToolTipsVisible(True)
        menu.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        for entry in entries(point):
            if entry is None:
                menu.addSeparator()
            elif isinstance(entry, Action):
                menu.addAction(self._actions[entry])
            else:
                words, do = entry
                menu.addAction(words).triggered.connect(lambda _checked=False, do=do: do())
        if menu.isEmpty():
            menu.deleteLater()
            return
        inside = widget.viewport() if isinstance(widget, QAbstractItemView) else widget
        # Not exec(): agents go on, and the menu's item may change meanwhile.
        menu.popup(inside.mapToGlobal(point))

    def _row_entries(self, view: QueueView, point: QPoint) -> _Entries:
        index = view.indexAt(point)
        if not index.isValid():
            return (Action.QUEUE_FILTER, Action.QUEUE_ORDER, Action.QUEUE_PATH, Action.QUEUE_ALL)
        if index.data(QueueRole.FOLD):
            view.tick_row(index)
        if view.rows.check_state(index) is Qt.CheckState.Checked:
            # There the entries are about all ticked steps, on the page of their plan.
            self._desk.select(self._desk.queue.plan_id)
            return _OF_TICKED
        view.setCurrentIndex(index)
        return _OF_A_STEP if self._desk.queue.current_step is not None else _OF_A_PLAN

    def _file_entries(self, view: TreeView, point: QPoint) -> _Entries:
        index = view.indexAt(point)
        path = index.data(Role.PATH) if index.isValid() else ""
        if not path:
            return ()
        view.setCurrentIndex(index)
        entries: list[Action | tuple[str, Callable[[], object]] | None] = []
        is_folder = bool(index.data(Role.FOLDER))
        if not is_folder:
            read = partial(self._desk.reading.show, FileLocation(path))
            entries.append((self.tr("View with blame"), read))
            edit = partial(self._desk.external_programs.open_in_editor, path, 1)
            entries.append((self.tr("Open in editor"), edit))
        else:
            browse = partial(self._desk.reading.show, FolderLocation(FolderQuery(path)))
            entries.append((self.tr("Browse folder"), browse))
            go = partial(self._go_to_file.open_in, f"{path}/")
            entries.append((self.tr("Go to file in folder…"), go))
        denied = folder_to_allow(path, folder=is_folder) if index.data(Role.DENIED) else None
        if denied is not None:
            allow = partial(self.allow_wanted.emit, denied)
            entries.append((self.tr("Allow this folder…"), allow))
        show = partial(self._desk.external_programs.show_in_folder, path)
        entries.append((self.tr("Show in folder"), show))
        entries.append((self.tr("Copy path"), partial(QGuiApplication.clipboard().setText, path)))
        return (*entries, None, Action.GO_TO_FILE, Action.FIND_ACROSS)

    def _history_entries(self, history: HistoryPanel, point: QPoint) -> _Entries:
        view = history.view
        row = view.row_at(point)
        if row is None or row.is_open is None:
            return ()
        view.setCurrentIndex(view.indexAt(point))
        return (
            (self.tr("Show plan with decisions"), partial(history.open, row.key)),
            (self.tr("Roll back…"), partial(history.preview, row.key)),
            (self.tr("Show all journal entries for this plan"), partial(history.list_entries, row.key)),
            None,
            (self.tr("Copy reply for the agent"), partial(history.copy_reply, row.key)),
            (self.tr("Copy commit message"), partial(history.copy_message, row.key)),
        )


def _point_entries(canvas: DiffCanvas, entries: _Entries, point: QPoint) -> _Entries:
    """Make the point under the pointer current, and return the entries."""
    canvas.select_at(point)
    return entries


_Entries = tuple[Action | tuple[str, Callable[[], object]] | None, ...]
