"""The editor for a comment on one line; it opens below the header, as every editor does (look.md 4.4)."""

from __future__ import annotations

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QWidget

from studio.ui.desk.desk import Desk
from studio.ui.desk.unsent import COMMENT
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import STRETCH, Banner, BannerKind, Button, ButtonKind, row_of
from studio.ui.widgets.text_field import PAUSE_MS, TextField

_LINES = 2


class CommentStrip(Banner):
    """What is typed is the comment, kept at each pause; an empty one is none."""

    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="comment-strip")
        self._desk = desk
        self._place = desk.queue.unsent_place(COMMENT)
        self.editor = TextField("comment-editor", self)
        self.editor.setAccessibleName(self.tr("Comment for the agent"))
        self.editor.set_lines(_LINES)
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.keep)
        self.remove = Button(
            self.tr("Remove"),
            self,
            icon="cross",
            icon_token="text",
            kind=ButtonKind.TOOL,
            name="comment-remove",
            pressed=self._remove,
        )
        self.done = Button(
            self.tr("Done"),
            self,
            icon="comment",
            icon_token="text",
            key="Ctrl+↵",
            name="comment-done",
            pressed=self.close_strip,
        )
        row = row_of(STRETCH, self.remove, self.done, spacing=px(8))
        self.add_field(self.editor)
        self.body.addLayout(row)
        self.editor.textChanged.connect(self._pause.start)
        self.editor.done.connect(self.close_strip)
        self.editor.cancelled.connect(self.close_strip)
        desk.queue.current_changed.connect(self._leave)

    def ask_for(self, side: str, line: int) -> None:
        """Open for a line (from 1) of the "base" or the "result", with what was said about it."""
        self.close_strip()
        self._place = self._desk.comments.place(side, line)
        words = (
            self.tr("Comment on line {n} as it was before.")
            if side == "base"
            else self.tr("Comment on line {n} of the result.")
        )
        goes = self.tr("It goes to the agent with your decision.")
        self.show_message(BannerKind.INFO, say(words, n=line), goes, icon="comment")
        self.editor.blockSignals(True)
        self.editor.setPlainText(self._desk.comments.text(side, line))
        self.editor.blockSignals(False)
        self.editor.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def keep(self) -> None:
        """Keep what is typed as the line's comment."""
        self._pause.stop()
        self._desk.comments.keep(self._place, self.editor.toPlainText().strip("\n"))

    def is_kept(self) -> bool:
        """Whether everything that is typed is kept."""
        return not self._pause.isActive()

    def _leave(self) -> None:
        """Another step is current; a file that changes under the hand takes no words away."""
        if self._desk.queue.unsent_place(COMMENT, self._place.place) != self._place:
            self.close_strip()

    def close_strip(self) -> bool:
        """Close it and keep the comment; says whether it was open."""
        if self.isHidden():
            return False
        if self._pause.isActive():
            self.keep()
        self.hide()
        self.closed.emit()
        return True

    def _remove(self) -> None:
        self.editor.setPlainText("")
        self.keep()
        self.close_strip()
