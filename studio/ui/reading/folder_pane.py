"""Folder browser with name pattern, recursion, and hidden files."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, Qt, QTimer
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.extras.reader import DirectoryListingResult, FolderQuery
from studio.names import show_name
from studio.ui.history.row_buttons import plain_key
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.language import translator
from studio.ui.look.theme import px
from studio.ui.look.words import counted, moment, say, size, utc_now
from studio.ui.reading.header import ReadHeader
from studio.ui.review.desk import Desk
from studio.ui.review.reading import FileLocation, FolderLocation
from studio.ui.widgets import CheckBox, Label, Surface, column_of, row_of
from studio.ui.widgets.row_painter import SECOND
from studio.ui.widgets.text_field import SearchField, is_searching

_tr = translator("FolderPane")

_PAUSE_MS = 150
_FIELD_WIDTH = 220
_UNSEEN = "/"
"""Key prefix of rows that can't be opened; no project path starts with it."""


class FolderPane(Surface):
    """Folder listing; Enter opens a file or folder, Backspace the parent."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self.setObjectName("folder-page")
        self.setAccessibleName(self.tr("Folder"))
        self.header = ReadHeader(desk, "folder", "folder", self)
        self.pattern = SearchField("folder-pattern", self.tr("Name pattern"), self)
        self.pattern.setPlaceholderText(self.tr("*.py or folder/*.py"))
        self.pattern.setFixedSize(px(_FIELD_WIDTH), px(24))
        self.is_deep = self._make_check_box("folder-deep", self.tr("Include subfolders"))
        self.with_hidden = self._make_check_box("folder-hidden", self.tr("Show hidden files"))
        self._count = Label("", self, size=12, token="muted", name="folder-count")
        self.view = TableView(_columns(), self, name="folder-list", accessible=self.tr("Folder contents"))
        self.view.installEventFilter(self)
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        tools = row_of(
            self.pattern,
            self.is_deep,
            self.with_hidden,
            (self._count, 1),
            margins=(px(12), px(4), px(12), px(4)),
            spacing=px(16),
        )
        column_of(self.header, tools, (self.view, 1), parent=self)
        self.setFocusProxy(self.view)
        self.pattern.textChanged.connect(lambda _text: self._pause.start())
        self.pattern.moved.connect(self._leave_field)
        self.pattern.done.connect(self._leave_field)
        self.pattern.cancelled.connect(self._leave_field)
        self.view.acted.connect(self._open)
        desk.reading.changed.connect(self._show_place)
        desk.reading.content_read.connect(self._show)
        self._show_place()

    def says(self) -> str:
        """Return the count of entries, and whether the list is truncated."""
        return self._count.text()

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not is_searching():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if watched is self.view and plain_key(event) == Qt.Key.Key_Backspace:
            self._go_up()
            return True
        return super().eventFilter(watched, event)

    def _make_check_box(self, name: str, words: str) -> CheckBox:
        return CheckBox(words, self, name=name, pressed=lambda _on: self._ask())
        # Only on a click: when set by code, the other fields may still belong to another folder.

    @property
    def _current_place(self) -> FolderLocation | None:
        place = self._desk.reading.location
        return place if isinstance(place, FolderLocation) else None

    def _show_place(self) -> None:
        if self._current_place is None:
            return
        query = self._current_place.query
        folder, _, name = query.path.rpartition("/")
        self.header.title.setText(show_name(name) or self.tr("Whole project"))
        self.header.detail.setText(show_name(folder))
        for box, value in ((self.is_deep, query.is_deep), (self.with_hidden, query.with_hidden)):
            if box.isChecked() != value:
                box.setChecked(value)
        if self.pattern.text() != query.pattern and not self._pause.isActive():
            self.pattern.setText(query.pattern)
            self._pause.stop()
        self._show()

    def _show(self) -> None:
        if self._current_place is None:
            return
        listing, missing = self._desk.reading.listing, self._desk.reading.missing
        nothing = self.tr("No matching files or folders.") if listing is not None else self.tr("Loading…")
        self.view.empty_text = show_name(missing) or nothing
        self._count.setText(_count_words(listing) if listing is not None else "")
        rows = _rows(listing, self._current_place.query.path) if listing is not None else ()
        self.view.rows.set_rows(rows)
        if rows and not self.view.currentIndex().isValid():
            self.view.setCurrentIndex(self.view.rows.index(0, 0))

    def _ask(self) -> None:
        """List the same folder with the current field values."""
        self._pause.stop()
        place = self._current_place
        if place is None:
            return
        pattern = self.pattern.text().strip()
        query = FolderQuery(place.query.path, pattern, self.is_deep.isChecked(), self.with_hidden.isChecked())
        if query != place.query:
            self._desk.reading.show(FolderLocation(query))

    def _leave_field(self) -> None:
        self._ask()
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _open(self, key: str) -> None:
        if key.startswith(_UNSEEN):
            return
        if key.endswith("/"):
            self._open_folder(key.rstrip("/"))
        else:
            self._desk.reading.show(FileLocation(key))

    def _go_up(self) -> None:
        if self._current_place is not None and self._current_place.query.path:
            self._open_folder(self._current_place.query.path.rpartition("/")[0])

    def _open_folder(self, folder: str) -> None:
        self.pattern.clear()
        self._pause.stop()
        hidden = self.with_hidden.isChecked()
        self._desk.reading.show(FolderLocation(FolderQuery(folder, "", self.is_deep.isChecked(), hidden)))


def _columns() -> tuple[Column, ...]:
    return Column(_tr("Name"), 0), Column(_tr("Size"), 100), Column(_tr("Modified"), 150)


def _rows(listing: DirectoryListingResult, folder: str) -> tuple[TableRow, ...]:
    now, start = utc_now(), len(folder) + 1 if folder else 0
    rows: list[TableRow] = []
    for item in listing.items:
        is_folder = item.type == "directory"
        name = show_name(item.path[start:])
        icon = "folder" if is_folder else "file"
        size_text = "" if is_folder else size(item.size_bytes)
        when = moment(item.modified, now)
        cells = (
            Cell(name, icon=icon, is_path=True),
            Cell(size_text, "muted", size=SECOND),
            Cell(when, "muted", size=SECOND),
        )
        rows.append(TableRow(item.path + "/" * is_folder, cells, f"{name}, {size_text}, {when}"))
    for number, each in enumerate(listing.unseen):
        reason = show_name(each.reason)
        cells = (Cell(reason, "muted", icon="look-out"), Cell(), Cell())
        rows.append(TableRow(f"{_UNSEEN}{number}", cells, reason))
    return tuple(rows)


def _count_words(listing: DirectoryListingResult) -> str:
    files = counted(listing.total_files, _tr("{n} file"), _tr("{n} files"))
    folders = counted(listing.total_directories, _tr("{n} folder"), _tr("{n} folders"))
    words = say(
        _tr("{folders}, {files}, {size}"), folders=folders, files=files, size=size(listing.total_size_bytes)
    )
    more = _tr("Not all entries are listed. Use a narrower pattern.")
    return f"{words} · {more}" if listing.truncated else words
