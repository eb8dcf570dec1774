"""Project tree pane: header, tree view and row painting delegate."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QPoint, QSize, Qt, QTimer
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from studio.ui.look.theme import px, ui_font
from studio.ui.look.words import files
from studio.ui.tree.badges import Badge, badges_of, origins_of
from studio.ui.tree.model import ProjectModel, Role, TreeRow
from studio.ui.widgets import PaneHeader, Surface, ToolIcon, column_of
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter, RowList, RowStyle, row_style

if TYPE_CHECKING:
    from studio.engine import PathVerdict
    from studio.ui.review.desk import Desk
from studio.ui.review.reading import FileLocation

_DISK_PAUSE = 300
"""Milliseconds between a change on disk and listing folders again."""
_COUNT_PAUSE = 20_000
"""Milliseconds between counts of all files, each a walk of the whole project."""
_RULES_AT_ONCE = 500
"""Most paths checked against the rules in one call."""
_INSIDE = "file"
"""Hypothetical file name; a folder whose file of this name is denied counts as denied."""


class TreeView(RowList):
    """Tree with folding by arrow keys, Enter, and search by typing."""

    def __init__(self, model: ProjectModel, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._rows = model
        self.setHeaderHidden(True)
        self.setExpandsOnDoubleClick(True)
        self.setModel(model)
        self.setItemDelegate(TreeDelegate(self, model))

    def mousePressEvent(self, event: QMouseEvent) -> None:
        point = event.position().toPoint()
        index = self.indexAt(point)
        if event.button() is Qt.MouseButton.LeftButton and self._on_chevron(point, index):
            self.setExpanded(index, not self.isExpanded(index))
            return
        super().mousePressEvent(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        index = self.currentIndex()
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and index.isValid():
            if self._rows.row(index).is_folder:
                self.setExpanded(index, not self.isExpanded(index))
            else:
                self.activated.emit(index)
            return
        super().keyPressEvent(event)

    def _on_chevron(self, point: QPoint, index: QModelIndex) -> bool:
        row = self._rows.row(index) if index.isValid() else None
        if row is None or not row.is_folder:
            return False
        left = px(CHEVRON + STEP_IN * row.depth) - px(4)
        return left <= point.x() < left + px(22)


class TreePanel(Surface):
    """Project files; a file with a step selects that step."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self._desk = desk
        self._count = 0
        self._ruled: set[str] = set()
        self._denied: set[str] = set()
        self._wanted = ""
        self._is_asked_for = False
        self._stays_in_view = False
        self.setObjectName("tree")
        self.setAccessibleName(self.tr("Files"))
        self.header = PaneHeader(self.tr("Files"), self)
        tip = self.tr("Show only files in plans or with outside changes")
        self.only_badged = ToolIcon("filter", tip, self, toggle=True)
        self.header.add_widget(self.only_badged)
        self.model = ProjectModel(desk.project.list_folder, self)
        self.view = TreeView(self.model, self)
        self.view.setObjectName("tree-list")
        self.view.setAccessibleName(self.tr("Project files"))
        column_of(self.header, (self.view, 1), parent=self)
        self.setFocusProxy(self.view)
        self.header.follow_focus_of(self.view)
        self._disk_pause = self._timer(_DISK_PAUSE)
        self._disk_pause.timeout.connect(self.model.reload)
        self._count_pause = self._timer(_COUNT_PAUSE)
        self._count_pause.timeout.connect(self._ask_count)
        self.view.clicked.connect(self._go_to_step)
        self.view.activated.connect(self._go_to_step)
        self.only_badged.toggled.connect(self.model.show_only_badged)
        self.model.listed.connect(self._ask_rules)
        self.model.appearance_changed.connect(self.view.viewport().update)
        # Not at once: no rows may be requested during an insertion.
        self._reveal_soon = self._timer(0)
        self._reveal_soon.timeout.connect(self._reveal)
        self.model.rowsAboutToBeInserted.connect(self._rows_come)
        self.model.rowsInserted.connect(self._rows_came)
        self.model.rowsRemoved.connect(self._rows_went)
        desk.queue.plans_changed.connect(self._take_plans)
        desk.observed.changed.connect(self._take_plans)
        desk.queue.history_changed.connect(self._take_history)
        # The lines of the step are requested first.
        desk.queue.current_changed.connect(partial(desk.project.runner.next_turn, self._follow_desk))
        desk.queue.tree_changed.connect(self._disk_changed)
        desk.queue.rules_changed.connect(self._ask_all_rules)
        desk.reading.changed.connect(partial(desk.project.runner.next_turn, self._follow_reading))
        self._show_counts()
        self._take_plans()
        self._take_history()
        self.model.load()
        self._ask_count()
        self._follow_desk()

    def stop(self) -> None:
        """Stop all timers."""
        for timer in (self._disk_pause, self._count_pause, self._reveal_soon):
            timer.stop()

    def row_count(self) -> int:
        """Return the number of visible rows."""
        rows, index = 0, self.model.index(0, 0)
        while index.isValid():
            rows, index = rows + 1, self.view.indexBelow(index)
        return rows

    def _timer(self, pause: int) -> QTimer:
        return QTimer(self, singleShot=True, interval=pause)

    def _take_plans(self) -> None:
        # For a plan of thousands of steps this takes longer than a frame.
        desk = self._desk
        desk.project.compute(badges_of, desk.queue.plans, desk.observed.rows, then=self.model.set_badges)

    def _take_history(self) -> None:
        desk = self._desk
        desk.project.compute(origins_of, desk.queue.history, then=self.model.set_origins)

    def _disk_changed(self) -> None:
        if not self._disk_pause.isActive():
            self._disk_pause.start()
        if not self._count_pause.isActive():
            self._count_pause.start()

    def _ask_count(self) -> None:
        self._desk.project.count_files(self._got_count)

    def _got_count(self, count: int) -> None:
        self._count = count
        self._show_counts()

    def _show_counts(self) -> None:
        counts = [self._desk.project.name]
        if self._count:
            counts.append(files(self._count))
        self.header.set_detail(" · ".join(counts))

    def _ask_rules(self, folder: str) -> None:
        """Check which names of a folder are denied, each name once."""
        questions = {
            (f"{path}/{_INSIDE}" if is_folder else path): path
            for path, is_folder in self.model.listing(folder)
            if path not in self._ruled
        }
        self._ruled.update(questions.values())
        paths = list(questions)
        for start in range(0, len(paths), _RULES_AT_ONCE):
            part = paths[start : start + _RULES_AT_ONCE]
            self._desk.project.check_paths(part, partial(self._show_rules, questions))

    def _ask_all_rules(self) -> None:
        """Check every listed name again, updating what differs."""
        self._ruled.clear()
        for folder in self.model.listed_folders():
            self._ask_rules(folder)

    def _show_rules(self, questions: dict[str, str], verdicts: Iterable[PathVerdict]) -> None:
        answers = {questions[verdict.path]: verdict.allowed for verdict in verdicts}
        denied = {path for path in self._denied if not answers.get(path)}
        denied |= {path for path, is_allowed in answers.items() if not is_allowed}
        if denied != self._denied:
            self._denied = denied
            self.model.set_denied(frozenset(denied))

    def _go_to_step(self, index: QModelIndex) -> None:
        badge = index.data(Role.BADGE)
        if isinstance(badge, Badge) and badge.observed:
            self._desk.observed.show(badge.observed)
        elif isinstance(badge, Badge):
            self._desk.select(badge.plan_id, badge.step)
        else:
            path = index.data(Role.PATH)
            if path and not index.data(Role.FOLDER):
                self._desk.reading.show(FileLocation(path))

    def _follow_desk(self) -> None:
        """Reveal the current step's file, unless the pointer is over the tree."""
        step = self._desk.queue.current_step
        self._wanted = step.target if step is not None else ""
        self._is_asked_for = False
        if step is None or not self.model.index_of(step.target).isValid():
            self.view.selectionModel().clearSelection()
        self._reveal()

    def _follow_reading(self) -> None:
        """Reveal the file that is being read."""
        place = self._desk.reading.location
        if isinstance(place, FileLocation):
            self._wanted = place.path
            self._is_asked_for = True
            self._reveal()

    def _rows_come(self) -> None:
        """Remember whether the current row is visible, before rows are inserted.

        Inserted rows must not push it out of view.
        """
        row = self.view.visualRect(self.view.currentIndex())
        in_view = row.isValid() and self.view.viewport().rect().contains(row)
        self._stays_in_view |= in_view and not self.view.viewport().underMouse()

    def _rows_came(self) -> None:
        if self._wanted or self._stays_in_view:
            self._reveal_soon.start()

    def _rows_went(self) -> None:
        """Clear the current row if Qt chose a removed row's neighbour."""
        step, current = self._desk.queue.current_step, self.view.currentIndex()
        chosen = self.model.index_of(step.target) if step is not None else QModelIndex()
        if current != chosen and not self.view.hasFocus():
            self.view.setCurrentIndex(QModelIndex())

    def _reveal(self) -> None:
        """Expand the folders above the wanted file as listings arrive."""
        stays, self._stays_in_view = self._stays_in_view, False
        if stays and not self._wanted:
            self.view.scrollTo(self.view.currentIndex())
        if not self._wanted or (self.view.viewport().underMouse() and not self._is_asked_for):
            return
        index = self.model.index_of(self._wanted)
        if index.isValid():
            self._wanted = ""
            self._open_above(index)
            self.view.setCurrentIndex(index)
            self.view.scrollTo(index)
            return
        nearest = self.model.deepest_listed(self._wanted)
        if nearest.isValid() and not self.view.isExpanded(nearest):
            self._open_above(nearest)
            self.view.expand(nearest)

    def _open_above(self, index: QModelIndex) -> None:
        above = index.parent()
        if above.isValid():
            self._open_above(above)
            self.view.expand(above)


