"""Toolbar: Open menu, undo, apply, search box, and gate indicator."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QMenu, QWidget

from studio.ui.actions.action import Action
from studio.ui.look.theme import color, px
from studio.ui.look.words import plain_tip
from studio.ui.widgets import Button, ButtonKind, ElidedLabel, HairLine, Surface, row_of
from studio.ui.widgets.eliding import elide_object
from studio.ui.window.gate_indicator import GateIndicator

if TYPE_CHECKING:
    from studio.ui.review.undo_last import UndoWords

HEIGHT = 36
_NARROWEST, _LAMP_FROM, _WORDS_FROM, _DETAIL_FROM = 720, 860, 1180, 1500
_DETAIL_WIDTH, _FILE_WIDTH = 260, 140
"""Pixels of the indicator's detail, and of a file that disables a gate, which has priority."""
_UNDO_WIDE, _UNDO_NARROW = 220, 150
"""Widths of Undo last in wide and narrow windows, fixed so that Apply does not move."""


class _Sentence(ElidedLabel):
    """What Apply writes, in parts that a narrow window drops whole."""

    def shown_text(self) -> str:
        """Return all parts, else first and last, else the first, as fits."""
        first, *others = self.text().split(" · ")
        metrics, room = self.fontMetrics(), self.contentsRect().width()
        for shown in (self.text(), " · ".join((first, *others[-1:])), first):
            if metrics.horizontalAdvance(shown) <= room:
                return shown
        return metrics.elidedText(first, Qt.TextElideMode.ElideMiddle, room)


