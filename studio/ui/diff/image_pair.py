"""Two images beside each other, as large as they are or as fits."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QRectF, Qt, Signal
from PySide6.QtGui import QBrush, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QVBoxLayout, QWidget

from studio.ui.diff.headings import SideHeadings
from studio.ui.look.theme import color, px
from studio.ui.look.words import size
from studio.ui.widgets import HairLine, Label, Surface

if TYPE_CHECKING:
    from studio.ui.diff.images import DecodedImage
    from studio.ui.runner import Runner

Pair = tuple["DecodedImage | None", "DecodedImage | None"]


class ImagePair(Surface):
    """Shows what an image was and what it becomes; the pictures come when they are decoded."""

    was_painted = Signal(str)
    """What `show_images` was told the pair stands for has been on screen."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self.setObjectName("image-pair")
        self._wanted = 0
        self._pair: Pair | None = None
        self._sides: tuple[bytes | None, bytes | None] = (None, None)
        self._stands_for = ""
        self._bar = Surface("panel", self)
        self._bar.setFixedHeight(px(30))
        self.sentence = Label(parent=self._bar, size=12, token="muted")
        inside = QVBoxLayout(self._bar)
        inside.setContentsMargins(px(12), 0, px(12), 0)
        inside.addWidget(self.sentence)
        self.headings = SideHeadings(self)
        self._canvas = _Pictures(self)
        self._canvas.was_painted.connect(self._painted)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addWidget(self._bar)
        column.addWidget(HairLine(self))
        column.addWidget(self.headings)
        column.addWidget(self._canvas, 1)

    def show_images(
        self, base: bytes | None, result: bytes | None, stands_for: str, runner: Runner | None
    ) -> None:
        """Show what these bytes are pictures of, None where a side does not exist."""
        self._stands_for = stands_for
        if self._sides == (base, result) and self._pair is not None:
            self._canvas.show_pair(self._pair)
            return
        self._sides, self._pair = (base, result), None
        self._wanted += 1
        self._canvas.show_pair(None)
        self._describe()
        if runner is not None:
            from studio.ui.diff.images import decode_pair

            runner.compute(decode_pair, base, result, then=partial(self._take, self._wanted))

    def clear_images(self) -> None:
        """Let go of the pictures."""
        self._wanted += 1
        self._pair, self._sides = None, (None, None)
        self._canvas.show_pair(None)

    def _take(self, wanted: int, pair: Pair) -> None:
        if wanted == self._wanted:
            self._pair = pair
            self._describe()
            self._canvas.show_pair(pair)

    def _describe(self) -> None:
        before, after = self._pair or (None, None)
        texts = (
            self._heading(self.tr("Before"), before, self._sides[0], self.tr("no such file")),
            self._heading(self.tr("After this step"), after, self._sides[1], self.tr("the file is gone")),
        )
        self.headings.show_texts(texts, 0)
        words = [self._what_differs(before, after)]
        words += [image.reason for image in (before, after) if image is not None and image.reason]
        self.sentence.setText(" · ".join(dict.fromkeys(part for part in words if part)))
        self._bar.setVisible(bool(self.sentence.text()))
        self.setAccessibleName(self.tr("Image"))
        self.setAccessibleDescription(". ".join((*texts, self.sentence.text())))

    @staticmethod
    def _heading(name: str, image: DecodedImage | None, data: bytes | None, missing: str) -> str:
        if data is None:
            return f"{name} · {missing}"
        measures = f"{image.width} × {image.height}, " if image is not None and image.width else ""
        return f"{name} · {measures}{size(len(data))}"

    def _what_differs(self, before: DecodedImage | None, after: DecodedImage | None) -> str:
        if before is None or after is None or before.picture is None or after.picture is None:
            return ""
        wider, higher = after.width - before.width, after.height - before.height
        words: list[str] = []
        if wider:
            said = self.tr("{n} pixels wider") if wider > 0 else self.tr("{n} pixels narrower")
            words.append(said.replace("{n}", str(abs(wider))))
        if higher:
            said = self.tr("{n} pixels higher") if higher > 0 else self.tr("{n} pixels lower")
            words.append(said.replace("{n}", str(abs(higher))))
        return " · ".join(words) or self.tr("Same size in pixels")

    def _painted(self) -> None:
        if self._stands_for and self._pair is not None:
            said, self._stands_for = self._stands_for, ""
            self.was_painted.emit(said)


class _Pictures(QWidget):
    """The two halves."""

    was_painted = Signal()

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("image-pictures")
        self._pair: Pair | None = None

    def show_pair(self, pair: Pair | None) -> None:
        self._pair = pair
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), color("content"))
        half = self.width() // 2
        painter.fillRect(half, 0, 1, self.height(), color("border"))
        if self._pair is None:
            return
        share = self._share(half)
        for index, image in enumerate(self._pair):
            if image is not None:
                self._paint_image(painter, image, QRectF(index * half, 0, half, self.height()), share)
        self.was_painted.emit()

    def _share(self, half: int) -> float:
        """Both sides are shown in one scale, never larger than they are."""
        margin = px(32)
        shares = [1.0]
        for image in self._pair or ():
            if image is not None and image.width and image.height:
                shares.append(max(1, half - margin) / image.width)
                shares.append(max(1, self.height() - margin) / image.height)
        return min(shares)

    def _paint_image(self, painter: QPainter, image: DecodedImage, room: QRectF, share: float) -> None:
        if image.picture is None:
            painter.setPen(color("muted"))
            margin = px(16)
            inside = room.adjusted(margin, margin, -margin, -margin)
            flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
            painter.drawText(inside, flags, image.reason)
            return
        width, height = image.width * share, image.height * share
        place = QRectF(
            round(room.center().x() - width / 2), round(room.center().y() - height / 2), width, height
        )
        side = px(16)
        painter.save()
        painter.setClipRect(place)
        painter.setBrushOrigin(place.topLeft())
        columns, rows = int(width // side) + 1, int(height // side) + 1
        for row in range(rows):
            for column in range(row % 2, columns, 2):
                painter.fillRect(
                    QRectF(place.left() + column * side, place.top() + row * side, side, side), color("void")
                )
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, share < 1)
        painter.drawImage(place, image.picture)
        painter.restore()
        painter.setPen(QPen(color("border"), 1))
        painter.setBrush(QBrush(Qt.BrushStyle.NoBrush))
        painter.drawRect(place.adjusted(-0.5, -0.5, 0.5, 0.5))
