"""Smoke run for `--smoke` and `--screenshot`: JSON state report, screenshot, watchdog."""

from __future__ import annotations

import json
import os
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

from PySide6.QtCore import QAbstractItemModel, QBuffer, QModelIndex, QObject, QTimer, Signal
from PySide6.QtGui import QImageWriter, QPixmap
from PySide6.QtWidgets import QTreeView

from studio.engine import check_new_file, new_file
from studio.errors import Refused, StudioError
from studio.names import show_name
from studio.ui.help.documentation import first_page
from studio.ui.look.theme import theme
from studio.ui.review.queue_state import is_archived
from studio.ui.window.control import WindowControl

_GIVE_UP_SECONDS = 30.0
_LOOK_AGAIN_MS = 20
_SETTLE_MS = 700
"""Time for highlighting and the tree's badges to appear before a picture is taken."""


class Watchdog:
    """Timer that exits with code 70 if the window shows nothing."""

    def __init__(self) -> None:
        self._timer = threading.Timer(_GIVE_UP_SECONDS, self._give_up)
        self._timer.daemon = True
        self._timer.start()

    def stop(self) -> None:
        self._timer.cancel()

    def _give_up(self) -> None:
        sys.stderr.write(f"studio: the window showed nothing within {_GIVE_UP_SECONDS:.0f} seconds.\n")
        sys.stderr.flush()
        # The window's thread may hang in Qt, where neither an exception nor Python's own exit takes effect.
        os._exit(70)


class Smoke(QObject):
    """Reporter that prints the window's state after the first diff."""

    done = Signal()

    def __init__(self, control: WindowControl, first_paint_ms: float, screenshot: Path | None) -> None:
        super().__init__(control)
        self._control = control
        self._first_paint_ms = first_paint_ms
        self._screenshot = screenshot
        self.failure: StudioError | None = None
        self._started: float | None = None
        self._painted_ms: float | None = None
        self._is_listed = False
        self._timer = QTimer(self, interval=_LOOK_AGAIN_MS)
        self._timer.timeout.connect(self._check_complete)
        self._timer.start()
        if control.panes is not None:
            self._follow()
        else:
            control.opened.connect(self._follow)

    def _follow(self) -> None:
        desk, panes = self._control.desk, self._control.panes
        assert desk is not None
        assert panes is not None
        desk.queue.current_changed.connect(self._step_chosen)
        panes.pages.step.diff.painted.connect(self._diff_painted)
        panes.tree.model.listed.connect(self._tree_listed)

    def _tree_listed(self, folder: str) -> None:
        """Note that the root was listed; an empty project has no rows."""
        self._is_listed = self._is_listed or not folder

    def _step_chosen(self) -> None:
        if self._started is None:
            self._started = time.perf_counter()

    def _diff_painted(self, _revision: str) -> None:
        if self._painted_ms is None and self._started is not None:
            self._painted_ms = (time.perf_counter() - self._started) * 1000

    def _check_complete(self) -> None:
        if self._is_complete():
            self._timer.stop()
            QTimer.singleShot(_SETTLE_MS if self._screenshot is not None else 0, self, self._report)

    def _is_complete(self) -> bool:
        desk = self._control.desk
        if desk is None:
            return not self._control.is_opening
        if not desk.queue.is_loaded or not self._is_listed:
            return False
        return desk.queue.current_step is None or self._painted_ms is not None

    def _report(self) -> None:
        if self._control.failure is not None:
            self.done.emit()
            return
        if self._screenshot is not None:
            try:
                save_picture(self._control.window.grab(), self._screenshot, *_roots(self._control))
            except StudioError as error:
                self.failure = error
                self.done.emit()
                return
        desk, panes, page = self._control.desk, self._control.panes, first_page()
        shown = {
            "first_paint_ms": round(self._first_paint_ms, 1),
            "diff_paint_ms": round(self._painted_ms, 1) if self._painted_ms is not None else None,
            "plans": sum(not is_archived(plan) for plan in desk.queue.plans) if desk is not None else 0,
            "tree_rows": sum(1 for _ in self._tree_rows()),
            "diff_rows": panes.pages.step.diff.row_count() if panes is not None else 0,
            "theme": theme().name,
            "documentation": str(page) if page is not None else None,
        }
        sys.stdout.write(json.dumps(shown) + "\n")
        sys.stdout.flush()
        self.done.emit()

    def _tree_rows(self) -> Iterator[QModelIndex]:
        if self._control.panes is not None:
            view = self._control.panes.tree.view
            yield from _open_rows(view, view.model(), QModelIndex())


def check_screenshot(file: Path, *projects: Path) -> None:
    """Raise StudioError unless the picture can be written there.

    It has to be a new file of a supported image format, in no project.
    """
    check_new_file(file, *projects)
    if _kind_of(file) not in [bytes(kind.data()) for kind in QImageWriter.supportedImageFormats()]:
        raise Refused(
            "screenshot.kind",
            f"{show_name(str(file))} has no ending that names a kind of picture.",
            "Use a name that ends in .png.",
        )


def save_picture(picture: QPixmap, file: Path, *projects: Path) -> None:
    """Write a picture of the window to a new file.

    It shows what files contain. Raises StudioError.
    """
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    if not picture.save(buffer, _kind_of(file).decode()):
        raise Refused(
            "screenshot.kind", f"{show_name(str(file))} can't be made.", "Use a name that ends in .png."
        )
    with new_file(file, *projects, contents=True) as stream:
        stream.write(buffer.data().data())


def _kind_of(file: Path) -> bytes:
    return file.suffix.removeprefix(".").lower().encode("ascii", "replace")


def _roots(control: WindowControl) -> tuple[Path, ...]:
    return (control.root_path,) if control.root_path is not None else ()


def _open_rows(view: QTreeView, model: QAbstractItemModel, parent: QModelIndex) -> Iterator[QModelIndex]:
    for row in range(model.rowCount(parent)):
        index = model.index(row, 0, parent)
        yield index
        if view.isExpanded(index):
            yield from _open_rows(view, model, index)
