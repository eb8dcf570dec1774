"""Project switcher popup: open and recent projects with their pending plans.

The rows are fixed when it opens: updates change them in place, and none moves.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto
from pathlib import Path

from PySide6.QtCore import QEvent, QObject, Qt
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QWidget

from studio.names import show_name
from studio.ui.finders.finder import Finder
from studio.ui.language import translator
from studio.ui.look.backlog_words import BacklogStyle, backlog_style
from studio.ui.look.theme import px, ui_font
from studio.ui.look.words import say, short_path
from studio.ui.review.backlogs import RecentProjects
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter
from studio.values import Value

_tr = translator("Switcher")


class _ProjectStatus(Enum):
    """Status of a listed project."""

    HERE = auto()
    WINDOW = auto()
    BEFORE = auto()
    FORGOTTEN = auto()


class _Row(Value):
    root: Path
    status: _ProjectStatus

    @property
    def name(self) -> str:
        return show_name(self.root.name or str(self.root))

    @property
    def second(self) -> str:
        """Status and path of the project."""
        word = {_ProjectStatus.HERE: _tr("this window"), _ProjectStatus.WINDOW: _tr("open")}.get(
            self.status, ""
        )
        return " · ".join(filter(None, (word, show_name(short_path(self.root)))))


class Switcher(Finder[_Row]):
    """Finder of projects; Enter opens one, Delete forgets a recent one."""

    def __init__(
        self,
        recent: RecentProjects,
        current_project: Callable[[], Path | None],
        choose: Callable[[Path], object],
        window: QWidget,
    ) -> None:
        """Create the switcher.

        `current_project` returns this window's project; `choose` opens one in whichever window it belongs to.
        """
        super().__init__("switcher", _tr("Switch project"), _tr("Projects"), window)
        self._recent_projects, self._current_project, self._choose = recent, current_project, choose
        self._every: tuple[_Row, ...] = ()
        self.field.installEventFilter(self)
        recent.backlogs.changed.connect(self._update_row)

    def open_finder(self) -> None:
        self._every = self._rows()
        super().open_finder()
        self._show_usual_hint()
        roots = tuple(row.root for row in self._every)
        self._recent_projects.backlogs.watch(self, lambda: roots)

    def search(self, text: str) -> None:
        search_words = text.casefold().split()
        found = tuple(row for row in self._every if _fits(row, search_words))
        self._show_usual_hint()
        self.show_found(found)

    def run(self, row: _Row) -> None:
        why_not = self._row_style(row).why_not
        if why_not:
            self.show_note(say(_tr("“{project}” can't be opened: {why}."), project=row.name, why=why_not))
            return
        self.close_finder()
        if row.status is not _ProjectStatus.HERE:
            self._choose(row.root)

    def words_of(self, row: _Row) -> str:
        return row.name

    def accessible_text(self, row: _Row) -> str:
        return ", ".join(filter(None, (row.name, row.second, self._row_style(row).words)))

    def paint_row(self, painter: ItemPainter, row: _Row) -> None:
        style = self._row_style(row)
        ink = "off" if style.why_not else ""
        painter.icon("check" if row.status is _ProjectStatus.HERE else "folder", ink or "muted", gap=8)
        if style.icon:
            painter.icon_right(style.icon, ink or style.token)
        else:
            painter.right -= px(22)
        painter.text_right(style.first, ink or style.token, ui_font(SECOND))
        elided = Qt.TextElideMode.ElideMiddle
        limit = painter.room * 2 // 3
        painter.text(row.name, ink or "text", ui_font(BODY, 500), elide=elided, limit=limit)
        painter.text(row.second, ink or "muted", ui_font(SECOND), is_path=True)

    def _row_style(self, row: _Row) -> BacklogStyle:
        if row.status is _ProjectStatus.FORGOTTEN:
            words = _tr("removed from list")
            return BacklogStyle(words, words, why_not=words)
        style = backlog_style(self._recent_projects.backlogs.of(row.root))
        # Switching to a window reads no disk.
        is_open = row.status in (_ProjectStatus.HERE, _ProjectStatus.WINDOW)
        return BacklogStyle(style.first, style.words, style.icon, style.token) if is_open else style

    def _update_row(self, root: Path) -> None:
        for number, row in enumerate(self.found.rows):
            if row.root == root:
                self.found.update_row(number)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if (
            isinstance(event, QKeyEvent)
            and event.type() is QEvent.Type.KeyPress
            and event.key() == Qt.Key.Key_Delete
            and self.field.cursorPosition() == len(self.field.text())
            and not self.field.hasSelectedText()
        ):
            if not event.isAutoRepeat():
                self._forget()
            return True
        return super().eventFilter(watched, event)

    def _rows(self) -> tuple[_Row, ...]:
        """Return the rows; this window's project follows the other open ones."""
        current = self._current_project()
        windows = tuple(
            _Row(root, _ProjectStatus.WINDOW)
            for root in self._recent_projects.open_projects()
            if root != current
        )
        own = (_Row(current, _ProjectStatus.HERE),) if current is not None else ()
        return (
            *windows,
            *own,
            *(_Row(root, _ProjectStatus.BEFORE) for root in self._recent_projects.closed_projects()),
        )

    def _forget(self) -> None:
        row = self.current()
        if row is None:
            return
        if row.status in (_ProjectStatus.HERE, _ProjectStatus.WINDOW):
            self.show_note(say(_tr("“{project}” is open. Close its window first."), project=row.name))
        elif row.status is _ProjectStatus.BEFORE:
            self._recent_projects.remove(row.root)
            forgotten = _Row(row.root, _ProjectStatus.FORGOTTEN)
            self._every = tuple(forgotten if each == row else each for each in self._every)
            self.found.rows = tuple(forgotten if each == row else each for each in self.found.rows)
            self._update_row(row.root)
            words = _tr("“{project}” was removed from the list. Its folder and history are kept.")
            self.show_note(say(words, project=row.name))

    def _show_usual_hint(self) -> None:
        self.show_note(_tr("Enter opens a project. Delete removes a recent one from this list."))


def _fits(row: _Row, search: list[str]) -> bool:
    text = f"{row.name} {row.second}".casefold()
    return all(word in text for word in search)
