"""The font for code: the fixed-width ones of this machine, each with a line of code in it."""

from __future__ import annotations

from collections.abc import Callable

from PySide6.QtCore import (
    QAbstractListModel,
    QModelIndex,
    QObject,
    QPersistentModelIndex,
    QSize,
    Qt,
)
from PySide6.QtGui import QFontDatabase, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QWidget

from studio.ui.finders.finder import ROW_HEIGHT, Finder
from studio.ui.finders.palette import found_row
from studio.ui.language import translator
from studio.ui.look.theme import code_family, code_font, px, ui_font
from studio.ui.look.words import say
from studio.ui.widgets.row_painter import BODY

_tr = translator("CodeFonts")

Index = QModelIndex | QPersistentModelIndex

_TOP = QModelIndex()
_FAMILY = Qt.ItemDataRole.UserRole
_SAMPLE = "if a0 != O1: {il|}"
"""Letters that a bad font for code makes look alike."""


class _Families(QAbstractListModel):
    """Names of families; "" is the system's own font for code."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._families: tuple[str, ...] = ()

    def show_families(self, families: tuple[str, ...]) -> None:
        self.beginResetModel()
        self._families = families
        self.endResetModel()

    def rowCount(self, parent: Index = _TOP) -> int:
        return 0 if parent.isValid() else len(self._families)

    def data(self, index: Index, role: int = Qt.ItemDataRole.DisplayRole) -> object:
        family = self._families[index.row()]
        if role == _FAMILY:
            return family
        if role == Qt.ItemDataRole.DisplayRole:
            return _shown(family)
        if role == Qt.ItemDataRole.AccessibleTextRole:
            return say(_tr("{font}, in use"), font=_shown(family)) if _is_used(family) else None
        return None


class _Row(QStyledItemDelegate):
    def sizeHint(self, option: QStyleOptionViewItem, index: Index) -> QSize:
        return QSize(px(200), px(ROW_HEIGHT))

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: Index) -> None:
        family: str = index.data(_FAMILY)
        painter.save()
        row = found_row(painter, option, index, self.parent())
        if _is_used(family):
            row.icon("check", "ok", gap=8)
        else:
            row.left += px(24)
        row.text_right(_SAMPLE, "text", code_font(family=family))
        row.text(_shown(family), "text", ui_font(BODY, 500), elide=Qt.TextElideMode.ElideRight)
        painter.restore()


class CodeFonts(Finder):
    """Shows code in the chosen font at once; its size is left to the zoom of the diff."""

    def __init__(self, choose: Callable[[str], object], window: QWidget) -> None:
        super().__init__("code-fonts", _tr("Font for code"), _tr("Fonts"), window)
        self._choose = choose
        self._families = _Families(self)
        self.set_rows(self._families, _Row(self.list))

    def search(self, text: str) -> None:
        wanted = text.casefold()
        fixed = (each for each in QFontDatabase.families() if _is_for_code(each))
        every = ("", *sorted(fixed, key=str.casefold))
        found = tuple(family for family in every if wanted in _shown(family).casefold())
        self._families.show_families(found)
        self.say("" if found else _tr("No font of fixed width is called so."))
        self.show_found()

    def run_row(self, index: Index) -> None:
        family: str = index.data(_FAMILY)
        self.close_finder()
        self._choose(family)


def _is_for_code(family: str) -> bool:
    return QFontDatabase.isFixedPitch(family) and not QFontDatabase.isPrivateFamily(family)


def _is_used(family: str) -> bool:
    return family == code_family()


def _shown(family: str) -> str:
    return family or _tr("The system's font for code")
