"""Painting of two images: side by side, or their difference."""

from __future__ import annotations

from enum import Enum
from typing import TYPE_CHECKING

from PySide6.QtCore import QPointF, QRectF, Qt, Signal
from PySide6.QtGui import QImage, QPainter, QPaintEvent, QPen
from PySide6.QtWidgets import QWidget

from studio.ui.look.theme import color, px

if TYPE_CHECKING:
    from studio.ui.diff.special.image_difference import ImageDifference
    from studio.ui.diff.special.images import DecodedImage

Pair = tuple["DecodedImage | None", "DecodedImage | None"]

_SMALL_EDGE = 192
"""Largest side in pixels of a small image when it is magnified by a whole factor."""

_CLEAR = 0
"""Fully transparent pixel."""

_FADED = 0.25
"""Opacity of the pixels that do not differ."""


class ComparisonMode(Enum):
    """Comparison mode of two images."""

    BESIDE = "beside"
    DIFFERENCE = "difference"


class ImageCanvas(QWidget):
    """Painting of two images at one scale; small ones are magnified."""

    was_painted = Signal()

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("image-pictures")
        self._pair: Pair | None = None
        self._mode = ComparisonMode.BESIDE
        self._difference: ImageDifference | None = None
        self._coloured: tuple[str, QImage] | None = None

    def show_pair(self, pair: Pair | None) -> None:
        """Show two images, dropping the last difference."""
        self._pair = pair
        self.show_difference(None)

    def show_mode(self, mode: ComparisonMode) -> None:
        self._mode = mode
        self.update()

    def show_difference(self, difference: ImageDifference | None) -> None:
        """Set the difference, None until it is computed."""
        self._difference, self._coloured = difference, None
        self.update()

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(event.rect(), color("content"))
        if self._pair is None:
            if self._mode is ComparisonMode.BESIDE:
                self._paint_middle(painter)
            return
        match self._mode:
            case ComparisonMode.BESIDE:
                self._paint_beside(painter, self._pair)
            case ComparisonMode.DIFFERENCE:
                self._paint_difference(painter, self._pair)
        self.was_painted.emit()

    # Geometry

    def _share(self, room: float) -> float:
        """Return the common scale of both images in the given pixel width.

        Icons are magnified, as differences would be invisible otherwise.
        """
        margin = px(32)
        edge, shares = 1, list[float]()
        for image in self._pair or ():
            if image is not None and image.width and image.height:
                edge = max(edge, image.width, image.height)
                shares.append(max(1.0, room - margin) / image.width)
                shares.append(max(1, self.height() - margin) / image.height)
        share = min(shares, default=1.0)
        return share if share < 1 else float(max(1, min(_SMALL_EDGE // edge, int(share))))

    def _frame(self) -> QRectF:
        """Return the centred bounding frame of both images, overlaid."""
        share = self._share(self.width())
        images = [image for image in self._pair or () if image is not None]
        width = max((image.width for image in images), default=0) * share
        height = max((image.height for image in images), default=0) * share
        return QRectF(round((self.width() - width) / 2), round((self.height() - height) / 2), width, height)

    # Painting

    def _paint_middle(self, painter: QPainter) -> None:
        painter.fillRect(self.width() // 2, 0, 1, self.height(), color("border"))

    def _paint_beside(self, painter: QPainter, pair: Pair) -> None:
        self._paint_middle(painter)
        half = self.width() // 2
        share = self._share(half)
        for index, image in enumerate(pair):
            if image is None:
                continue
            room = QRectF(index * half, 0, half, self.height())
            if image.picture is None:
                self._paint_reason(painter, image.reason, room)
                continue
            width, height = image.width * share, image.height * share
            corner = QPointF(round(room.center().x() - width / 2), round(room.center().y() - height / 2))
            self._paint_image(painter, image, corner, share)

    def _paint_difference(self, painter: QPainter, pair: Pair) -> None:
        """Paint the new image faded, differing pixels in colour, with a frame."""
        frame, share = self._frame(), self._share(self.width())
        after = pair[1]
        painter.setOpacity(_FADED)
        if after is not None:
            self._paint_image(painter, after, frame.topLeft(), share)
        painter.setOpacity(1.0)
        found = self._difference
        if found is None or found.area.isEmpty():
            return
        painter.drawImage(frame, self._mask_in("bad", found))
        across, down = frame.width() / found.mask.width(), frame.height() / found.mask.height()
        area = QRectF(
            frame.left() + found.area.x() * across, frame.top() + found.area.y() * down,
            found.area.width() * across, found.area.height() * down,
        )  # fmt: skip
        painter.setPen(QPen(color("accent"), 2))
        painter.drawRect(area.adjusted(-3, -3, 3, 3))

    def _mask_in(self, token: str, found: ImageDifference) -> QImage:
        """Return the differing pixels in a token's colour, others transparent."""
        ink = color(token).name()
        if self._coloured is None or self._coloured[0] != ink:
            mask = found.mask.copy()
            mask.setColorTable([_CLEAR, color(token).rgba()])
            self._coloured = ink, mask.convertToFormat(QImage.Format.Format_ARGB32_Premultiplied)
        return self._coloured[1]

    def _paint_reason(self, painter: QPainter, reason: str, room: QRectF) -> None:
        painter.setPen(color("muted"))
        margin = px(16)
        flags = Qt.AlignmentFlag.AlignCenter | Qt.TextFlag.TextWordWrap
        painter.drawText(room.adjusted(margin, margin, -margin, -margin), flags, reason)

    def _paint_image(self, painter: QPainter, image: DecodedImage, at: QPointF, share: float) -> None:
        """Paint an image over a checkerboard, from its upper left corner."""
        if image.picture is None:
            return
        area = QRectF(at.x(), at.y(), image.width * share, image.height * share)
        side = px(16)
        painter.save()
        painter.setClipRect(area, Qt.ClipOperation.IntersectClip)
        for row in range(int(area.height() // side) + 1):
            for column in range(row % 2, int(area.width() // side) + 1, 2):
                square = QRectF(area.left() + column * side, area.top() + row * side, side, side)
                painter.fillRect(square, color("void"))
        painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, share < 1)
        painter.drawImage(area, image.picture)
        painter.restore()
        painter.setPen(QPen(color("border"), 1))
        painter.setBrush(Qt.BrushStyle.NoBrush)
        painter.drawRect(area.adjusted(-0.5, -0.5, 0.5, 0.5))
