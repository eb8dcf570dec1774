"""Plan table controls: filter, order, ticking groups of similar steps, deciding them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QMenu, QWidget

from studio.engine import Step, StepState
from studio.extras.grouping import Precedent, ReviewGroup, can_be_grouped
from studio.ui.actions.action import Action
from studio.ui.look import words
from studio.ui.look.states import has_warnings, is_generated
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.queue.arrangement import GROUP, IS
from studio.ui.review.state import DECIDED
from studio.ui.widgets import Button, ButtonKind, Surface, row_of
from studio.ui.widgets.menus import named_menu
from studio.values import Value

if TYPE_CHECKING:
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
        counted["warning"] += has_warnings(step)
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


class PlanTools(Surface):
    """Menu of similar steps, and what can be done about ticked ones."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, desk: Desk, parent: QWidget) -> None:
        super().__init__("content", parent)
        self._desk = desk
        self.setObjectName("plan-tools")
        self.setFixedHeight(px(36))
        self._wanted_buttons: dict[Button, bool] = {}
        self._warning = ""
        """Words that the last press on a warning added to the filter."""
        self._kind = ""
        """Words that list the ticked kind, until it is decided."""
        self.kinds = Button(
            self.tr("Select similar"),
            self,
            icon="down",
            kind=ButtonKind.TOOL,
            height=24,
            name="plan-kinds-button",
        )
        self.kinds_menu = named_menu("plan-kinds", self.tr("Similar steps"), self)
        self.approve = Button("", self, icon="check", icon_token="ok", height=24)
        self.leave_out = Button(
            self.tr("Reject without a reason"), self, icon="minus", icon_token="text", height=24
        )
        self.viewed = Button(self.tr("Viewed"), self, icon="observed", icon_token="text", height=24)
        self.take_back = Button(self.tr("Undo decision"), self, icon="undo", icon_token="text", height=24)
        self.reject = Button(self.tr("Reject…"), self, icon="cross", icon_token="bad", height=24)
        self._buttons = (
            (self.approve, Action.APPROVE_STEP),
            (self.take_back, Action.REVOKE_DECISION),
            (self.viewed, Action.MARK_VIEWED),
            (self.leave_out, Action.TOGGLE_HUNK),
            (self.reject, Action.REJECT_STEP),
        )
        row = row_of(self.kinds, parent=self, margins=(px(10), px(3), px(9), px(3)), spacing=px(4))
        row.setSizeConstraint(QHBoxLayout.SizeConstraint.SetNoConstraint)
        row.addStretch(1)
        for button, action in self._buttons:
            if button is self.reject:
                row.addSpacing(px(20))
            button.setObjectName(f"ticked-{action}")
            row.addWidget(button)
            button.clicked.connect(lambda _checked=False, action=action: self.pressed.emit(action))
        self.kinds.clicked.connect(self.open_kinds)
        desk.guards.refresh_wanted.connect(self._refresh_buttons)
        for signal in (desk.ticked.changed, desk.queue.plans_changed):
            signal.connect(self.refresh)
        self.refresh()

    def open_kinds(self) -> None:
        """Open the menu of similar steps with its first entry active."""
        menu = self.kinds_menu
        self._fill_kinds(menu)
        menu.popup(self.kinds.mapToGlobal(QPoint(0, self.kinds.height())))
        first = next(iter(menu.actions()), None)
        if first is not None:
            menu.setActiveAction(first)

    def tick_kind(self, filter_words: str) -> None:
        """Filter by these words while any is ticked; tick the listed steps.

        A group by similarity leaves steps unticked that delete something or are dangerous.
        """
        plan = self._desk.queue.current_plan
        if plan is None:
            return
        self._desk.ticked.clear()
        self._desk.walk.filter.set_words(filter_words)
        self._kind = filter_words
        shown = self._desk.walk.shown_numbers(plan)
        pending = [
            step for step in plan.steps
            if step.state is StepState.PENDING and (shown is None or step.number in shown)
        ]  # fmt: skip
        if not filter_words.startswith(IS) or filter_words == f"{IS}generated":
            pending = list(filter(can_be_grouped, pending))
        self._desk.ticked.tick([step.number for step in pending], True)
        self.kinds.setFocus(Qt.FocusReason.OtherFocusReason)

    def list_warning(self, filter_words: str) -> None:
        """List only a warning's steps among the filtered, or no longer."""
        self._desk.walk.filter.toggle(filter_words, instead_of=self._warning)
        self._warning = filter_words

    def close_innermost(self) -> bool:
        """Clear the ticks, else the filter; return whether there was either."""
        if self._desk.ticked.clear():
            return True
        had = bool(self._desk.walk.filter.words)
        self._desk.walk.filter.set_words("")
        return had

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._fit_buttons()

    def refresh(self) -> None:
        """Update the labels and buttons for the ticked steps."""
        ticked = self._desk.ticked
        steps = ticked.steps
        if self._kind and not steps:
            if self._kind == self._desk.walk.filter.words:
                self._desk.walk.filter.set_words("")
            self._kind = ""
        undecided, decided = ticked.undecided, [step for step in steps if step.state in DECIDED]
        label = say(self.tr("Approve {n} selected…"), n=len(undecided))
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

    def _refresh_buttons(self) -> None:
        for button, action in self._buttons:
            button.set_reason(self._desk.reasons.of(action))

    def _fit_buttons(self) -> None:
        """Hide the last buttons in a narrow window; keys and menu remain."""
        used = self.kinds.sizeHint().width() + px(24)
        for button, is_wanted in self._wanted_buttons.items():
            used += button.sizeHint().width() + px(4) if is_wanted else 0
            button.setVisible(is_wanted and used <= self.width())

    def _fill_kinds(self, menu: QMenu) -> None:
        menu.clear()
        plan = self._desk.queue.current_plan
        if plan is None:
            return
        open_ones = [step for step in plan.steps if step.state is StepState.PENDING]
        gathering = self._desk.review_context.value
        self._add_kinds(menu, groups_of(open_ones, gathering.groups))
        self._add_kinds(menu, endings_of(open_ones, gathering.precedents))
        menu.addSeparator()
        self._add_kinds(menu, marks_of(open_ones, lambda step: self._desk.viewed.has(plan, step)))
        if menu.isEmpty():
            menu.addAction(self.tr("No undecided steps.")).setEnabled(False)

    def _add_kinds(self, menu: QMenu, kinds: Iterable[Kind]) -> None:
        for kind in kinds:
            texts = [self._filter_title(kind.words), words.steps(kind.steps)]
            if kind.same:
                texts.append(self._mark_words()[kind.same])
            if kind.before is not None:
                before = self.tr("{n} of {all} approved previously")
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
            "append": self.tr("appended lines"),
            "delete": self.tr("deleted files"),
            "move": self.tr("moved files"),
            "copy": self.tr("copied files"),
            "mkdir": self.tr("new folders"),
            "mode": self.tr("mode changes"),
            "warning": self.tr("with warnings"),
            "generated": self.tr("generated files"),
            "unviewed": self.tr("not viewed"),
            "only-added": self.tr("only added lines"),
            "only-removed": self.tr("only removed lines"),
        }
