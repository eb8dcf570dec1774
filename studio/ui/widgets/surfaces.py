"""Coloured areas, separator lines, pane headers, banners, progress bar, layout helpers."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Any, Final, TypeVar

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QBoxLayout,
    QHBoxLayout,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px
from studio.ui.look.words import say
from studio.ui.widgets.buttons import RING, Button, ButtonKind, Slot
from studio.ui.widgets.labels import ElidedLabel, Explanation, Label
from studio.ui.widgets.painting import paint_count_bar


class Surface(QWidget):
    """Widget filled with a token's colour."""

    def __init__(self, token: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._token = token
        self.setObjectName(f"surface-{token}")

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(event.rect(), color(self._token))


class HairLine(QWidget):
    """Line of 1 px between two areas."""

    def __init__(
        self, parent: QWidget | None = None, orientation: Qt.Orientation = Qt.Orientation.Horizontal
    ) -> None:
        super().__init__(parent)
        self.setObjectName("hair-line")
        if orientation is Qt.Orientation.Horizontal:
            self.setFixedHeight(1)
        else:
            self.setFixedWidth(1)

    def paintEvent(self, event: QPaintEvent) -> None:
        QPainter(self).fillRect(self.rect(), color("border"))


class PaneHeader(Surface):
    """Header of a pane: title, detail, buttons, and focus line."""

    def __init__(self, title: str, parent: QWidget | None = None, *, height: int = 36) -> None:
        super().__init__("window", parent)
        self.setObjectName("pane-header")
        self.setFixedHeight(px(height))
        self.title = Label(title, size=13, weight=600)
        self.detail = ElidedLabel(size=12, token="muted", mode=Qt.TextElideMode.ElideRight)
        self._has_focus = False
        self._pane: QWidget | None = None
        self._row = row_of(
            self.title, (self.detail, 1), parent=self, margins=(px(12), 0, px(8), 0), spacing=px(8)
        )

    def set_detail(self, detail: str) -> None:
        self.detail.setText(detail)

    def add_widget(self, widget: QWidget) -> None:
        """Add a widget at the right end."""
        self._row.addWidget(widget)

    def follow_focus_of(self, pane: QWidget) -> None:
        """Show the focus line while the focus is in `pane`."""
        self._pane = pane
        application = QApplication.instance()
        if isinstance(application, QApplication):
            application.focusChanged.connect(self._focus_moved)

    def _focus_moved(self, _old: QWidget | None, new: QWidget | None) -> None:
        pane = self._pane
        focused = pane is not None and new is not None and (pane is new or pane.isAncestorOf(new))
        if focused != self._has_focus:
            self._has_focus = focused
            self.update()

    def has_focus_line(self) -> bool:
        return self._has_focus

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        if self._has_focus:
            painter.fillRect(0, 0, self.width(), 2, color("accent"))


class BannerKind(Enum):
    """Kind of a banner: token of bar and icon, and its surface."""

    INFO = "accent"
    DONE = "ok"
    WARNING = "warn"
    DANGER = "bad"

    @property
    def surface(self) -> str:
        return {"accent": "infoBg", "ok": "okBg", "warn": "warnBg", "bad": "badBg"}[self.value]

    @property
    def icon(self) -> str:
        return {"accent": "info", "ok": "applied", "warn": "look-out", "bad": "danger"}[self.value]


class Banner(QWidget):
    """Message across a pane: icon, title, text, and buttons.

    It is not modal: it opens below a header, pushes the content down, and closes when settled. Further
    widgets, such as an editor, go into `body`. With `below` it opens at the bottom, with its line at the top.
    """

    dismissed = Signal()
    """Emitted when answered, to return the focus to the content."""

    def __init__(self, parent: QWidget | None = None, *, name: str = "strip", below: bool = False) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self._line_below = below
        self._kind = BannerKind.INFO
        self._icon = ""
        self._surface = ""
        self.title = Label(weight=600, wrap=True)
        self.words = Label(size=12, wrap=True)
        # Text and button faces are aligned; a button's focus ring extends beyond that.
        for label in (self.title, self.words):
            label.setContentsMargins(RING, 0, RING, 0)
        self.body = column_of(spacing=px(6))
        self._shown: list[QWidget] = []
        self._guarded_buttons: list[tuple[Button, Callable[[], str]]] = []
        self._choices = row_of(margins=(0, px(2), 0, 0), spacing=px(16))
        column_of(
            self.title,
            self.words,
            self.body,
            self._choices,
            parent=self,
            margins=(px(40) - RING, px(8), px(12) - RING, px(8)),
            spacing=px(3),
        )
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)
        self.hide()

    def sizeHint(self) -> QSize:
        """Return the height at the least width, the most it may take."""
        return QSize(super().sizeHint().width(), self.heightForWidth(self.minimumSizeHint().width()))

    def show_message(self, kind: BannerKind, title: str, words: str = "", *, icon: str = "") -> None:
        """Show a message, removing the buttons of the previous one."""
        self._kind = kind
        self._icon = icon or kind.icon
        self.title.setText(title)
        self.title.setVisible(bool(title))
        self.words.setText(words)
        self.words.setVisible(bool(words))
        self.setAccessibleName(title)
        self.setAccessibleDescription(words)
        self.clear_choices()
        self.show()
        self.update()

    def add_field(self, widget: QWidget) -> None:
        """Add a widget that has no focus outline, aligned with the text."""
        row = row_of(widget, margins=(RING, 0, RING, 0), spacing=STYLE_GAP)
        self.body.addLayout(row)

    def set_surface(self, token: str) -> None:
        """Override the surface of the banner's kind."""
        self._surface = token
        self.update()

    def add_choice(
        self,
        text: str,
        *,
        icon: str = "",
        icon_token: str = "text",
        key: str = "",
        explanation: str = "",
        kind: ButtonKind = ButtonKind.NORMAL,
        name: str = "",
        tip: str = "",
        pressed: Slot = None,
        reason: Callable[[], str] | None = None,
        leaves: bool = False,
        decides: bool = False,
    ) -> Button:
        """Add a button, with an explanation below it.

        `reason` returns why it is disabled, "" if it is enabled; `refresh` calls it again. With `leaves`, the
        focus returns to the content before `pressed` is called.
        """
        self._drop_stretch()
        choice = QWidget(self)
        choice.setObjectName("strip-choice")
        column = column_of(parent=choice)
        self._shown.append(choice)
        button = Button(
            text, self, icon=icon, icon_token=icon_token, key=key, kind=kind,
            name=name, tip=explanation or tip, pressed=self.dismissed if leaves else None, decides=decides,
        )  # fmt: skip
        button.call_when_pressed(pressed)
        column.addWidget(button, 0, Qt.AlignmentFlag.AlignLeft)
        if explanation:
            line = Explanation(explanation, self)
            line.setContentsMargins(RING, 0, 0, 0)
            column.addWidget(line)
        self._choices.addWidget(choice)
        self._choices.addStretch(1)
        if reason is not None:
            self._guarded_buttons.append((button, reason))
            button.set_reason(reason())
        return button

    def add_close(self, text: str, name: str, pressed: Slot) -> Button:
        """Add the button for Esc."""
        return self.add_choice(text, key="Esc", kind=ButtonKind.TOOL, name=name, pressed=pressed)

    def refresh(self) -> bool:
        """Update each button's reason; return whether one lost the focus."""
        has_lost_focus = False
        for button, reason_of in self._guarded_buttons:
            reason = reason_of()
            has_lost_focus = has_lost_focus or (bool(reason) and button.hasFocus())
            button.set_reason(reason)
        return has_lost_focus

    def show_guard_share(self, share: float) -> None:
        """Draw the input guard on each button with a reason callback."""
        for button, _ in self._guarded_buttons:
            button.set_guard_share(share)

    def close_banner(self) -> bool:
        """Close the banner; return whether it was open."""
        was_open = not self.isHidden()
        self.hide()
        return was_open

    def leave(self) -> None:
        """Close the banner, returning the focus if it was inside."""
        inside = QApplication.focusWidget()
        had_keyboard = inside is not None and self.isAncestorOf(inside)
        self.hide()
        if had_keyboard:
            self.dismissed.emit()

    @staticmethod
    def set_explanation(button: Button, explanation: str) -> None:
        """Change the explanation below a button of `add_choice`."""
        choice = button.parentWidget()
        line = choice.findChild(Label) if choice is not None else None
        if line is not None:
            line.setText(explanation)
        button.set_tip(explanation)

    def _drop_stretch(self) -> None:
        last = self._choices.itemAt(self._choices.count() - 1)
        if last is not None and last.spacerItem() is not None:
            self._choices.removeItem(last)

    def clear_choices(self) -> None:
        """Remove all buttons."""
        for choice in self._shown:
            choice.hide()
            choice.deleteLater()
        self._shown.clear()
        self._guarded_buttons.clear()
        while (item := self._choices.takeAt(0)) is not None:
            del item

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), color(self._surface or self._kind.surface))
        painter.fillRect(0, 0, 3, self.height(), color(self._kind.value))
        painter.fillRect(0, 0 if self._line_below else self.height() - 1, self.width(), 1, color("border"))
        if self._icon:
            paint_icon(painter, self._icon, self._kind.value, px(14), px(9))


