"""Buttons and check boxes with icon, label and shortcut hint."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from PySide6.QtCore import QCoreApplication, QEvent, QRectF, QSize, Qt, SignalInstance
from PySide6.QtGui import (
    QAccessible,
    QAccessibleAnnouncementEvent,
    QFontMetricsF,
    QKeyEvent,
    QPainter,
    QPaintEvent,
    QPen,
)
from PySide6.QtWidgets import QAbstractButton, QCheckBox, QSizePolicy, QToolTip, QWidget

from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, is_motion_wanted, px, theme, ui_font
from studio.ui.look.words import plain_tip
from studio.ui.widgets.painting import (
    key_hint,
    key_hint_width,
    paint_check_box,
    paint_focus_ring,
    paint_key_hint,
)

RING = 3
"""Space around a button's face for the focus outline, inside the widget's rectangle."""


Slot = Callable[..., object] | SignalInstance | None
"""Called or emitted when the button is pressed."""


class ButtonKind(Enum):
    NORMAL = "normal"
    PRIMARY = "primary"
    TOOL = "tool"


_ENTER = frozenset({Qt.Key.Key_Return, Qt.Key.Key_Enter})


def _takes_space(event: QEvent) -> bool:
    """Accept Space for the focused button, overriding shortcuts of a pane."""
    wanted = (
        isinstance(event, QKeyEvent)
        and event.key() == Qt.Key.Key_Space
        and event.modifiers() == Qt.KeyboardModifier.NoModifier
    )
    if wanted:
        event.accept()
    return wanted


class PressedBySpace(QAbstractButton):
    """Button that Space presses, and Enter too where nothing is decided."""

    decides = False
    """Whether it approves or writes: then Enter only says how to press it."""

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() not in _ENTER or event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier:
            super().keyPressEvent(event)
        elif self.decides:
            sentence = QCoreApplication.translate("Buttons", "Press Space instead of Enter.")
            QToolTip.showText(self.mapToGlobal(self.rect().bottomLeft()), plain_tip(sentence), self)
            QAccessible.updateAccessibility(QAccessibleAnnouncementEvent(self, sentence))
        elif not event.isAutoRepeat():
            self.click()

    def event(self, event: QEvent) -> bool:
        is_override = event.type() is QEvent.Type.ShortcutOverride
        return (is_override and _takes_space(event)) or super().event(event)

    def call_when_pressed(self, pressed: Slot) -> None:
        """Call a function or emit a signal on click; None adds nothing."""
        if pressed is not None:
            self.clicked.connect(pressed)


class Button(PressedBySpace):
    """Button with icon, label and shortcut hint.

    Only a button that writes files is PRIMARY. Enter never presses one that writes or `decides`, so that no
    stray Enter does. A disabled one has its reason as tooltip, status tip and accessible
    description: use `set_reason`.
    """

    def __init__(
        self,
        text: str,
        parent: QWidget | None = None,
        *,
        icon: str = "",
        icon_token: str = "muted",
        key: str = "",
        kind: ButtonKind = ButtonKind.NORMAL,
        height: int = 28,
        name: str = "",
        tip: str = "",
        pressed: Slot = None,
        decides: bool = False,
    ) -> None:
        super().__init__(parent)
        self.decides = decides or kind is ButtonKind.PRIMARY
        self._icon = icon
        self._icon_token = icon_token
        self._key = key
        self._kind = kind
        self._height = height
        self._tip = self._reason = ""
        self._guard_share = 0.0
        self.setText(text)
        self.setAccessibleName(text)
        self.setObjectName(name or f"button-{icon or 'plain'}")
        self.setFont(ui_font(13, 500))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        self.set_tip(tip)
        self.call_when_pressed(pressed)

    def set_label(self, text: str) -> None:
        if text == self.text():
            return
        self.setText(text)
        self.setAccessibleName(text)
        self.updateGeometry()
        self.update()

    def set_key(self, key: str) -> None:
        """Show a shortcut beside the label; "" shows none."""
        self._key = key
        self.updateGeometry()
        self.update()

    def set_kind(self, kind: ButtonKind) -> None:
        self._kind = kind
        self.update()

    def kind(self) -> ButtonKind:
        return self._kind

    def set_tip(self, tip: str) -> None:
        """Set the tooltip of the enabled button."""
        self._tip = tip
        if self.isEnabled():
            self._set_description(tip)

    def set_reason(self, reason: str) -> None:
        """Disable the button and give the reason; "" enables it."""
        if reason == self._reason and self.isEnabled() != bool(reason):
            return
        self._reason = reason
        self.setEnabled(not reason)
        self._set_description(reason or self._tip)

    def _set_description(self, sentence: str) -> None:
        if sentence == self.accessibleDescription() and plain_tip(sentence) == self.toolTip():
            return
        self.setToolTip(plain_tip(sentence))
        self.setStatusTip(sentence)
        self.setAccessibleDescription(sentence)

    def set_guard_share(self, left: float) -> None:
        """Draw the input guard's remaining share: `left` is 1.0 to 0.0.

        Not drawn where the desktop disables animations.
        """
        self._guard_share = left if is_motion_wanted() else 0.0
        self.update()

    def sizeHint(self) -> QSize:
        metrics = QFontMetricsF(self.font())
        width = metrics.horizontalAdvance(self.text()) + 2 * px(11)
        if self._icon:
            width += px(16) + (px(6) if self.text() else 0)
        if self._key:
            width += px(10) + key_hint_width(self._key) - px(2)
        return QSize(round(width) + 2 * RING, px(self._height) + 2 * RING)

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def changeEvent(self, event: QEvent) -> None:
        super().changeEvent(event)
        if event.type() is QEvent.Type.PaletteChange:
            self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        face = QRectF(self.rect()).adjusted(RING, RING, -RING, -RING)
        self._paint_face(painter, face)
        self._paint_label(painter, face)
        if self._guard_share > 0:
            line = QRectF(face.left(), face.bottom() - 2, face.width() * self._guard_share, 2)
            painter.fillRect(line, color("accent"))
        if self.hasFocus():
            paint_focus_ring(painter, face)

    def _paint_face(self, painter: QPainter, face: QRectF) -> None:
        fill, outline = self._face_tokens()
        if fill is None:
            return
        inside = face
        painter.setPen(Qt.PenStyle.NoPen)
        if outline is not None:
            painter.setPen(QPen(color(outline), 1))
            inside = face.adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setBrush(color(fill))
        painter.drawRoundedRect(inside, 3, 3)

    def _face_tokens(self) -> tuple[str | None, str | None]:
        """Return fill and outline tokens, None for neither."""
        if not self.isEnabled():
            return (None, None) if self._kind is ButtonKind.TOOL else ("hover", "border")
        if self._kind is ButtonKind.PRIMARY:
            fill = "accentPress" if self.isDown() else "accentHover" if self.underMouse() else "accentFill"
            return fill, None
        if self.isChecked():
            return "select", "accent"
        pressed = "selectOff" if self.isDown() else "hover" if self.underMouse() else None
        if self._kind is ButtonKind.TOOL:
            return pressed, None
        return pressed or ("field" if theme().name == "light" else "band"), "edge"

    def _paint_label(self, painter: QPainter, face: QRectF) -> None:
        primary = self._kind is ButtonKind.PRIMARY and self.isEnabled()
        ink = "onAccent" if primary else "text" if self.isEnabled() else "off"
        x, right = face.left() + px(11), face.right() - px(11)
        if self._icon:
            token = ink if primary or not self.isEnabled() else self._icon_token
            paint_icon(painter, self._icon, token, x - px(1), face.center().y() - px(16) / 2)
            x += px(16) + px(5)
        if self._key:
            right = paint_key_hint(
                painter,
                face.right() - px(9),
                face.center().y(),
                self._key,
                text=ink if primary else "muted" if self.isEnabled() else "off",
                outline=ink if primary else "border",
            )
        painter.setFont(self.font())
        painter.setPen(color(ink))
        words = QRectF(x, face.top(), max(0.0, right - x + 1), face.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())


class ToolIcon(PressedBySpace):
    """Button with only an icon; its label is tooltip and accessible name.

    `toggle=True` makes it checkable.
    """

    def __init__(
        self,
        icon: str,
        words: str,
        parent: QWidget | None = None,
        *,
        toggle: bool = False,
        key: str = "",
        name: str = "",
        pressed: Slot = None,
    ) -> None:
        super().__init__(parent)
        self._icon = icon
        self._words, self._key = words, key
        self.setCheckable(toggle)
        self.setObjectName(name or f"tool-{icon}")
        self.call_when_pressed(pressed)
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(self._tip()))
        self.setStatusTip(words)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_reason(self, reason: str) -> None:
        """Disable the button and give the reason; "" enables it."""
        if reason == self.accessibleDescription() and self.isEnabled() != bool(reason):
            return
        self.setEnabled(not reason)
        self.setToolTip(plain_tip(reason or self._tip()))
        self.setAccessibleDescription(reason)

    def update_key(self) -> None:
        """Show the current shortcut in the tooltip."""
        self.updateGeometry()
        if self.isEnabled():
            self.setToolTip(plain_tip(self._tip()))

    def _tip(self) -> str:
        key = key_hint(self._key) if self._key else ""
        return f"{self._words} ({key})" if key else self._words

    def sizeHint(self) -> QSize:
        return QSize(px(26), px(24))

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        face = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        checked = self.isChecked()
        if checked:
            painter.setPen(QPen(color("accent" if self.isEnabled() else "border"), 1))
            painter.setBrush(color("select" if self.isEnabled() else "hover"))
            painter.drawRoundedRect(face, 3, 3)
        elif self.isEnabled() and (self.isDown() or self.underMouse()):
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(color("selectOff" if self.isDown() else "hover"))
            painter.drawRoundedRect(face, 3, 3)
        token = "off" if not self.isEnabled() else "accent" if checked else "muted"
        side = px(16)
        paint_icon(painter, self._icon, token, (self.width() - side) / 2, (self.height() - side) / 2)
        if self.hasFocus():
            painter.setPen(QPen(color("accent"), 2))
            painter.setBrush(Qt.BrushStyle.NoBrush)
            painter.drawRoundedRect(face.adjusted(0.5, 0.5, -0.5, -0.5), 3, 3)


class CheckBox(QCheckBox):
    """Check box painted from tokens, with a shortcut hint."""

    def __init__(
        self,
        text: str,
        parent: QWidget | None = None,
        *,
        key: str = "",
        name: str = "check-box",
        pressed: Slot = None,
    ) -> None:
        super().__init__(text, parent)
        self._key = key
        self.setAccessibleName(text)
        self.setObjectName(name)
        if pressed is not None:
            self.clicked.connect(pressed)
        self.setAttribute(Qt.WidgetAttribute.WA_Hover)
        self.setFont(ui_font(13))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_reason(self, reason: str) -> None:
        """Disable the box and give the reason; "" enables it."""
        self.setEnabled(not reason)
        self.setToolTip(plain_tip(reason))
        self.setStatusTip(reason)
        self.setAccessibleDescription(reason)

    def sizeHint(self) -> QSize:
        width = px(14) + 2 * RING
        if self.text():
            width += px(7) + round(QFontMetricsF(self.font()).horizontalAdvance(self.text())) + px(2)
        if self._key:
            width += px(8) + key_hint_width(self._key)
        return QSize(width, px(24))

    def minimumSizeHint(self) -> QSize:
        return self.sizeHint()

    def event(self, event: QEvent) -> bool:
        is_override = event.type() is QEvent.Type.ShortcutOverride
        return (is_override and _takes_space(event)) or super().event(event)

    def hitButton(self, pos: object) -> bool:
        return True

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        side, middle = px(14), self.height() / 2
        box = QRectF(RING, round(middle - side / 2), side, side)
        paint_check_box(painter, box, self.checkState(), enabled=self.isEnabled(), hovered=self.underMouse())
        painter.setFont(self.font())
        painter.setPen(color("text" if self.isEnabled() else "off"))
        words = QRectF(box.right() + px(7), 0, self.width(), self.height())
        painter.drawText(words, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, self.text())
        if self._key:
            paint_key_hint(painter, self.width() - RING, middle, self._key)
        if self.hasFocus():
            paint_focus_ring(painter, box, 2)
