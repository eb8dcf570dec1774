"""Search, filter, fault and export controls of the journal; export to file."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio.errors import Refused, StudioError
from studio.extras.journal_view import write_journal
from studio.limits import JOURNAL_BATCH_UP_TO
from studio.names import show_name
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.widgets import Button, ButtonKind, ToolIcon, row_of
from studio.ui.widgets.text_field import SearchField

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk
    from studio.workspace import Workspace

_FIELD_WIDTH = 140
_PAUSE_MS = 200


class JournalTools(QWidget):
    """Search field and buttons that only emit signals."""

    words_changed = Signal(str)
    """Emitted with the search words after a pause in typing; "" for none."""
    left = Signal()
    """Emitted to move the focus to the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("journal-tools")
        self.field = SearchField("journal-find", self.tr("Find by words, path, plan or id"), self)
        self.field.setPlaceholderText(self.tr("Find"))
        self.field.setFixedSize(px(_FIELD_WIDTH), px(24))
        self.field.textChanged.connect(self._restart_pause)
        self.field.moved.connect(self._search_now)
        self.field.done.connect(self._search_now)
        self.field.cancelled.connect(self._clear)
        self.faults = Button(
            "",
            self,
            icon="danger",
            icon_token="bad",
            kind=ButtonKind.TOOL,
            height=22,
            name="journal-faults",
            tip=self.tr("Lists the faults alone."),
        )
        self.faults.hide()
        self.export = Button(
            self.tr("Export…"),
            self,
            kind=ButtonKind.TOOL,
            height=22,
            name="journal-export",
            tip=self.tr("Writes all entries to a new file, a line each, without contents of files."),
        )
        self.filter = ToolIcon(
            "filter", self.tr("Choose which entries are listed"), toggle=True, name="journal-filter-button"
        )
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        row = row_of(parent=self, spacing=px(4))
        for widget in (self.faults, self.export, self.field, self.filter):
            row.addWidget(widget)

    @property
    def words(self) -> str:
        return self.field.text().strip()

    def show_words(self, words: str) -> None:
        """Search for these words at once."""
        self.field.setText(words)
        self.field.setCursorPosition(0)
        self._ask()

    def show_faults(self, words: str) -> None:
        """Show the summary of the listed faults, "" for none."""
        self.faults.set_label(words)
        self.faults.setVisible(bool(words))

    def _restart_pause(self) -> None:
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.words_changed.emit(self.words)

    def _search_now(self) -> None:
        if self._pause.isActive():
            self._ask()
        self.left.emit()

    def _clear(self) -> None:
        self.show_words("")
        self.left.emit()


# Export of the journal to a new file, without file contents


class JournalExport(QObject):
    """Journal export, one at a time.

    It ends when it is stopped, or the project is closed, and leaves no partial file.
    """

    changed = Signal()
    """Emitted at start, progress and end."""

    def __init__(self, desk: Desk, parent: QObject) -> None:
        super().__init__(parent)
        self._desk = desk
        self._stop = threading.Event()
        self.is_running = False
        self.count = 0
        """Number of entries written so far."""
        desk.project.closed.connect(self._stop.set)

    def start(self, file: Path) -> None:
        """Write a new file and report the outcome in the status bar."""
        self.is_running, self.count = True, 0
        self._stop.clear()
        project = self._desk.project
        write = partial(_write, project.workspace, file, self._report)
        project.ask_in_background(write, then=partial(self._done, file), failed=self._failed)
        self.changed.emit()

    def stop(self) -> None:
        """Stop without leaving a file."""
        self._stop.set()

    def _report(self, number: int) -> None:
        """Report progress from the writing thread; raises Refused once stopped."""
        if self._stop.is_set():
            raise Refused("journal.stopped", self.tr("The export was stopped; no file was left."), "")
        if number % JOURNAL_BATCH_UP_TO == 0:
            self._desk.project.runner.post(self._show_progress, number)

    def _show_progress(self, number: int) -> None:
        if self.is_running:
            self.count = number
            self.changed.emit()

    def _done(self, file: Path, number: int) -> None:
        self._end()
        sentence = counted(number, self.tr("{n} entry is in {file}."), self.tr("{n} entries are in {file}."))
        sentence = say(sentence, file=show_name(str(file)))
        self._desk.project.status_reported.emit(
            StatusMessage(sentence, Tone.NEWS, self.tr("Contents of files are not."))
        )

    def _failed(self, error: StudioError) -> None:
        self._end()
        if self._stop.is_set():
            self._desk.project.status_reported.emit(StatusMessage(error.message, Tone.NEWS, error.hint))
        else:
            self._desk.project.report(error)

    def _end(self) -> None:
        self.is_running = False
        self.changed.emit()

    def words(self) -> str:
        """Return the progress, for its button."""
        return say(self.tr("Stop ({n} entries written)"), n=self.count)


def _write(workspace: Workspace, file: Path, report: Callable[[int], None]) -> int:
    return write_journal(workspace.journal, file, workspace.root_path, report=report)
