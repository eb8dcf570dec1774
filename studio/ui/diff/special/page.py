"""What stands there instead of a diff: a card, two images, or the file to be read."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.diff.special.card import SpecialCard
from studio.ui.diff.special.image_pair import ImagePair
from studio.ui.diff.special.panels import SpecialPanel
from studio.ui.diff.special.text import ReadingText
from studio.ui.widgets import Surface

if TYPE_CHECKING:
    from studio.ui.runner import Runner


class SpecialPage(Surface):
    """A card with the next step it offers; for a picture the picture."""

    was_painted = Signal(str)
    """The revision given with the card has been on screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("special-page")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self._data = b""
        self._setting: str | None = None
        self._card = SpecialCard(self)
        self.images = ImagePair(self)
        self.reading = ReadingText(self)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self.images, 1)
        column.addWidget(self._card, 1)
        column.addWidget(self.reading, 3)
        self.images.hide()
        self.reading.hide()
        self._card.was_painted.connect(self.was_painted)
        self.images.was_painted.connect(self.was_painted)
        self.images.described.connect(self._describe_images)
        self._card.offered.connect(self._offered)
        self._card.offer_gone.connect(lambda: self.setFocus(Qt.FocusReason.OtherFocusReason))

    def show_panel(
        self,
        panel: SpecialPanel,
        revision: str,
        base: bytes | None,
        result: bytes | None,
        runner: Runner | None,
        *,
        setting: str | None = None,
    ) -> None:
        """Show what the panel says, or the pictures its bytes are. `revision` is what it stands for,
        `setting` the project's encoding for the file."""
        data = result if result is not None else base or b""
        if data != self._data:
            self.close_reading()
        self._data, self._setting = data, setting
        shows_images = panel.is_image and runner is not None
        self._card.show_panel(panel, "" if shows_images else revision)
        self.setAccessibleName(panel.title)
        self.setAccessibleDescription(panel.sentence)
        self.images.setVisible(shows_images)
        self._card.setVisible(not shows_images)
        if shows_images:
            self.images.show_images(base, result, revision, runner)
        else:
            self.images.clear_images()

    def _describe_images(self) -> None:
        if not self.images.isHidden():
            self.setAccessibleDescription(self.images.accessibleDescription())

    def title(self) -> str:
        return self._card.title()

    def close_reading(self) -> bool:
        """Close the file that is read; says whether it was open."""
        if self.reading.isHidden():
            return False
        self.reading.hide()
        self.reading.clear()
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def _offered(self, offer: str) -> None:
        if offer == "hex":
            self.reading.show_hex(self._data)
        elif offer == "read":
            self.reading.show_text(self._data, self._setting)
        else:
            return
        self.reading.show()
        self.reading.setFocus(Qt.FocusReason.OtherFocusReason)
