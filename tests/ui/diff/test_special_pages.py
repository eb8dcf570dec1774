"""Cards offer the next step; pictures are shown as pictures; the beginning of a long diff comes first."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, cast

import pytest
from PySide6.QtCore import QBuffer, QPoint, QRect, Qt
from PySide6.QtGui import QColor, QImage, QPainter
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication, QWidget
from pytestqt.qtbot import QtBot

from studio.engine.diff import compute
from studio.engine.plan import Operation
from studio.extras.diff_view.on_screen import head_diff
from studio.journal.file_image import sha256
from studio.ui.diff.special import images
from studio.ui.diff.special.image_canvas import ComparisonMode, ImageCanvas
from studio.ui.diff.special.image_difference import find_difference
from studio.ui.diff.special.images import DecodedImage, decode
from studio.ui.diff.special.page import hex_row
from studio.ui.look.theme import color
from studio.ui.widgets import Label
from tests.ui.diff.conftest import step_of

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown


def filled(width: int, height: int, ground: QColor) -> QImage:
    picture = QImage(width, height, QImage.Format.Format_ARGB32)
    picture.fill(ground)
    return picture


def png(width: int, height: int, ground: str = "#123456", spot: QRect | None = None) -> bytes:
    """A picture of one colour, black in one spot if there is one."""
    picture = filled(width, height, QColor(ground))
    if spot is not None:
        painter = QPainter(picture)
        painter.fillRect(spot, QColor("#000000"))
        painter.end()
    buffer = QBuffer()
    buffer.open(QBuffer.OpenModeFlag.WriteOnly)
    assert cast("Any", picture).save(buffer, "PNG")
    return bytes(buffer.data().data())


def png_header(width: int, height: int) -> bytes:
    """A file that says it is a very large picture."""
    head = b"IHDR" + struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0)
    chunks = (head, b"IDAT" + zlib.compress(b""))
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(chunk) - 4) + chunk + struct.pack(">I", zlib.crc32(chunk)) for chunk in chunks
    )


def press(shown: Shown, name: str) -> None:
    from studio.ui.widgets import Button

    button = next(each for each in shown.view.findChildren(Button, name) if each.isVisible())
    QTest.mouseClick(button, Qt.MouseButton.LeftButton)
    shown.settle()


def test_two_pictures_stand_beside_each_other_with_their_sizes(shown: Shown) -> None:
    before, after = png(64, 32), png(80, 32)
    step = shown.show(before, after)
    page = shown.view.card.images
    assert page.isVisible()
    assert page.headings.texts()[0].startswith("Before · 64 × 32")
    assert page.headings.texts()[1].startswith("After this step · 80 × 32")
    assert page.sentence.text() == "16 pixels wider"
    assert shown.painted == [step.revision]
    picture = page.grab().toImage()
    middle = page.height() - page.findChildren(QWidget, "image-pictures")[0].height() // 2
    inks = {picture.pixelColor(x, middle).name() for x in range(0, picture.width(), 8)}
    assert "#123456" in inks
    bar = page.sentence.parentWidget()
    assert bar is not None and bar.isVisible()
    shown.show(before, None, id="step-2")
    assert not bar.isVisible(), "there is nothing to compare"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (png(8, 8)[:40], "The image is damaged and can't be shown."),
        (png_header(30_000, 30_000), "The image is too large to show: 30000 × 30000 pixels."),
        (png_header(8_000, 8_000), "The image is too large to show: 8000 × 8000 pixels."),
        (b"\0\0\1\0 and no icon", "This image format is not supported."),
    ],
    ids=["cut off", "a bomb", "a smaller bomb", "no image"],
)
def test_a_picture_that_cannot_be_shown_says_why(shown: Shown, data: bytes, reason: str) -> None:
    assert decode(data).picture is None
    step = shown.show(png(8, 8), data)
    assert reason in shown.view.card.images.sentence.text()
    assert shown.painted == [step.revision], "what can't be shown can still be decided"


def press_way(shown: Shown, way: str) -> None:
    QTest.mouseClick(shown.view.card.images.mode_buttons[ComparisonMode(way)], Qt.MouseButton.LeftButton)
    shown.settle()


def pictures_of(shown: Shown) -> ImageCanvas:
    (pictures,) = shown.view.findChildren(ImageCanvas)
    return pictures


def test_an_icon_is_shown_six_times_as_large(shown: Shown) -> None:
    shown.show(png(16, 16, "#123456"), png(32, 32, "#abcdef"))
    seen = pictures_of(shown).grab().toImage()
    row = seen.height() // 2
    assert sum(seen.pixelColor(x, row).name() == "#abcdef" for x in range(seen.width())) == 192
    pictures_of(shown).resize(150, 150)
    assert pictures_of(shown).grab().toImage().pixelColor(149, 75).name() != "#abcdef", "where there is room"


def test_what_differs_between_two_pictures_is_counted_placed_and_marked(shown: Shown) -> None:
    spot = QRect(46, 28, 8, 4)
    shown.show(png(100, 60), png(100, 60, spot=spot))
    press_way(shown, "difference")
    assert shown.view.card.images.sentence.text() == (
        "Same dimensions · 32 of 6,000 pixels differ, all within a 8 × 4 area at 46, 28"
    )
    pictures = pictures_of(shown)
    seen = pictures.grab().toImage()
    middle = seen.rect().center()
    assert seen.pixelColor(middle).name() == color("bad").name()
    assert seen.pixelColor(middle + QPoint(20, 0)).name() not in (color("bad").name(), "#123456")
    assert color("accent").name() in {
        seen.pixelColor(middle.x() + x, middle.y()).name() for x in range(4, 12)
    }, "a frame around it, that is seen at any scale"
    (heading,) = shown.view.card.images.headings.texts()
    assert heading.startswith("Before · 100 × 60, ") and " → After this step · 100 × 60, " in heading
    shown.show(png(100, 60), png(100, 60) + b"\0", id="step-2")
    assert shown.view.card.images.sentence.text() == "Same dimensions · No pixels differ"
    shown.show(png(100, 60), png(120, 60), id="step-3")
    assert (
        "1,200 of 7,200 pixels differ, all within a 20 × 60 area at 100, 0"
        in shown.view.card.images.sentence.text()
    )


def test_clear_pixels_differ_where_they_show() -> None:
    """Clear and black have one colour in common and look different; two clear ones look the same."""
    clear, black = (
        DecodedImage(filled(4, 4, each), 4, 4) for each in (QColor(0, 0, 0, 0), QColor(0, 0, 0, 255))
    )
    other = DecodedImage(filled(4, 4, QColor(9, 9, 9, 0)), 4, 4)
    assert find_difference(clear, black).differing == 16
    assert find_difference(clear, other).differing == 0


def test_large_pictures_are_compared_as_small_as_they_were_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "DECODED_EDGE_PIXELS", 100)
    found = find_difference(decode(png(400, 200)), decode(png(400, 200, spot=QRect(0, 0, 200, 200))))
    assert found.is_reduced and found.pixels == 100 * 50
    assert found.area.width() in (50, 51) and found.area.height() == 50


def test_one_picture_alone_is_compared_with_nothing_and_says_so(shown: Shown) -> None:
    shown.show(png(8, 8), png(9, 9))
    press_way(shown, "difference")
    shown.show(png(8, 8), None, id="step-2")
    pair = shown.view.card.images
    assert pair.current_mode() is ComparisonMode.BESIDE
    pair.next_mode()
    assert pair.current_mode() is ComparisonMode.BESIDE
    assert pair.why_not_comparable() == "There is only one image, so there is nothing to compare."
    shown.show(png(8, 8), png(8, 8)[:40], id="step-3")
    assert (
        pair.mode_buttons[ComparisonMode.DIFFERENCE].toolTip()
        == "An image can't be shown, so there is nothing to compare."
    )
    shown.show(png(8, 8), png(9, 9), id="step-4")
    assert pair.current_mode() is ComparisonMode.DIFFERENCE, "the way that was chosen is back"


def test_a_large_picture_is_decoded_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "DECODED_EDGE_PIXELS", 100)
    found = decode(png(400, 200))
    assert found.picture is not None
    assert (found.width, found.height) == (400, 200)
    assert (found.picture.width(), found.picture.height()) == (100, 50)


def test_what_is_no_picture_gets_a_card_that_says_what_it_is(shown: Shown) -> None:
    """Kind, size and hashes; and a file whose first letters alone are those of a picture is none."""
    for data, kind in (
        (b"RIFF\x24\0\0\0WAVEfmt ", "WAV sound"),
        (b"BM, W\0", "unknown"),
        (b"\x7fELF\0", "ELF program"),
    ):
        shown.show(b"a\0b", data, id=kind)
        assert not shown.view.card.images.isVisible()
        said = [label.text() for label in shown.view.card.findChildren(Label) if label.isVisible()]
        assert {"Binary file", kind, f"3 B → {len(data)} B"} <= set(said), said
        assert any(text.endswith(f"{sha256(data)[:8]}…") for text in said)


def test_a_binary_file_is_read_as_numbers(shown: Shown) -> None:
    shown.show(b"a\0b", b"a\0c")
    press(shown, "card-hex")
    assert shown.view.card.reading.toPlainText() == hex_row(b"a\0c", 0)
    assert hex_row(b"a\0c", 16).startswith("00000010  ")
    assert shown.view.close_innermost()
    assert shown.view.card.reading.isHidden()


def test_a_moved_file_can_be_read_and_hides_nothing(shown: Shown) -> None:
    text = "one\n\u202etwo\n".encode()
    shown.show(text, text, op=Operation.MOVE, to="there.py")
    press(shown, "card-read")
    assert shown.view.card.reading.toPlainText() == "one\n[U+202E]two\n"


def test_white_space_is_shown_by_the_button_of_its_card(shown: Shown) -> None:
    shown.show(b"if x:\n\tgo()\n", b"if x:\n    go()\n")
    assert shown.view.special_title() == "Only whitespace differs"
    press(shown, "card-white_space")
    assert shown.view.whitespace()


def test_a_refused_step_says_its_reason_elsewhere_and_once(shown: Shown) -> None:
    shown.show(None, None)
    assert shown.view.special_title() == "Nothing to show"


def test_the_beginning_cannot_be_decided_and_the_rest_comes_without_a_move(shown: Shown) -> None:
    base = b"".join(b"line %d\n" % number for number in range(40_000))
    result = base.replace(b"55\n", b"55 changed\n")
    step = step_of(base, result)
    shown.view.show_step(step, head_diff(base, result), base, result, {}, is_head=True)
    shown.settle()
    canvas = shown.view.canvas
    assert shown.painted == []
    assert not canvas.has_hunk_buttons
    assert "comparing remaining lines" in shown.view.headings.texts()[1]
    canvas.verticalScrollBar().setValue(300)
    shown.settle()
    before, picture = canvas.scroll_state(), shown.picture()
    shown.view.show_step(step, compute(base, result), base, result, {})
    shown.settle()
    assert canvas.scroll_state() == before
    assert canvas.has_hunk_buttons
    assert shown.painted == [step.revision]
    right = canvas.viewport().width() - 1
    after = shown.picture()
    rows = range(30, canvas.viewport().height(), 7)
    assert [after.pixelColor(right, y) for y in rows] == [picture.pixelColor(right, y) for y in rows]


def test_a_line_is_gone_to_by_its_number(shown: Shown) -> None:
    shown.show()
    shown.bars.open_go()
    QTest.keyClicks(shown.bars.go_bar.field, "99")
    assert shown.bars.go_bar.range.text() == "No such line. The last line is 59."
    QTest.keyClick(shown.bars.go_bar.field, Qt.Key.Key_Return)
    assert not shown.bars.go_bar.isHidden()
    shown.bars.go_bar.field.setText("21")
    QTest.keyClick(shown.bars.go_bar.field, Qt.Key.Key_Return)
    shown.settle()
    assert shown.bars.go_bar.isHidden()
    assert 0 <= shown.row_of("result", 21) < shown.view.canvas.viewport().height()
    assert shown.has_ink(
        "select", range(510, 580), range(shown.row_of("result", 21), shown.row_of("result", 22))
    )
    shown.view.toggle_text()
    assert shown.view.text.textCursor().block().text().endswith(" 21 line 20 = 20")


def test_a_long_file_is_searched_a_little_at_a_time(shown: Shown, qtbot: QtBot) -> None:
    base = b"".join(b"line %d of a long file\n" % number for number in range(120_000))
    shown.show(base, base.replace(b"line 7 ", b"line seven "))
    shown.bars.open_find()
    shown.bars.find_bar.field.setText("LINE 119999 of")
    shown.bars.find_bar.field.setText("line 119999 of")
    qtbot.waitUntil(lambda: shown.bars.find_bar.count.text() == "1 of 1")


def test_a_page_without_lines_takes_the_keyboard_and_none_of_its_buttons(shown: Shown) -> None:
    """Space reads on; it presses no button that the keyboard came to by itself."""
    shown.show(b"old\n", b"new\n")
    shown.view.canvas.setFocus()
    shown.show(b"\0" * 20, b"\1\0" * 20)
    assert QApplication.focusWidget() is shown.view.card


def test_a_button_that_goes_gives_the_keyboard_to_its_page(shown: Shown) -> None:
    from studio.ui.widgets import Button

    shown.show(b"\0" * 20, b"\1\0" * 20)
    button = next(each for each in shown.view.card.findChildren(Button) if each.isVisible())
    button.setFocus()
    shown.show(b"\0" * 30, b"\1\0" * 30)
    assert QApplication.focusWidget() is shown.view.card
    shown.view.card.findChildren(Button)[-1].setFocus()
    shown.show(b"old\n", b"new\n")
    assert QApplication.focusWidget() is shown.view.canvas
