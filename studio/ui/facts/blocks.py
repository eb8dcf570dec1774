"""The parts of the facts pane, one widget for each kind of value in a sheet."""

from __future__ import annotations

from collections.abc import Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QPlainTextEdit, QVBoxLayout, QWidget

from studio.ui.facts.sheet import LookOut, Passage, Row, Rule
from studio.ui.icons import paint_icon
from studio.ui.theme import color, px, ui_font
from studio.ui.widgets import HairLine, KeyHint, Label

VALUE_COLUMN = 100
"""Where values begin, from the pane's left edge."""

_TONES = {
    "danger": ("danger", "bad"),
    "warning": ("look-out", "warn"),
    "info": ("info", "accent"),
}


class Section(QWidget):
    """A part of the pane with a hairline below."""

    def __init__(self, name: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.column = QVBoxLayout(self)
        self.column.setContentsMargins(0, 0, 0, 0)
        self.column.setSpacing(0)
        self.line = HairLine(self)

    def close_with_line(self) -> None:
        """Put the hairline at the end, after everything else was added."""
        self.column.addWidget(self.line)


class LookOutBlock(Section):
    """Something to look out for: bar and sign in its colour, what it is, and where."""

    def __init__(self, look_out: LookOut, parent: QWidget | None = None) -> None:
        super().__init__("look-out", parent)
        self._icon, self._token = _TONES[look_out.tone]
        self.title = Label(look_out.title, self, weight=600, wrap=True)
        self.column.setContentsMargins(px(36), px(9), px(12), 0)
        self.column.addWidget(self.title)
        for line in look_out.words.splitlines():
            self.column.addWidget(Label(line, self, size=12, wrap=True))
        self.column.addSpacing(px(9))
        self.setAccessibleName(look_out.title)
        self.setAccessibleDescription(look_out.words)
        self.line.hide()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, 0, px(3), self.height(), color(self._token))
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        paint_icon(painter, self._icon, self._token, px(12), px(9))


class QuietBlock(QWidget):
    """Said when there is nothing to look out for."""

    def __init__(self, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nothing-unusual")
        self.setAccessibleName(words)
        self.setFixedHeight(px(37))
        row = QHBoxLayout(self)
        row.setContentsMargins(px(36), 0, px(12), 0)
        row.addWidget(Label(words, self, weight=500))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        paint_icon(painter, "check", "ok", px(12), (self.height() - px(16)) / 2)


class SignedLabel(Label):
    """A value with a sign before it when it is one that changes."""

    def __init__(self, row: Row, parent: QWidget | None = None) -> None:
        super().__init__(row.value, parent, size=12, weight=500 if row.icon else 400, wrap=True)
        self._sign, self._sign_token = row.icon, row.token
        self.setContentsMargins(px(20) if row.icon else 0, 0, 0, px(4))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._sign:
            paint_icon(QPainter(self), self._sign, self._sign_token, 0, px(1), size=14)


class FactRows(Section):
    """Label and value, one fact a line."""

    def __init__(self, rows: Sequence[Row], parent: QWidget | None = None) -> None:
        super().__init__("fact-rows", parent)
        grid = _value_grid()
        grid.setContentsMargins(px(12), px(8), px(12), px(8))
        for number, row in enumerate(rows):
            label, value = Label(row.label, self, size=12, token="muted"), SignedLabel(row, self)
            value.setAccessibleName(f"{row.label}: {row.value}")
            for part in (label, value):
                part.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
            grid.addWidget(label, number, 0)
            grid.addWidget(value, number, 1)
            grid.setRowMinimumHeight(number, px(21))
        self.column.addLayout(grid)
        self.close_with_line()


class RuleBlock(Section):
    """What the rules say about the path, and which rule."""

    def __init__(self, rule: Rule, parent: QWidget | None = None) -> None:
        super().__init__("rule", parent)
        grid = _value_grid()
        grid.setContentsMargins(px(12), px(8), px(12), px(10))
        verdict = Label(rule.verdict, self, size=12, weight=500)
        verdict.setObjectName("rule-verdict")
        grid.addWidget(Label(self.tr("Rule"), self, size=12, token="muted"), 0, 0)
        grid.addWidget(verdict, 0, 1)
        words = Label(rule.words, self, size=12, token="muted", wrap=True)
        words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        grid.addWidget(words, 1, 1)
        grid.setRowStretch(1, 1)
        self.column.addLayout(grid)
        self.close_with_line()


class PassageBlock(Section):
    """What somebody said, under a heading."""

    def __init__(self, passage: Passage, parent: QWidget | None = None) -> None:
        super().__init__("passage", parent)
        self.column.setContentsMargins(0, px(8), 0, 0)
        inner = QVBoxLayout()
        inner.setContentsMargins(px(12), 0, px(12), px(10))
        inner.setSpacing(px(3))
        inner.addWidget(Label(passage.heading, self, size=12, token="muted"))
        for line in passage.text.splitlines():
            inner.addWidget(Label(line, self, size=12, wrap=True))
        self.column.addLayout(inner)
        self.close_with_line()


class NoteEdit(QPlainTextEdit):
    """The note's field: Esc and Ctrl+Enter leave it, the text stays."""

    left = Signal()
    """The person is done here; the keyboard wants to go on."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        done = event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter)
        control = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        if event.key() == Qt.Key.Key_Escape or (done and control):
            self.left.emit()
            return
        super().keyPressEvent(event)

    focus_lost = Signal()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.focus_lost.emit()

    def sizeHint(self) -> QSize:
        return QSize(px(200), px(48))


class NoteBlock(QWidget):
    """What the person wants to tell the agent with an approval."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("note")
        heading = QHBoxLayout()
        heading.addWidget(Label(self.tr("Your note"), self, size=12, token="muted"), 1)
        heading.addWidget(KeyHint("N", self))
        self.edit = NoteEdit(self)
        self.edit.setObjectName("note-text")
        self.edit.setAccessibleName(self.tr("Your note for the agent"))
        self.edit.setPlaceholderText(self.tr("Add a note for the agent…"))
        self.edit.setFont(ui_font(12))
        self.edit.setFixedHeight(px(48))
        self.edit.setTabChangesFocus(True)
        column = QVBoxLayout(self)
        column.setContentsMargins(px(12), px(8), px(12), px(8))
        column.setSpacing(px(4))
        column.addLayout(heading)
        column.addWidget(self.edit)


def _value_grid() -> QGridLayout:
    grid = QGridLayout()
    grid.setHorizontalSpacing(px(8))
    grid.setVerticalSpacing(0)
    grid.setColumnMinimumWidth(0, px(VALUE_COLUMN - 12 - 8))
    grid.setColumnStretch(1, 1)
    return grid
