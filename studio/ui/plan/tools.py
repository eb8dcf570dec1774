"""Plan table controls: filter, order, ticking groups of similar steps, deciding them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from msgspec.structs import replace
from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from studio.engine import Step, StepState
from studio.extras.grouping import Precedent, ReviewGroup, can_be_grouped
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.states import has_warnings, is_generated
from studio.ui.look.theme import px
from studio.ui.look.words import plain_tip, say
from studio.ui.plan.rows import GROUP, IS, Column, unknown_mark
from studio.ui.review.state import DECIDED
from studio.ui.widgets import Button, ButtonKind, CheckBox, Surface, ToolIcon, row_of
from studio.ui.widgets.menus import add_choices, named_menu
from studio.ui.widgets.text_field import SearchField
from studio.values import Value

if TYPE_CHECKING:
    from studio.ui.plan.table import PlanTable
    from studio.ui.review.desk import Desk

# Groups of similar steps, by file suffix and by operation, offered to be ticked

_ENDINGS = 8
"""Number of suffixes that are offered, those with most steps first."""


class Kind(Value):
    """Group of similar steps; `words` is the filter that lists exactly them.

    `same` is the mark that applies to all of them, "" where they differ.
    """

    words: str
    steps: int
    same: str = ""
    before: Precedent | None = None
    """How such files were decided before."""


def groups_of(steps: Iterable[Step], groups: Iterable[ReviewGroup]) -> tuple[Kind, ...]:
    """Return the user's groups that contain any of the steps, in order."""
    listed = list(steps)
    grouped = [(group, [step for step in listed if group.gathers(step)]) for group in groups]
    return tuple(
        Kind(GROUP + group.name, len(found), _common_mark(found)) for group, found in grouped if found
    )


def endings_of(steps: Iterable[Step], before: Mapping[str, Precedent] | None = None) -> tuple[Kind, ...]:
    """Return groups by file suffix, of two steps or more, largest first.

    Only steps that may be ticked as a group are included.
    """
    by_ending: dict[str, list[Step]] = {}
    for step in filter(can_be_grouped, steps):
        ending = PurePosixPath(step.target).suffix
        if ending and not any(sign in ending for sign in "*?[] "):
            by_ending.setdefault(ending.casefold(), []).append(step)
    endings = before or {}
    kinds = [
        Kind(f"*{ending}", len(alike), _common_mark(alike), endings.get(ending))
        for ending, alike in by_ending.items()
        if len(alike) > 1
    ]
    return tuple(sorted(kinds, key=lambda kind: (-kind.steps, kind.words))[:_ENDINGS])


def marks_of(steps: Iterable[Step], is_viewed: Callable[[Step], bool]) -> tuple[Kind, ...]:
    """Return groups by operation, warnings, and steps not viewed."""
    counted: Counter[str] = Counter()
    for step in steps:
        counted[step.op.value] += 1
        counted["look-out"] += has_warnings(step)
        counted["generated"] += is_generated(step)
        counted["unviewed"] += not is_viewed(step)
    return tuple(Kind(IS + mark, number) for mark, number in counted.items() if number)


def _common_mark(steps: Iterable[Step]) -> str:
    """Return the mark that applies to all steps, else "".

    It is that they only add lines, only remove lines, or one operation.
    """
    listed = list(steps)
    if all(step.added > 0 == step.removed for step in listed):
        return "only-added"
    if all(step.removed > 0 == step.added for step in listed):
        return "only-removed"
    operations = {step.op for step in listed}
    return operations.pop().value if len(operations) == 1 else ""


_FIELD_WIDTH = (120, 260)


