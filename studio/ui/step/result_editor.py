"""Banner and controls for editing a step's result within the diff.

`Typing` edits in the rows of the diff. Esc stores the draft.
"""

from __future__ import annotations

from PySide6.QtCore import QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio.ui.actions.action import Action
from studio.ui.diff import DiffView
from studio.ui.diff.canvas.inline_editor import Typing
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.review.desk import Desk
from studio.ui.widgets import Banner, Button, ButtonKind, ElidedLabel, row_of
from studio.ui.widgets.text_field import PAUSE_MS


class ResultEditor(Banner):
    """Banner that edits the lines of a diff and compares while typing."""

    closed = Signal()

    def __init__(self, desk: Desk, diff: DiffView, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="result-editor")
        self._desk, self._diff = desk, diff
        self.setAccessibleName(self.tr("Edit result"))
        self.typing = diff.canvas.typing = Typing(diff.canvas)
        self.field = self.typing.field
        self._title = ElidedLabel(size=12, weight=600, mode=Qt.TextElideMode.ElideRight)
        self.cancel = Button(
            self.tr("Close"),
            self,
            key="Esc",
            kind=ButtonKind.TOOL,
            height=22,
            name="result-cancel",
            tip=self.tr("Your text is kept."),
            pressed=self.close_unused,
        )
        self.done = Button(
            self.tr("Done"),
            self,
            icon="edit",
            icon_token="text",
            key="Ctrl+↵",
            height=22,
            name="result-done",
            pressed=self._finish,
        )
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.store_draft)
        row = row_of((self._title, 1), self.cancel, self.done, spacing=px(8))
        self.title.hide()
        self.words.hide()
        self.body.addLayout(row)
        self.field.textChanged.connect(self._restart_pause)
        self.field.done.connect(self._finish)
        self.field.cancelled.connect(self.close_unused)
        desk.editor.changed.connect(self._show_editing)
        desk.editor.compared.connect(self._describe)
        desk.guards.refresh_wanted.connect(self._refresh)
        self._position = 0, 0

    def open_at(self, line: int, character: int = 0) -> None:
        """Load the text around a 0-based line, then open the editor."""
        self._position = line, character
        self._desk.editor.begin(line)

    def says(self) -> str:
        """Return the text of the banner."""
        return self._title.text()

    def store_draft(self) -> None:
        """Store the draft, so that a crash does not lose it."""
        self._pause.stop()
        self._desk.editor.store_draft(self.field.text())

    def is_stored(self) -> bool:
        """Return whether the current text is stored."""
        return not self._pause.isActive()

    def close_unused(self) -> bool:
        """Close without using the text, storing the draft.

        Returns whether it was open.
        """
        if self.isHidden():
            return False
        self.store_draft()
        self._desk.editor.close()
        return True

    def _show_editing(self) -> None:
        part = self._desk.editor.part
        if part is None:
            if not self.isHidden():
                if self._pause.isActive():
                    self.store_draft()
                self.typing.end()
                self._diff.canvas.set_folds(self._diff.folds())
                self.hide()
                self.closed.emit()
            return
        # Setting the text is not an edit.
        with QSignalBlocker(self.field):
            is_held = self.field.show_text(self._desk.editor.current_draft, part.first_line)
        if not is_held:
            self._desk.editor.close()
            self._desk.editor.warn_not_editable()
            return
        self._pause.stop()
        self._diff.close_text()
        self.show()
        self._refresh()
        self._describe()
        self.typing.begin(*self._position)
        self._desk.editor.compare(self.field.text())

    def _restart_pause(self) -> None:
        self._pause.start()
        self._desk.editor.compare(self.field.text())

    def _refresh(self) -> None:
        if not self.isHidden():
            self.done.set_reason(self._desk.reasons.of(Action.FINISH_EDIT))

    def _describe(self) -> None:
        editor = self._desk.editor
        if editor.part is None:
            return
        whole = self.tr("You are editing this step's result.")
        part = self.tr("You are editing lines {first} to {last} of this step's result.")
        first = editor.part.first_line
        last = first + self.field.blockCount()
        words = whole if editor.part.is_whole else say(part, first=first + 1, last=last)
        self._title.setText(editor.refusal or words)

    def _finish(self) -> None:
        self._desk.editor.finish(self.field.text())
