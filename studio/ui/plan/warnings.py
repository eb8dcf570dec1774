"""What to look out for in a plan: one line for each kind, which leads to the steps that it is about."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from studio.engine.plan import Plan, Severity, Step, StepState
from studio.ui.facts.sheet import fact_title
from studio.ui.look import words
from studio.ui.look.states import warnings_of
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.plan.filter import FACT, IS
from studio.ui.widgets import Button, ButtonKind, Surface, column_of

_LINES = 4


@dataclass(frozen=True, slots=True)
class PlanWarning:
    """One kind of thing to look out for: its sign, its words, the filter that lists its steps, and those."""

    icon: str
    token: str
    title: str
    filter_words: str
    steps: tuple[int, ...]


class PlanWarnings(Surface):
    """Pressing a line lists the steps it is about, or goes to the only one."""

    filter_wanted = Signal(str)
    step_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("content", parent)
        self.setObjectName("plan-warnings")
        self.setAccessibleName(self.tr("What to look out for in this plan"))
        self._shown: tuple[PlanWarning, ...] = ()
        self._column = column_of(parent=self, margins=(px(9), px(4), px(9), 0))
        self.hide()

    def show_plan(self, plan: Plan) -> None:
        """Say what is to be looked out for in what is still to decide."""
        found = self._warnings_in(plan)
        if found == self._shown:
            return
        self._shown = found
        while (item := self._column.takeAt(0)) is not None:
            if (line := item.widget()) is not None:
                line.deleteLater()
        for warning in found[:_LINES]:
            self._add_line(warning)
        if len(found) > _LINES:
            rest = say(self.tr("{n} more to look out for"), n=len(found) - _LINES)
            line = Button(rest, self, icon="look-out", icon_token="warn", height=24)
            self._add(line, partial(self.filter_wanted.emit, IS + "look-out"))
        self.setVisible(bool(found))

    def _add_line(self, warning: PlanWarning) -> None:
        said = f"{warning.title}: {words.steps(len(warning.steps))}"
        go = partial(self.filter_wanted.emit, warning.filter_words)
        if len(warning.steps) == 1:
            go = partial(self.step_wanted.emit, warning.steps[0])
        self._add(Button(said, self, icon=warning.icon, icon_token=warning.token, height=24), go)

    def _add(self, line: Button, go: Callable[[], object]) -> None:
        line.set_kind(ButtonKind.TOOL)
        line.setObjectName("plan-warning")
        line.clicked.connect(lambda _checked=False: go())
        self._column.addWidget(line)

    def _warnings_in(self, plan: Plan) -> tuple[PlanWarning, ...]:
        refused = [step for step in plan.steps if step.state is StepState.INVALID]
        stale = [step for step in plan.steps if step.state is StepState.STALE]
        found: list[PlanWarning] = []
        if refused:
            found.append(self._of_state("refused", "bad", self.tr("Refused"), refused))
        if stale:
            found.append(self._of_state("stale", "warn", self.tr("Changed on disk since proposed"), stale))
        kinds: dict[str, list[tuple[Step, bool, str]]] = {}
        for step in plan.steps:
            if step.state is StepState.PENDING:
                for fact in {fact.kind: fact for fact in warnings_of(step)}.values():
                    is_danger = fact.severity is Severity.DANGER
                    kinds.setdefault(fact.kind, []).append((step, is_danger, fact_title(fact)[0]))
        of_facts = [self._of_kind(kind, told) for kind, told in kinds.items()]
        return (*found, *sorted(of_facts, key=lambda warning: warning.icon != "danger"))

    def _of_state(self, icon: str, token: str, title: str, steps: list[Step]) -> PlanWarning:
        mark = IS + steps[0].state.value
        return PlanWarning(icon, token, title, mark, tuple(step.number for step in steps))

    def _of_kind(self, kind: str, told: list[tuple[Step, bool, str]]) -> PlanWarning:
        is_danger = any(danger for _step, danger, _title in told)
        icon, token = ("danger", "bad") if is_danger else ("look-out", "warn")
        numbers = tuple(step.number for step, _danger, _title in told)
        return PlanWarning(icon, token, told[0][2], FACT + kind, numbers)
