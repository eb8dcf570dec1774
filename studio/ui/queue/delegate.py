"""Painting of the queue's rows: two lines per plan, one per step."""

from __future__ import annotations

from PySide6.QtCore import QCoreApplication, QModelIndex, QPersistentModelIndex, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QFontMetrics, QPainter
from PySide6.QtWidgets import QStyledItemDelegate, QStyleOptionViewItem, QTreeView, QWidget

from studio.engine import Operation, Plan, Severity, Step, StepState
from studio.names import show_name
from studio.ui.look.states import (
    approved_edited,
    decided_steps,
    has_warnings,
    is_over,
    plan_style,
    step_style,
    warnings_of,
)
from studio.ui.look.theme import color, px, ui_font
from studio.ui.look.words import Clock, CommonFolders, age, say, utc_now
from studio.ui.queue.folders import total_of
from studio.ui.queue.model import QueueModel, Role, is_plan
from studio.ui.widgets.painting import paint_check_box, paint_count_bar
from studio.ui.widgets.row_painter import BODY, SECOND, ItemPainter, paint_folder, row_style

LEAST_WIDTH = 200
PLAN_HEIGHT = 45
STEP_HEIGHT = 26
BELOW_LAST_STEP = 4
BAR_WIDTH = 30
LEAST_BAR = 16
_LEAST_FOLDER = 56
SESSION_LINE = 2
SESSION_GAP = 4
CHEVRON_AREA = 22
"""Width, from the left edge, in which a click folds the plan instead of selecting it."""

_STEP_IN = 16

_SAID_BY_STATE = frozenset(StepState) - {StepState.PENDING, StepState.APPROVED}


