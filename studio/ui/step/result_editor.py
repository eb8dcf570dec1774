"""The editor that stands over the right side of the diff while a result is edited in place (design 8)."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QKeyEvent, QPainter, QPaintEvent, QResizeEvent, QTextCursor
from PySide6.QtWidgets import QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from studio.ui.actions.action import Action
from studio.ui.desk.desk import Desk
from studio.ui.look.theme import color, px
from studio.ui.look.words import say
from studio.ui.widgets import Button, ButtonKind, ElidedLabel, Surface
from studio.ui.widgets.text_field import PAUSE_MS, CodeFont, TextField, ends_typing

_PARAGRAPH = "\N{PARAGRAPH SEPARATOR}"


class CodeField(TextField):
    """Text with line numbers. What it holds comes back sign by sign, also hard spaces."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("result-text", parent)
        self.setTabChangesFocus(False)
        self.setAccessibleName(self.tr("Result of this step"))
        # A line of 400 kB without blanks takes Qt's text editor 0.2 s so, and 5 s to wrap (PySide6 6.11.3).
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self.setFrameShape(QPlainTextEdit.Shape.NoFrame)
        self._first_line = 0
        self.code_font = CodeFont(self)
        self._numbers = _Numbers(self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_numbers)

    def show_text(self, text: str, first_line: int) -> bool:
        """Show text whose first line is the 0-based `first_line` of the file; says whether it can be held."""
        self._first_line = first_line
        self.code_font.use()
        self.setPlainText(text)
        self._make_room()
        return self.text() == text

    def text(self) -> str:
        """The text, lines parted by LF; toPlainText would turn hard spaces into others."""
        return self.document().toRawText().replace(_PARAGRAPH, "\n")

    def go_to(self, line: int) -> None:
        """Put the cursor into a 0-based line of the file and bring it to the middle."""
        block = self.document().findBlockByNumber(max(0, line - self._first_line))
        if block.isValid():
            self.setTextCursor(QTextCursor(block))
            self.centerCursor()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not ends_typing(event):
            # With Shift held Qt would put a line separator into the file.
            self.insertPlainText("\n")
            self.ensureCursorVisible()
        else:
            super().keyPressEvent(event)

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        painter.fillRect(area, color("field"))
        painter.setFont(self.font())
        painter.setPen(color("lineNo"))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= area.bottom():
            # The last block is higher than its line by the margin of the text.
            room = QRectF(0, top, self._numbers.width() - px(10), self.fontMetrics().height())
            number = str(block.blockNumber() + self._first_line + 1)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, number)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    def _make_room(self) -> None:
        digits = "0" * max(3, len(str(self.blockCount() + self._first_line)))
        width = round(QFontMetricsF(self.font()).horizontalAdvance(digits)) + px(18)
        self._numbers.setFixedWidth(width)
        self.setViewportMargins(width, 0, 0, 0)
        self._place_numbers()

    def _place_numbers(self) -> None:
        area = self.contentsRect()
        self._numbers.setGeometry(area.left(), area.top(), self._numbers.width(), self.viewport().height())

    def _scroll_numbers(self, area: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, area.top(), self._numbers.width(), area.height())


class _Numbers(QWidget):
    """The line numbers left of the text."""

    def __init__(self, field: CodeField) -> None:
        super().__init__(field)
        self._field = field
        self.setObjectName("result-line-numbers")

    def paintEvent(self, event: QPaintEvent) -> None:
        self._field.paint_numbers(QPainter(self), event.rect())


class ResultEditor(Surface):
    """Heading with what is edited, Done and Cancel; the text below. Esc keeps what was typed."""

    closed = Signal()

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self._desk = desk
        self.setObjectName("result-editor")
        self.setAccessibleName(self.tr("Edit the result"))
        self.field = CodeField(self)
        self._what = ElidedLabel(size=12, weight=600, mode=Qt.TextElideMode.ElideRight)
        self.cancel = Button(self.tr("Close"), self, key="Esc", kind=ButtonKind.TOOL, height=22)
        self.cancel.setObjectName("result-cancel")
        self.cancel.set_tip(self.tr("What you typed is kept."))
        self.done = Button(self.tr("Done"), self, icon="edit", icon_token="text", key="Ctrl+↵", height=22)
        self.done.setObjectName("result-done")
        self._pause = QTimer(self)
        self._pause.setSingleShot(True)
        self._pause.setInterval(PAUSE_MS)
        self._pause.timeout.connect(self.keep)
        row = QHBoxLayout()
        row.setContentsMargins(px(12), px(2), px(6), px(2))
        row.setSpacing(px(8))
        row.addWidget(self._what, 1)
        row.addWidget(self.cancel)
        row.addWidget(self.done)
        column = QVBoxLayout(self)
        column.setContentsMargins(1, 2, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self.field, 1)
        self.field.textChanged.connect(self._pause.start)
        self.field.done.connect(self._finish)
        self.field.cancelled.connect(self.give_up)
        self.done.clicked.connect(self._finish)
        self.cancel.clicked.connect(self.give_up)
        desk.editor.changed.connect(self._show_editing)
        desk.guards.allowed_changed.connect(self._refresh)
        self._line = 0
        self.hide()

    def open_at(self, line: int) -> None:
        """Ask for the text around a 0-based line of the result; the editor opens when it has come."""
        self._line = line
        self._desk.editor.begin(line)

    def keep(self) -> None:
        """Keep what is typed, so that a crash loses none of it."""
        self._pause.stop()
        self._desk.editor.keep(self.field.text())

    def is_kept(self) -> bool:
        """Whether everything that is typed is kept."""
        return not self._pause.isActive()

    def give_up(self) -> bool:
        """Close without using it; what was typed is kept. Says whether it was open."""
        if self.isHidden():
            return False
        self.keep()
        self._desk.editor.close()
        return True

    def _show_editing(self) -> None:
        part = self._desk.editor.part
        if part is None:
            if not self.isHidden():
                if self._pause.isActive():
                    self.keep()
                self.hide()
                self.closed.emit()
            return
        text = self._desk.editor.begun_text
        if not self.field.show_text(text, part.first_line):
            self._desk.editor.close()
            self._desk.editor.say_none()
            return
        self._pause.stop()
        self._what.setText(self._words(part.is_whole, part.first_line, text.count("\n") + 1))
        self.show()
        self.raise_()
        self._refresh()
        self.field.go_to(self._line)
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def _refresh(self) -> None:
        if not self.isHidden():
            self.done.set_reason(self._desk.reasons.of(Action.FINISH_EDIT))

    def _words(self, whole: bool, first_line: int, lines: int) -> str:
        if whole:
            return self.tr("You may type here")
        part = self.tr("Lines {first} to {last} of the result")
        return say(part, first=first_line + 1, last=first_line + lines)

    def _finish(self) -> None:
        self._desk.editor.finish(self.field.text())

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, 0, self.width(), 2, color("accent"))
        painter.fillRect(0, 0, 1, self.height(), color("border"))


def place_over(editor: ResultEditor, canvas: QWidget, parent: QWidget, *, whole: bool) -> None:
    """Stand over the right half of the diff, or over all of it where it has one column."""
    corner = canvas.mapTo(parent, QPoint(0, 0))
    left = 0 if whole else canvas.width() // 2
    editor.setGeometry(corner.x() + left, corner.y(), canvas.width() - left, canvas.height())
