"""Info card widget: icon, title, sentence, facts, and an action button."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import (
    QApplication,
    QGridLayout,
    QLayout,
    QSizePolicy,
    QVBoxLayout,
    QWidget,
)

from studio.ui.diff.special.card_contents import SpecialPanel
from studio.ui.look.icons import paint_icon
from studio.ui.look.theme import color, px
from studio.ui.widgets import RING, STYLE_GAP, Button, Label, Surface, row_of


class SpecialCard(Surface):
    """Card with icon, title, sentence and facts, instead of or above lines."""

    was_painted = Signal(str)
    """Emitted with the card's revision once it has been painted."""
    offered = Signal(str)
    """Emitted with the id of the offer whose button was pressed."""
    offer_gone = Signal()
    """Emitted before the focused button is removed."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("special-card")
        self._panel: SpecialPanel | None = None
        self._unpainted = ""
        self._title = Label(size=15, weight=600)
        self._sentence = Label(token="muted", wrap=True)
        self._facts = QGridLayout()
        self._facts.setContentsMargins(RING, px(6), RING, 0)
        self._facts.setHorizontalSpacing(px(16))
        self._facts.setVerticalSpacing(px(6))
        self._facts.setColumnMinimumWidth(0, px(94))
        self._facts.setColumnStretch(1, 1)
        # Text and button start at the same x; the button's focus ring extends beyond it.
        for label in (self._title, self._sentence):
            label.setContentsMargins(RING, 0, RING, 0)
        self._column = QVBoxLayout(self)
        self._column.setSpacing(px(4))
        self._column.addWidget(self._title)
        self._column.addWidget(self._sentence)
        self._column.addLayout(self._facts)
        self._offers = row_of(margins=(0, px(6), 0, 0), spacing=STYLE_GAP)
        self._column.addLayout(self._offers)
        self._column.addStretch(1)

    def show_panel(self, panel: SpecialPanel, revision: str = "") -> None:
        """Show a panel, with the revision that `was_painted` will emit.

        Above lines the card is only as high as it must be.
        """
        self._panel = panel
        self._unpainted = revision
        self._title.setText(panel.title)
        self._sentence.setText(panel.sentence)
        self._sentence.setVisible(bool(panel.sentence))
        self.setAccessibleName(panel.title)
        self.setAccessibleDescription(panel.sentence)
        _clear(self._facts)
        for row, (name, value) in enumerate(panel.facts):
            self._facts.addWidget(
                Label(name, self, size=12, token="muted"), row, 0, Qt.AlignmentFlag.AlignTop
            )
            self._facts.addWidget(Label(value, self, size=12, wrap=True), row, 1)
        vertical = QSizePolicy.Policy.Maximum if panel.above_lines else QSizePolicy.Policy.Expanding
        self.setSizePolicy(QSizePolicy.Policy.Preferred, vertical)
        margin = px(12) if panel.above_lines else px(24)
        self._column.setContentsMargins(px(78) - RING, margin, px(24) - RING, margin)
        self._show_offer(panel)
        self.update()

    @property
    def line(self) -> int:
        """The line to jump to (from 1), 0 for none."""
        return self._panel.line if self._panel is not None else 0

    @property
    def offer(self) -> str:
        """The id of the offered action, "" for none."""
        offer = self._panel.offer if self._panel is not None else None
        return offer.id if offer is not None else ""

    def _show_offer(self, panel: SpecialPanel) -> None:
        focused = QApplication.focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            # Removing the focused button would pass the focus to the next widget of the window.
            self.offer_gone.emit()
        _clear(self._offers)
        offer = panel.offer
        if offer is None:
            return
        button = Button(
            offer.words,
            self,
            icon=offer.icon,
            key=offer.key,
            name=f"card-{offer.id}",
            pressed=lambda: self.offered.emit(offer.id),
        )
        self._offers.addWidget(button)
        self._offers.addStretch(1)

    def title(self) -> str:
        return self._panel.title if self._panel is not None else ""

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        panel = self._panel
        if panel is None:
            return
        painter = QPainter(self)
        paint_icon(painter, panel.icon, panel.token, px(34), self._title.y() + px(1), size=28)
        if panel.above_lines:
            painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        if self._unpainted:
            painted, self._unpainted = self._unpainted, ""
            self.was_painted.emit(painted)


def _clear(layout: QLayout) -> None:
    """Remove all widgets of a layout."""
    while (item := layout.takeAt(0)) is not None:
        widget = item.widget()
        if widget is not None:
            widget.hide()
            widget.deleteLater()
