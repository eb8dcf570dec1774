"""What stands beside the dock's tabs for the journal: words to find, faults, export, filter (R191)."""

from __future__ import annotations

from PySide6.QtCore import QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio.ui.look.theme import px
from studio.ui.widgets import Button, ButtonKind, ToolIcon, row_of
from studio.ui.widgets.search_field import SearchField

_FIELD_WIDTH = 140
_PAUSE_MS = 200


class JournalTools(QWidget):
    """Says what is asked for; the panel answers."""

    words_changed = Signal(str)
    """What is looked for, after a pause in typing; "" for nothing."""
    left = Signal()
    """The person goes on to the list."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("journal-tools")
        self.field = SearchField("journal-find", self.tr("Find by words, path, plan or id"), self)
        self.field.setPlaceholderText(self.tr("Find"))
        self.field.setFixedSize(px(_FIELD_WIDTH), px(24))
        self.field.textChanged.connect(self._typed)
        self.field.moved.connect(self._leave)
        self.field.done.connect(self._leave)
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
        """Look for these at once."""
        self.field.setText(words)
        self.field.setCursorPosition(0)
        self._ask()

    def show_faults(self, words: str) -> None:
        """Sum the listed faults up; "" where there are none."""
        self.faults.set_label(words)
        self.faults.setVisible(bool(words))

    def _typed(self) -> None:
        self._pause.start()

    def _ask(self) -> None:
        self._pause.stop()
        self.words_changed.emit(self.words)

    def _leave(self) -> None:
        if self._pause.isActive():
            self._ask()
        self.left.emit()

    def _clear(self) -> None:
        self.show_words("")
        self.left.emit()