class QueueDelegate(QStyledItemDelegate):
    """Painter of rows with current theme tokens, so that a repaint suffices."""

    def __init__(
        self,
        parent: QTreeView,
        model: QueueModel,
        *,
        now: Clock = utc_now,
    ) -> None:
        super().__init__(parent)
        self._view = parent
        self._model = model
        self._now = now
        self._common: dict[str, tuple[int, CommonFolders]] = {}

    def sizeHint(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> QSize:
        # Called for every row at each layout.
        if is_plan(index):
            return QSize(px(LEAST_WIDTH), px(PLAN_HEIGHT))
        below = px(BELOW_LAST_STEP) if self._model.is_last_step(index) else 0
        return QSize(px(LEAST_WIDTH), px(STEP_HEIGHT) + below)

    def paint(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
    ) -> None:
        plan, step = self._model.at(index)
        painter.save()
        if is_plan(index):
            self._paint_plan(painter, option, index, plan)
        else:
            area = QRect(option.rect)
            area.setHeight(px(STEP_HEIGHT))
            entry = self._model.entry_at(index)
            row = ItemPainter(
                painter, area, left=px(26 + _STEP_IN * (entry.depth if entry else 0)), right=px(10)
            )
            row.background(row_style(option, focused=self._focused(option.widget)))
            if (state := self._model.check_state(index)) is not None:
                side = px(14)
                box = QRectF(area.left() + px(7), area.top() + (area.height() - side) // 2, side, side)
                paint_check_box(painter, box, state)
            if step is None:
                self._paint_fold(row, index, plan)
            else:
                is_in_tree = entry is not None and self._model.is_tree(plan)
                self._paint_step(row, plan, step, folder=entry.name if entry and is_in_tree else None)
        if self._model.session_size(plan) > 1:
            self._paint_session(painter, option, index)
        painter.restore()

    def _paint_session(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        """Paint a line along a session's plans, with gaps between sessions."""
        area = QRect(option.rect)
        gap = px(SESSION_GAP) if is_plan(index) and not self._model.follows_its_session(index) else 0
        painter.fillRect(
            QRect(area.left(), area.top() + gap, px(SESSION_LINE), area.height() - gap), color("accent")
        )

    def _focused(self, widget: QWidget | None) -> bool:
        view = widget if widget is not None else self._view
        return view.hasFocus() and view.isActiveWindow()

    def _paint_plan(
        self,
        painter: QPainter,
        option: QStyleOptionViewItem,
        index: QModelIndex | QPersistentModelIndex,
        plan: Plan,
    ) -> None:
        area = QRect(option.rect)
        ItemPainter(painter, area).background(row_style(option, focused=self._focused(option.widget)))
        if index.row() > 0 and not self._model.follows_its_session(index):
            painter.fillRect(QRect(area.left(), area.top(), area.width(), 1), color("border"))
        top = QRect(area.left(), area.top() + px(5), area.width(), px(18))
        first = ItemPainter(painter, top, left=px(5), right=px(10))
        is_open = self._view.isExpanded(index)
        first.icon("down" if is_open else "right", "muted", size=14, gap=5)
        first.text_right(age(plan.created, self._now()), "muted", ui_font(SECOND))
        guest = self._model.is_guest(plan, None)
        title = self._model.title_of(plan)
        first.text(title, "muted" if guest else "text", ui_font(BODY, 400 if guest else 600))
        below = QRect(area.left(), area.top() + px(22), area.width(), px(18))
        line = ItemPainter(painter, below, left=px(24), right=px(10))
        together = 1 if self._model.follows_its_session(index) else self._model.session_size(plan)
        self._paint_second_line(line, plan, together, left=bool(index.data(Role.LEFT)))

    def _paint_second_line(self, line: ItemPainter, plan: Plan, together: int, *, left: bool) -> None:
        """Paint agent, progress and warnings.

        `together` is the number of plans of a session that starts here.
        """
        font = ui_font(SECOND)
        warned = sum(has_warnings(step) for step in plan.steps)
        agent = self._model.agent_words(plan)
        if together > 1:
            agent = say(QCoreApplication.translate("Queue", "{agent}, {n} plans"), agent=agent, n=together)
        if left:
            line.text_right(QCoreApplication.translate("Queue", "no longer pending"), "muted", font)
        elif plan.state.is_open:
            template = QCoreApplication.translate("Queue", "{decided} of {steps} decided")
            decided, steps = decided_steps(plan), len(plan.valid_steps)
            line.text_right(say(template, decided=decided, steps=steps), "muted", font)
            used = px(19) + QFontMetrics(font).horizontalAdvance(agent) + px(44 if warned else 16)
            _paint_bar(line, decided, steps, min(px(BAR_WIDTH), line.room - used))
        else:
            style = plan_style(plan)
            line.text_right(style.word, style.token, ui_font(SECOND, 500), gap=6)
            line.icon_right(style.icon, style.token, size=14)
        line.icon("agent" if plan.agent else "person", "muted", size=14, gap=5)
        line.text(agent, "muted", font, limit=line.room - (px(34) if warned else 0))
        if warned and line.room >= px(26):
            line.icon("look-out", "warn", size=14, gap=3)
            line.text(str(warned), "warn", font)

    def _paint_fold(self, row: ItemPainter, index: QModelIndex | QPersistentModelIndex, plan: Plan) -> None:
        """Paint the row of a folder or of generated files."""
        steps = self._model.steps_at(index)
        total = total_of(steps)
        row.icon("down" if index.data(Role.FOLD).is_open else "right", "muted", size=14, gap=7)
        if plan.state.is_open:
            template = QCoreApplication.translate("Queue", "{decided} of {steps}")
            decided = say(template, decided=len(steps) - total.undecided, steps=len(steps))
            row.text_right(decided, "muted", ui_font(SECOND))
        if total.warnings:
            row.text_right(str(total.warnings), "warn", ui_font(SECOND), gap=3)
            row.icon_right("look-out", "warn", size=14)
        row.text(str(index.data()), "muted", ui_font(BODY), is_path=True)

    def _paint_step(self, row: ItemPainter, plan: Plan, step: Step, *, folder: str | None) -> None:
        style = step_style(plan, step)
        row.icon(style.icon, style.token)
        is_over_now = is_over(plan, step)
        if step.state in _SAID_BY_STATE or is_over_now:
            row.text_right(style.word, style.token, ui_font(SECOND, 500))
        else:
            _paint_what(row, step)
        if self._model.has_draft(plan, step):
            row.icon_right("edit", "warn")
        if self._model.is_revised(plan, step):
            row.icon_right("difference", "warn")
        shortened = folder if folder is not None else self._shortened(plan, step)
        whole, _, name = step.target.rpartition("/")
        folder = whole if folder is None else folder
        quiet = step.state is StepState.INVALID or is_over_now or self._model.is_guest(plan, step)
        weight = 400 if quiet or self._model.is_viewed(plan, step) else 600
        token = "muted" if quiet else "text"
        row.text(show_name(name), token, ui_font(BODY, weight), elide=Qt.TextElideMode.ElideMiddle)
        font = ui_font(SECOND)
        # A folder elided to less than a few letters is useless.
        least = min(px(_LEAST_FOLDER), QFontMetrics(font).horizontalAdvance(show_name(folder)))
        if folder and row.room >= least:
            paint_folder(row, show_name(folder), show_name(shortened))

    def _shortened(self, plan: Plan, step: Step) -> str:
        """Return a step's folder in short form, cached per plan version."""
        cached = self._common.get(plan.id)
        if cached is None or cached[0] != plan.version:
            cached = self._common[plan.id] = plan.version, CommonFolders(each.target for each in plan.steps)
        return cached[1].shortened(step.target)


def _paint_what(row: ItemPainter, step: Step) -> None:
    """Paint line counts, operation and warning icon."""
    row.counts_right(step.added, step.removed, gap=6)
    word = operation_prefix(step)
    if word:
        row.text_right(word, "muted", ui_font(SECOND), gap=6)
    facts = warnings_of(step)
    if facts:
        danger = facts[0].severity is Severity.DANGER
        row.icon_right("danger" if danger else "look-out", "bad" if danger else "warn")


def operation_prefix(step: Step) -> str:
    """Return the word before the counts, "" for a plain modification."""
    if approved_edited(step):
        return QCoreApplication.translate("Queue", "edited")
    words = {
        Operation.CREATE: QCoreApplication.translate("Queue", "new"),
        Operation.DELETE: QCoreApplication.translate("Queue", "deleted"),
        Operation.MOVE: QCoreApplication.translate("Queue", "moved"),
        Operation.COPY: QCoreApplication.translate("Queue", "copied"),
        Operation.MKDIR: QCoreApplication.translate("Queue", "new folder"),
    }
    if step.op is Operation.MODE and step.mode_change is not None:
        return "mode +x" if step.mode_change[1] == "100755" else "mode -x"
    return words.get(step.op, "")


def _paint_bar(line: ItemPainter, decided: int, steps: int, width: int) -> None:
    """Paint the progress bar, unless the agent's name needs the space."""
    if width < px(LEAST_BAR):
        return
    line.right -= width
    top = line.rect.top() + (line.rect.height() - px(6)) // 2
    paint_count_bar(line.painter, QRectF(line.right, top, width, px(6)), decided, steps)
    line.right -= px(8)
