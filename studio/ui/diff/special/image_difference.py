"""Where two pictures differ, found away from the ui thread; imported only when that is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from operator import or_

from PySide6.QtCore import QRect, QRectF, QSize, Qt
from PySide6.QtGui import QImage, QPainter

from studio.ui.diff.special.images import DecodedImage

_OPAQUE = QImage.Format.Format_RGB32
_NOTHING, _EVERYTHING = 0xFF000000, 0xFFFFFFFF
"""Pixels with no light and with all of it."""


@dataclass(frozen=True, slots=True)
class ImageDifference:
    """`mask` has a 1 for each pixel that differs; pixels, their area and their number are those of the mask.

    `is_reduced`: the pictures were made smaller before they were compared.
    """

    mask: QImage
    differing: int
    area: QRect
    is_reduced: bool

    @property
    def pixels(self) -> int:
        """How many pixels were compared: those of the smallest frame around both."""
        return self.mask.width() * self.mask.height()


def find_difference(before: DecodedImage, after: DecodedImage) -> ImageDifference:
    """Lay both upon each other at their upper left corners, and compare pixel by pixel."""
    assert before.picture is not None
    assert after.picture is not None
    share = min(each.picture.width() / each.width for each in (before, after) if each.picture is not None)
    frame = QSize(
        max(1, round(max(before.width, after.width) * share)),
        max(1, round(max(before.height, after.height) * share)),
    )
    # What shines through shows on a black ground, on a white one, or on both.
    grounds = [_apart(before, after, frame, share, ground) for ground in (_NOTHING, _EVERYTHING)]
    painter = QPainter(grounds[0])
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
    painter.drawImage(0, 0, grounds[1])
    painter.end()
    mask = grounds[0].createMaskFromColor(_NOTHING, Qt.MaskMode.MaskOutColor)
    rows = _rows(mask)
    return ImageDifference(mask, sum(row.bit_count() for row in rows), _area(rows), share < 1)


def _apart(before: DecodedImage, after: DecodedImage, frame: QSize, share: float, ground: int) -> QImage:
    """How far both are apart on a ground, in each colour."""
    laid = [_laid(image, frame, share, ground) for image in (before, after)]
    painter = QPainter(laid[0])
    painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Difference)
    painter.drawImage(0, 0, laid[1])
    painter.end()
    return laid[0]


def _laid(image: DecodedImage, frame: QSize, share: float, ground: int) -> QImage:
    laid = QImage(frame, _OPAQUE)
    laid.fill(ground)
    assert image.picture is not None
    painter = QPainter(laid)
    painter.drawImage(QRectF(0, 0, image.width * share, image.height * share), image.picture)
    painter.end()
    return laid


def _rows(mask: QImage) -> list[int]:
    """Each row of the mask as a number, the leftmost pixel its lowest bit."""
    straight = mask.convertToFormat(QImage.Format.Format_MonoLSB)
    step, data, used = straight.bytesPerLine(), bytes(straight.constBits()), (1 << straight.width()) - 1
    return [
        int.from_bytes(data[row * step : (row + 1) * step], "little") & used for row in range(mask.height())
    ]


def _area(rows: list[int]) -> QRect:
    """The smallest rectangle around what differs; an empty one where nothing does."""
    columns = reduce(or_, rows, 0)
    if not columns:
        return QRect()
    left = (columns & -columns).bit_length() - 1
    hit = [number for number, row in enumerate(rows) if row]
    return QRect(left, hit[0], columns.bit_length() - left, hit[-1] - hit[0] + 1)
