"""Contrast of at least 4.5 : 1, measured on what is painted, in every theme, colour-blind-safe and not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect, QTimer
from PySide6.QtGui import QImage
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLabel,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)
from pytestqt.qtbot import QtBot

from studio.engine.plan import StepState
from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.look.theme import THEME_NAMES, set_theme
from studio.ui.queue.delegate import BAR_WIDTH
from tests.tools.stage import Stage
from tests.ui.access.walk import rows_of, shown, stage_on

TEXT, SIGN, OFF = 4.5, 3.0, 3.0
_GAP = 7
"""So many pixels without ink part two words or signs."""
_SIGN_WIDTH = 20
_LEAST_INK = 4
"""What is narrower is an outline, not a word."""

Box = tuple[int, int, int, int]


class Shot:
    """A picture of the window, and what stands on it."""

    def __init__(self, window: QWidget) -> None:
        self._image = window.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
        self._pixels = memoryview(self._image.constBits()).cast("I")
        self._line = self._image.bytesPerLine() // 4

    def inks(self, area: QRect) -> Iterator[tuple[Box, float]]:
        """The words and signs in an area, each with its contrast against what is behind it."""
        area = area.intersected(self._image.rect())
        for left, right in self._runs(area):
            if right - left < _LEAST_INK:
                continue
            box = QRect(left, area.top(), right - left, area.height())
            colours = self._colours(box)
            (ground, _), *others = colours.most_common()
            inks = [rgb for rgb, _count in others]
            if inks:
                yield (
                    (box.x(), box.y(), box.width(), box.height()),
                    max(_contrast(ground, ink) for ink in inks),
                )

    def _colours(self, box: QRect) -> Counter[int]:
        found: Counter[int] = Counter()
        for y in range(box.top(), box.bottom() + 1):
            start = y * self._line + box.left()
            found.update(self._pixels[start : start + box.width()])
        return found

    def _runs(self, area: QRect) -> Iterator[tuple[int, int]]:
        """Stretches of columns that hold ink, parted by gaps."""
        if area.height() < 3 or area.width() < 3:
            return
        columns = [
            {self._pixels[y * self._line + x] for y in range(area.top() + 1, area.bottom())}
            for x in range(area.left(), area.right() + 1)
        ]
        inked = [place for place, colours in enumerate(columns) if len(colours) > 1]
        start = before = None
        for place in inked:
            if start is None or before is None:
                start = place
            elif place - before > _GAP:
                yield area.left() + start, area.left() + before + 1
                start = place
            before = place
        if start is not None and before is not None:
            yield area.left() + start, area.left() + before + 1


def _contrast(one: int, other: int) -> float:
    light, dark = sorted((_luminance(one), _luminance(other)), reverse=True)
    return (light + 0.05) / (dark + 0.05)


def _luminance(rgb: int) -> float:
    parts = ((rgb >> shift & 255) / 255 for shift in (16, 8, 0))
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def areas(window: QWidget) -> Iterator[tuple[str, QRect, bool]]:
    """Where text stands: labels, buttons, fields, rows, lines of the diff; and whether it is turned off."""
    for widget in shown(window):
        corner = widget.mapTo(window, QPoint(0, 0))
        seen = widget.visibleRegion().boundingRect().translated(corner)
        if isinstance(widget, QLabel | QAbstractButton) and widget.text():
            yield widget.objectName(), seen.adjusted(3, 3, -3, -3), not widget.isEnabled()
        elif isinstance(widget, QLineEdit | QPlainTextEdit):
            line = QRect(seen.left(), seen.top(), seen.width(), min(seen.height(), 28))
            yield widget.objectName(), line.adjusted(4, 4, -4, -4), False
        elif isinstance(widget, QAbstractItemView):
            port = widget.viewport()
            offset = port.mapTo(window, QPoint(0, 0))
            room = port.visibleRegion().boundingRect()
            for index in rows_of(widget):
                row = widget.visualRect(index).intersected(room)
                if row.height() > 8:
                    yield widget.objectName(), row.translated(offset).adjusted(4, 2, -4, -2), False
        elif isinstance(widget, DiffCanvas):
            yield from _lines(widget, window)


def _lines(canvas: DiffCanvas, window: QWidget) -> Iterator[tuple[str, QRect, bool]]:
    layout = canvas.layout_
    if layout is None:
        return
    port = canvas.viewport()
    offset = port.mapTo(window, QPoint(0, 0))
    above = canvas.verticalScrollBar().value()
    first = layout.row_at(above)
    for _index, _row, top, height in layout.rows_from(first, layout.top(first) - above, port.height()):
        for left, width in ((0, port.width() // 2), (port.width() // 2, port.width() // 2)):
            line = QRect(left + 5, top, width - 10, height).intersected(port.rect())
            if line.height() == height:
                yield "diff-canvas", line.translated(offset).adjusted(0, 3, 0, -3), False


@pytest.fixture(scope="module")
def stage(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    own = tmp_path_factory.mktemp("contrast")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_STATE_DIR", str(own / "state"))
        patch.setenv("STUDIO_CONFIG_DIR", str(own / "config"))
        with stage_on(qapp, own / "projects", "drifted") as made:
            # Its menus are windows, which no single test may seem to leave behind.
            assert made.panes.pages.plan.tools is not None
            yield made
    set_theme(qapp, "light")


def faint(window: QWidget) -> list[str]:
    """Everything that is painted too faintly to be read."""
    shot = Shot(window)
    found: list[str] = []
    looked_at = 0
    for name, area, is_off in areas(window):
        for box, contrast in shot.inks(area):
            looked_at += 1
            is_bar = name == "queue-list" and box[2] == BAR_WIDTH
            is_sign = is_bar or box[2] <= _SIGN_WIDTH
            least = OFF if is_off else SIGN if is_sign else TEXT
            if contrast < least:
                found.append(f"{name} at {box}: {contrast:.2f}")
    assert looked_at > 40, "the picture holds text"
    return found


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("colour_blind", [False, True])
def test_everything_painted_can_be_read(
    stage: Stage, qapp: QApplication, qtbot: QtBot, theme: str, colour_blind: bool
) -> None:
    set_theme(qapp, theme, colour_blind=colour_blind)
    stage.control.show_theme(theme, colour_blind=colour_blind)
    faults: dict[str, list[str]] = {}
    stage.trigger("dock_1")
    stage.select("Retry failed downloads", 1)
    faults["first step"] = faint(stage.control.window)
    stage.select_state(StepState.STALE)
    stage.trigger("journal")
    faults["stale"] = faint(stage.control.window)
    if not colour_blind:
        stage.select("Retry failed downloads", None)
        stage.trigger("problems")
        faults["plan"] = faint(stage.control.window)
    desk = stage.control.desk
    assert desk is not None
    stage.settle()
    input_guard = desk.guards.dead_time.findChild(QTimer)
    qtbot.waitUntil(lambda: input_guard is None or not input_guard.isActive())
    assert {name: found for name, found in faults.items() if found} == {}


def test_a_faint_word_is_found(qapp: QApplication) -> None:
    """The measure itself: grey on white of 3.5 : 1 is found, one of 5.7 : 1 is not."""
    for token, is_found in (("#888888", True), ("#666666", False)):
        label = QLabel("Harbour master")
        label.setStyleSheet(f"color: {token}; background: #ffffff;")
        label.resize(label.sizeHint())
        contrasts = [contrast for _box, contrast in Shot(label).inks(label.rect())]
        assert contrasts and (min(contrasts) < TEXT) is is_found
        label.deleteLater()
