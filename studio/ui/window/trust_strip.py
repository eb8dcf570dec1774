"""The strip that says that the project's own file would allow more, until a person says what of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.reading_limits import WIDENED_SETTINGS_NAMED
from studio.ui.configuration import words
from studio.ui.look.words import say
from studio.ui.widgets import Banner, BannerKind

if TYPE_CHECKING:
    from studio.ui.desk.trust import Trust


class TrustStrip(Banner):
    """Not modal and never in the way: what is allowed anyway goes on."""

    look_wanted = Signal()
    """The person wants to see what it would allow."""

    def __init__(self, trust: Trust, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="trust-strip", below=True)
        self._trust = trust
        trust.changed.connect(self._refresh)

    def _refresh(self) -> None:
        file = self._trust.file
        if file is None or not self._trust.is_asked:
            self.hide()
            return
        named = list(dict.fromkeys(words.title_of(setting.key) for setting in file.waiting))
        more = "…" if len(named) > WIDENED_SETTINGS_NAMED else ""
        title = say(
            self.tr("This project's studio.yaml would allow more: {settings}"),
            settings=", ".join(named[:WIDENED_SETTINGS_NAMED]) + more,
        )
        explanation = self.tr("Nothing of that counts until you trust this very file. The rest goes on.")
        self.show_message(BannerKind.WARNING, title, explanation)
        self.add_choice(
            self.tr("Look at it…"),
            tip=self.tr("Shows what it would allow, beside what counts now."),
            name="trust-look",
            pressed=self.look_wanted,
        )
        self.add_choice(
            self.tr("Not this version"),
            tip=self.tr("Asks again once the file has changed."),
            name="trust-later",
            pressed=self._trust.put_aside,
            leaves=True,
        )
