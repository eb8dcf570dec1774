"""Code font chooser: installed fixed-width fonts with a sample."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import Qt
from PySide6.QtGui import QFontDatabase
from PySide6.QtWidgets import QWidget

from studio.ui.finders.finder import Finder
from studio.ui.language import translator
from studio.ui.look.theme import code_family, code_font, px, ui_font
from studio.ui.look.words import say
from studio.ui.widgets.row_painter import BODY, ItemPainter

_tr = translator("CodeFonts")

_SAMPLE = "if a0 != O1: {il|}"
"""Letters that are hard to tell apart in a bad code font."""


class CodeFonts(Finder[str]):
    """Finder of font families; "" is the system's fixed-width font.

    The chosen font is used at once; the diff's zoom sets its size.
    """

    def __init__(self, choose: Callable[[str], object], window: QWidget) -> None:
        super().__init__("code-fonts", _tr("Code font"), _tr("Fonts"), window)
        self._choose = choose

    def search(self, text: str) -> None:
        search = text.casefold()
        fixed = (each for each in QFontDatabase.families() if _is_for_code(each))
        every = ("", *sorted(fixed, key=str.casefold))
        found = tuple(family for family in every if search in self.words_of(family).casefold())
        self.show_note("" if found else _tr("No matching monospaced fonts."))
        self.show_found(found)

    def run(self, row: str) -> None:
        self.close_finder()
        self._choose(row)

    def words_of(self, row: str) -> str:
        return row or _tr("System code font")

    def accessible_text(self, row: str) -> str | None:
        return say(_tr("{font}, current"), font=self.words_of(row)) if row == code_family() else None

    def paint_row(self, painter: ItemPainter, row: str) -> None:
        if row == code_family():
            painter.icon("check", "ok", gap=8)
        else:
            painter.left += px(24)
        painter.text_right(_SAMPLE, "text", code_font(family=row))
        painter.text(self.words_of(row), "text", ui_font(BODY, 500), elide=Qt.TextElideMode.ElideRight)


def _is_for_code(family: str) -> bool:
    return QFontDatabase.isFixedPitch(family) and not QFontDatabase.isPrivateFamily(family)
