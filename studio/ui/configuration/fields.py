"""Editor for a single-value setting: check box, choice or text, unset button."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication, QSignalBlocker, Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine import SettingKind
from studio.extras.user_configuration import SettingChange
from studio.ui.configuration import parts
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.widgets import Button, Label, row_of
from studio.ui.widgets.buttons import CheckBox
from studio.ui.widgets.choice import Choice

if TYPE_CHECKING:
    from studio.engine import SettingKey
    from studio.extras.user_configuration import SettingValue
    from studio.ui.configuration.model import ConfigurationModel

PAUSE_MS = 150
_WHOLE = re.compile("[0-9]{1,18}")
_NUMBER_WIDTH, _TEXT_WIDTH = 170, 420


class ValueField(QWidget):
    """Editor of a single-value key, with a button to unset it."""

    change_requested = Signal(object)
    """The `SettingChange`, None where nothing is to be changed."""

    def __init__(self, model: ConfigurationModel, row: SettingKey, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._row, self._key = model, row, key
        self._is_typing = False
        self.setObjectName("value-field")
        self._line = row_of(parent=self, spacing=px(10))
        self.unset = Button(
            self.tr("Reset"),
            self,
            name="setting-unset",
            tip=self.tr("Removes this setting from your configuration file."),
            pressed=lambda: self.change_requested.emit(SettingChange(self._key, None)),
        )
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._emit_change)
        self.control = self._make_control()
        self.control.setObjectName("setting-value")
        self.control.setAccessibleName(parts.title(row))
        self._line.addWidget(self.control)
        self._line.addWidget(self.unset)
        if row.kind is SettingKind.NUMBER:
            self._line.addWidget(Label(parts.hard_limits(row), self, size=12, token="muted"))
        self._line.addStretch(1)

    def show_value(self) -> None:
        """Show the user's own value, unless another is being typed."""
        own = self._model.own_value(self._key)
        self.unset.setVisible(own is not None)
        if self._is_typing:
            return
        with QSignalBlocker(self.control):
            self._fill(own)

    def focus_input(self) -> None:
        """Focus the editor."""
        self.control.setFocus(Qt.FocusReason.OtherFocusReason)

    def leave(self) -> None:
        """Discard the typed value."""
        self._pause.stop()
        self._is_typing = False
        self.show_value()

    def fold(self) -> bool:
        """Stop previewing; return whether a typed text stays."""
        self._pause.stop()
        is_draft = self._is_typing and isinstance(self.control, QLineEdit)
        if not is_draft:
            self.leave()
        return is_draft

    def _make_control(self) -> QWidget:
        if self._row.kind is SettingKind.SWITCH:
            return CheckBox(self.tr("On"), self, pressed=self._emit_change)
        if self._row.kind is SettingKind.CHOICE:
            choice = Choice(self)
            choice.addItems(self._row.choices)
            choice.activated.connect(self._emit_change)
            return choice
        field = QLineEdit(self)
        field.setFixedSize(px(_NUMBER_WIDTH if self._row.kind is SettingKind.NUMBER else _TEXT_WIDTH), px(26))
        field.textEdited.connect(self._on_typed)
        field.returnPressed.connect(self._on_typed)
        return field

    def _fill(self, own: object) -> None:
        control, counts = self.control, self._counts()
        if isinstance(control, CheckBox):
            control.setChecked(bool(counts if own is None else own))
        elif isinstance(control, Choice):
            control.setCurrentText(str(counts if own is None else own))
        elif isinstance(control, QLineEdit):
            control.setText("" if own is None else str(own))
            control.setPlaceholderText("" if counts is None else str(counts))

    def _counts(self) -> object:
        effective = self._model.settings_of(self._key)
        return effective[0].value if effective else self._row.default

    def _on_typed(self) -> None:
        self._is_typing = True
        self._pause.start()

    def _emit_change(self) -> None:
        value = self._typed_value()
        own = self._model.own_value(self._key)
        is_same = value == own and type(value) is type(own)
        self._is_typing = not is_same
        self.change_requested.emit(None if is_same else SettingChange(self._key, value))

    def _typed_value(self) -> SettingValue | None:
        control = self.control
        if isinstance(control, CheckBox):
            return control.isChecked()
        if isinstance(control, Choice):
            return control.currentText()
        assert isinstance(control, QLineEdit)
        text = control.text().strip()
        if self._row.kind is not SettingKind.NUMBER:
            return text
        if not text:
            return None
        digits = text.replace(",", "").replace("_", "").replace(" ", "")
        return int(digits) if _WHOLE.fullmatch(digits) else text


def counting_words(model: ConfigurationModel, row: SettingKey, key: str) -> str:
    """Return the effective value and source: "Counts: 1,000 · default"."""
    effective = model.settings_of(key)
    if not effective:
        return ""
    first = effective[0]
    value = parts.value(row, first.value) or QCoreApplication.translate("Settings", "none")
    sentence = say(QCoreApplication.translate("Settings", "Effective value: {value}"), value=value)
    return f"{sentence} · {parts.source_of(first)}"
