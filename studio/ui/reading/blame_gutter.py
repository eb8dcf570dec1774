"""Blame gutter of a file; table rows of plans that changed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime

from PySide6.QtCore import QEvent, QPoint, QRect, QSize, Qt, Signal
from PySide6.QtGui import QFontMetrics, QHelpEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QToolTip, QWidget

from studio.engine import Operation
from studio.extras.reader import Blame, BlamedLines, FileChange, Origin
from studio.names import show_name
from studio.ui.diff.canvas.canvas import DiffCanvas
from studio.ui.history.table import Cell, Column, TableRow
from studio.ui.language import translator
from studio.ui.look.decision_words import seen_words
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import full_moment, moment, plain_tip, say, utc_now
from studio.ui.widgets.row_painter import SECOND
from studio.values import Value

_WIDTH = 176
_BARS = {Origin.PLAN: "accent", Origin.GIT: "edge", Origin.UNKNOWN: "void"}


class _Part(Value):
    """Visible rows of one origin, in pixels of the gutter."""

    lines: BlamedLines
    top: int
    bottom: int


class BlameGutter(QWidget):
    """Blame gutter; a click on a plan's lines requests the plan."""

    pressed = Signal(object)
    """Emitted with the clicked `BlamedLines` of a plan."""

    def __init__(self, canvas: DiffCanvas, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._canvas = canvas
        self._blame: Blame | None = None
        self._blocks_by_line: list[BlamedLines] = []
        self.setObjectName("blame-gutter")
        self.setAccessibleName(self.tr("Blame"))
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Expanding)
        self.setMouseTracking(True)
        self.hide()
        canvas.rows_changed.connect(self.update)
        canvas.verticalScrollBar().valueChanged.connect(self.update)

    def sizeHint(self) -> QSize:
        return QSize(px(_WIDTH), px(60))

    def show_blame(self, blame: Blame | None) -> None:
        """Show the blame of the adjacent lines; None hides the gutter."""
        self._blame = blame
        blocks = blame.lines if blame is not None else ()
        self._blocks_by_line = [lines for lines in blocks for _ in range(lines.last - lines.first + 1)]
        self.setVisible(bool(self._blocks_by_line))
        self.update()

    def at_line(self, line: int) -> BlamedLines | None:
        """Return the blame of a 0-based line."""
        return self._blocks_by_line[line] if 0 <= line < len(self._blocks_by_line) else None

    def _parts(self) -> Iterator[_Part]:
        """Yield the visible parts, top to bottom, joining rows of one origin."""
        layout = self._canvas.layout_
        if layout is None or not layout.rows or not self._blocks_by_line:
            return
        view_top, view_bottom = self._canvas.view_lines()
        index = layout.row_at(view_top)
        part: _Part | None = None
        while index < layout.rows and layout.top(index) < view_bottom:
            row = layout.row(index)
            cell = row.right or row.left
            lines = self.at_line(cell.line) if cell is not None else None
            top, bottom = layout.top(index) - view_top, layout.top(index + 1) - view_top
            if part is not None and lines is part.lines:
                part = _Part(part.lines, part.top, bottom)
            else:
                if part is not None:
                    yield part
                part = _Part(lines, top, bottom) if lines is not None else None
            index += 1
        if part is not None:
            yield part

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.fillRect(self.rect(), color("panel"))
        painter.fillRect(self.width() - 1, 0, 1, self.height(), color("border"))
        painter.setFont(ui_font(12))
        now = utc_now()
        for part in self._parts():
            painter.fillRect(0, part.top, self.width() - 1, 1, color("border"))
            painter.fillRect(
                0, part.top + 1, px(3), part.bottom - part.top - 1, color(_BARS[part.lines.origin])
            )
            # At the first visible row of a part, so that its author is always visible.
            top = max(0, part.top)
            height = min(part.bottom - top, QFontMetrics(painter.font()).height() + px(4))
            when = moment(part.lines.when, now) if part.lines.when is not None else ""
            area = QRect(px(10), top, self.width() - px(18), height)
            painter.setPen(color("muted"))
            painter.drawText(area, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, when)
            room = area.width() - painter.fontMetrics().horizontalAdvance(when) - px(8)
            name = author_of(part.lines) or self.tr("unknown")
            painter.setPen(color("text" if part.lines.origin is Origin.PLAN else "muted"))
            author = painter.fontMetrics().elidedText(name, Qt.TextElideMode.ElideRight, room)
            painter.drawText(area, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, author)

    def _block_at(self, point: QPoint) -> BlamedLines | None:
        found = (part.lines for part in self._parts() if part.top <= point.y() < part.bottom)
        return next(found, None)

    def event(self, event: QEvent) -> bool:
        if isinstance(event, QHelpEvent) and event.type() is QEvent.Type.ToolTip:
            lines = self._block_at(event.pos())
            tip = lines_words(lines, utc_now()) if lines is not None else ""
            QToolTip.showText(event.globalPos(), plain_tip(tip, wraps=True) if tip else "", self)
            return True
        return super().event(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        lines = self._block_at(event.position().toPoint())
        leads = lines is not None and lines.origin is Origin.PLAN
        self.setCursor(Qt.CursorShape.PointingHandCursor if leads else Qt.CursorShape.ArrowCursor)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        lines = self._block_at(event.position().toPoint())
        if event.button() is Qt.MouseButton.LeftButton and lines is not None and lines.plan_id is not None:
            self.pressed.emit(lines)


# Texts on authors of lines, and on plans that changed files.

_tr = translator("Reading")


def author_of(lines: BlamedLines) -> str:
    """Return the author of lines: agent, reviewer, or git author, else "".

    Lines that the reviewer wrote into a proposed result are the reviewer's.
    """
    if lines.origin is Origin.PLAN and lines.agent and not lines.is_edited:
        return show_name(lines.agent)
    # `^` marks a shallow boundary, as in `git blame`.
    return f"^{show_name(lines.who)}" if lines.is_boundary else show_name(lines.who)


def lines_words(lines: BlamedLines, now: datetime) -> str:
    """Return all that is known about lines, for tooltip and screen readers."""
    if lines.origin is Origin.UNKNOWN:
        return _tr("No plan or commit is recorded for this line.")
    when = full_moment(lines.when, now) if lines.when is not None else ""
    if lines.origin is Origin.GIT:
        words = _tr("Commit {commit} by {who}")
        if lines.is_boundary:
            words = _tr("Commit {commit} by {who}, or an older commit missing from this shallow clone")
        sentence = say(words, commit=(lines.commit or "")[:8], who=show_name(lines.who))
        return f"{sentence}, {when}" if when else sentence
    sentence = [say(_tr("“{title}”"), title=show_name(lines.title))]
    if lines.is_edited:
        sentence.append(say(_tr("edited by {who}"), who=show_name(lines.who)))
    else:
        if lines.agent:
            sentence.append(say(_tr("proposed by {agent}"), agent=show_name(lines.agent)))
        by = say(_tr("approved by {who}"), who=show_name(lines.who))
        sentence.append(f"{by} {seen_words(lines.seen)}".rstrip())
    return ", ".join((*sentence, when))


def change_columns() -> tuple[Column, ...]:
    return (Column(_tr("Plans that changed this file"), 0), Column(_tr("When"), 72))


def change_rows(changes: Sequence[FileChange], now: datetime) -> tuple[TableRow, ...]:
    """Return a row per plan, newest first, keyed by plan and step."""
    return tuple(_change_row(change, now) for change in changes)


def change_key(change: FileChange) -> str:
    return f"{change.plan_id}/{change.step}"


def _change_row(change: FileChange, now: datetime) -> TableRow:
    by, when, what = (
        show_name(change.agent or change.who),
        moment(change.when, now),
        _operation_word(change.op),
    )
    state = ("rolled-back", "muted") if change.is_undone else ("applied", "ok")
    title = show_name(change.title)
    cells = (
        Cell(title, icon=state[0], icon_token=state[1], second=" · ".join(filter(None, (what, by)))),
        Cell(when, "muted", size=SECOND),
    )
    undone = _tr("rolled back") if change.is_undone else ""
    return TableRow(change_key(change), cells, ", ".join(filter(None, (title, what, by, when, undone))))


def _operation_word(op: Operation) -> str:
    """Return a word for an operation other than an edit, else ""."""
    return {
        Operation.CREATE: _tr("created"),
        Operation.DELETE: _tr("deleted"),
        Operation.MOVE: _tr("moved"),
        Operation.COPY: _tr("copied"),
        Operation.MODE: _tr("permissions changed"),
    }.get(op, "")
