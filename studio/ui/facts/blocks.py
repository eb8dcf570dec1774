"""Widgets of the facts pane: warnings, label-value rows, rule verdict, approval note."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, QSize, Qt, Signal
from PySide6.QtGui import QFocusEvent, QKeyEvent, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio import extras
from studio.limits import TRIAL_TESTS_UP_TO
from studio.names import show_name
from studio.ui.facts.facts_view import FactRow, Rule, TextBlock, WarningText
from studio.ui.language import translator
from studio.ui.limits import SHOWN_LEFT_OUT_UP_TO, TRIALS_SHOWN_UP_TO
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import ago, plain_tip, say
from studio.ui.widgets import STYLE_GAP, KeyHint, Label, column_of, row_of
from studio.values import Value

if TYPE_CHECKING:
    from datetime import datetime

    from studio.engine import ExcludedPath, Trial

VALUE_COLUMN = 100
"""Left edge of the values, from the pane's left edge."""

TONES = {
    "danger": ("danger", "bad"),
    "warning": ("look-out", "warn"),
    "info": ("info", "accent"),
    "good": ("check", "ok"),
}
"""Icon and colour token of each warning tone."""


class _Line(Value):
    """Label of a section: left edge, least height and the gap below."""

    label: Label
    left: int
    least: int = 0
    gap: int = 0
    caption: Label | None = None


class Section(QWidget):
    """Column of labels with a hairline at the end.

    Labels are positioned without a layout: a layout asks every wrapped label for its height dozens of times,
    and the pane is filled again with each step.
    """

    def __init__(self, name: str, parent: QWidget | None = None, *, top: int, bottom: int) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._top, self._bottom = px(top), px(bottom)
        self._lines: list[_Line] = []

    def set_lines(self, lines: Sequence[_Line]) -> None:
        """Show these labels, top to bottom; they are children of the section."""
        self._lines = list(lines)
        self._place_lines()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        if event.size().width() != event.oldSize().width():
            self._place_lines()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.LayoutRequest:
            # A label's text or font changed.
            self._place_lines()
        return super().event(event)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, color("border"))

    # Without a layout and once per width: Qt's layout asked the labels for their heights hundreds of times,
    # half of the cost of going to the next step.
    def _place_lines(self) -> None:
        captions = [line.caption.sizeHint().width() for line in self._lines if line.caption is not None]
        shift = max(0, max(captions, default=0) - px(VALUE_COLUMN - 12 - 8))
        y = self._top
        for line in self._lines:
            left = line.left if line.caption is None else line.left + shift
            room = max(1, self.width() - left - px(12))
            is_wrapped = line.label.wordWrap()
            needed = line.label.heightForWidth(room) if is_wrapped else line.label.sizeHint().height()
            height = max(line.least, needed)
            line.label.setGeometry(left, y, room, height)
            if line.caption is not None:
                line.caption.setGeometry(px(12), y, left - px(12), height)
            y += height + line.gap
        if self.height() != y + self._bottom or self.minimumHeight() != y + self._bottom:
            self.setFixedHeight(y + self._bottom)


class WarningBlock(Section):
    """Warning: coloured bar and icon, title, and place."""

    def __init__(self, warning: WarningText, parent: QWidget | None = None) -> None:
        super().__init__("look-out", parent, top=9, bottom=7)
        self._icon, self._token = TONES[warning.tone]
        self.title = Label(warning.title, self, weight=600, wrap=True)
        words = [Label(line, self, size=12, wrap=True) for line in warning.words.splitlines()]
        self.set_lines(
            [_Line(self.title, px(36), gap=px(3)), *(_Line(label, px(36), gap=px(2)) for label in words)]
        )
        self.setAccessibleName(warning.title)
        self.setAccessibleDescription(warning.words)

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, 0, px(3), self.height() - 1, color(self._token))
        paint_icon(painter, self._icon, self._token, px(12), px(9))


class QuietBlock(QWidget):
    """Block shown when there are no warnings."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("nothing-unusual")
        self.setFixedHeight(px(37))
        self._label = Label("", self, weight=500)
        row_of(self._label, parent=self, margins=(px(36), 0, px(12), 0), spacing=STYLE_GAP)

    def show_words(self, words: str) -> None:
        """Show this text; "" hides the block."""
        self._label.setText(words)
        self.setAccessibleName(words)
        self.setVisible(bool(words))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        paint_icon(painter, "check", "ok", px(12), (self.height() - px(16)) / 2)


class SignedLabel(Label):
    """Value label, with an icon where the value changes."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("", parent, size=12, wrap=True)
        self._row: FactRow | None = None
        self.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)

    def show_row(self, row: FactRow) -> None:
        """Show the value of a row."""
        if row == self._row:
            return
        if self._row is None or bool(row.icon) != bool(self._row.icon):
            self.setFont(ui_font(12, 500 if row.icon else 400))
            self.setContentsMargins(px(20) if row.icon else 0, 0, 0, px(4))
        self._row = row
        self.setText(row.value)
        self.setToolTip(plain_tip(row.tip))
        self.setAccessibleName(f"{row.label}: {row.value}")
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        if self._row is not None and self._row.icon:
            paint_icon(QPainter(self), self._row.icon, self._row.token, 0, px(1), size=14)


