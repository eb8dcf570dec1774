"""Every surface is painted in exactly the colour of its token, in every set of colours."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QPoint, QRect
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication, QWidget

from studio.ui.diff.model.cells import LineState, Row, RowKind
from studio.ui.look.theme import THEME_NAMES, make_theme, set_theme
from tests.tools.stage import Stage
from tests.ui.access.walk import stage_on

_COLUMNS = {"left": 0, "right": 1}


@pytest.fixture(scope="module")
def stage(qapp: QApplication, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    own = tmp_path_factory.mktemp("colours")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDIO_STATE_DIR", str(own / "state"))
        patch.setenv("STUDIO_CONFIG_DIR", str(own / "config"))
        with stage_on(qapp, own / "projects", "demo") as made:
            made.select("Retry failed downloads", 1)
            made.trigger("next_change")
            made.panes.queue.setFocus()
            made.settle()
            yield made
    set_theme(qapp, "light")


def rows_in_view(stage: Stage) -> Iterator[tuple[Row, QRect]]:
    """The rows of the diff that are whole on screen, and where."""
    canvas = stage.panes.pages.step.diff.canvas
    layout, above = canvas.layout_, canvas.verticalScrollBar().value()
    assert layout is not None
    first = layout.row_at(above)
    port = canvas.viewport()
    for _index, row, top, height in layout.rows_from(first, layout.top(first) - above, port.height()):
        if top >= 0 and top + height <= port.height():
            yield row, QRect(0, top, port.width(), height)


def colours_in(picture: QImage, area: QRect) -> set[str]:
    return {
        picture.pixelColor(x, y).name()
        for x in range(area.left(), area.right() + 1)
        for y in range(area.top(), area.bottom() + 1)
    }


def painted(stage: Stage, widget: QWidget, place: QPoint) -> str:
    """The colour at a place of a widget, as the window shows it."""
    at = widget.mapTo(stage.control.window, place)
    return stage.picture().pixelColor(at).name()


@pytest.mark.parametrize("theme", THEME_NAMES)
@pytest.mark.parametrize("colour_blind", [False, True])
def test_surfaces_and_lines_have_the_colours_of_their_tokens(
    stage: Stage, qapp: QApplication, theme: str, colour_blind: bool
) -> None:
    """Grounds of lines left of the numbers, words among what stands in the line."""
    set_theme(qapp, theme, colour_blind=colour_blind)
    stage.control.show_theme(theme, colour_blind=colour_blind)
    stage.settle()
    wanted = make_theme(theme, colour_blind=colour_blind)
    queue, window = stage.panes.queue, stage.control.window
    selected = queue.view.visualRect(queue.view.currentIndex())
    found = {
        "window": painted(stage, window.toolbar, QPoint(window.toolbar.width() - 5, 5)),
        "panel": painted(stage, stage.panes.queue.view.viewport(), QPoint(1, 1)),
        "select": painted(stage, queue.view.viewport(), selected.topLeft() + QPoint(8, 5)),
    }
    assert found == {token: wanted.color(token).name() for token in found}
    picture = stage.panes.pages.step.diff.canvas.viewport().grab().toImage()
    half = picture.width() // 2
    grounds = {LineState.PLAIN: "content", LineState.ADDED: "addBg", LineState.REMOVED: "delBg"}
    words = {LineState.ADDED: "addWord", LineState.REMOVED: "delWord"}
    checked: set[str] = set()
    for row, area in rows_in_view(stage):
        if row.kind is RowKind.BAND:
            assert picture.pixelColor(half - 20, area.center().y()) == wanted.color("band")
            checked.add("band")
        if row.kind is not RowKind.CODE:
            continue
        for name, column in _COLUMNS.items():
            cell = getattr(row, name)
            token = "void" if cell is None else grounds[cell.state]
            at = QPoint(column * half + 6, area.top() + 3)
            assert picture.pixelColor(at) == wanted.color(token), (row, name)
            checked.add(token)
            if cell is not None and cell.state in words and row.pair is not None:
                inside = colours_in(picture, QRect(column * half, area.top(), half, area.height()))
                if wanted.color(words[cell.state]).name() in inside:
                    checked.add(words[cell.state])
    assert checked == {"band", "content", "void", "addBg", "delBg", "addWord", "delWord"}
