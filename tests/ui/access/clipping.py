"""`python -m tests.ui.access.clipping WALK FOLDER` prints what is clipped at the scale of the process."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractScrollArea,
    QApplication,
    QBoxLayout,
    QLabel,
    QWidget,
)

from studio.ui.widgets import ElidedLabel
from tests.tools.stage import Stage
from tests.ui.access.walk import WALKS, shown

_LAYOUT_SECONDS = 3.0


def is_clipped(widget: QWidget) -> bool:
    """Whether words don't fit where they stand; what gives way by itself says the rest in its tooltip."""
    if isinstance(widget, ElidedLabel):
        return bool(widget.text()) and widget.sizeHint().height() > widget.height()
    if isinstance(widget, QLabel) and widget.text():
        if widget.wordWrap():
            return widget.heightForWidth(widget.width()) > widget.height() + 1
        return widget.fontMetrics().horizontalAdvance(widget.text()) > widget.width() + 1
    if isinstance(widget, QAbstractButton) and widget.text():
        need, has = widget.minimumSizeHint(), widget.size()
        return need.width() > has.width() + 1 or need.height() > has.height() + 1
    return False


def described(widget: QWidget) -> str:
    """A widget as a fault names it."""
    parent = widget.parentWidget()
    inside = parent.objectName() if parent is not None else "nothing"
    return f"{type(widget).__name__} {widget.objectName()!r} in {inside!r}"


def clipped_widgets(stage: Stage) -> list[str]:
    """Return the names of clipped widgets once layouts have come to rest.

    Qt 6 lays out nested layouts in posted events, one level a turn: a widget added just before has no room
    of its own yet, so all are laid out at once. What stays clipped for three seconds is reported.
    """
    end = time.monotonic() + _LAYOUT_SECONDS
    while True:
        for each in (stage.control.window, *stage.control.window.findChildren(QWidget)):
            if (layout := each.layout()) is not None:
                layout.activate()
        found = [described(each) for each in shown(stage.control.window) if is_clipped(each)]
        if not found or time.monotonic() > end:
            return found
        QApplication.processEvents()


def scrolls_beside_free_space(widget: QWidget) -> bool:
    """Whether rows are hidden while a stretch in the same column stays empty, below its greatest height."""
    if not isinstance(widget, QAbstractScrollArea) or widget.verticalScrollBar().maximum() == 0:
        return False
    if widget.height() == widget.maximumHeight():
        return False
    parent = widget.parentWidget()
    for column in parent.findChildren(QBoxLayout) if parent is not None else ():
        if column.direction() is QBoxLayout.Direction.TopToBottom and column.indexOf(widget) >= 0:
            items = (column.itemAt(number) for number in range(column.count()))
            spaces = (item.spacerItem() for item in items if item is not None)
            return any(space is not None and space.geometry().height() > 0 for space in spaces)
    return False


def main(walk: str, folder: Path) -> None:
    from studio.ui.look.theme import FUSION

    app = QApplication(["clipping", *FUSION])
    clipped: dict[str, list[str]] = {}
    count, ratio = 0, 0.0
    for name, stage in WALKS[walk](app, folder):
        count += 1
        ratio = stage.control.window.devicePixelRatio()
        found = clipped_widgets(stage)
        if found:
            clipped[name] = found
    print(json.dumps({"states": count, "ratio": ratio, "clipped": clipped}))


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]))