class FactRows(Section):
    """Rows of label and value; the widgets are reused for each step."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("fact-rows", parent, top=8, bottom=9)
        self._labels: list[tuple[Label, SignedLabel]] = []

    def show_rows(self, rows: Sequence[FactRow]) -> None:
        """Show these facts in order; without any the section is hidden."""
        while len(self._labels) < len(rows):
            self._labels.append((_caption("", self), SignedLabel(self)))
        for (caption, value), row in zip(self._labels, rows, strict=False):
            if caption.text() != row.label:
                caption.setText(row.label)
            value.show_row(row)
        for number, (caption, value) in enumerate(self._labels):
            caption.setVisible(number < len(rows))
            value.setVisible(number < len(rows))
        shown = self._labels[: len(rows)]
        self.set_lines([_Line(value, px(VALUE_COLUMN), px(21), caption=caption) for caption, value in shown])
        self.setVisible(bool(rows))


class RuleBlock(Section):
    """Verdict of the rules on the path, and the rule."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("rule", parent, top=8, bottom=11)
        self._verdict = Label("", self, size=12, weight=500, name="rule-verdict")
        self._words = Label("", self, size=12, token="muted", wrap=True)
        self._words.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
        caption = _caption(self.tr("Rule"), self)
        left = px(VALUE_COLUMN)
        self.set_lines([_Line(self._verdict, left, caption=caption), _Line(self._words, left)])

    def show_rule(self, rule: Rule | None) -> None:
        """Show a rule's verdict; None hides the block."""
        if rule is not None:
            self._verdict.setText(rule.verdict)
            self._words.setText(rule.words)
        self.setVisible(rule is not None)


class TextBlockWidget(Section):
    """Text block with a heading, such as an agent's reason."""

    def __init__(self, block: TextBlock, parent: QWidget | None = None) -> None:
        super().__init__("passage", parent, top=8, bottom=8)
        heading = _caption(block.heading, self)
        words = [Label(line, self, size=12, wrap=True) for line in block.text.splitlines()]
        self.set_lines([_Line(label, px(12), gap=px(3)) for label in (heading, *words)])


def _caption(text: str, parent: QWidget) -> Label:
    caption = Label(text, parent, size=12, token="muted")
    caption.setAlignment(Qt.AlignmentFlag.AlignTop | Qt.AlignmentFlag.AlignLeft)
    return caption


class NoteEdit(QPlainTextEdit):
    """Note editor; Esc and Ctrl+Enter leave it, the text stays."""

    left = Signal()
    """The user finished the note; the focus should move on."""

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
    """Note to the agent that goes with an approval."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("note")
        heading = row_of(
            (Label(self.tr("Your note"), self, size=12, token="muted"), 1),
            KeyHint("N", self),
            spacing=STYLE_GAP,
        )
        self.edit = NoteEdit(self)
        self.edit.setObjectName("note-text")
        self.edit.setAccessibleName(self.tr("Your note for the agent"))
        self.edit.setPlaceholderText(self.tr("Add a note for the agent…"))
        self.edit.setFont(ui_font(12))
        self.edit.setFixedHeight(px(48))
        self.edit.setTabChangesFocus(True)
        column_of(heading, self.edit, parent=self, margins=(px(12), px(8), px(12), px(8)), spacing=px(4))


# Trials of a plan, and the paths excluded from it.

_tr = translator("RecordBlocks")


def trial_blocks(
    trials: Sequence[Trial], is_current: Callable[[Trial], bool], now: datetime
) -> tuple[WarningText, ...]:
    """Return a block for each of the newest trials.

    A stale trial is marked as such, and counts neither as good nor as bad.
    """
    if not trials:
        return ()

    return tuple(
        WarningText(
            _tone(trial, is_current=is_current(trial)),
            extras.commands.trial_sentence(trial),
            "\n".join(_lines(trial, now, is_current=is_current(trial))),
        )
        for trial in trials[:TRIALS_SHOWN_UP_TO]
    )


def excluded_text_blocks(excluded: Sequence[ExcludedPath]) -> tuple[TextBlock, ...]:
    """Return the first paths excluded from the plan.

    They are ignored by git or denied by a rule.
    """
    if not excluded:
        return ()
    lines = [f"{show_name(each.path)}: {each.why}" for each in excluded[:SHOWN_LEFT_OUT_UP_TO]]
    if len(excluded) > SHOWN_LEFT_OUT_UP_TO:
        lines.append(_tr("For the full list, run: studio show PLAN --left-out"))
    return (TextBlock(_tr("Excluded from the plan"), "\n".join(lines)),)


def _tone(trial: Trial, *, is_current: bool) -> str:
    if not is_current:
        return "info"
    if not trial.is_good:
        return "warning"
    return "good" if trial.is_remembered else "info"


def _lines(trial: Trial, now: datetime, *, is_current: bool) -> list[str]:
    lines = [] if is_current else [_tr("This run is stale because the result has changed.")]
    took = say(_tr("{seconds} s, {ago}"), seconds=f"{trial.seconds:.1f}", ago=ago(trial.made, now))
    lines.append(took)
    if trial.tests:
        named = ", ".join(map(show_name, trial.tests[:TRIAL_TESTS_UP_TO]))
        others = len(trial.tests) - TRIAL_TESTS_UP_TO
        text = (
            _tr("This plan also changes tests: {files} and {n} more")
            if others > 0
            else _tr("This plan also changes tests: {files}")
        )
        lines.append(say(text, files=named, n=others))
    return lines
