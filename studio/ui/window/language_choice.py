"""The choice of a language, on the page of settings beside colours and keys; shown where there is one."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QCoreApplication
from PySide6.QtWidgets import QGridLayout, QWidget

from studio.engine.names import show_name
from studio.ui.language import ENGLISH, LANGUAGE, language_files, language_name
from studio.ui.look.theme import px
from studio.ui.look.words import counted, say
from studio.ui.translation import Translation
from studio.ui.widgets import Label
from studio.ui.widgets.choice import Choice
from studio.ui.window.own_settings import CONTROL_WIDTH, NAMES_WIDTH

if TYPE_CHECKING:
    from studio.ui.runner import Runner
    from studio.ui.settings import Settings


class LanguageChoice(QWidget):
    """It is remembered at once, and counts from the next start on."""

    def __init__(self, settings: Settings, runner: Runner, parent: QWidget) -> None:
        super().__init__(parent)
        self._settings = settings
        self.choice: Choice | None = None
        self.setObjectName("own-language")
        self._grid = QGridLayout(self)
        self._grid.setContentsMargins(0, px(6), 0, 0)
        self._grid.setHorizontalSpacing(px(16))
        self._grid.setVerticalSpacing(px(4))
        self._grid.setColumnMinimumWidth(0, px(NAMES_WIDTH))
        self._grid.setColumnStretch(2, 1)
        runner.compute(language_files, then=self._offer)

    def _offer(self, files: dict[str, Path]) -> None:
        """Show what can be chosen; English alone is no choice."""
        if not files:
            return
        choice = self.choice = Choice(self)
        choice.setObjectName("own-languages")
        choice.setAccessibleName(self.tr("Language"))
        choice.setFixedWidth(px(CONTROL_WIDTH))
        choice.addItem(self.tr("As the system"), "")
        choice.addItem(language_name(ENGLISH), ENGLISH)
        for code in sorted(files):
            choice.addItem(f"{language_name(code)} ({code})", code)
        choice.setCurrentIndex(max(0, choice.findData(self._settings.text(LANGUAGE))))
        choice.activated.connect(lambda place: self._settings.keep_text(LANGUAGE, choice.itemData(place)))
        self._grid.addWidget(Label(self.tr("Language"), self, weight=500), 0, 0)
        self._grid.addWidget(choice, 0, 1)
        when = Label(self.tr("Counts from the next start on"), self, size=12.5, token="muted")
        self._grid.addWidget(when, 0, 2)
        said = self._trouble()
        if said:
            trouble = Label(said, self, size=12.5, token="warn", wrap=True, name="own-language-trouble")
            self._grid.addWidget(trouble, 1, 1, 1, 2)

    def _trouble(self) -> str:
        """What of the file that was read at the start does not count, and why."""
        app = QCoreApplication.instance()
        spoken = app.findChild(Translation) if app is not None else None
        if spoken is None:
            return ""
        file = show_name(spoken.file.name)
        if spoken.trouble:
            return say(self.tr("{file} can't be read whole: {why}"), file=file, why=spoken.trouble)
        if not spoken.refused:
            return ""
        one = self.tr("{n} text stays English: in {file} it has other gaps or signs.")
        many = self.tr("{n} texts stay English: in {file} they have other gaps or signs.")
        return say(counted(len(spoken.refused), one, many), file=file)
