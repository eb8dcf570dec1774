"""A diff view on screen, driven with steps made by hand."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from typing import Any

import pytest
from msgspec.structs import replace
from PySide6.QtCore import QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from studio.engine.diff import compute
from studio.engine.plan import HunkChoice, Operation, Step, StepState
from studio.journal.file_image import FileImage
from studio.text import describe, has_lines
from studio.ui.diff import DiffView
from studio.ui.diff.canvas.painting import action_buttons
from studio.ui.diff.page_bars import PageBars
from studio.ui.look.theme import color, set_theme
from studio.ui.runner import Runner
from tests.tools.idle import run_until_idle

BASE = b"".join(b"line %d = %d\n" % (number, number) for number in range(1, 61))
RESULT = (
    BASE.replace(b"line 10 = 10\n", b"line 10 = 11\nadded = 1\n")
    .replace(b"line 30 = 30\nline 31 = 31\n", b"")
    .replace(b"line 50 = 50\n", b"line 50 = fifty\n")
)


def image_of(data: bytes | None, mode: int = 0o644) -> FileImage | None:
    return None if data is None else FileImage(hashlib.sha256(data).hexdigest(), len(data), mode)


def step_of(base: bytes | None, result: bytes | None) -> Step:
    pending = StepState.PENDING
    return Step(1, "step-1", Operation.MODIFY, "src/code.py", None, pending, image_of(base), image_of(result))


class Shown:
    """A view on screen and what a person sees and does there."""

    def __init__(self, view: DiffView, bars: PageBars) -> None:
        self.view = view
        self.bars = bars
        bars.watch(view)
        self.toggled: list[int] = []
        self.painted: list[str] = []
        self.changes: list[tuple[int, int]] = []
        view.hunk_toggled.connect(self.toggled.append)
        view.painted.connect(self.painted.append)
        view.change_selected.connect(lambda *place: self.changes.append(place))

    def show(
        self,
        base: bytes | None = BASE,
        result: bytes | None = RESULT,
        choices: Mapping[int, HunkChoice] | None = None,
        **about: Any,
    ) -> Step:
        step = self.step = replace(step_of(base, result), **about)
        self.show_step(step, base, result)
        if choices:
            self.view.show_step(step, self.diff, base, result, choices)
            self.settle()
        return step

    def show_step(self, step: Step, base: bytes | None, result: bytes | None) -> None:
        texts = [side for side in (base, result) if side is not None]
        is_text = texts and all(has_lines(describe(side)) for side in texts)
        self.diff = compute(base or b"", result or b"") if is_text else None
        self.view.show_step(step, self.diff, base, result, {})
        self.settle()

    def show_again(self, step: Step, choices: Mapping[int, HunkChoice]) -> None:
        """The same diff with other choices, as the desk does it after a press."""
        self.view.show_step(step, self.diff, BASE, RESULT, choices)
        self.settle()

    def settle(self) -> None:
        run_until_idle()

    def picture(self) -> QImage:
        return self.view.canvas.viewport().grab().toImage()

    def step_of(self, base: bytes | None, result: bytes | None) -> Step:
        return step_of(base, result)

    def is_token(self, seen: QColor, token: str) -> bool:
        return seen.rgb() == color(token).rgb()

    def has_ink(self, token: str, x: range, y: range) -> bool:
        """Whether something is drawn in a token's colour; edges of letters are blends and don't count."""
        picture, wanted = self.picture(), color(token)
        for column in x:
            for row in y:
                seen = picture.pixelColor(column, row)
                far = max(
                    abs(seen.red() - wanted.red()),
                    abs(seen.green() - wanted.green()),
                    abs(seen.blue() - wanted.blue()),
                )
                if far <= 24:
                    return True
        return False

    def row_of(self, side: str, line: int) -> int:
        """Upper edge, in the viewport, of the row that shows a line (from 1)."""
        from studio.ui.diff.model.layout import Side

        layout = self.view.canvas.layout_
        assert layout is not None
        row = layout.row_of(Side(side), line - 1)
        assert row is not None
        return layout.top(row) - self.view.canvas.verticalScrollBar().value()

    def band_top(self, hunk: int) -> int:
        layout = self.view.canvas.layout_
        assert layout is not None
        return layout.top(layout.hunk_rows(hunk)[0]) - self.view.canvas.verticalScrollBar().value()

    def click(self, x: int, y: int, modifiers: Qt.KeyboardModifier = Qt.KeyboardModifier.NoModifier) -> None:
        """A real click at a place of the canvas, sent to the window."""
        window = self.view.window()
        place = self.view.canvas.viewport().mapTo(window, QPoint(x, y))
        QTest.mouseClick(window.windowHandle(), Qt.MouseButton.LeftButton, modifiers, place)
        self.settle()

    def click_button(self, action: str) -> None:
        """Press a button on the current hunk's band."""
        canvas = self.view.canvas
        assert canvas.layout_ is not None
        actions = canvas.hunk_actions(canvas.current_hunk)
        first = canvas.layout_.hunk_rows(canvas.current_hunk)[0]
        height = canvas.layout_.row_height(first)
        band = QRect(0, self.band_top(canvas.current_hunk), canvas.viewport().width(), height)
        buttons = zip(actions, action_buttons(band, actions), strict=True)
        place = next(button.center() for each, button in buttons if each.id == action)
        self.click(place.x(), place.y())

    def click_line_box(self, side: str, line: int) -> None:
        """Press the check box of a changed line (from 1) while its hunk's lines are chosen."""
        canvas = self.view.canvas
        pane = canvas.panes()[1 if side == "result" and len(canvas.panes()) > 1 else 0].with_boxes()
        box = pane.choice_box(self.row_of(side, line), canvas.painter_metrics().line_height)
        self.click(box.center().x(), box.center().y())

    def drag(self, start: QPoint, end: QPoint) -> None:
        window = self.view.window().windowHandle()
        viewport = self.view.canvas.viewport()
        none = Qt.KeyboardModifier.NoModifier
        left = Qt.MouseButton.LeftButton
        QTest.mousePress(window, left, none, viewport.mapTo(self.view.window(), start))
        QTest.mouseMove(window, viewport.mapTo(self.view.window(), end))
        QTest.mouseRelease(window, left, none, viewport.mapTo(self.view.window(), end))
        self.settle()


@pytest.fixture
def make_shown(qapp: QApplication, qtbot: QtBot) -> Callable[[Runner | None], Shown]:
    def make(runner: Runner | None) -> Shown:
        set_theme(qapp, "light")
        view = DiffView(runner=runner)
        qtbot.addWidget(view)
        view.resize(900, 560)
        view.show()
        qtbot.waitExposed(view)
        bars = PageBars(lambda: view, view.setFocus)
        qtbot.addWidget(bars)
        return Shown(view, bars)

    return make


@pytest.fixture
def shown(make_shown: Callable[[Runner | None], Shown]) -> Shown:
    return make_shown(Runner(immediate=True))
