"""Pane for resolving a plan's rebase conflicts: disk, proposed, both, or edited."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QObject, QRect, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import QFontMetricsF, QPainter, QPaintEvent, QResizeEvent
from PySide6.QtWidgets import QWidget

from studio.extras.conflict_choices import ConflictChoice
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.conflict.view import ConflictView
from studio.ui.look.icons import Sign
from studio.ui.look.theme import color, px
from studio.ui.look.words import say
from studio.ui.review.desk import Desk
from studio.ui.step.banners import ClosedPlanBanner
from studio.ui.step.header import HEIGHT, PathLabel
from studio.ui.widgets import (
    STRETCH,
    Button,
    ButtonKind,
    CheckBox,
    ElidedLabel,
    HairLine,
    Label,
    Surface,
    ToolIcon,
    column_of,
    row_of,
)
from studio.ui.widgets.text_field import PAUSE_MS, CodeText, is_searching

# Editor for the user's own lines of a conflict.


class CodeField(CodeText):
    """Code editor with line numbers."""

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__("conflict-text", parent)
        self._numbers = _Numbers(self)
        self.blockCountChanged.connect(self._make_room)
        self.updateRequest.connect(self._scroll_numbers)

    def show_text(self, text: str, first_line: int) -> bool:
        """Show a text, with room for its line numbers.

        Returns what `CodeText.show_text` does: whether the editor holds the text unchanged.
        """
        is_held = super().show_text(text, first_line)
        self._make_room()
        return is_held

    def paint_numbers(self, painter: QPainter, area: QRect) -> None:
        painter.fillRect(area, color("field"))
        painter.setFont(self.font())
        painter.setPen(color("lineNo"))
        block = self.firstVisibleBlock()
        top = self.blockBoundingGeometry(block).translated(self.contentOffset()).top()
        while block.isValid() and top <= area.bottom():
            # The last block is higher than its line by the document margin.
            room = QRectF(0, top, self._numbers.width() - px(10), self.fontMetrics().height())
            number = str(block.blockNumber() + self.first_line + 1)
            painter.drawText(room, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignTop, number)
            top += self.blockBoundingRect(block).height()
            block = block.next()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_numbers()

    def _make_room(self) -> None:
        digits = "0" * max(3, len(str(self.blockCount() + self.first_line)))
        width = round(QFontMetricsF(self.font()).horizontalAdvance(digits)) + px(18)
        self._numbers.setFixedWidth(width)
        self.setViewportMargins(width, 0, 0, 0)
        self._place_numbers()

    def _place_numbers(self) -> None:
        area = self.contentsRect()
        self._numbers.setGeometry(area.left(), area.top(), self._numbers.width(), self.viewport().height())

    def _scroll_numbers(self, area: QRect, by: int) -> None:
        if by:
            self._numbers.scroll(0, by)
        else:
            self._numbers.update(0, area.top(), self._numbers.width(), area.height())


class _Numbers(QWidget):
    """Line number column of a `CodeField`."""

    def __init__(self, field: CodeField) -> None:
        super().__init__(field)
        self._field = field
        self.setObjectName("conflict-line-numbers")

    def paintEvent(self, event: QPaintEvent) -> None:
        self._field.paint_numbers(QPainter(self), event.rect())


_CHOICES = (
    (Action.RESOLVE_WITH_DISK, "1"),
    (Action.RESOLVE_WITH_PROPOSED, "2"),
    (Action.RESOLVE_WITH_BOTH, "3"),
    (Action.EDIT, "E"),
)


class ConflictPane(Surface):
    """Pane to choose one side, both, or typed lines per conflict.

    The result can be used once every conflict is resolved.
    """

    pressed = Signal(object)
    """Id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget | None = None) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self._edited = -1
        self._stored_key = desk.rebase.conflicts_key
        self._pause = QTimer(self, singleShot=True, interval=PAUSE_MS)
        self._pause.timeout.connect(self.store_draft)
        self.setObjectName("conflict-pane")
        self.setAccessibleName(self.tr("Conflicts"))
        self.view = ConflictView(self)
        self.field = CodeField(self.view.viewport())
        self.field.setAccessibleName(self.tr("Your edit for this conflict"))
        self.field.hide()
        self.closed_sentence = ClosedPlanBanner(desk, self)
        self.closed_sentence.pressed.connect(self.pressed)
        self._path = PathLabel(self)
        self._open = Label(size=12, token="warn", weight=500)
        self._position_label = ElidedLabel(size=12, token="muted", mode=Qt.TextElideMode.ElideRight)
        self._agent = ElidedLabel(size=12, token="muted")
        self.cancel = self._button(Action.BACK, self.tr("Cancel"), "Esc", kind=ButtonKind.TOOL)
        self.use = self._button(Action.USE_RESULT, self.tr("Use this result"), "Ctrl+↵", icon="check")
        self.previous = ToolIcon(
            "previous-change",
            self.tr("Previous conflict"),
            key="Alt+↑",
            name="conflict-previous",
            pressed=lambda: self.step(-1),
        )
        self.next = ToolIcon(
            "next-change",
            self.tr("Next conflict"),
            key="Alt+↓",
            name="conflict-next",
            pressed=lambda: self.step(1),
        )
        names = (self.tr("Use disk"), self.tr("Use proposed"), self.tr("Use both"), self.tr("Edit"))
        self.choices = [
            self._button(action, name, key, kind=ButtonKind.TOOL, height=24)
            for (action, key), name in zip(_CHOICES, names, strict=True)
        ]
        self.base = CheckBox(self.tr("Show base"), self, key="B", name="conflict-show_base")
        self.base.toggled.connect(self._show_base)
        self._lay_out()
        self.view.current_changed.connect(self._describe)
        self.view.verticalScrollBar().valueChanged.connect(self._place_field)
        self.view.viewport().installEventFilter(self)
        self.field.textChanged.connect(self._pause.start)
        self.field.done.connect(self._resolve_typed)
        self.field.cancelled.connect(self.close_innermost)
        desk.rebase.conflicts_changed.connect(self._show)
        desk.rebase.conflict_resolved.connect(self._refresh)
        desk.guards.refresh_wanted.connect(self._refresh_buttons)
        self.setFocusProxy(self.view)
        self._show()

    def resolve_current(self, choice: ConflictChoice) -> None:
        """Resolve the current conflict and go to the next open one."""
        self.close_field()
        self._desk.rebase.settle(self.view.current, choice)
        self._go_to_next()

    def edit(self) -> None:
        """Edit the result of the current conflict."""
        settlement = self._desk.rebase.settlement
        if settlement is None:
            return
        conflict = self.view.current
        text = settlement.begun.get(conflict, settlement.shown_text(conflict))
        if not self.field.show_text(text, 0):
            self._desk.editor.warn_not_editable()
            return
        self._edited, self._stored_key = conflict, self._desk.rebase.conflicts_key
        self._pause.stop()
        self._place_field()
        self.field.show()
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)

    def toggle_base(self) -> None:
        """Toggle the base lines of each conflict."""
        self.base.toggle()

    def _show_base(self, shown: bool) -> None:
        self.view.set_show_base(shown)
        self._place_field()

    def step(self, by: int) -> None:
        """Go to the next (1) or previous (-1) conflict."""
        self.close_field()
        self.view.go_to(self.view.current + by)

    def store_draft(self) -> None:
        """Store the typed lines, which then survive Esc and a crash."""
        self._pause.stop()
        if self._edited >= 0 and self.view.settlement is not None:
            text = self.field.text()
            self._desk.rebase.store_line_drafts(self.view.settlement, self._stored_key, self._edited, text)

    def close_field(self) -> bool:
        """Close the editor, storing its text; return whether it was open."""
        if self.field.isHidden():
            return False
        self.store_draft()
        self._edited = -1
        self.view.make_room(-1)
        self.field.hide()
        if self.isVisible() and not is_searching():
            self.view.setFocus(Qt.FocusReason.OtherFocusReason)
        return True

    def close_innermost(self) -> bool:
        """Close the editor, else the pane; resolutions stay stored."""
        if self.close_field():
            self._desk.rebase.show_latest_conflicts()
        else:
            self._desk.rebase.close_conflicts()
        return True

    def _button(
        self,
        action: Action,
        text: str,
        key: str,
        *,
        icon: str = "",
        kind: ButtonKind = ButtonKind.NORMAL,
        height: int = 28,
    ) -> Button:
        return Button(
            text,
            self,
            icon=icon,
            icon_token="ok",
            key=key,
            kind=kind,
            height=height,
            name=f"conflict-{action}",
            pressed=lambda: self.pressed.emit(action),
        )

    def _lay_out(self) -> None:
        header = Surface("window", self)
        # The heights include the lines below header and bar.
        header.setFixedHeight(px(HEIGHT) - 1)
        row_of(
            Sign("conflict-icon", self, icon="merge", token="warn", size=18),
            self._path,
            self._open,
            STRETCH,
            self.cancel,
            px(12),
            self.use,
            parent=header,
            margins=(px(12), 0, px(9), 1),
            spacing=px(8),
        )
        bar = Surface("panel", self)
        bar.setFixedHeight(px(31) - 1)
        second = row_of(
            self.previous,
            self.next,
            px(6),
            (self._position_label, 1),
            parent=bar,
            margins=(px(8), 0, px(10), 0),
            spacing=px(2),
        )
        for button in self.choices:
            second.addWidget(button)
        second.addSpacing(px(12))
        second.addWidget(self.base)
        heads = _Headings(self.view, self)
        heads.add(self.tr("On disk now"), None)
        heads.add(self.tr("Result"), ElidedLabel(self.tr("Press E to edit"), size=12, token="muted"))
        heads.add(self.tr("Proposed"), self._agent)
        column = column_of(parent=self)
        for widget in (header, HairLine(self), self.closed_sentence, bar, HairLine(self), heads):
            column.addWidget(widget)
        column.addWidget(self.view, 1)

    def _show(self) -> None:
        step = self._desk.queue.current_step
        self.close_field()
        self.base.setChecked(False)
        self.view.set_show_base(False)
        path = step.target if step is not None else ""
        self.view.show_settlement(self._desk.rebase.settlement, path, self._desk.project.runner)
        self._path.set_path(path)
        plan = self._desk.queue.current_plan
        self._agent.setText(show_name(plan.agent) if plan is not None else "")
        self._describe()

    def _refresh(self) -> None:
        self.view.refresh()
        self._describe()

    def _describe(self) -> None:
        settlement = self._desk.rebase.settlement
        if settlement is None:
            return
        total = len(settlement.conflicts)
        self._open.setText(self._open_words(settlement.open, total))
        self._open.set_token("warn" if settlement.open else "ok")
        position = self.tr("Conflict {n} of {total}")
        position = say(position, n=self.view.current + 1, total=total)
        self._position_label.setText(position)
        words, sides = self.view.words_of(self.view.current), self.view.accessible_text(self.view.current)
        self.view.setAccessibleDescription(f"{position}. {words}. {sides}")
        self.previous.set_reason("" if self.view.current else self.tr("This is the first conflict."))
        last = self.view.current + 1 >= total
        self.next.set_reason(self.tr("This is the last conflict.") if last else "")
        self._refresh_buttons()

    def _open_words(self, unresolved: int, total: int) -> str:
        if not unresolved:
            return self.tr("rebase · all conflicts resolved")
        if total == 1:
            return self.tr("rebase · 1 conflict unresolved")
        words = self.tr("rebase · {open} of {n} conflicts unresolved")
        return say(words, open=unresolved, n=total)

    def _refresh_buttons(self) -> None:
        self.use.set_reason(self._desk.reasons.of(Action.USE_RESULT))
        for button, (action, _key) in zip(self.choices, _CHOICES, strict=True):
            button.set_reason(self._desk.reasons.of(action))

    def _go_to_next(self) -> None:
        settlement = self._desk.rebase.settlement
        if settlement is None:
            return
        count = len(settlement.conflicts)
        order = [*range(self.view.current + 1, count), *range(self.view.current)]
        following = next((number for number in order if settlement.choice_at(number) is None), None)
        if following is not None:
            self.view.go_to(following)
        self.view.setFocus(Qt.FocusReason.OtherFocusReason)

    def _resolve_typed(self) -> None:
        """Resolve the conflict with the typed lines.

        Without any text the conflict resolves to no lines.
        """
        if self._edited < 0:
            return
        text = self.field.text()
        settlement = self._desk.rebase.settling
        ending = "\r\n" if settlement is not None and b"\r\n" in settlement.current else "\n"
        lines = (text.replace("\n", ending) + ending).encode() if text else b""
        conflict = self._edited
        self.close_field()
        self._desk.rebase.settle(conflict, ConflictChoice.EDITED, lines)
        self._desk.rebase.show_latest_conflicts()
        self._go_to_next()

    def _place_field(self) -> None:
        if self._edited >= 0:
            self.view.make_room(self._edited, px(96))
            area = self.view.place_of(self._edited)
            self.field.setGeometry(area.left() + 1, area.top(), area.width() - 1, area.height())

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            self._place_field()
        return super().eventFilter(watched, event)


