"""Column headings of a diff: before/after version, number of included hunks."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget

from studio.engine import FileDiff, HunkChoice, Step, StepState
from studio.ui.language import translator
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import counted, plain_tip, say

_tr = translator("DiffView")


class SideHeadings(QWidget):
    """One heading for each of one or two panes, aligned with it.

    It may share a row with buttons (`has_row` false): the panes are below its parent, from edge to edge.
    """

    def __init__(self, parent: QWidget | None = None, *, has_row: bool = True) -> None:
        super().__init__(parent)
        self._has_row = has_row
        self._texts: tuple[str, ...] = ()
        self._map_width = 0
        self.setObjectName("side-headings")
        self.setFixedHeight(px(22))

    def show_texts(self, texts: tuple[str, ...], map_width: int) -> None:
        """Show one or two headings, given the overview map's width in pixels."""
        self._texts = texts
        self._map_width = map_width
        self.setAccessibleName(" | ".join(texts))
        self.setToolTip("" if self._has_row else plain_tip("  →  ".join(texts)))
        self.update()

    def texts(self) -> tuple[str, ...]:
        return self._texts

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        parent = self.parentWidget()
        whole = self.width() if self._has_row or parent is None else parent.width()
        if self._has_row:
            painter.fillRect(self.rect(), color("panel"))
            painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        painter.setFont(ui_font(12))
        metrics = QFontMetricsF(painter.font())
        room = whole - self._map_width
        half = room // 2 if len(self._texts) > 1 else room
        for index, text in enumerate(self._texts):
            left = index * half - (0 if self._has_row else self.x())
            if index:
                painter.fillRect(left, 0, 1, self.height(), color("border"))
            painter.setPen(color("muted"))
            start = max(left + px(12), 0)
            end = min(left + half - px(4), self.width() - px(4))
            area = QRectF(start, 0, max(0, end - start), self.height() - 1)
            words = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
            painter.drawText(area, Qt.AlignmentFlag.AlignVCenter | Qt.TextFlag.TextSingleLine, words)


def side_texts(
    before: str, after: str, *, one_sided: bool, unified: bool, is_deleted: bool
) -> tuple[str, ...]:
    """Return one heading per pane; `is_deleted` means a deleted file."""
    both = f"{before}  →  {after}"
    if one_sided:
        return (both if is_deleted else after,)
    return (both,) if unified else (before, after)


def before_heading(step: Step) -> str:
    """Return the heading of the left side: on disk, or as proposed."""
    if step.base is None:
        return _tr("Before · no such file")
    if step.state in (StepState.PENDING, StepState.APPROVED):
        return _tr("Before · on disk, checked just now")
    if step.state is StepState.APPLIED:
        return _tr("Before · when applied")
    return _tr("Before · when proposed")


def after_heading(step: Step, diff: FileDiff, choices: Mapping[int, HunkChoice]) -> str:
    """Return the heading of the right side: how much is included."""
    hunks = len(diff.hunks)
    if step.result is None:
        return _tr("After this step · file deleted")
    if step.base is None:
        return _tr("After this step · new file")
    named = sorted(number for number in choices if 0 < number <= hunks)
    excluded = [number for number in named if choices[number] is False]
    part = [number for number in named if not isinstance(choices[number], bool)]
    if len(part) == 1:
        chosen = choices[part[0]]
        return say(
            _tr("After this step · hunk {n}: {taken} of {all} lines included"),
            n=part[0],
            taken=len(chosen) if isinstance(chosen, frozenset) else 0,
            all=diff.hunks[part[0] - 1].changed_lines,
        )
    if part:
        shown = ", ".join(str(number) for number in part)
        return say(_tr("After this step · parts of hunks {n}"), n=shown)
    if not excluded and step.state not in (StepState.PENDING, StepState.APPROVED):
        shown = counted(hunks, _tr("{n} hunk"), _tr("{n} hunks"))
        return say(_tr("After this step · {hunks}"), hunks=shown)
    if not excluded:
        whole = (
            _tr("After this step · 1 of 1 hunk included")
            if hunks == 1
            else _tr("After this step · {n} of {n} hunks included")
        )
        return say(whole, n=hunks)
    if len(excluded) == hunks:
        return _tr("After this step · no hunks included")
    if len(excluded) == 1:
        return say(_tr("After this step · hunk {n} excluded"), n=excluded[0])
    shown = ", ".join(str(number) for number in excluded[:8]) + ("…" if len(excluded) > 8 else "")
    return say(_tr("After this step · hunks {n} excluded"), n=shown)
