"""Labels: plain and elided text, key hints, added and removed line counts."""

from __future__ import annotations

from math import ceil

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent, QTextLayout, QTextOption
from PySide6.QtWidgets import QLabel, QSizePolicy, QWidget

from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import change_counts, plain_tip, say
from studio.ui.widgets.eliding import elide_path
from studio.ui.widgets.painting import (
    change_counts_width,
    key_hint_width,
    paint_change_counts,
    paint_key_hint,
)

_LINE_BREAK = "\N{LINE SEPARATOR}"  # text layouts break there, and not at a line feed
_LINE_SPACING = 1.12
_WRAP = QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere


class Label(QLabel):
    """Plain text label with unscaled size, weight and colour token."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        size: float = 13,
        weight: int = 400,
        token: str = "text",
        wrap: bool = False,
        name: str = "label",
    ) -> None:
        super().__init__(parent)
        self._token = token
        self._heights: dict[int, int] = {}
        # A QLabel guesses: it takes "<b>Approved</b>.txt" for rich text, and a name could pass as text of the
        # program.
        self.setTextFormat(Qt.TextFormat.PlainText)
        self.setObjectName(name)
        self.setFont(ui_font(size, weight))
        self.setWordWrap(wrap)
        self.setText(text)

    def setText(self, text: str) -> None:
        self._heights.clear()
        super().setText(text)
        self.setAccessibleName(text)

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.FontChange:
            self._heights.clear()

    def set_token(self, token: str) -> None:
        """Change the colour token."""
        self._token = token
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setFont(self.font())
        painter.setPen(color(self._token if self.isEnabled() else "off"))
        room = QRectF(self.contentsRect())
        if self.wordWrap():
            layout, height = self._wrapped(room.width())
            is_middle = bool(self.alignment() & Qt.AlignmentFlag.AlignVCenter)
            layout.draw(
                painter, room.topLeft() + QPointF(0, max(0.0, (room.height() - height) / 2) * is_middle)
            )
            return
        option = QTextOption(self.alignment())
        option.setWrapMode(QTextOption.WrapMode.NoWrap)
        painter.drawText(room, self.shown_text(), option)

    # hasHeightForWidth is not overridden: Qt knows which labels wrap, and called it in Python thousands of
    # times for each file shown.
    def heightForWidth(self, width: int) -> int:
        # QLabel breaks between words only, and a long path would then exceed its label.
        margins = self.contentsMargins()
        if not self.wordWrap():
            return super().heightForWidth(width)
        room = width - margins.left() - margins.right()
        # Layouts request the same width again and again.
        if room not in self._heights:
            self._heights[room] = ceil(self._wrapped(room)[1])
        return self._heights[room] + margins.top() + margins.bottom()

    def _wrapped(self, width: float) -> tuple[QTextLayout, float]:
        """Return the wrapped lines with line spacing, and their height."""
        layout = QTextLayout(self.text().replace("\n", _LINE_BREAK), self.font())
        option = QTextOption(self.alignment())
        option.setWrapMode(_WRAP)
        layout.setTextOption(option)
        top = bottom = 0.0
        layout.beginLayout()
        while (line := layout.createLine()).isValid():
            line.setLineWidth(max(1.0, width))
            line.setPosition(QPointF(0, top))
            bottom = top + line.height()
            top += ceil(line.height() * _LINE_SPACING)
        layout.endLayout()
        return layout, bottom

    def shown_text(self) -> str:
        """Return the text as it is painted."""
        return self.text()


class Explanation(Label):
    """Small label of one line that wraps where it has less room."""

    def __init__(self, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent, size=12, token="muted", wrap=True)
        self.setAlignment(Qt.AlignmentFlag.AlignTop)

    def sizeHint(self) -> QSize:
        around = self.contentsMargins()
        width = self.fontMetrics().horizontalAdvance(self.text()) + 2 + around.left() + around.right()
        return QSize(width, self.heightForWidth(width))

    def minimumSizeHint(self) -> QSize:
        return QSize(min(px(96), self.sizeHint().width()), self.sizeHint().height())


class ElidedLabel(Label):
    """Label that elides its text and shows all of it as tooltip."""

    def __init__(
        self,
        text: str = "",
        parent: QWidget | None = None,
        *,
        size: float = 13,
        weight: int = 400,
        token: str = "text",
        mode: Qt.TextElideMode = Qt.TextElideMode.ElideMiddle,
        is_path: bool = False,
        name: str = "label",
    ) -> None:
        super().__init__(text, parent, size=size, weight=weight, token=token, name=name)
        self._mode, self._is_path = mode, is_path
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Fixed)

    def shown_text(self) -> str:
        room = self.contentsRect().width()
        if self._is_path:
            return elide_path(self.fontMetrics(), self.text(), room)
        return self.fontMetrics().elidedText(self.text(), self._mode, room)

    def minimumSizeHint(self) -> QSize:
        return QSize(min(px(24), self.sizeHint().width()), self.sizeHint().height())

    def sizeHint(self) -> QSize:
        metrics, around = self.fontMetrics(), self.contentsMargins()
        width = metrics.horizontalAdvance(self.text()) + 2 + around.left() + around.right()
        return QSize(width, metrics.height() + around.top() + around.bottom())

    def setText(self, text: str) -> None:
        super().setText(text)
        self._update_tip()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._update_tip()

    def _update_tip(self) -> None:
        fits = self.sizeHint().width() <= self.width() + 1
        self.setToolTip("" if fits else plain_tip(self.text(), wraps=True))


class KeyHint(QWidget):
    """A key in a small frame."""

    def __init__(self, keys: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._keys = keys
        self.setObjectName("key-hint")
        self.setAccessibleName(keys)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def sizeHint(self) -> QSize:
        return QSize(key_hint_width(self._keys), px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_key_hint(QPainter(self), self.width(), self.height() / 2, self._keys)


class ChangeCounts(QWidget):
    """Counts of added and removed lines: "+18 -8"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._texts: tuple[str, ...] = ()
        self.setObjectName("change-counts")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_counts(self, added: int, removed: int) -> None:
        self._texts = change_counts(added, removed)
        words = say(self.tr("{added} lines added, {removed} removed"), added=added, removed=removed)
        self.setAccessibleName(words)
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(change_counts_width(self._texts) + 2, px(18))

    def paintEvent(self, event: QPaintEvent) -> None:
        box = QRectF(self.rect())
        paint_change_counts(QPainter(self), box.right(), box.center().y(), self._texts)
