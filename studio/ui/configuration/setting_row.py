"""Widget for one setting: name, description, effective value, editor, change preview."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtWidgets import QWidget

from studio.engine import SettingKind
from studio.ui.configuration import parts
from studio.ui.configuration.change_preview import ChangePreview
from studio.ui.configuration.entries import EntriesField
from studio.ui.configuration.fields import ValueField, counting_words
from studio.ui.configuration.rule_preview import RulePreview
from studio.ui.look.theme import px
from studio.ui.widgets import ElidedLabel, HairLine, Label, column_of, row_of
from studio.ui.widgets.text_field import Escape

if TYPE_CHECKING:
    from studio.engine import SettingKey
    from studio.extras.user_configuration import SettingChange
    from studio.ui.configuration.model import ConfigurationModel

_RULES = frozenset(
    {
        SettingKind.PATTERNS,
        SettingKind.BLOCKED_FOLDERS,
        SettingKind.EXTENSIONS,
        SettingKind.ALLOWED_FOLDERS,
        SettingKind.PROJECT_FOLDERS,
    }
)


class SettingRow(QWidget):
    """Row that follows the configuration; a value being typed stays."""

    def __init__(self, model: ConfigurationModel, row: SettingKey, key: str, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self.row, self.key = model, row, key
        self._change: SettingChange | None = None
        self.setObjectName("setting")
        head = row_of(
            Label(parts.title(row), self, weight=500),
            (ElidedLabel(key, self, size=12, token="muted"), 1),
            spacing=px(10),
        )
        self.counts = Label("", self, size=12, token="muted", name="setting-counts")
        self._is_list = row.kind.is_list or row.kind.is_mapping
        field = EntriesField if self._is_list else ValueField
        self.field: EntriesField | ValueField = field(model, row, key, self)
        self.rule_preview: RulePreview | None = None
        if isinstance(self.field, EntriesField) and row.kind in _RULES and _is_file_rule(row):
            self.rule_preview = RulePreview(model, key, self)
            # Tab reaches the files before the diff, in visual order.
            self.rule_preview.listed.connect(partial(QWidget.setTabOrder, self.field.field))
            self.field.typed.connect(self.rule_preview.ask)
        self.draft_note = Label(
            self.tr("Not saved. Press Enter to preview the change."), self, size=12, token="warn",
            name="setting-draft",
        )  # fmt: skip
        self.draft_note.hide()
        self.change_preview = ChangePreview(model, self)
        column = column_of(
            head,
            Label(parts.meaning(row), self, size=12.5, token="muted", wrap=True),
            self.counts,
            self.field,
            self.draft_note,
            parent=self,
            margins=(0, px(10), 0, 0),
            spacing=px(3),
        )
        if self.rule_preview is not None:
            column.addWidget(self.rule_preview)
        column.addWidget(self.change_preview)
        column.addSpacing(px(10))
        column.addWidget(HairLine(self))
        self.field.change_requested.connect(self._preview_change)
        self.change_preview.written.connect(self._on_written)
        self.change_preview.left.connect(self.leave)
        self.change_preview.keyboard_left.connect(self.field.focus_input)
        Escape(self, self._is_changing, self.fold)
        model.changed.connect(self.show_value)
        self.show_value()

    @property
    def search_text(self) -> str:
        """The text that the filter searches."""
        return " ".join(
            (parts.title(self.row), self.key, *self.row.aliases, parts.meaning(self.row))
        ).casefold()

    def show_value(self) -> None:
        """Show the effective value."""
        self.field.show_value()
        if not self._is_list:
            self.counts.setText(counting_words(self._model, self.row, self.key))
        self.counts.setVisible(bool(self.counts.text()))

    def propose(self, text: str) -> None:
        """Fill in a new entry as if it was typed."""
        assert isinstance(self.field, EntriesField)
        self.field.propose(text)

    def leave(self) -> None:
        """Discard what was typed and not written."""
        self.field.leave()
        self.draft_note.hide()
        self.change_preview.follow(None)

    def fold(self) -> None:
        """Close the preview; a typed text stays as a draft."""
        self.draft_note.setVisible(self.field.fold())
        self.change_preview.follow(None)

    def _is_changing(self) -> bool:
        """Return whether a change or its refusal is shown."""
        return not self.change_preview.isHidden()

    def _preview_change(self, change: SettingChange | None) -> None:
        self._change = change
        self.draft_note.hide()
        self.change_preview.follow(change)

    def _on_written(self) -> None:
        """Clear what was written; a text typed beside a removed entry stays."""
        is_removal = self._change is not None and self._change.value is None and self._change.entry
        if is_removal:
            self.fold()
        else:
            self.leave()


def _is_file_rule(row: SettingKey) -> bool:
    """Return whether the key is a rule on project files."""
    return row.key.startswith(("file_rules.", "projects."))