# Painting of the project tree's rows, with a right-aligned badge.

ROW_HEIGHT = 22
STEP_IN = 16
"""Indentation per level."""
CHEVRON = 9
"""Left edge of the top level's chevron."""

_IMAGES = frozenset({"png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "bmp"})


class TreeDelegate(QStyledItemDelegate):
    """Painter of rows with current theme tokens, so that a repaint suffices."""

    def __init__(self, parent: QTreeView, model: ProjectModel) -> None:
        super().__init__(parent)
        self._view = parent
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(max(option.rect.width(), px(160)), px(ROW_HEIGHT))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        painter.save()
        shown = self._model.row(index)
        row = ItemPainter(painter, option.rect, left=px(CHEVRON + STEP_IN * shown.depth), right=px(12))
        row.background(self._row_style(option))
        is_open = shown.is_folder and self._view.isExpanded(index)
        if shown.is_folder:
            row.icon("down" if is_open else "right", "muted" if shown.has_rows else "off", size=14, gap=4)
            row.icon("folder", "muted", size=14, gap=5)
        else:
            row.left += px(18)
            row.icon(_file_icon(shown.name), "muted", size=14, gap=5)
        self._paint_badge(row, shown, is_open=is_open)
        row.text(shown.name, "muted" if shown.is_denied else "text", ui_font(BODY), is_path=True)
        painter.restore()

    def _row_style(self, option: QStyleOptionViewItem) -> RowStyle:
        """Return the row's background; without focus, rows have no accent bar."""
        focused = self._view.hasFocus() and self._view.isActiveWindow()
        if option.state & QStyle.StateFlag.State_Selected and not focused:
            return RowStyle("selectOff", bar=False, ring=False)
        return row_style(option, focused=focused)

    def _paint_badge(self, row: ItemPainter, shown: TreeRow, *, is_open: bool) -> None:
        font, badge = ui_font(SECOND), shown.badge
        if isinstance(badge, Badge):
            row.icon_right(badge.style.icon, badge.style.token, size=14)
            row.text_right(badge.style.word, badge.style.token, font)
        elif badge is not None and not is_open:
            row.icon_right(badge.gravest.style.icon, badge.gravest.style.token, size=14)
            row.text_right(str(badge.count), "muted", font)
        elif shown.is_denied:
            row.icon_right("denied", "muted", size=14)
            row.text_right(QCoreApplication.translate("Tree", "denied"), "muted", font)
        elif shown.origin:
            row.icon_right("agent", "muted", size=14)


def _file_icon(name: str) -> str:
    return "image" if name.rpartition(".")[2].lower() in _IMAGES else "file"