class Toolbar(Surface):
    """Buttons of actions; Apply is aligned with the diff's left edge."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("window", parent)
        self.setObjectName("toolbar")
        self.setAccessibleName(self.tr("Toolbar"))
        self.setFixedHeight(px(HEIGHT))
        self.open = Button(
            self.tr("Open"),
            self,
            icon="open",
            icon_token="text",
            kind=ButtonKind.TOOL,
            name="toolbar-open",
            pressed=self._open_menu,
        )
        self.open.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.menu = QMenu(self)
        """What the Open button offers; filled with the menus of the window."""
        self.menu.setObjectName("menu-open")
        self.menu.setToolTipsVisible(True)
        label = self.tr("Undo last")
        self._undo_words = (label, "", label)
        self.undo = self._tool(Action.UNDO_LAST, label, "undo")
        self.apply = self._button(Action.APPLY, self.tr("Apply plan"), "apply", key="Ctrl+Shift+↵")
        self.sentence = _Sentence(size=12, token="muted", name="apply-sentence")
        self.undo.decides = self.apply.decides = True
        self.find_command = self._button(Action.PALETTE, self.tr("Search"), "find", key="Ctrl+Shift+P")
        self.gate_indicator = GateIndicator(self)
        self.gate_indicator.clicked.connect(lambda: self.pressed.emit(Action.GATES))
        self.gate_indicator.changed.connect(self._fit)
        self._apply_from = 0
        self._line = HairLine(self, Qt.Orientation.Vertical)
        self._line.setFixedHeight(px(22))
        self._left_part = QWidget(self)
        self._left_part.setObjectName("toolbar-left")
        left = row_of(parent=self._left_part, margins=(px(5), 0, 0, 0), spacing=px(2))
        for widget in (self.open, self._line, self.undo):
            left.addWidget(widget)
        left.addStretch(1)
        row_of(
            self._left_part,
            self.apply,
            (self.sentence, 1),
            self.find_command,
            self.gate_indicator,
            parent=self,
            margins=(0, 0, px(12), 1),
            spacing=px(10),
        )
        self.set_project_open(False)

    def set_project_open(self, is_open: bool) -> None:
        """Show all buttons, or without a project Open and the gate indicator."""
        for widget in (self.undo, self.apply, self.find_command, self._line):
            widget.setVisible(is_open)
        self._show_detail()
        if not is_open:
            self.sentence.setText("")
            self._left_part.setMinimumWidth(0)
            self._left_part.setMaximumWidth(16_777_215)

    def align_apply(self, left: int) -> None:
        """Move Apply to `left` pixels from the window's edge, if possible."""
        self._apply_from = left
        self._left_part.setFixedWidth(max(left - px(10), self._left_part.sizeHint().width()))

    def show_apply(self, label: str, sentence: str, reason: str) -> None:
        """Show what Apply would do, filled only if it is enabled."""
        self.apply.set_kind(ButtonKind.NORMAL if reason else ButtonKind.PRIMARY)
        self.apply.set_label(label)
        self.apply.set_reason(reason)
        self.sentence.setText(sentence)

    def show_undo(self, words: UndoWords, reason: str) -> None:
        """Show what Undo last would revert, with the full text as tooltip."""
        self._undo_words = (words.label, words.name, words.verb)
        self.undo.set_tip(words.tip)
        self.undo.set_reason(reason)
        self._fit_undo()

    def _fit_undo(self) -> None:
        """Elide what Undo last names, never its verb."""
        label, name, verb = self._undo_words
        width = px(_UNDO_WIDE if self.width() >= px(_WORDS_FROM) else _UNDO_NARROW)
        if self.width() < px(_LAMP_FROM):
            self.undo.set_label("")
            width = self.undo.sizeHint().width()
        else:
            metrics = self.undo.fontMetrics()
            self.undo.set_label(label)
            room = width - (self.undo.sizeHint().width() - metrics.horizontalAdvance(label))
            self.undo.set_label(elide_object(metrics, label, name, verb, room))
        self.undo.setFixedWidth(width)
        self.undo.setAccessibleName(label)

    def _open_menu(self) -> None:
        self.menu.popup(self.open.mapToGlobal(self.open.rect().bottomLeft()))

    def _tool(self, action_id: Action, text: str, icon: str) -> Button:
        button = Button(text, self, icon=icon, icon_token="text", kind=ButtonKind.TOOL)
        return self._connect_button(button, action_id)

    def _button(self, action_id: Action, text: str, icon: str, *, key: str) -> Button:
        return self._connect_button(Button(text, self, icon=icon, key=key), action_id)

    def _connect_button(self, button: Button, action_id: Action) -> Button:
        button.setObjectName(f"toolbar-{action_id}")
        # A click leaves the focus where it is: a disabled button would pass it to its neighbour.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self.pressed.emit(action_id))
        return button

    def _show_detail(self) -> None:
        """Show the indicator's detail only where Apply's sentence needs no space.

        A file name is always shown.
        """
        if self.width() >= px(_DETAIL_FROM) or self.apply.isHidden():
            self.gate_indicator.show_detail(_DETAIL_WIDTH)
        else:
            self.gate_indicator.show_detail(_FILE_WIDTH if self._shows_file() else 0)

    def _shows_file(self) -> bool:
        return self.gate_indicator.names_file() and px(_LAMP_FROM) <= self.width() < px(_DETAIL_FROM)

    def minimumSizeHint(self) -> QSize:
        return QSize(px(_NARROWEST), px(HEIGHT))

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Fit the buttons; Apply and its sentence have priority in narrow windows."""
        super().resizeEvent(event)
        self._fit()

    def _fit(self) -> None:
        self._show_detail()
        width = self.width() - (px(_FILE_WIDTH) if self._shows_file() else 0)
        self.find_command.set_key("Ctrl+Shift+P" if width >= px(_WORDS_FROM) else "")
        for button, words, sign, least in (
            (self.open, self.tr("Open"), " ▾", _LAMP_FROM),
            (self.find_command, self.tr("Search"), "", _WORDS_FROM),
        ):
            button.set_label(words + sign if width >= px(least) else "")
            button.setAccessibleName(words)
            if not button.text() and not button.toolTip():
                button.setToolTip(plain_tip(words))
        self._fit_undo()
        if not self.apply.isHidden():
            self.align_apply(self._apply_from)
        self.gate_indicator.show_words(self.width() >= px(_LAMP_FROM))

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        QPainter(self).fillRect(0, self.height() - 1, self.width(), 1, color("border"))
