"""SVG icon rendering in theme colours, with cache and icon widget."""

from __future__ import annotations

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QGuiApplication, QIcon, QPainter, QPaintEvent, QPixmap, QPixmapCache
from PySide6.QtSvg import QSvgRenderer
from PySide6.QtWidgets import QSizePolicy, QWidget

from studio.resources import resource
from studio.ui.look.theme import color, px
from studio.ui.look.words import plain_tip


@cache
def _source(name: str) -> bytes:
    return resource("icons", f"{name}.svg").read_bytes()


def pixmap(name: str, token: str = "muted", size: int = 16, *, ratio: float | None = None) -> QPixmap:
    """Return the icon in a token's colour, cached.

    `size` is in unscaled pixels: 16 in rows and buttons, 18 in headers, 32 in empty states. `ratio` is the
    device pixel ratio, by default that of the first screen. Raises FileNotFoundError for an unknown name.
    """
    ratio = ratio or QGuiApplication.primaryScreen().devicePixelRatio()
    ink, side = color(token).name(), px(size)
    # Qt's own cache and not functools: pixmaps must not outlive the application.
    key = f"icon/{name}/{ink}/{side}/{ratio}"
    cached = QPixmap()
    if QPixmapCache.find(key, cached):
        return cached
    drawn = _draw(name, ink, side, ratio)
    QPixmapCache.insert(key, drawn)
    return drawn


# Not QIcon.fromTheme: without an icon theme on the desktop it is empty (PySide6 6.11.3).
def _draw(name: str, ink: str, side: int, ratio: float) -> QPixmap:
    svg = _source(name).replace(b"currentColor", ink.encode("ascii"))
    drawn = QPixmap(QSize(round(side * ratio), round(side * ratio)))
    drawn.fill(Qt.GlobalColor.transparent)
    painter = QPainter(drawn)
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    QSvgRenderer(QByteArray(svg)).render(painter, QRectF(0, 0, drawn.width(), drawn.height()))
    painter.end()
    drawn.setDevicePixelRatio(ratio)
    return drawn


def icon(name: str, token: str = "muted", size: int = 16) -> QIcon:
    """Return a QIcon with its disabled state; recreate it after theme changes."""
    result = QIcon()
    for ratio in (1.0, 2.0):
        result.addPixmap(pixmap(name, token, size, ratio=ratio), QIcon.Mode.Normal)
        result.addPixmap(pixmap(name, "off", size, ratio=ratio), QIcon.Mode.Disabled)
    return result


def paint_icon(painter: QPainter, name: str, token: str, x: float, y: float, *, size: int = 16) -> None:
    """Draw the icon with its top left corner at (x, y).

    Coordinates are logical pixels.
    """
    drawn = pixmap(name, token, size, ratio=painter.device().devicePixelRatioF())
    painter.drawPixmap(round(x), round(y), drawn)


# A single icon as a widget; it is painted from its token, so that it follows a change of theme


class Sign(QWidget):
    """Icon widget of 16, 18 or 32 px; "" shows none."""

    def __init__(
        self,
        name: str,
        parent: QWidget | None = None,
        *,
        icon: str = "",
        token: str = "muted",
        size: int = 16,
    ) -> None:
        super().__init__(parent)
        self._icon, self._token, self._size = icon, token, size
        self.setObjectName(name)
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)

    def show_icon(self, icon: str, token: str, words: str = "") -> None:
        """Show another icon, with its meaning as accessible name and tooltip."""
        self._icon, self._token = icon, token
        self.setAccessibleName(words)
        self.setToolTip(plain_tip(words))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(px(self._size), px(self._size))

    def paintEvent(self, event: QPaintEvent) -> None:
        if self._icon:
            paint_icon(QPainter(self), self._icon, self._token, 0, 0, size=self._size)