class PlanTools(Surface):
    """Filter and tick controls; decisions are made by actions."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""
    left = Signal()
    """Emitted to return the focus to the table."""

    def __init__(self, desk: Desk, table: PlanTable, parent: QWidget) -> None:
        super().__init__("content", parent)
        self._desk, self._table, self._model = desk, table, table.table
        self.setObjectName("plan-tools")
        self.setFixedHeight(px(36))
        self.all = CheckBox("", self, name="plan-tick-all")
        self.all.setAccessibleName(self.tr("Tick every listed step"))
        self.all.setToolTip(plain_tip(self.tr("Tick every listed step (Ctrl+A)")))
        self.field = SearchField("plan-filter", self.tr("Words of the path, *.po, is:delete"), self)
        self.field.setMinimumWidth(px(_FIELD_WIDTH[0]))
        self.field.setMaximumWidth(px(_FIELD_WIDTH[1]))
        self._left_part = Surface("content", self)
        self._wanted_buttons: dict[Button, bool] = {}
        self._warning = ""
        """Words that the last press on a warning added to the filter."""
        self.kinds = Button(
            self.tr("Tick a kind"),
            self,
            icon="down",
            kind=ButtonKind.TOOL,
            height=24,
            name="plan-kinds-button",
        )
        self.kinds_menu = named_menu("plan-kinds", self.tr("Steps that are alike"), self)
        self.order = ToolIcon("sort", self.tr("Sort the steps"), self, name="plan-order-button")
        self.order_menu = named_menu("plan-order", self.tr("Order of the steps"), self)
        self.fold = ToolIcon("fold", self.tr("Fold or unfold every folder"), self, name="plan-fold-all")
        self.approve = Button("", self, icon="check", icon_token="ok", height=24)
        self.leave_out = Button(self.tr("Leave out"), self, icon="minus", icon_token="text", height=24)
        self.viewed = Button(self.tr("Viewed"), self, icon="observed", icon_token="text", height=24)
        self.take_back = Button(self.tr("Take back"), self, icon="undo", icon_token="text", height=24)
        self.reject = Button(self.tr("Reject…"), self, icon="cross", icon_token="bad", height=24)
        self._buttons = (
            (self.approve, Action.APPROVE_STEP),
            (self.take_back, Action.REVOKE_DECISION),
            (self.viewed, Action.MARK_VIEWED),
            (self.leave_out, Action.TOGGLE_HUNK),
            (self.reject, Action.REJECT_STEP),
        )
        self._lay_out()
        self._connect()

    def _lay_out(self) -> None:
        row = row_of(parent=self, margins=(px(10), px(3), px(9), px(3)), spacing=px(4))
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        left = row_of(self.all, px(6), (self.field, 10), parent=self._left_part, spacing=px(4))
        for widget in (self.kinds, self.order, self.fold):
            left.addWidget(widget)
        left.addStretch(1)
        row.addWidget(self._left_part, 1)
        for button, action in self._buttons:
            if button is self.reject:
                row.addSpacing(px(20))
            button.setObjectName(f"ticked-{action}")
            row.addWidget(button)

    def _connect(self) -> None:
        self.all.clicked.connect(self._tick_listed)
        self.field.textChanged.connect(self._filter)
        self.field.cancelled.connect(self._cancel_filter)
        self.field.done.connect(self.left)
        self.field.moved.connect(lambda _by: self.left.emit())
        self.kinds.clicked.connect(self.open_kinds)
        self.order.clicked.connect(self._open_order)
        self.fold.clicked.connect(self._model.fold_all)
        for button, action in self._buttons:
            button.clicked.connect(lambda _checked=False, action=action: self.pressed.emit(action))
        self._desk.guards.refresh_wanted.connect(self._refresh_buttons)
        self._desk.review_context.changed.connect(self._apply_groups)
        self._model.arrangement_changed.connect(self._show_arrangement)
        changes = (self._model.modelReset, self._model.dataChanged, self._model.arrangement_changed)
        for signal in (self._desk.ticked.changed, *changes):
            signal.connect(self.refresh)
        self._apply_groups()

    def open_filter(self) -> None:
        """Focus the filter field."""
        self.field.setFocus(Qt.FocusReason.ShortcutFocusReason)
        self.field.selectAll()

    def open_kinds(self) -> None:
        """Open the menu of similar steps with its first entry active."""
        menu = self.kinds_menu
        self._fill_kinds(menu)
        menu.popup(self.kinds.mapToGlobal(QPoint(0, self.kinds.height())))
        first = next(iter(menu.actions()), None)
        if first is not None:
            menu.setActiveAction(first)

    def tick_kind(self, filter_words: str) -> None:
        """Filter by these words and tick only the listed steps.

        A group by similarity leaves steps unticked that delete something or are dangerous.
        """
        self._desk.ticked.clear()
        self.field.setText(filter_words)
        pending = [step for step in self._model.listed if step.state is StepState.PENDING]
        if not filter_words.startswith(IS) or filter_words == f"{IS}generated":
            pending = list(filter(can_be_grouped, pending))
        self._desk.ticked.tick([step.number for step in pending], True)
        self.left.emit()

    def list_warning(self, filter_words: str) -> None:
        """List only a warning's steps among the filtered, or no longer."""
        typed = self.field.text().split()
        others = [word for word in typed if word not in (filter_words, self._warning)]
        is_listed, self._warning = filter_words in typed, filter_words
        self.field.setText(" ".join(others if is_listed else [*others, filter_words]))

    def close_innermost(self) -> bool:
        """Clear the ticks, else the filter; return whether there was either."""
        if self._desk.ticked.clear():
            return True
        had = bool(self.field.text())
        self.field.clear()
        return had

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_buttons()

    def refresh(self) -> None:
        """Update the labels and buttons for the ticked steps."""
        ticked = self._desk.ticked
        steps = ticked.steps
        undecided, decided = ticked.undecided, [step for step in steps if step.state in DECIDED]
        label = say(self.tr("Approve {n}…"), n=len(undecided))
        self.approve.set_label(label if undecided else self.tr("Approve…"))
        self._refresh_buttons()
        self._wanted_buttons = {
            self.approve: bool(undecided),
            self.reject: bool(undecided),
            self.take_back: bool(decided) and not undecided,
            self.leave_out: bool(undecided),
            self.viewed: bool(steps),
        }
        self._fit_buttons()
        listed = {step.number for step in self._model.listed}
        part = len(listed & ticked.numbers)
        self.all.setTristate(0 < part < len(listed))
        whole = Qt.CheckState.Checked if listed and part == len(listed) else Qt.CheckState.Unchecked
        self.all.setCheckState(Qt.CheckState.PartiallyChecked if 0 < part < len(listed) else whole)
        self._table.empty_text = self._nothing_listed()

    def _apply_groups(self) -> None:
        self._model.arrange(replace(self._model.arrangement, groups=self._desk.review_context.value.groups))

    def _filter(self, text: str) -> None:
        self._model.arrange(replace(self._model.arrangement, words=text))

    def _refresh_buttons(self) -> None:
        for button, action in self._buttons:
            button.set_reason(self._desk.reasons.of(action))

    def _fit_buttons(self) -> None:
        """Hide the last buttons in a narrow window; keys and menu remain."""
        used = self._left_part.minimumSizeHint().width() + px(24)
        for button, is_wanted in self._wanted_buttons.items():
            used += button.sizeHint().width() + px(4) if is_wanted else 0
            button.setVisible(is_wanted and used <= self.width())

    def _tick_listed(self) -> None:
        listed = [step.number for step in self._model.listed]
        self._desk.ticked.tick(listed, not self._desk.ticked.numbers.issuperset(listed))
        self.refresh()

    def _cancel_filter(self) -> None:
        self.field.clear()
        self.left.emit()

    def _show_arrangement(self) -> None:
        if self.field.text() != self._model.arrangement.words:
            self.field.setText(self._model.arrangement.words)
        self.fold.set_reason(
            ""
            if self._model.arrangement.column is Column.STEP
            else self.tr("Sort by step to see the folders.")
        )

    def _nothing_listed(self) -> str:
        if unknown := unknown_mark(self.field.text()):
            return say(self.tr("“{word}” is not known. See “Tick a kind” for what is."), word=unknown)
        return self.tr("The filter hides every step. Empty it with Esc.")

    def _open_order(self) -> None:
        menu, wish = self.order_menu, self._model.arrangement
        menu.clear()
        names = {column: str(self._model.headerData(column, Qt.Orientation.Horizontal)) for column in Column}
        add_choices(menu, names, wish.column, self._model.sort_by)
        menu.popup(self.order.mapToGlobal(QPoint(0, self.order.height())))

    def _fill_kinds(self, menu: QMenu) -> None:
        menu.clear()
        plan = self._model.plan
        if plan is None:
            return
        open_ones = [step for step in plan.steps if step.state is StepState.PENDING]
        gathering = self._desk.review_context.value
        self._add_kinds(menu, groups_of(open_ones, gathering.groups))
        self._add_kinds(menu, endings_of(open_ones, gathering.precedents))
        menu.addSeparator()
        self._add_kinds(menu, marks_of(open_ones, lambda step: self._desk.viewed.has(plan, step)))
        if menu.isEmpty():
            menu.addAction(self.tr("Every step is decided.")).setEnabled(False)

    def _add_kinds(self, menu: QMenu, kinds: Iterable[Kind]) -> None:
        for kind in kinds:
            texts = [self._filter_title(kind.words), words.steps(kind.steps)]
            if kind.same:
                texts.append(self._mark_words()[kind.same])
            if kind.before is not None:
                before = self.tr("approved {n} of {all} before")
                texts.append(say(before, n=kind.before.approved, all=kind.before.decided))
            entry = menu.addAction(" · ".join(texts).replace("&", "&&"))
            entry.setData(kind.words)
            entry.triggered.connect(lambda _checked=False, text=kind.words: self.tick_kind(text))

    def _filter_title(self, filter_words: str) -> str:
        if not filter_words.startswith(IS):
            return filter_words.removeprefix(GROUP)
        return self._mark_words()[filter_words.removeprefix(IS)]

    def _mark_words(self) -> dict[str, str]:
        return {
            "create": self.tr("new files"),
            "modify": self.tr("changed files"),
            "append": self.tr("lines added at the end"),
            "delete": self.tr("deleted files"),
            "move": self.tr("moved files"),
            "copy": self.tr("copied files"),
            "mkdir": self.tr("new folders"),
            "mode": self.tr("changed rights"),
            "look-out": self.tr("to look out for"),
            "generated": self.tr("generated files"),
            "unviewed": self.tr("not viewed"),
            "only-added": self.tr("only added lines"),
            "only-removed": self.tr("only removed lines"),
        }
