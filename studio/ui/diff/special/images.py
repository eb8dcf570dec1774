"""Image decoding from bytes with size limits, for display before and after."""

from __future__ import annotations

from PySide6.QtCore import QBuffer, QByteArray, QSize
from PySide6.QtGui import QImage, QImageReader

from studio.ui.language import translator
from studio.ui.limits import DECODED_EDGE_PIXELS, IMAGE_BYTES, IMAGE_PIXELS
from studio.ui.look.words import say
from studio.values import Value

_tr = translator("ImagePair")

_FORMATS = frozenset({b"png", b"jpeg", b"jpg", b"gif", b"bmp", b"webp", b"ico"})
_MEBIBYTES = 256


class DecodedImage(Value):
    """Decoded image of at most 2400 x 2400 pixels, or an error.

    `width` and `height` are those of the file; `reason` is why there is no picture.
    """

    picture: QImage | None
    width: int
    height: int
    reason: str = ""


def decode(data: bytes) -> DecodedImage:
    """Decode the first image in these bytes; never raises."""
    if len(data) > IMAGE_BYTES:
        return DecodedImage(None, 0, 0, _tr("The image file is too large to show."))
    buffer = QBuffer()
    buffer.setData(QByteArray(data))
    buffer.open(QBuffer.OpenModeFlag.ReadOnly)
    # Also limits formats whose size is not known before decoding.
    QImageReader.setAllocationLimit(_MEBIBYTES)
    reader = QImageReader(buffer)
    reader.setDecideFormatFromContent(True)
    if bytes(reader.format().data()) not in _FORMATS:
        return DecodedImage(None, 0, 0, _tr("This image format is not supported."))
    size = reader.size()
    width, height = size.width(), size.height()
    # Checked before decoding: a PNG of 400 kB with 100 megapixels took 790 MB.
    if width * height > IMAGE_PIXELS:
        words = _tr("The image is too large to show: {w} × {h} pixels.")
        return DecodedImage(None, width, height, say(words, w=str(width), h=str(height)))
    if max(width, height) > DECODED_EDGE_PIXELS:
        share = DECODED_EDGE_PIXELS / max(width, height)
        reader.setScaledSize(QSize(max(1, round(width * share)), max(1, round(height * share))))
    picture = reader.read()
    if picture.isNull():
        return DecodedImage(
            None, max(0, width), max(0, height), _tr("The image is damaged and can't be shown.")
        )
    if not size.isValid():
        width, height = picture.width(), picture.height()
    return DecodedImage(picture, width, height)


def decode_pair(base: bytes | None, result: bytes | None) -> tuple[DecodedImage | None, DecodedImage | None]:
    """Decode both sides; None for a side that does not exist."""
    return (
        None if base is None else decode(base),
        None if result is None else decode(result),
    )
