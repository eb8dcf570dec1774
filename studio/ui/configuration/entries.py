"""Editor for list and mapping settings: entries, sources, a new-entry field."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, cast

from PySide6.QtCore import Qt, QTimer, Signal
from PySide6.QtWidgets import QLineEdit, QWidget

from studio.engine import SettingKind
from studio.extras.user_configuration import SettingChange, entry_text
from studio.names import show_name
from studio.text.encodings import ENCODINGS
from studio.ui.configuration import parts
from studio.ui.configuration.fields import PAUSE_MS
from studio.ui.look.theme import code_font, px
from studio.ui.look.words import say
from studio.ui.widgets import Button, Label, column_of, row_of
from studio.ui.widgets.buttons import CheckBox
from studio.ui.widgets.choice import Choice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from studio.engine import SettingKey
    from studio.extras.user_configuration import SettingValue
    from studio.ui.configuration.model import ConfigurationModel

_FIELD_WIDTH, _ROW_HEIGHT = 320, 26


class EntriesField(QWidget):
    """Effective entries, one per line; only the user's can be removed."""

    change_requested = Signal(object)
    """The `SettingChange`, None where nothing is to be changed."""
    typed = Signal(str)
    """Text of the new-entry field."""

    def __init__(self, model: ConfigurationModel, row: SettingKey, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self._row, self._key = model, row, key
        self._shown: object = None
        self.setObjectName("entries-field")
        self._list = column_of()
        self.field = QLineEdit(self)
        self.field.setObjectName("entry-new")
        self.field.setAccessibleName(say(self.tr("Add an entry to “{setting}”"), setting=parts.title(row)))
        self.field.setPlaceholderText(row.example)
        self.field.setFont(code_font())
        self.field.setFixedSize(px(_FIELD_WIDTH), px(_ROW_HEIGHT))
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self._emit_change)
        self.field.textEdited.connect(self._on_typed)
        self.field.returnPressed.connect(lambda: self._on_typed(self.field.text()))
        self.second = self._make_second()
        line = row_of(self.field, margins=(0, px(2), 0, 0), spacing=px(8))
        if self.second is not None:
            self.second.setObjectName("entry-new-value")
            self.second.setAccessibleName(self.tr("Value"))
            line.addWidget(self.second)
        line.addStretch(1)
        column_of(self._list, line, parent=self, spacing=px(2))

    def show_value(self) -> None:
        """Update the entries; the text being typed stays."""
        own, settings = self._own_entries(), self._model.settings_of(self._key)
        if (own, settings) == self._shown:
            return
        self._shown = own, settings
        while (item := self._list.takeAt(0)) is not None:
            widget = item.widget()
            if widget is not None:
                widget.hide()
                widget.deleteLater()
        places = [parts.source_of(each) for each in settings if each.level == "user"]
        if len(places) != len(own):  # of a file that is refused none counts; a group has one for each pattern
            file = self._model.read.user.path.name if self._model.read is not None else ""
            places = [show_name(file)] * len(own)
        for (entry, text), place in zip(own, places, strict=True):
            self._list.addWidget(self._line(text, place, entry))
        for each in (each for each in settings if each.level != "user"):
            self._list.addWidget(self._line(parts.value(self._row, each.value), parts.source_of(each), None))

    def focus_input(self) -> None:
        """Focus the new-entry field."""
        self.field.setFocus(Qt.FocusReason.OtherFocusReason)

    def propose(self, text: str) -> None:
        """Set the new-entry field as if the text was typed."""
        self.focus_input()
        self.field.setText(text)
        self._on_typed(text)

    def leave(self) -> None:
        """Discard the typed text."""
        self._pause.stop()
        self.field.clear()
        self.typed.emit("")
        self.show_value()

    def fold(self) -> bool:
        """Stop previewing; return whether a typed text stays."""
        self._pause.stop()
        self.typed.emit("")
        self.show_value()
        return bool(self.field.text().strip())

    def _own_entries(self) -> tuple[tuple[str, str], ...]:
        """Return key and display text of the user's own entries."""
        found = self._model.own_value(self._key)
        if isinstance(found, dict):
            return tuple(
                (name, say(self.tr("{name}: {value}"), name=show_name(name), value=_value_text(each)))
                for name, each in cast("Mapping[str, object]", found).items()
            )
        entries = cast("Sequence[object]", found) if isinstance(found, list) else ()
        return tuple((entry_text(each), self._entry_words(each)) for each in entries)

    def _entry_words(self, entry: object) -> str:
        if self._row.kind is SettingKind.PROJECT_FOLDERS and isinstance(entry, dict):
            named = cast("dict[str, object]", entry)
            return parts.value(self._row, (named.get("project"), named.get("path")))
        return show_name(entry_text(entry))

    def _line(self, text: str, key: str, entry: str | None) -> QWidget:
        line = QWidget(self)
        line.setObjectName("entry")
        row = row_of(parent=line, spacing=px(10))
        label = Label(text, line)
        label.setFont(code_font())
        row.addWidget(label)
        row.addWidget(Label(key, line, size=12, token="muted"))
        if entry is not None:
            take_out = Button(
                self.tr("Remove"),
                line,
                height=22,
                name="entry-take-out",
                pressed=partial(self._remove_entry, entry),
            )
            take_out.setAccessibleName(say(self.tr("Remove {entry}"), entry=text))
            row.addWidget(take_out)
        row.addStretch(1)
        line.setMinimumHeight(px(_ROW_HEIGHT))
        return line

    def _remove_entry(self, entry: str) -> None:
        self._pause.stop()
        self.change_requested.emit(SettingChange(self._key, None, entry))

    def _on_typed(self, text: str) -> None:
        self.typed.emit(text.strip())
        self._pause.start()

    def _emit_change(self) -> None:
        text = self.field.text().strip()
        root = self._model.project_root
        if not text or (self._row.kind is SettingKind.PROJECT_FOLDERS and root is None):
            self.change_requested.emit(None)
        elif self._row.kind.is_mapping:
            self.change_requested.emit(SettingChange(self._key, self._second_value(), text))
        else:
            self.change_requested.emit(SettingChange(self._key, self._entry_value(text, root), ""))

    def _entry_value(self, text: str, root: Path | None) -> SettingValue:
        if self._row.kind is SettingKind.PROJECT_FOLDERS:
            return {"project": str(root), "path": text.rstrip("/")}
        return text

    def _second_value(self) -> SettingValue:
        if isinstance(self.second, CheckBox):
            return self.second.isChecked()
        assert isinstance(self.second, Choice)
        return self.second.currentText()

    def _make_second(self) -> QWidget | None:
        """Create the field for the second part of an entry."""
        if self._row.kind is SettingKind.ENCODINGS:
            choice = Choice(self)
            choice.addItems(list(dict.fromkeys(ENCODINGS.values())))
            choice.activated.connect(lambda _at: self._emit_change())
            return choice
        if self._row.kind is SettingKind.ANSWERS:
            return CheckBox(self.tr("Yes"), self, pressed=lambda _on: self._emit_change())
        return None


def _value_text(value: object) -> str:
    return parts.answer(value) if isinstance(value, bool) else show_name(str(value))
