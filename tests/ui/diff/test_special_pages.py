"""Cards offer the next step; pictures are shown as pictures; the beginning of a long diff comes first."""

from __future__ import annotations

import struct
import zlib
from typing import TYPE_CHECKING, Any, cast

import pytest
from PySide6.QtCore import QBuffer, Qt
from PySide6.QtGui import QColor, QImage
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QWidget

from studio.engine.diff import compute
from studio.engine.diff.head import head_diff
from studio.engine.plan import Operation
from studio.ui.diff import images
from studio.ui.diff.images import decode
from studio.ui.diff.reading_text import hex_row
from tests.ui.diff.conftest import step_of

if TYPE_CHECKING:
    from tests.ui.diff.conftest import Shown


def png(width: int, height: int) -> bytes:
    picture = QImage(width, height, QImage.Format.Format_RGB32)
    picture.fill(QColor("#123456"))
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
    bar = page._bar
    assert bar.isVisible()
    shown.show(before, None, id="step-2")
    assert not bar.isVisible(), "there is nothing to compare"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (png(8, 8)[:40], "The image is damaged and can't be shown."),
        (png_header(60_000, 60_000), "60000 × 60000 pixels are too many to be shown."),
        (b"\x89PNG and no more", "This is no image of a kind that is shown here."),
    ],
    ids=["cut off", "a bomb", "no image"],
)
def test_a_picture_that_cannot_be_shown_says_why(shown: Shown, data: bytes, reason: str) -> None:
    assert decode(data).picture is None
    step = shown.show(png(8, 8), data)
    assert reason in shown.view.card.images.sentence.text()
    assert shown.painted == [step.revision], "what can't be shown can still be decided"


def test_a_large_picture_is_decoded_smaller(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(images, "_SHOWN_EDGE", 100)
    found = decode(png(400, 200))
    assert found.picture is not None
    assert (found.width, found.height) == (400, 200)
    assert (found.picture.width(), found.picture.height()) == (100, 50)


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
    assert shown.view.special_title() == "Only white space differs"
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
    assert "the rest is being compared" in shown.view.headings.texts()[1]
    canvas.verticalScrollBar().setValue(300)
    shown.settle()
    before, picture = canvas.place(), shown.picture()
    shown.view.show_step(step, compute(base, result), base, result, {})
    shown.settle()
    assert canvas.place() == before
    assert canvas.has_hunk_buttons
    assert shown.painted == [step.revision]
    right = canvas.viewport().width() - 1
    after = shown.picture()
    rows = range(30, canvas.viewport().height(), 7)
    assert [after.pixelColor(right, y) for y in rows] == [picture.pixelColor(right, y) for y in rows]


def test_a_line_is_gone_to_by_its_number(shown: Shown) -> None:
    shown.show()
    shown.view.open_go()
    QTest.keyClicks(shown.view.go_bar.field, "99")
    assert shown.view.go_bar.range.text() == "There is no such line; the last one is 59."
    QTest.keyClick(shown.view.go_bar.field, Qt.Key.Key_Return)
    assert not shown.view.go_bar.isHidden()
    shown.view.go_bar.field.setText("21")
    QTest.keyClick(shown.view.go_bar.field, Qt.Key.Key_Return)
    shown.settle()
    assert shown.view.go_bar.isHidden()
    assert 0 <= shown.row_of("result", 21) < shown.view.canvas.viewport().height()
    assert shown.has_ink(
        "select", range(510, 580), range(shown.row_of("result", 21), shown.row_of("result", 22))
    )
    shown.view.toggle_text()
    assert shown.view.text.textCursor().block().text().endswith(" 21 line 20 = 20")


def test_a_long_file_is_searched_a_little_at_a_time(shown: Shown) -> None:
    base = b"".join(b"line %d of a long file\n" % number for number in range(120_000))
    shown.show(base, base.replace(b"line 7 ", b"line seven "))
    shown.view.open_find()
    shown.view.find_bar.field.setText("LINE 119999 of")
    shown.view.find_bar.field.setText("line 119999 of")
    for _ in range(400):
        shown.settle()
        if shown.view.find_bar.count.text() == "1 of 1":
            break
    assert shown.view.find_bar.count.text() == "1 of 1"
