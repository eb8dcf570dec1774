"""The pane around the three columns: what stands above and over them keeps to them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QApplication, QWidget

from studio.engine.plan import StepState
from studio.ui.conflict.pane import ConflictPane
from tests.tools.stage import Stage
from tests.ui.access.walk import stage_on


@pytest.fixture
def stage(qapp: QApplication, tmp_path: Path, private_folders: object) -> Iterator[Stage]:
    with stage_on(qapp, tmp_path / "projects", "conflict") as made:
        made.select_state(StepState.STALE)
        made.trigger("rebase")
        yield made


def pane_of(stage: Stage) -> ConflictPane:
    return stage.control.window.findChildren(ConflictPane)[0]


def left_edges(pane: ConflictPane) -> tuple[list[int], list[int]]:
    """Where the heads begin, and where the columns do."""
    heads = pane.findChildren(QWidget, "conflict-heading")
    viewport = pane.view.viewport()
    columns = [viewport.mapTo(pane, QPoint(pane.view.column(number).left(), 0)).x() for number in range(3)]
    return [head.mapTo(pane, QPoint(0, 0)).x() for head in heads], columns


def test_heads_stand_above_their_columns_with_a_scroll_bar_and_without(stage: Stage) -> None:
    pane = pane_of(stage)
    assert pane.view.viewport().width() == pane.view.width(), "everything fits"
    heads, columns = left_edges(pane)
    assert heads == columns
    stage.trigger("folds")
    assert pane.view.viewport().width() < pane.view.width(), "a scroll bar takes room"
    heads, columns = left_edges(pane)
    assert heads == columns


def test_the_open_field_covers_no_line(stage: Stage) -> None:
    """Neither those of the base, which may be shown before or afterwards, nor those that follow."""
    pane = pane_of(stage)
    stage.trigger("edit")
    for _ in range(2):
        assert pane.field.geometry().adjusted(-1, 0, 0, 0) == pane.view.place_of(0)
        assert pane.field.height() >= 96
        stage.trigger("show_base")
    stage.trigger("back")
    assert pane.field.isHidden()
    assert pane.view.place_of(0).height() < 96
