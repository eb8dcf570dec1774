"""Page that shows, searches, copies and saves the diagnostics text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import Signal
from PySide6.QtGui import QGuiApplication, QTextCursor
from PySide6.QtWidgets import QWidget

from studio.ui.help.fault_banner import ShownText
from studio.ui.look.theme import px
from studio.ui.widgets import (
    STYLE_GAP,
    Button,
    ButtonKind,
    HairLine,
    Label,
    PaneHeader,
    Surface,
    column_of,
    row_of,
)
from studio.ui.widgets.text_field import SearchField

Bundle = Callable[[Path | None], str]
"""Returns the diagnostics of the project in a folder, or of none; it takes seconds."""

_FIELD_WIDTH = 220


class DiagnosticsPage(Surface):
    """Page that shows, searches, copies and saves one text."""

    save_wanted = Signal()
    close_wanted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.text = ""
        """The text shown, "" while it is generated."""
        self.setObjectName("diagnostics")
        self.setAccessibleName(self.tr("Diagnostics"))
        self.field = SearchField("diagnostics-find", self.tr("Find in this text"), self)
        self.field.setFixedWidth(px(_FIELD_WIDTH))
        self.field.done.connect(self._find_next)
        self.field.cancelled.connect(self.close_wanted)
        self.save = self._button("save", self.tr("Save as…"), self.save_wanted.emit)
        self.copy = self._button("copy", self.tr("Copy"), self._copy, icon="copy")
        close = self._button("close", self.tr("Close"), self.close_wanted.emit, key="Esc")
        close.set_kind(ButtonKind.TOOL)
        header = PaneHeader(self.accessibleName(), self)
        for widget in (self.field, self.save, self.copy, close):
            header.add_widget(widget)
        header.follow_focus_of(self)
        about = self.tr(
            "Includes versions, settings, the log and the latest journal entries, but no "
            "file contents. Nothing is sent, so save or copy the text to attach it to a "
            "bug report."
        )
        self.words = Label(about, self, size=12, token="muted", wrap=True)
        self.status_label = Label("", self, size=12, wrap=True, name="diagnostics-said")
        texts = column_of(
            self.words, self.status_label, margins=(px(12), px(8), px(12), px(8)), spacing=px(4)
        )
        self.view = ShownText("diagnostics-text", self.tr("Diagnostics text"), self)
        self.view.setFrameShape(ShownText.Shape.NoFrame)
        text = row_of(self.view, margins=(px(8), px(4), 0, 0), spacing=STYLE_GAP)
        column_of(header, texts, HairLine(self), (text, 1), parent=self)
        self.setFocusProxy(self.view)
        self.show_loading()

    def show_loading(self) -> None:
        """Show that the text is being generated."""
        self.text = ""
        self.view.clear()
        self._offer(self.tr("Diagnostics are still being collected."))
        self.show_status(self.tr("Collecting diagnostics…"))

    def show_text(self, text: str) -> None:
        """Show the text; saved and copied text is the same."""
        self.text = text
        self.view.setPlainText(text)
        self._offer("")
        self.show_status("")

    def show_failure(self, sentence: str, hint: str) -> None:
        """Show why generating or saving failed, and what to do."""
        if not self.text:
            self._offer(sentence)
        self.show_status(f"{sentence} {hint}".strip(), "bad")

    def show_status(self, sentence: str, token: str = "text") -> None:
        """Show a sentence above the text; "" hides it."""
        self.status_label.set_token(token)
        self.status_label.setText(sentence)
        self.status_label.setVisible(bool(sentence))

    def _offer(self, reason: str) -> None:
        for button in (self.save, self.copy):
            button.set_reason(reason)

    def _button(
        self, name: str, text: str, pressed: Callable[[], object], *, icon: str = "", key: str = ""
    ) -> Button:
        return Button(text, self, icon=icon, key=key, height=24, name=f"diagnostics-{name}", pressed=pressed)

    def _copy(self) -> None:
        QGuiApplication.clipboard().setText(self.text)
        self.show_status(self.tr("Copied. Nothing was sent."))

    def _find_next(self) -> None:
        """Go to the next match, after the last one to the first."""
        words = self.field.text()
        if not words or self.view.find(words):
            self.show_status("")
            return
        self.view.moveCursor(QTextCursor.MoveOperation.Start)
        is_there = self.view.find(words)
        self.show_status(self.tr("Search wrapped to the top.") if is_there else self.tr("No matches."))
