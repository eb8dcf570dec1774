"""Says what became of a plan that left the queue while it was looked at, and gives back what was typed."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.ui.desk.desk import Desk
from studio.ui.widgets import Banner, BannerKind

_ACTION = "copy_typed"


class DepartedStrip(Banner):
    """Stands on a dead page: nothing can be decided on it, and nothing leaves it but the person."""

    pressed = Signal(str)
    """The id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__(parent, name="departed-strip")
        self._desk = desk
        self._said = ""
        desk.queue.plans_changed.connect(self.describe)
        desk.queue.current_changed.connect(self.describe)
        self.describe()

    def describe(self) -> None:
        """Say what became of the current plan; nothing while it stands in the queue."""
        departure = self._desk.queue.departure
        said = departure.sentence if departure is not None else ""
        if said == self._said:
            return
        self._said = said
        if not said:
            self.hide()
            return
        told = self.tr("Nothing can be decided here any more. What you typed is kept; go on when you like.")
        self.show_message(BannerKind.WARNING, said, told, icon="stale")
        self.add_choice(
            self.tr("Copy what I typed"),
            icon="copy",
            icon_token="text",
            name="departed-copy",
            pressed=lambda: self.pressed.emit(_ACTION),
        )
