"""Icons of one drawing for systems that want them in a container: Windows' .ico, macOS' .icns.

Run by itself with the packaged program's Python, for it draws with Qt: icons.py DRAWING FILE.
"""

from __future__ import annotations

import struct
import sys
from collections.abc import Mapping
from pathlib import Path

WINDOWS_SIZES = (16, 20, 24, 32, 40, 48, 64, 256)
MAC_TYPES: Mapping[bytes, int] = {
    b"icp4": 16,
    b"icp5": 32,
    b"ic07": 128,
    b"ic08": 256,
    b"ic09": 512,
    b"ic10": 1024,
    b"ic11": 32,
    b"ic12": 64,
    b"ic13": 256,
    b"ic14": 512,
}
"""The names under which macOS looks, for sizes in pixels; the last four are drawn at twice their size."""


def windows_icon(pictures: Mapping[int, bytes]) -> bytes:
    """The .ico of PNG pictures by their width."""
    entries, place = b"", 6 + 16 * len(pictures)
    for size, picture in pictures.items():
        entries += struct.pack("<BBBBHHII", size % 256, size % 256, 0, 0, 1, 32, len(picture), place)
        place += len(picture)
    return struct.pack("<HHH", 0, 1, len(pictures)) + entries + b"".join(pictures.values())


def mac_icon(pictures: Mapping[int, bytes]) -> bytes:
    """The .icns of PNG pictures by their width."""
    parts = b"".join(
        name + struct.pack(">I", 8 + len(pictures[size])) + pictures[size] for name, size in MAC_TYPES.items()
    )
    return b"icns" + struct.pack(">I", 8 + len(parts)) + parts


def main(drawing: Path, file: Path) -> None:
    is_mac = file.suffix == ".icns"
    sizes = sorted(set(MAC_TYPES.values())) if is_mac else WINDOWS_SIZES
    pictures = {size: drawn(drawing, size) for size in sizes}
    file.write_bytes(mac_icon(pictures) if is_mac else windows_icon(pictures))


def drawn(drawing: Path, size: int) -> bytes:
    """The drawing as a PNG of this width."""
    from PySide6.QtCore import QBuffer, QByteArray, QIODevice
    from PySide6.QtGui import QImage, QImageWriter, QPainter
    from PySide6.QtSvg import QSvgRenderer

    image = QImage(size, size, QImage.Format.Format_ARGB32)
    image.fill(0)
    painter = QPainter(image)
    QSvgRenderer(str(drawing)).render(painter)
    painter.end()
    buffer = QBuffer()
    buffer.open(QIODevice.OpenModeFlag.WriteOnly)
    QImageWriter(buffer, QByteArray(b"png")).write(image)
    return bytes(buffer.data().data())


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]))
