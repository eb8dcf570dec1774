"""Sentences with gaps, and small words that many places say the same way."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from PySide6.QtGui import Qt, QTextDocument

import studio.ui
from studio.ui.look.words import change_counts, plain_tip, say, size


def test_the_gaps_of_a_sentence_are_filled_by_name() -> None:
    assert say("{files} of “{title}”", files="2 files", title="Three") == "2 files of “Three”"
    assert say("Line {n}: {text}", n=7, text="x") == "Line 7: x"


@given(st.text(), st.text())
def test_a_title_with_a_gap_of_its_own_stays_as_it_is(title: str, other: str) -> None:
    """A plan called “{files}” was told with the number of its files in its title."""
    title = f"{{files}}{title}"
    assert say("{title}, {files}", title=title, files=other) == f"{title}, {other}"


def test_counts_have_separators_and_line_numbers_none() -> None:
    """The C locale, in which a terminal or a service starts the program, writes 50000."""
    assert (
        say("{n} of {all}, line {line}", n=9_999, all=50_000, line="12345") == "9,999 of 50,000, line 12345"
    )
    assert change_counts(50_000, 0) == ("+50,000",)
    assert change_counts(1_250_000, 999, is_short=True) == ("+1M", "-999")


def test_a_gap_without_a_value_stays() -> None:
    assert say("{what} and {more}", what="this") == "this and {more}"


@pytest.mark.parametrize("wraps", [False, True])
@pytest.mark.parametrize(
    "name", ["a&lt;b.txt", "&amp;&#8238;txt.exe", "<b>b</b>", "plain & simple", "x\u202egnp"]
)
def test_a_tooltip_shows_a_name_as_text(name: str, wraps: bool) -> None:
    """Qt takes more than "<" for mark-up, and would bring hidden characters in by entities."""
    shown = plain_tip(name, wraps=wraps)
    if Qt.mightBeRichText(shown):
        document = QTextDocument()
        document.setHtml(shown)
        shown = document.toPlainText()
    assert shown == name.replace("\u202e", "\\u202e")


def _is_plain(tip: ast.expr) -> bool:
    match tip:
        case ast.IfExp(body=body, orelse=other):
            return _is_plain(body) and _is_plain(other)
        case ast.Constant(value=""):
            return True
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name)):
            return name == "plain_tip"
        case _:
            return False


def _tips(tree: ast.AST) -> Iterator[tuple[int, ast.expr]]:
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="setToolTip" | "setWhatsThis"), args=[tip]):
                yield node.lineno, tip
            case ast.Call(
                func=ast.Attribute(value=ast.Name(id="QToolTip"), attr="showText"), args=[_, tip, *_]
            ):
                yield node.lineno, tip
            case _:
                pass


def test_every_tooltip_goes_through_plain_tip() -> None:
    folder = Path(studio.ui.__file__ or "").parent
    found = [
        (file.relative_to(folder), line, _is_plain(tip))
        for file in folder.rglob("*.py")
        for line, tip in _tips(ast.parse(file.read_text(encoding="utf-8")))
    ]
    assert len(found) > 10 and [each for each in found if not each[2]] == []


def test_a_size_has_the_largest_unit_that_fits() -> None:
    said = [size(octets) for octets in (0, 1023, 1024, 4300, 2**40, 2**50, 2**60)]
    assert said == ["0 B", "1023 B", "1.0 KiB", "4.2 KiB", "1.0 TiB", "1.0 PiB", "1024.0 PiB"]
