"""Section of the settings page: heading, introduction, filterable row per key."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio import formats
from studio.engine import DEFAULT_EXTENSIONS, SettingKey
from studio.ui.configuration.parts import KEYS, Part, heading, introduction
from studio.ui.configuration.setting_row import SettingRow
from studio.ui.look.theme import px
from studio.ui.widgets import Label, column_of
from studio.ui.widgets.choice import Choice

if TYPE_CHECKING:
    from studio.ui.configuration.model import ConfigurationModel

_SOURCE_WIDTH = 220


class PartView(QWidget):
    """Section whose rows can be filtered; further widgets are below them."""

    opened = Signal(object)
    """The `SettingRow` that shows a change after it showed none."""

    def __init__(self, model: ConfigurationModel, part: Part, parent: QWidget) -> None:
        super().__init__(parent)
        self._model, self.part = model, part
        self.rows: list[SettingRow] = []
        self.setObjectName(f"part-{part.value}")
        self.setAccessibleName(heading(part))
        self._column = column_of(
            Label(heading(part), self, size=15, weight=600),
            parent=self,
            margins=(0, 0, 0, px(20)),
            spacing=px(4),
        )
        self._introduction = Label(introduction(part), self, size=12.5, token="muted", wrap=True)
        self._introduction.setVisible(bool(self._introduction.text()))
        self._column.addWidget(self._introduction)
        self.source: Choice | None = None
        self._list = column_of()
        if part is Part.SOURCES:
            self._column.addWidget(self._make_source())
        self._column.addLayout(self._list)
        self.no_name = Label(
            self.tr("Use lowercase letters, digits, hyphens and underscores."),
            self,
            token="bad",
            name="setting-no-name",
        )
        self._column.addWidget(self.no_name)
        self._others: list[QWidget] = []
        self._make_rows()

    def add(self, widget: QWidget) -> None:
        """Add a widget below the rows."""
        self._others.append(widget)
        self._column.addWidget(widget)

    def filter(self, search: list[str]) -> bool:
        """Show the rows with every word; return whether there are any.

        Without words all rows are shown.
        """
        named = all(word in self.accessibleName().casefold() for word in search)
        found = False
        for row in self.rows:
            fits = named or all(word in row.search_text for word in search)
            row.setVisible(fits)
            found = found or fits
        for other in self._others:
            other.setVisible(named)
        return named or found

    def _make_rows(self) -> None:
        for row in self.rows:
            self._list.removeWidget(row)
            row.hide()
            row.deleteLater()
        source = self.source.currentText().strip() if self.source is not None else ""
        self.rows = []
        is_name = self.source is None or SettingKey.is_source(source)
        self.no_name.setVisible(not is_name)
        if not is_name:
            return
        for key in KEYS[self.part]:
            full = key.of_source(source)
            row = SettingRow(self._model, key, full, self)
            row.change_preview.opened.connect(partial(self.opened.emit, row))
            self.rows.append(row)
            self._list.addWidget(row)

    def _make_source(self) -> Choice:
        """Create the choice of the format or agent to configure."""
        choice = self.source = Choice(self)
        choice.setObjectName("setting-source")
        choice.setAccessibleName(self.tr("Format or agent"))
        names = (name for name in formats.detect.FORMATS if name != formats.detect.AUTO)
        choice.addItems(list(dict.fromkeys((*DEFAULT_EXTENSIONS, *names, *self._configured()))))
        choice.setEditable(True)
        choice.setInsertPolicy(Choice.InsertPolicy.NoInsert)
        choice.setFixedWidth(px(_SOURCE_WIDTH))
        choice.currentTextChanged.connect(lambda _name: self._make_rows())
        self._model.changed.connect(self._offer_configured)
        return choice

    def _offer_configured(self) -> None:
        """Offer sources that were configured meanwhile."""
        if self.source is not None:
            listed = {self.source.itemText(at) for at in range(self.source.count())}
            self.source.addItems([name for name in self._configured() if name not in listed])

    def _configured(self) -> list[str]:
        effective = self._model.read.effective if self._model.read is not None else None
        return sorted(effective.known_sources) if effective is not None else []
