"""Large action button with title and description, for start and empty pages."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QRectF, QSize, Qt
from PySide6.QtGui import QFocusEvent, QFont, QFontMetricsF, QKeyEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import plain_tip
from studio.ui.widgets.buttons import PressedBySpace, Slot
from studio.ui.widgets.painting import key_hint_width, paint_key_hint, paint_outline

SIGN_LEFT = 12
"""Left edge of a row's icon."""
_NOTE_SIGN = 16


class ChoiceRow(PressedBySpace):
    """Button with icon, title, description, and shortcut or note.

    Enter and Space press it.
    """

    def __init__(
        self,
        text: str,
        line: str,
        parent: QWidget | None = None,
        *,
        icon: str,
        token: str = "accent",
        key: str = "",
        pressed: Slot = None,
    ) -> None:
        super().__init__(parent)
        self._line, self._icon, self._token, self._key = line, icon, token, key
        self._note = self._note_icon = ""
        self._note_token = "muted"
        self.setText(text)
        self.setObjectName(f"choice-{icon}")
        self.setAccessibleName(text)
        self.setAccessibleDescription(line)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.call_when_pressed(pressed)

    def set_line(self, line: str) -> None:
        """Change the description."""
        self._line = line
        self.setAccessibleDescription(line)
        self.update()

    def set_reason(self, reason: str) -> None:
        """Disable the row, with the reason as description."""
        self.setEnabled(False)
        self.set_line(reason)
        self.setToolTip(plain_tip(reason))

    def set_note(self, note: str, *, icon: str = "", token: str = "muted", words: str = "") -> None:
        """Show a note at the right, with an icon behind it.

        `words` is the full text for tooltip and screen readers.
        """
        self._note, self._note_icon, self._note_token = note, icon, token
        self.setAccessibleDescription(", ".join(filter(None, (self._line, words or note))))
        self.setToolTip(plain_tip(words if words != note else ""))
        self.update()

    @property
    def note(self) -> str:
        """The note at the right."""
        return self._note

    def sizeHint(self) -> QSize:
        return QSize(px(380), px(44))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and not event.isAutoRepeat():
            self.click()
            return
        if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
            self.focusNextPrevChild(event.key() == Qt.Key.Key_Down)
            return
        super().keyPressEvent(event)

    def focusInEvent(self, event: QFocusEvent) -> None:
        super().focusInEvent(event)
        self.update()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        area = self.rect()
        if self.hasFocus():
            painter.fillRect(area, color("select"))
            paint_outline(painter, area, "accent")
        elif self.underMouse() and self.isEnabled():
            painter.fillRect(area, color("hover"))
        token = self._token if self.isEnabled() else "off"
        paint_icon(painter, self._icon, token, px(SIGN_LEFT), (self.height() - px(20)) / 2, size=20)
        right = self._paint_right(painter, self.width() - px(14))
        left, half = px(46), self.height() / 2
        upper, lower = (px(4), half - px(3)), (half, half - px(4))
        for text, font, token, (top, height) in (
            (self.text(), ui_font(13, 500), "text", upper),
            (self._line, ui_font(12), "muted", lower),
        ):
            self._paint_text(painter, text, font, token, QRectF(left, top, right - left, height))

    def _paint_right(self, painter: QPainter, right: float) -> float:
        if self._key:
            return paint_key_hint(painter, right, self.height() / 2, self._key) - px(8)
        if not self._note:
            return right
        # The icon's column is reserved even without an icon, so that the notes of all rows are aligned.
        right -= px(_NOTE_SIGN)
        if self._note_icon:
            token = self._note_token if self.isEnabled() else "off"
            paint_icon(painter, self._note_icon, token, right, (self.height() - px(_NOTE_SIGN)) / 2)
        right -= px(8)
        width = QFontMetricsF(ui_font(12)).horizontalAdvance(self._note) + px(2)
        area = QRectF(right - width, 0, width, self.height())
        self._paint_text(painter, self._note, ui_font(12), self._note_token, area)
        return right - width - px(8)

    def _paint_text(self, painter: QPainter, text: str, font: QFont, token: str, area: QRectF) -> None:
        painter.setFont(font)
        painter.setPen(color(token if self.isEnabled() else "off"))
        shown = painter.fontMetrics().elidedText(text, Qt.TextElideMode.ElideMiddle, round(area.width()))
        painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, shown)

    def minimumSizeHint(self) -> QSize:
        return QSize(px(160) + (key_hint_width(self._key) if self._key else 0), px(44))
