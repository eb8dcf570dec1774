"""Two images compared from the window, by keys alone."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from PySide6.QtCore import Qt

from studio.engine.draft import DraftStep
from studio.engine.history import DriftResolution
from studio.engine.plan import Operation
from studio.ui.diff.special.image_canvas import ComparisonMode
from tests.ui.diff.test_special_pages import png


def test_i_compares_in_the_other_way(bench: Any, open_window: Callable[[], Any]) -> None:
    """A picture that was deleted, and another one that stands in its place now: which is to stay?"""
    (bench.root / "logo.png").write_bytes(png(40, 20))
    plan = bench.propose("Logo", DraftStep(Operation.DELETE, "logo.png"))
    desktop = open_window()
    assert desktop.control.actions.reason("compare_images") == (
        "There is only one image, so there is nothing to compare."
    )
    desktop.press(Qt.Key.Key_A)
    desktop.settle()
    desktop.desk.apply.start()
    (bench.root / "logo.png").write_bytes(png(40, 24))
    desktop.desk.rollback.show(plan.id)
    desktop.desk.rollback.resolutions.choose(1, DriftResolution.RESTORE)
    desktop.settle()
    desktop.panes.pages.rollback.diff.setFocus()
    images = desktop.panes.pages.rollback.diff.card.images
    assert images.sentence.text() == "4 pixels shorter"
    seen: list[ComparisonMode] = []
    for _ in range(3):
        desktop.press(Qt.Key.Key_I)
        seen.append(images.current_mode())
    assert seen == [ComparisonMode.DIFFERENCE, ComparisonMode.BESIDE, ComparisonMode.DIFFERENCE]
    desktop.press(Qt.Key.Key_Escape)
    desktop.settle()
    assert desktop.control.actions.reason("compare_images") != ""
