"""Search, filter and buttons of the history; export of the journal."""

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
from studio.ui.history.journal_lines import HistoryShow
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.review.state import StatusMessage, Tone
from studio.ui.widgets import Button, ButtonKind, row_of
from studio.ui.widgets.choice import Choice
from studio.ui.widgets.text_field import SearchField

if TYPE_CHECKING:
    from studio.ui.review.desk import Desk
    from studio.workspace import Workspace

_FIELD_WIDTH, _FILTER_WIDTH = 140, 150
_PAUSE_MS = 200


class HistoryTools(QWidget):
    """Search field, filter and buttons of the history that only emit signals."""

    changed = Signal()
    """Emitted with another filter, or other words after a pause in typing."""
    left = Signal()
    """Emitted to move the focus to the list."""

    def __init__(self, new_snapshot: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("history-tools")
        self._new_snapshot = new_snapshot
        self.field = SearchField("history-filter", self.tr("Find by text, path, plan, agent or ID"), self)
        self.field.setPlaceholderText(self.tr("Find"))
        self.field.setFixedSize(px(_FIELD_WIDTH), px(24))
        self.field.textChanged.connect(self._restart_pause)
        self.field.moved.connect(self._search_now)
        self.field.done.connect(self._search_now)
        self.field.cancelled.connect(self._clear)
        self.kinds = Choice(self)
        self.kinds.setObjectName("history-kinds")
        self.kinds.setAccessibleName(self.tr("Filter the list"))
        self.kinds.setFixedSize(px(_FILTER_WIDTH), px(24))
        self._add_kinds()
        self.kinds.currentIndexChanged.connect(self._ask)
        self.faults = Button(
            "",
            self,
            icon="danger",
            icon_token="bad",
            kind=ButtonKind.TOOL,
            height=22,
            name="journal-faults",
            tip=self.tr("Shows only errors."),
            pressed=self._toggle_faults,
        )
        self.faults.hide()
        self.export = Button(
            self.tr("Export…"),
            self,
            kind=ButtonKind.TOOL,
            height=22,
            name="journal-export",
            tip=self.tr("Writes all entries to a new file, one per line, without file contents."),
        )
        self._pause = QTimer(self, singleShot=True, interval=_PAUSE_MS)
        self._pause.timeout.connect(self._ask)
        buttons = (self.export, new_snapshot)
        row_of(self.faults, self.field, self.kinds, *buttons, parent=self, spacing=px(4))
        self.changed.connect(self._show_tools)
        self._show_tools()

    @property
    def words(self) -> str:
        return self.field.text().strip()

    @property
    def kind(self) -> HistoryShow:
        return HistoryShow(self.kinds.currentData())

    def choose(self, show: HistoryShow, words: str = "") -> None:
        """List other rows at once, those with these words."""
        self.field.setText(words)
        self.field.setCursorPosition(0)
        if show is self.kind:
            self._ask()
        else:
            self.kinds.setCurrentIndex(self.kinds.findData(show.value))

    def show_faults(self, words: str) -> None:
        """Show the summary of the listed faults, "" for none."""
        self.faults.set_label(words)
        self.faults.setVisible(bool(words))

    def _add_kinds(self) -> None:
        """Add the filters, the journal's below a line."""
        for show, words in {
            HistoryShow.CHANGES: self.tr("All except reads"),
            HistoryShow.APPLIED: self.tr("Applied plans"),
            HistoryShow.SNAPSHOTS: self.tr("Snapshots"),
            HistoryShow.JOURNAL: self.tr("Journal"),
            HistoryShow.WRITES: self.tr("Writes"),
            HistoryShow.DELETES: self.tr("Deletions"),
            HistoryShow.MOVES: self.tr("Moves"),
            HistoryShow.OTHERS: self.tr("Folders and modes"),
            HistoryShow.READS: self.tr("Reads"),
            HistoryShow.REQUESTS: self.tr("Requests"),
            HistoryShow.ANSWERED: self.tr("Requests with a reply"),
            HistoryShow.RECORDS: self.tr("Entries without a request"),
            HistoryShow.FAULTS: self.tr("Errors"),
            HistoryShow.UNANSWERED: self.tr("Requests without a reply"),
        }.items():
            self.kinds.addItem(words, show.value)
        self.kinds.insertSeparator(self.kinds.findData(HistoryShow.JOURNAL.value))

    def _toggle_faults(self) -> None:
        are_shown = self.kind is HistoryShow.FAULTS
        self.choose(HistoryShow.JOURNAL if are_shown else HistoryShow.FAULTS, self.words)

    def _show_tools(self) -> None:
        is_journal = self.kind.has_entries and not self.kind.has_plans
        self.export.setVisible(is_journal)
        self._new_snapshot.setHidden(is_journal)

    def _restart_pause(self) -> None:
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.changed.emit()

    def _search_now(self) -> None:
        if self._pause.isActive():
            self._ask()
        self.left.emit()

    def _clear(self) -> None:
        self.choose(self.kind)
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
            raise Refused("journal.stopped", self.tr("Export stopped. No file was written."), "")
        if number % JOURNAL_BATCH_UP_TO == 0:
            self._desk.project.runner.post(self._show_progress, number)

    def _show_progress(self, number: int) -> None:
        if self.is_running:
            self.count = number
            self.changed.emit()

    def _done(self, file: Path, number: int) -> None:
        self._end()
        sentence = counted(
            number, self.tr("Exported {n} entry to {file}."), self.tr("Exported {n} entries to {file}.")
        )
        sentence = say(sentence, file=show_name(str(file)))
        self._desk.project.status_reported.emit(
            StatusMessage(sentence, Tone.NEWS, self.tr("File contents are not included."))
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
