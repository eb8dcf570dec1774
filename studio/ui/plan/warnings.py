"""Widgets that show a plan's warnings, problems and the agent's message."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QScrollArea, QWidget

from studio.engine import Plan, PlanState, Problem, Severity, Step, StepState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.facts.facts_view import fact_title
from studio.ui.limits import SHOWN_PROBLEMS_UP_TO
from studio.ui.look import words
from studio.ui.look.states import STEPS_REFUSED, message_with_line, problem_words, warnings_of
from studio.ui.look.theme import px
from studio.ui.look.words import say
from studio.ui.queue.arrangement import FACT, IS
from studio.ui.step.banners import refused_folder
from studio.ui.widgets import Banner, BannerKind, Button, ButtonKind, Label, Surface, column_of
from studio.values import Value

_LINES = 4


class PlanWarning(Value):
    """Kind of warning: icon, title, the filter that lists its steps."""

    icon: str
    token: str
    title: str
    filter_words: str
    steps: tuple[int, ...]


class PlanWarnings(Surface):
    """Warnings of a plan; a click lists their steps.

    A warning of one step opens that step.
    """

    filter_wanted = Signal(str)
    step_wanted = Signal(int)

    def __init__(self, parent: QWidget) -> None:
        super().__init__("content", parent)
        self.setObjectName("plan-warnings")
        self.setAccessibleName(self.tr("Plan warnings"))
        self._shown: tuple[PlanWarning, ...] = ()
        self._column = column_of(parent=self, margins=(px(9), px(4), px(9), 0))
        self.hide()

    def show_plan(self, plan: Plan) -> None:
        """Show the plan's warnings, with refused and stale steps first.

        Facts count only for undecided steps.
        """
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
            rest = say(self.tr("{n} more warnings"), n=len(found) - _LINES)
            line = Button(rest, self, icon="look-out", icon_token="warn", height=24)
            self._add(line, partial(self.filter_wanted.emit, IS + "warning"))
        self.setVisible(bool(found))

    def _add_line(self, warning: PlanWarning) -> None:
        summary = f"{warning.title}: {words.steps(len(warning.steps))}"
        go = partial(self.filter_wanted.emit, warning.filter_words)
        if len(warning.steps) == 1:
            go = partial(self.step_wanted.emit, warning.steps[0])
        self._add(Button(summary, self, icon=warning.icon, icon_token=warning.token, height=24), go)

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
            found.append(self._state_warning("refused", "bad", self.tr("Refused"), refused))
        if stale:
            found.append(
                self._state_warning("stale", "warn", self.tr("Changed on disk after being proposed"), stale)
            )
        kinds: dict[str, list[tuple[Step, bool, str]]] = {}
        for step in plan.steps:
            if step.state is StepState.PENDING:
                for fact in {fact.kind: fact for fact in warnings_of(step)}.values():
                    is_danger = fact.severity is Severity.DANGER
                    kinds.setdefault(fact.kind, []).append((step, is_danger, fact_title(fact)[0]))
        of_facts = [self._kind_warning(kind, facts) for kind, facts in kinds.items()]
        return (*found, *sorted(of_facts, key=lambda warning: warning.icon != "danger"))

    def _state_warning(self, icon: str, token: str, title: str, steps: list[Step]) -> PlanWarning:
        mark = IS + steps[0].state.value
        return PlanWarning(icon, token, title, mark, tuple(step.number for step in steps))

    def _kind_warning(self, kind: str, facts: list[tuple[Step, bool, str]]) -> PlanWarning:
        is_danger = any(danger for _step, danger, _title in facts)
        icon, token = ("danger", "bad") if is_danger else ("look-out", "warn")
        numbers = tuple(step.number for step, _danger, _title in facts)
        return PlanWarning(icon, token, facts[0][2], FACT + kind, numbers)


# Problems of a plan, and its agent's message


class RefusedPlanBanner(Banner):
    """Whole reason why a plan was refused, and what can be done."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, name="plan-refused")

    def show_plan(self, plan: Plan) -> None:
        """Show a refused plan's reason; hide for other plans."""
        if plan.state is not PlanState.INVALID:
            self.hide()
            return
        problems = [*problem_words(plan), *(each for step in plan.steps for each in step.problems)]
        shown = Problem.shorten(tuple(dict.fromkeys(problems)), SHOWN_PROBLEMS_UP_TO)
        reason = "\n".join(_lines_of(f"{message_with_line(each)} {each.hint}".strip() for each in shown))
        if not self.isHidden() and self.words.text() == reason:
            return
        title = self.tr("This plan was refused. None of its steps can be approved.")
        self.show_message(BannerKind.DANGER, title, reason, icon="refused")
        named = self.tr("Includes the reason and what the agent should do instead.")
        self._offer(Action.COPY_REPLY, self.tr("Copy reply for the agent"), "copy", named)
        if any(refused_folder(step) is not None for step in plan.steps):
            preview = self.tr("Shows which files would be allowed.")
            self._offer(Action.ALLOW_FOLDER, self.tr("Allow this folder…"), "folder", preview)

    def _offer(self, action: Action, text: str, icon: str, explanation: str) -> None:
        self.add_choice(
            text,
            icon=icon,
            explanation=explanation,
            name=f"plan-{action}",
            pressed=lambda: self.pressed.emit(action),
        )


class AgentSays(QScrollArea):
    """Problems of a plan and the agent's message, as plain text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agent-says")
        self.setAccessibleName(self.tr("Message from the agent"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = Surface("content", self)
        column = column_of(parent=inside, margins=(px(14), px(16), px(14), px(12)), spacing=px(8))
        self._lines = column_of(spacing=px(4))
        self._shown_words: tuple[tuple[str, ...], str, tuple[str, ...]] = (), "", ()
        # The layout computes the height for its own width, so the whole column is as wide as the text.
        inside.setMaximumWidth(px(690))
        column.addLayout(self._lines)
        column.addStretch(1)
        self.setWidget(inside)

    def show_plan(self, plan: Plan) -> None:
        problems = (
            [f"{message_with_line(problem)} {problem.hint}".strip() for problem in problem_words(plan)]
            if plan.state is not PlanState.INVALID
            else list[str]()
        )
        problems += [problem.message for problem in plan.problems if problem.code == STEPS_REFUSED]
        messages = [plan.message] if plan.message else list[str]()
        reasons = {step.reason for step in plan.steps if step.reason}
        if len(reasons) == 1:
            messages.extend(reasons)
        else:
            named = (
                f"{words.split_path(step.target)[1]}: {step.reason}" for step in plan.steps if step.reason
            )
            messages.extend(named)
        heading = self.tr("Message from the agent")
        if plan.is_of_command:
            heading = self.tr("Command result and output")
        problem_lines, words_of_agent = _lines_of(problems), _lines_of(messages)
        if (problem_lines, heading, words_of_agent) == self._shown_words:
            return
        self._shown_words = problem_lines, heading, words_of_agent
        self.setVisible(bool(problem_lines or words_of_agent))
        while (item := self._lines.takeAt(0)) is not None:
            if (label := item.widget()) is not None:
                label.deleteLater()
        self._add(self.tr("About this plan"), problem_lines)
        self._add(heading, words_of_agent)

    def _add(self, title: str, lines: tuple[str, ...]) -> None:
        if lines:
            self._lines.addWidget(Label(title, self.widget(), weight=600))
        for line in lines:
            self._lines.addWidget(Label(line, self.widget(), wrap=True))


def _lines_of(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(show_name(line) for each in texts for line in each.splitlines() if line.strip())
