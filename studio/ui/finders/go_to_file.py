"""Go to a file: by parts of its path, among the project's files and what open plans would make (Ctrl+P)."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.engine.names import show_name
from studio.ui.desk.reading import FilePlace
from studio.ui.finders.file_search import FoundFiles, find_files
from studio.ui.finders.finder import ROW_HEIGHT, Finder
from studio.ui.finders.palette import found_row
from studio.ui.language import translator
from studio.ui.look.theme import px, ui_font
from studio.ui.look.words import split_path
from studio.ui.tree.badges import Badge, Badges, badges_of
from studio.ui.widgets.row_painter import BODY, SECOND

if TYPE_CHECKING:
    from studio.ui.desk.desk import Desk

_tr = translator("GoToFile")

Index = QModelIndex | QPersistentModelIndex

_TOP = QModelIndex()
_PATH = Qt.ItemDataRole.UserRole
_BADGE = Qt.ItemDataRole.UserRole + 1


class _Files(QAbstractListModel):
    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._paths: tuple[str, ...] = ()
        self._badges = Badges()

    def show_paths(self, paths: tuple[str, ...], badges: Badges) -> None:
        self.beginResetModel()
        self._paths, self._badges = paths, badges
        self.endResetModel()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._paths)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        path = self._paths[index.row()]
        badge = self._badges.files.get(path)
        if role == _PATH:
            return path
        if role == _BADGE:
            return badge
        if role == Qt.ItemDataRole.DisplayRole:
            return show_name(path)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return f"{show_name(path)}, {badge.look.word}" if badge is not None else show_name(path)
        return None


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(200), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        folder, name = split_path(show_name(index.data(_PATH)))
        badge: Badge | None = index.data(_BADGE)
        painter.save()
        row = found_row(painter, option, index, self.parent())
        row.icon("file", "muted", gap=8)
        if badge is not None:
            row.icon_right(badge.look.icon, badge.look.token, size=14)
            row.text_right(badge.look.word, badge.look.token, ui_font(SECOND))
        row.text(name, "text", ui_font(BODY, 500), elide=Qt.TextElideMode.ElideMiddle)
        row.text(folder.rstrip("/"), "muted", ui_font(SECOND), elide=Qt.TextElideMode.ElideMiddle)
        painter.restore()


class GoToFile(Finder):
    """A file with an open step leads to that step, any other is shown to be read."""

    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__("go-to-file", _tr("Go to a file"), _tr("Files"), window)
        self._desk = desk
        self._asked = ""
        self._list_again = False
        self._badges = Badges()
        self._files = _Files(self)
        self.set_rows(self._files, _Row(self.list))

    def open_finder(self) -> None:
        """Show the files as they are now."""
        self._list_again = True
        self._badges = badges_of(self._desk.queue.plans, self._desk.observed.rows)
        super().open_finder()

    def open_in(self, folder: str) -> None:
        """The same, for the files of a folder, which ends with a slash."""
        self.open_finder()
        self.field.setText(folder)

    def search(self, text: str) -> None:
        self._asked = text
        from studio.engine.workspace import file_paths

        again, self._list_again = self._list_again, False
        root, proposed = str(self._desk.project.root_path), tuple(self._badges.files)
        job = partial(find_files, file_paths, root, text, proposed, again=again)
        self._desk.project.runner.compute_apart(job, then=partial(self._found, text), failed=self._not_found)

    def run_row(self, index: Index) -> None:
        path, badge = index.data(_PATH), index.data(_BADGE)
        self.close_finder()
        if isinstance(badge, Badge) and badge.observed:
            self._desk.observed.show(badge.observed)
        elif isinstance(badge, Badge):
            self._desk.select(badge.plan_id, badge.step)
        else:
            self._desk.reading.show(FilePlace(path))

    def _found(self, text: str, found: FoundFiles) -> None:
        if text != self._asked or self.isHidden():
            return
        self._files.show_paths(found.paths, self._badges)
        self.say("" if found.paths else self.tr("No file of the project is called so."))
        self.show_found()

    def _not_found(self, _error: object) -> None:
        self._files.show_paths((), self._badges)
        self.say(self.tr("The files of the project can't be listed."))
        self.show_found()
