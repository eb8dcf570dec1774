"""Banner after an internal error: failure, safety of data, copyable details.

Not modal; it takes no focus.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QPlainTextEdit, QWidget

from studio import extras
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.widgets import Banner, BannerKind, Button
from studio.ui.widgets.text_field import CodeFont

_LOOK_AGAIN_MS = 1000
_DETAIL_LINES = 8


class Safe(NamedTuple):
    """What is safe in one window.

    `has_project` is False while it shows the start page.
    """

    has_project: bool
    is_deciding: bool = False
    is_writing: bool = False
    is_text_stored: bool = True


class FaultBanner(Banner):
    """Fault banner of a window, below the panes; counts further faults."""

    wants_diagnostics = Signal()
    opened = Signal()
    closed = Signal()

    def __init__(self, safe: Callable[[], Safe], parent: QWidget | None = None) -> None:
        """Create the banner.

        `safe` returns what is safe now; it is called again while the banner is open.
        """
        super().__init__(parent, name="fault", below=True)
        self._safe = safe
        self._fault = Fault(0, "")
        self._closed_at = 0
        self.details = ShownText("fault-details", self.tr("Error details"), self)
        self.details.setFixedHeight(self.details.fontMetrics().lineSpacing() * _DETAIL_LINES + px(12))
        self.details.hide()
        self.add_field(self.details)
        self._check_timer = QTimer(self, interval=_LOOK_AGAIN_MS)
        self._check_timer.timeout.connect(self._update_words)

    def show_fault(self, fault: Fault) -> None:
        """Show a fault, or count it if the banner is open."""
        self._fault = fault
        if not self.isHidden():
            self._update_words()
            return
        self.show_message(BannerKind.DANGER, self._title(), self._words())
        self._show_details = self._add("show", self.tr("Show details"), self._toggle_details)
        home = self.tr("Copies the error details without the name of your home folder.")
        self._add("copy", self.tr("Copy details"), self._copy, home)
        more = self.tr("Shows diagnostics you can save for a bug report. Nothing is sent.")
        self._add("diagnostics", self.tr("Diagnostics…"), self.wants_diagnostics.emit, more)
        close = self.add_close(self.tr("Close"), "fault-close", self.dismiss_banner)
        close.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self._check_timer.start()
        self.opened.emit()

    def dismiss_banner(self) -> bool:
        """Close the banner; return whether it was open.

        Later faults are counted from one again.
        """
        if self.isHidden():
            return False
        self._closed_at = self._fault.number
        self._check_timer.stop()
        self.details.hide()
        self.hide()
        self.closed.emit()
        return True

    def _add(self, name: str, text: str, pressed: Callable[[], object], tip: str = "") -> Button:
        button = self.add_choice(text, name=f"fault-{name}", tip=tip, pressed=pressed)
        # A click leaves the focus where it was.
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        return button

    def _update_words(self) -> None:
        """Update the words that changed."""
        title, words = self._title(), self._words()
        if title != self.title.text():
            self.title.setText(title)
            self.setAccessibleName(title)
        if words != self.words.text():
            self.words.setText(words)
            self.setAccessibleDescription(words)

    def _title(self) -> str:
        count = self._fault.number - self._closed_at
        many = say(
            self.tr("Exacta Studio encountered an internal error ({times})."), times=self._times(count)
        )
        return self.tr("Exacta Studio encountered an internal error.") if count <= 1 else many

    def _times(self, count: int) -> str:
        return counted(count, self.tr("{n} time"), self.tr("{n} times"))

    def _words(self) -> str:
        safe = self._safe()
        if not safe.has_project:
            sentences = [self.tr("No project is open in this window. Nothing was written.")]
        else:
            sentences = [self._file_words(safe), self._decision_words(safe), self._draft_words(safe)]
        sentences.append(self.tr("You can keep working. If the window misbehaves, close and reopen it."))
        return " ".join(sentences)

    def _file_words(self, safe: Safe) -> str:
        if safe.is_writing:
            return self.tr("Files are being written. Either all or none of them will be written.")
        return self.tr("No files are partially written. An interrupted apply is completed or fully undone.")

    def _decision_words(self, safe: Safe) -> str:
        if safe.is_deciding:
            return self.tr("A decision was being saved. Check whether the step shows it.")
        return self.tr("Your decisions are saved.")

    def _draft_words(self, safe: Safe) -> str:
        if safe.is_text_stored:
            return self.tr("Your text is saved.")
        return self.tr("Your text is not saved yet. Copy it before you close the window.")

    def _toggle_details(self) -> None:
        shows = self.details.isHidden()
        if shows:
            self.details.setPlainText(_redact_details(self._fault.details))
        self.details.setVisible(shows)
        self._show_details.set_label(self.tr("Hide details") if shows else self.tr("Show details"))

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(_redact_details(self._fault.details))


def _redact_details(details: str) -> str:
    """Return the details without home folder and likely secrets."""
    return "\n".join(extras.diagnostics.fit(details.splitlines()))


class ShownText(QPlainTextEdit):
    """Read-only text in the code font, without wrapping."""

    def __init__(self, name: str, words: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(words)
        self.setReadOnly(True)
        self.setTabChangesFocus(True)
        # Lines of a log are long, and Qt takes seconds to wrap the longest (PySide6 6.11.3).
        self.setLineWrapMode(QPlainTextEdit.LineWrapMode.NoWrap)
        self._font = CodeFont(self)
        self._font.use()


# Summary of uncaught exceptions.


class Fault(NamedTuple):
    """Number of failures in this process, and the last traceback."""

    number: int
    details: str
