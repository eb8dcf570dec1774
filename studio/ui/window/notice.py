"""The strip above the status bar for what must not be missed: a write that failed, an inner error."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from studio.ui.widgets import ButtonKind, Strip, StripKind


class Notice(Strip):
    """Stands at the bottom, so that nothing moves that the hand may be aiming at; Esc closes it."""

    stands_below = True

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("notice")
        self.hide()

    def show_failure(self, sentence: str, hint: str) -> None:
        """Say what went wrong and what to do next, until it is closed or something works again."""
        self.show_message(StripKind.DANGER, sentence, hint)
        close = self.add_choice(self.tr("Close"), key="Esc")
        close.setObjectName("notice-close")
        close.set_kind(ButtonKind.TOOL)
        close.clicked.connect(self.hide)

    def close_notice(self) -> bool:
        """Close it; says whether there was anything to close."""
        if self.isHidden():
            return False
        self.hide()
        return True
