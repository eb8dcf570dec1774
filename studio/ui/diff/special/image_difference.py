"""Pixel difference of two images, computed outside the UI thread on demand."""

from __future__ import annotations

from functools import reduce
from operator import or_

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter

from studio.ui.diff.special.images import DecodedImage
from studio.values import Value

_OPAQUE = QImage.Format.Format_RGB32
_NOTHING, _EVERYTHING = 0xFF000000, 0xFFFFFFFF
"""Black and white pixels."""


class ImageDifference(Value):
    """Difference of two images; `mask` is 1 for each differing pixel.

    All counts and areas are in pixels of the mask. `is_reduced`: the images were scaled down before the
    comparison.
    """

    mask: QImage
    differing: int
    area: QRect
    is_reduced: bool

    @property
    def pixels(self) -> int:
        """The number of compared pixels: the bounding frame of both."""
        return self.mask.width() * self.mask.height()


def find_difference(before: DecodedImage, after: DecodedImage) -> ImageDifference:
    """Align both images at the top left and compare them by pixel."""
    assert before.picture is not None
    assert after.picture is not None
    share = min(each.picture.width() / each.width for each in (before, after) if each.picture is not None)
    frame = QSize(
        max(1, round(max(before.width, after.width) * share)),
        max(1, round(max(before.height, after.height) * share)),
    )
    # A difference in transparency shows on a black background, a white one, or both.
    grounds = [
        _subtract_images(before, after, frame, share, background) for background in (_NOTHING, _EVERYTHING)
    ]
    painter = QPainter(grounds[0])
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
    painter.drawImage(0, 0, grounds[1])
    painter.end()
    mask = grounds[0].createMaskFromColor(_NOTHING, Qt.MaskMode.MaskOutColor)
    rows = _rows(mask)
    return ImageDifference(mask, sum(row.bit_count() for row in rows), _bounding_rect(rows), share < 1)


def _subtract_images(
    before: DecodedImage, after: DecodedImage, frame: QSize, share: float, background: int
) -> QImage:
    """Return the difference on a background, per colour channel."""
    layers = [_paint_on(image, frame, share, background) for image in (before, after)]
    painter = QPainter(layers[0])
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Difference)
    painter.drawImage(0, 0, layers[1])
    painter.end()
    return layers[0]


def _paint_on(image: DecodedImage, frame: QSize, share: float, background: int) -> QImage:
    layer = QImage(frame, _OPAQUE)
    layer.fill(background)
    assert image.picture is not None
    painter = QPainter(layer)
    painter.drawImage(QRectF(0, 0, image.width * share, image.height * share), image.picture)
    painter.end()
    return layer


def _rows(mask: QImage) -> list[int]:
    """Return each row of the mask as an integer, leftmost pixel lowest."""
    straight = mask.convertToFormat(QImage.Format.Format_MonoLSB)
    step, data, used = straight.bytesPerLine(), bytes(straight.constBits()), (1 << straight.width()) - 1
    return [
        int.from_bytes(data[row * step : (row + 1) * step], "little") & used for row in range(mask.height())
    ]


def _bounding_rect(rows: list[int]) -> QRect:
    """Return the bounding rectangle of the difference, empty for none."""
    columns = reduce(or_, rows, 0)
    if not columns:
        return QRect()
    left = (columns & -columns).bit_length() - 1
    hit = [number for number, row in enumerate(rows) if row]
    return QRect(left, hit[0], columns.bit_length() - left, hit[-1] - hit[0] + 1)
