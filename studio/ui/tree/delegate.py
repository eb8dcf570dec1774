"""Painting of the project tree's rows, with a right-aligned badge."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QSize
from PySide6.QtGui import QPainter
from PySide6.QtWidgets import QStyle, QStyledItemDelegate, QStyleOptionViewItem, QTreeView

from studio.ui.look.theme import px, ui_font
from studio.ui.tree.badges import Badge
from studio.ui.tree.model import ProjectModel, TreeRow
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter, RowStyle, row_style

ROW_HEIGHT = 22
STEP_IN = 16
"""Indentation per level."""
CHEVRON = 9
"""Left edge of the top level's chevron."""

_IMAGES = frozenset({"png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "bmp"})


class TreeDelegate(QStyledItemDelegate):
    """Painter of rows with current theme tokens, so that a repaint suffices."""

    def __init__(self, parent: QTreeView, model: ProjectModel) -> None:
        super().__init__(parent)
        self._view = parent
        self._model = model

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        return QSize(max(option.rect.width(), px(160)), px(ROW_HEIGHT))

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        painter.save()
        shown = self._model.row(index)
        row = ItemPainter(painter, option.rect, left=px(CHEVRON + STEP_IN * shown.depth), right=px(12))
        row.background(self._row_style(option))
        is_open = shown.is_folder and self._view.isExpanded(index)
        if shown.is_folder:
            row.icon("down" if is_open else "right", "muted" if shown.has_rows else "off", size=14, gap=4)
            row.icon("folder", "muted", size=14, gap=5)
        else:
            row.left += px(18)
            row.icon(_file_icon(shown.name), "muted", size=14, gap=5)
        self._paint_badge(row, shown, is_open=is_open)
        row.text(shown.name, "muted" if shown.is_denied else "text", ui_font(BODY))
        painter.restore()

    def _row_style(self, option: QStyleOptionViewItem) -> RowStyle:
        """Return the row's background; without focus, rows have no accent bar."""
        focused = self._view.hasFocus() and self._view.isActiveWindow()
        if option.state & QStyle.StateFlag.State_Selected and not focused:
            return RowStyle("selectOff", bar=False, ring=False)
        return row_style(option, focused=focused)

    def _paint_badge(self, row: ItemPainter, shown: TreeRow, *, is_open: bool) -> None:
        font, badge = ui_font(SECOND), shown.badge
        if isinstance(badge, Badge):
            row.icon_right(badge.look.icon, badge.look.token, size=14)
            row.text_right(badge.look.word, badge.look.token, font)
        elif badge is not None and not is_open:
            row.icon_right(badge.gravest.look.icon, badge.gravest.look.token, size=14)
            row.text_right(str(badge.count), "muted", font)
        elif shown.is_denied:
            row.icon_right("denied", "muted", size=14)
            row.text_right(QCoreApplication.translate("Tree", "denied"), "muted", font)
        elif shown.origin:
            row.icon_right("agent", "muted", size=14)


def _file_icon(name: str) -> str:
    return "image" if name.rpartition(".")[2].lower() in _IMAGES else "file"
