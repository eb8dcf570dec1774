"""Inline diff preview of a setting change, with a write button."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from studio.engine import ConfigRefused
from studio.names import show_name
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import STRETCH, Button, Label, column_of, row_of
from studio.ui.widgets.difference_view import DifferenceView

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.user_configuration import ConfigurationEdit, SettingChange
    from studio.ui.configuration.model import ConfigurationModel


class ChangePreview(QWidget):
    """Inline preview of one wish: its diff, or why it is refused."""

    written = Signal()
    left = Signal()
    opened = Signal()
    """It shows something after it showed nothing."""
    keyboard_left = Signal()
    """The focus was in here when its buttons were hidden."""

    def __init__(self, model: ConfigurationModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._change: SettingChange | None = None
        self._edit: ConfigurationEdit | None = None
        self._is_writing = False
        self.setObjectName("change-sheet")
        self.trouble = Label("", self, size=12.5, token="bad", wrap=True, name="change-trouble")
        self.trouble.hide()
        self._difference: DifferenceView | None = None
        self.write_button = Button("", self, name="change-write", pressed=self._write, decides=True)
        self.leave_button = Button(self.tr("Cancel"), self, name="change-leave", pressed=self.left)
        self._buttons = QWidget(self)
        self._buttons.setObjectName("change-buttons")
        row_of(self.write_button, self.leave_button, STRETCH, parent=self._buttons, spacing=px(12))
        self._buttons.hide()
        self._column = column_of(
            self.trouble, self._buttons, parent=self, margins=(0, px(4), 0, px(4)), spacing=px(6)
        )
        model.changed.connect(self._plan_again)
        self.hide()

    @property
    def difference(self) -> str:
        """The diff shown, "" where there is none."""
        return self._edit.diff if self._edit is not None else ""

    def follow(self, change: SettingChange | None) -> None:
        """Preview this wish; None clears the preview."""
        self._change = change
        if change is None:
            self._show(None)
            self._show_trouble("")
            self.hide()
        else:
            self._plan()

    def _plan_again(self) -> None:
        """Compute the preview again after a file changed; keep the error shown."""
        self._plan(self.trouble.text() if self._edit is not None else "")

    def _plan(self, trouble: str = "") -> None:
        """Compute the preview on the current file, with an earlier error."""
        change = self._change
        if change is not None and not self._is_writing:
            self._model.plan(
                change, partial(self._show_plan, change, trouble), partial(self._show_refusal, change)
            )

    def _show_plan(self, change: SettingChange, trouble: str, edit: ConfigurationEdit) -> None:
        if change is self._change and not self._is_writing:
            self._show(edit if edit.diff else None)
            self._show_trouble(trouble if edit.diff else "")
            self._open(bool(edit.diff))

    def _show_refusal(self, change: SettingChange, error: StudioError) -> None:
        if change is self._change and not self._is_writing:
            self._show(None)
            self._show_trouble(_words_of(error))
            self._open(True)

    def _open(self, is_open: bool) -> None:
        was_hidden = self.isHidden()
        self.setVisible(is_open)
        if is_open and was_hidden:
            self.opened.emit()

    def _show(self, edit: ConfigurationEdit | None) -> None:
        if edit is not None and self._edit is not None and edit.diff == self._edit.diff:
            self._edit = edit
            return
        self._edit = edit
        if edit is None:
            self._leave_keyboard()
        if self._difference is not None:
            self._column.removeWidget(self._difference)
            self._difference.hide()
            self._difference.deleteLater()
            self._difference = None
        self._buttons.setVisible(edit is not None)
        if edit is None:
            return
        self._difference = DifferenceView(_strip_file_header(edit.diff), self)
        self._difference.setAccessibleName(self.tr("Preview"))
        self._column.insertWidget(0, self._difference)
        name = show_name(edit.file.path.name)
        self.write_button.set_label(say(self.tr("Save {file}"), file=name))
        self.write_button.set_tip(edit.file.display_name)

    def _leave_keyboard(self) -> None:
        """Signal that the focus has to move before Qt moves it.

        Otherwise the next rule would be typed into the field of another setting.
        """
        focused = self.window().focusWidget()
        if focused is not None and self.isAncestorOf(focused):
            self.keyboard_left.emit()

    def _show_trouble(self, sentence: str) -> None:
        self.trouble.setText(sentence)
        self.trouble.setVisible(bool(sentence))

    def _write(self) -> None:
        """Write exactly the diff shown."""
        edit = self._edit
        if edit is None or self._is_writing:
            return
        self._is_writing = True
        self._leave_keyboard()
        self.write_button.set_reason(self.tr("Saving…"))
        self._model.write(edit, self._on_written, self._not_written)

    def _end_writing(self) -> None:
        self._is_writing = False
        self.write_button.set_reason("")

    def _on_written(self) -> None:
        if not isValid(self):
            return
        self._end_writing()
        self._change = None
        self._show(None)
        self.hide()
        self.written.emit()

    def _not_written(self, error: StudioError) -> None:
        self._end_writing()
        # It is shown again before it can be clicked again.
        self._show(None)
        self._plan(show_name(f"{error.message} {error.hint}"))
        self._model.reload()


def _words_of(error: StudioError) -> str:
    """Return why a value is refused, without the location above it."""
    message = error.message
    if isinstance(error, ConfigRefused) and error.key:
        message = message.partition(f"{error.key}: ")[2] or message
        message = message[:1].upper() + message[1:]
    elif isinstance(error, ConfigRefused):
        message = message.replace(str(Path(error.file)), Path(error.file).name)
    return show_name(f"{message} {error.hint}".strip())


def _strip_file_header(diff: str) -> str:
    """Return a diff without the header of its single file."""
    start = diff.find("\n@@")
    return diff[start + 1 :] if start >= 0 else diff
