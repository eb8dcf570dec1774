"""Tool bar above the diff: next/previous change, headings, find, view toggles."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.ui.diff.bars.headings import SideHeadings
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import Button, ButtonKind, HairLine, Label, Surface, ToolIcon, row_of


class SubBar(Surface):
    """Buttons that only emit signals; tooltips explain disabled ones."""

    previous_pressed = Signal()
    next_pressed = Signal()
    find_pressed = Signal()
    wrap_pressed = Signal()
    blanks_pressed = Signal()
    folds_pressed = Signal()
    mode_pressed = Signal(str)
    """Emitted with "side_by_side" or "unified"."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("panel", parent)
        self.setObjectName("diff-sub-bar")
        self.setFixedHeight(px(29))
        self.headings = SideHeadings(self, has_row=False)
        self.previous = ToolIcon(
            "previous-change",
            self.tr("Previous change"),
            key="Alt+↑",
            name="diff-previous-change",
            pressed=self.previous_pressed,
        )
        self.next = ToolIcon(
            "next-change",
            self.tr("Next change"),
            key="Alt+↓",
            name="diff-next-change",
            pressed=self.next_pressed,
        )
        self.position = Label(size=12, token="muted")
        self.round = Button("", self, icon="stale", kind=ButtonKind.TOOL, height=24, name="diff-round")
        self.round.hide()
        self.finder = ToolIcon("find", self.tr("Find on this page"), key="Ctrl+F", pressed=self.find_pressed)
        self.wrap = ToolIcon(
            "wrap", self.tr("Wrap long lines"), toggle=True, key="Alt+Z", pressed=self.wrap_pressed
        )
        self.blanks = ToolIcon(
            "white-space",
            self.tr("Show whitespace and line endings"),
            toggle=True,
            key="W",
            pressed=self.blanks_pressed,
        )
        self.folds = ToolIcon(
            "fold", self.tr("Fold unchanged lines"), toggle=True, key="F", pressed=self.folds_pressed
        )
        self.beside = ToolIcon(
            "side-by-side",
            self.tr("Side by side"),
            toggle=True,
            key="U",
            pressed=lambda: self.mode_pressed.emit("side_by_side"),
        )
        self.unified = ToolIcon(
            "unified",
            self.tr("Unified"),
            toggle=True,
            key="U",
            pressed=lambda: self.mode_pressed.emit("unified"),
        )
        row = row_of(parent=self, margins=(px(8), 0, px(10), 1), spacing=px(2))
        for button in (self.previous, self.next):
            row.addWidget(button)
        row.addSpacing(px(6))
        row.addWidget(self.position)
        row.addSpacing(px(8))
        row.addWidget(self.round)
        row.addWidget(self.headings, 1)
        row.addWidget(self.finder)
        row.addSpacing(px(6))
        row.addWidget(self.wrap)
        row.addWidget(self.blanks)
        row.addWidget(self.folds)
        row.addSpacing(px(8))
        row.addWidget(self.beside)
        row.addWidget(self.unified)
        self.line = HairLine(self)

    def show_state(self, *, unified: bool, wrap: bool, blanks: bool, folds: bool, one_sided: str) -> None:
        """Set the toggles; `one_sided` is why only one mode fits, else ""."""
        self.beside.setChecked(not unified)
        self.unified.setChecked(unified)
        self.wrap.setChecked(wrap)
        self.blanks.setChecked(blanks)
        self.folds.setChecked(folds)
        for button in (self.beside, self.unified, self.folds):
            button.set_reason(one_sided)

    def show_round(self, words: str, tip: str = "") -> None:
        """Show the button that switches the compared round; "" hides it."""
        self.round.set_label(words)
        self.round.set_tip(tip)
        self.round.setVisible(bool(words))

    def show_position(self, current: int, total: int, *, has_more: bool) -> None:
        """Show "Change 2 of 4", or nothing if there are no changes.

        With `has_more`, the button for the next change leads from the last one to the next file.
        """
        words = say(self.tr("Change {n} of {total}"), n=current, total=total) if total else ""
        self.position.setText(words)
        nothing = "" if total else self.tr("There are no changed lines here.")
        last = self.tr("This is the last change.") if current == total else ""
        first = self.tr("This is the first change.") if current <= 1 else ""
        self.next.set_reason(nothing or ("" if has_more else last))
        self.previous.set_reason(nothing or ("" if has_more else first))

    def resizeEvent(self, event: object) -> None:
        self.line.setGeometry(0, self.height() - 1, self.width(), 1)
