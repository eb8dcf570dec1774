"""Settings section for trusting a project's `studio.yaml`, listing values not yet effective."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QEvent, Qt
from PySide6.QtWidgets import QWidget

from studio.engine import SettingKey
from studio.names import show_name
from studio.ui.configuration import parts
from studio.ui.history.table import Cell, Column, TableRow, TableView
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.review.guards import InputGuard, foreign_change_seconds
from studio.ui.widgets import STRETCH, Button, Label, column_of, row_of
from studio.ui.widgets.row_painter import SECOND

if TYPE_CHECKING:
    from studio.engine import ProjectFile, Setting
    from studio.ui.configuration.model import ConfigurationModel
    from studio.ui.review.queue import Trust

_ROWS = 12
_KEY_WIDTH, _NOW_WIDTH = 260, 300


class TrustPart(QWidget):
    """Trust settings of the open project, if there is one."""

    def __init__(self, model: ConfigurationModel, parent: QWidget) -> None:
        super().__init__(parent)
        self._model = model
        self._trust: Trust | None = None
        self._shown: ProjectFile | None = None
        self._input_guard = InputGuard(parent=self)
        self._input_guard.changed.connect(self._update_buttons)
        self.setObjectName("trust-part")
        self.setAccessibleName(self.tr("Project file (studio.yaml)"))
        self.setFocusPolicy(Qt.FocusPolicy.ClickFocus)
        self.sentence = Label("", self, wrap=True, name="trust-sentence")
        self.list = TableView(
            self._columns(), self, name="trust-list", accessible=self.tr("What this file would allow")
        )
        self.yes = Button(
            self.tr("Trust this file"), self, name="trust-yes", pressed=self._grant_trust, decides=True
        )
        self.no = Button(self.tr("Revoke trust"), self, name="trust-no", pressed=self._deny_trust)
        row = row_of(self.yes, self.no, STRETCH, spacing=px(12))
        column_of(self.sentence, self.list, row, parent=self, margins=(0, px(6), 0, 0), spacing=px(8))
        model.changed.connect(self._refresh)
        self._refresh()

    def follow(self, trust: Trust | None) -> None:
        """Switch to the project of this desk."""
        self._trust = trust
        if trust is not None:
            trust.changed.connect(self._refresh)
        self._refresh()

    def _refresh(self) -> None:
        effective = self._model.read.effective if self._model.read is not None else None
        before, self._shown = self._shown, effective.project_file if effective is not None else None
        file = self._shown
        if file != before:
            # A file that changes under the pointer has to be seen before it can be trusted.
            self._input_guard.begin(foreign_change_seconds())
        waiting = file.waiting if file is not None else ()
        self.sentence.setText(self._words(file))
        self.list.rows.set_rows(tuple(self._row(index, each) for index, each in enumerate(waiting)))
        self.list.fit_rows(_ROWS)
        self.list.setVisible(bool(waiting))
        is_trusted = file is not None and file.trusted
        self.yes.setVisible(file is not None and not is_trusted)
        self.no.setVisible(is_trusted)

    def _update_buttons(self) -> None:
        is_input_guarded = self._input_guard.seconds_left > 0
        if is_input_guarded and (self.yes.hasFocus() or self.no.hasFocus()):
            # Disabled buttons would pass the focus to the next widget of the window.
            self.setFocus(Qt.FocusReason.OtherFocusReason)
        for button in (self.yes, self.no):
            button.set_reason(
                self.tr("The view just changed. Try again in a second.") if is_input_guarded else ""
            )

    def _words(self, file: ProjectFile | None) -> str:
        if self._trust is None:
            return self.tr("Open a project to see its studio.yaml.")
        if self._model.read is not None and self._model.read.effective is None:
            return self.tr(
                "The trust status is unknown because a configuration file can't be read. See above."
            )
        if file is None:
            return self.tr("This project has no studio.yaml. Your own configuration applies.")
        name = say(self.tr("studio.yaml ({hash})"), hash=file.sha256[:8])
        if file.trusted:
            template = self.tr("{file} is trusted and in effect until it changes.")
        elif file.waiting:
            template = self.tr(
                "{file} is not trusted. Its restrictions are in effect, but the "
                "permissions listed here are not."
            )
        else:
            template = self.tr(
                "{file} grants no permissions beyond the effective values, so you don't need to trust it."
            )
        return say(template, file=name)

    def _row(self, index: int, setting: Setting) -> TableRow:
        row = SettingKey.find(setting.key)
        title = parts.title(row) if row is not None else show_name(setting.key)
        value = parts.value(row, setting.value) if row is not None else show_name(str(setting.value))
        now = self._effective_value(setting.key)
        line = say(self.tr("line {n}"), n=str(setting.line)) if setting.line is not None else ""
        cells = (
            Cell(title, size=SECOND),
            Cell(value, icon="look-out", icon_token="warn", second=line, size=SECOND),
            Cell(now, "muted", size=SECOND),
        )
        return TableRow(f"{index} {setting.key}", cells, ", ".join((title, value, now)))

    def _effective_value(self, key: str) -> str:
        """Return the effective value of a key."""
        row = SettingKey.find(key)
        effective = self._model.settings_of(key)
        if row is None or not effective:
            return self.tr("none")
        return ", ".join(parts.value(row, each.value) for each in effective)

    def _columns(self) -> tuple[Column, ...]:
        return (
            Column(self.tr("Setting"), _KEY_WIDTH),
            Column(self.tr("The file would allow"), 0),
            Column(self.tr("Effective value"), _NOW_WIDTH),
        )

    def _grant_trust(self) -> None:
        """Trust the bytes that are shown, and no others."""
        if self._trust is not None and self._shown is not None and self._input_guard.seconds_left == 0:
            self._trust.trust(self._shown.sha256)

    def _deny_trust(self) -> None:
        if self._trust is not None:
            self._trust.distrust()

    def event(self, event: QEvent) -> bool:
        if event.type() is QEvent.Type.WindowActivate:
            self._input_guard.begin(
                foreign_change_seconds()
            )  # the click that activated the window decides nothing
        return super().event(event)