class _Headings(Surface):
    """Column headings, aligned with the columns even beside a scroll bar."""

    def __init__(self, view: ConflictView, parent: QWidget) -> None:
        super().__init__("panel", parent)
        self._view = view
        self._labels: list[QWidget] = []
        self.setObjectName("conflict-headings")
        self.setFixedHeight(px(22))
        view.viewport().installEventFilter(self)

    def add(self, text: str, second_rank: QWidget | None) -> None:
        """Add the next column's heading, with an optional secondary widget."""
        heading = QWidget(self)
        heading.setObjectName("conflict-heading")
        row = row_of(
            Label(text, size=12, weight=600), parent=heading, margins=(px(12), 0, px(8), 1), spacing=px(8)
        )
        if second_rank is not None:
            row.addWidget(second_rank)
        row.addStretch(1)
        self._labels.append(heading)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() is QEvent.Type.Resize:
            for number, heading in enumerate(self._labels):
                column = self._view.column(number)
                heading.setGeometry(column.left(), 0, column.width(), self.height())
            self.update()
        return False

    def paintEvent(self, event: QPaintEvent) -> None:
        super().paintEvent(event)
        painter = QPainter(self)
        painter.fillRect(0, self.height() - 1, self.width(), 1, color("border"))
        for number in (1, 2):
            painter.fillRect(self._view.column(number).left(), 0, 1, self.height(), color("border"))