class CountBar(QWidget):
    """Small outlined progress bar."""

    def __init__(self, parent: QWidget | None = None, *, width: int = 38) -> None:
        super().__init__(parent)
        self._done = self._total = 0
        self._width = width
        self.setObjectName("count-bar")
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def set_counts(self, done: int, total: int) -> None:
        self._done, self._total = done, total
        self.setAccessibleName(say(self.tr("{done} of {total}"), done=done, total=total))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(px(self._width), px(6))

    def paintEvent(self, event: QPaintEvent) -> None:
        paint_count_bar(QPainter(self), QRectF(self.rect()), self._done, self._total)


STRETCH: Final = None
"""Layout item that takes the remaining space."""
STYLE_GAP: Final = -1
"""The style's default spacing."""

Item = QWidget | QLayout | tuple[Any, ...] | int | None
"""Widget or layout, optionally with stretch and alignment; pixels of space; or STRETCH."""
Margins = tuple[int, int, int, int]
_Box = TypeVar("_Box", bound=QBoxLayout)


def row_of(
    *items: Item, parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0
) -> QHBoxLayout:
    """Create a horizontal layout, set on `parent` if given."""
    return _fill(QHBoxLayout(), items, parent, margins, spacing)


def column_of(
    *items: Item, parent: QWidget | None = None, margins: Margins = (0, 0, 0, 0), spacing: int = 0
) -> QVBoxLayout:
    """Create a vertical layout, set on `parent` if given."""
    return _fill(QVBoxLayout(), items, parent, margins, spacing)


def _fill(box: _Box, items: tuple[Item, ...], parent: QWidget | None, margins: Margins, spacing: int) -> _Box:
    if parent is not None:
        parent.setLayout(box)
    box.setContentsMargins(*margins)
    box.setSpacing(spacing)
    for item in items:
        if item is None:
            box.addStretch(1)
        elif isinstance(item, int):
            box.addSpacing(item)
        else:
            what, *rest = item if isinstance(item, tuple) else (item,)
            if isinstance(what, QLayout):
                box.addLayout(what, *rest)
            else:
                box.addWidget(what, *rest)
    return box
