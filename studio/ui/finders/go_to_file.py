"""Popup to open a file by path (Ctrl+P), from project or plans."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QWidget

from studio import engine
from studio.names import show_name
from studio.ui.finders.file_search import FoundFiles, find_files
from studio.ui.finders.finder import Finder
from studio.ui.language import translator
from studio.ui.look.theme import ui_font
from studio.ui.look.words import split_path
from studio.ui.review.reading import FileLocation
from studio.ui.tree.badges import Badges, badges_of
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk

_tr = translator("GoToFile")


class GoToFile(Finder[str]):
    """Finder of files.

    Running a row goes to the file's open step, else reads the file.
    """

    def __init__(self, desk: Desk, window: QWidget) -> None:
        super().__init__("go-to-file", _tr("Go to file"), _tr("Files"), window)
        self._desk = desk
        self._requested = ""
        self._list_again = False
        self._badges = self._shown = Badges()

    def open_finder(self) -> None:
        """Open the finder on a new list of files."""
        self._list_again = True
        self._badges = badges_of(self._desk.queue.plans, self._desk.observed.rows)
        super().open_finder()

    def open_in(self, folder: str) -> None:
        """Open the finder on a folder's files; `folder` ends with a slash."""
        self.open_finder()
        self.field.setText(folder)

    def search(self, text: str) -> None:
        self._requested = text

        again, self._list_again = self._list_again, False
        root, proposed = str(self._desk.project.root_path), tuple(self._badges.files)
        job = partial(find_files, engine.file_paths, root, text, proposed, again=again)
        self._desk.project.runner.compute_apart(
            job, then=partial(self._show_found, text), failed=self._show_failure
        )

    def run(self, row: str) -> None:
        badge = self._shown.files.get(row)
        self.close_finder()
        if badge is not None and badge.observed:
            self._desk.observed.show(badge.observed)
        elif badge is not None:
            self._desk.select(badge.plan_id, badge.step)
        else:
            self._desk.reading.show(FileLocation(row))

    def words_of(self, row: str) -> str:
        return show_name(row)

    def accessible_text(self, row: str) -> str:
        badge = self._shown.files.get(row)
        return f"{show_name(row)}, {badge.style.word}" if badge is not None else show_name(row)

    def paint_row(self, painter: ItemPainter, row: str) -> None:
        folder, name = split_path(show_name(row))
        painter.icon("file", "muted", gap=8)
        if (badge := self._shown.files.get(row)) is not None:
            painter.icon_right(badge.style.icon, badge.style.token, size=14)
            painter.text_right(badge.style.word, badge.style.token, ui_font(SECOND))
        painter.text(name, "text", ui_font(BODY, 500), elide=Qt.TextElideMode.ElideMiddle)
        painter.text(folder.rstrip("/"), "muted", ui_font(SECOND), elide=Qt.TextElideMode.ElideMiddle)

    def _show_found(self, text: str, found: FoundFiles) -> None:
        if text != self._requested or self.isHidden():
            return
        self._list(found.paths, self.tr("No matching files."))

    def _show_failure(self, _error: object) -> None:
        self._list((), self.tr("The project's files can't be listed."))

    def _list(self, paths: tuple[str, ...], none: str) -> None:
        self._shown = self._badges
        self.show_note("" if paths else none)
        self.show_found(paths)
