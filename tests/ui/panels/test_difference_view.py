"""A difference as text: whole, harmless, coloured by its signs in any theme, and as high as its lines."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from PySide6.QtCore import QEvent
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication

from studio.ui.look.theme import color, set_theme
from studio.ui.widgets.difference_view import DifferenceView
from tests.tools.idle import run_until_idle

DIFF = """\
diff --git a/x.json b/x.json
--- a/x.json
+++ b/x.json
@@ -1,3 +1,3 @@
 {
---- "one": 1
++++ "two": "\u202e2"
 }
"""


@pytest.fixture
def view(qapp: QApplication) -> Iterator[DifferenceView]:
    set_theme(qapp, "light")
    made = DifferenceView(DIFF)
    made.resize(500, 100)
    made.show()
    run_until_idle()
    yield made
    made.close()
    made.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
    set_theme(qapp, "light")


def background(view: DifferenceView, line: int) -> QColor:
    """Of a line, at the right end of it, where no letter stands."""
    block = view.document().findBlockByNumber(line)
    box = view.blockBoundingGeometry(block).translated(view.contentOffset())
    image = view.viewport().grab().toImage()
    return image.pixelColor(image.width() - 3, round(box.center().y()))


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_lines_are_coloured_and_names_of_files_are_not(
    view: DifferenceView, qapp: QApplication, theme: str
) -> None:
    set_theme(qapp, theme)
    run_until_idle()
    plain = background(view, 4)
    assert [background(view, line) for line in (1, 2, 7)] == [plain] * 3
    assert background(view, 3) == color("band")
    assert background(view, 5) == color("delBg") and background(view, 6) == color("addBg")


def test_all_of_it_is_there_and_nothing_turns_the_writing(view: DifferenceView) -> None:
    assert view.toPlainText() == DIFF.rstrip("\n").replace("\u202e", "\\u202e")
    assert view.isReadOnly() and view.verticalScrollBar().maximum() == 0


def test_it_is_as_high_as_its_lines_also_wrapped_ones(view: DifferenceView) -> None:
    before = view.height()
    view.resize(120, before)
    run_until_idle()
    assert view.height() > before and view.verticalScrollBar().maximum() == 0
    assert view.horizontalScrollBar().maximum() == 0


def test_of_a_long_one_the_rest_is_scrolled_to(qapp: QApplication) -> None:
    lines = "".join(f"+{number}\n" for number in range(1000))
    view = DifferenceView(f"--- a\n+++ b\n@@ -0,0 +1,1000 @@\n{lines}")
    view.resize(500, 100)
    view.show()
    run_until_idle()
    assert view.height() < 2000 and view.verticalScrollBar().maximum() > 0
    assert view.toPlainText().endswith("+999")
    view.close()
    view.deleteLater()
    QApplication.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)
