"""What is to be known about a plan, and its agent's own words about it."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import Qt
from PySide6.QtWidgets import QScrollArea, QWidget

from studio.engine.draft import RUN_FORMAT
from studio.engine.names import show_name
from studio.engine.plan import Plan
from studio.ui.look import words
from studio.ui.look.states import STEPS_REFUSED, placed, told_problems
from studio.ui.look.theme import px
from studio.ui.widgets import Label, Surface, column_of


class AgentSays(QScrollArea):
    """What is to be known about the plan, then the agent's own words about it, all as plain text."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("agent-says")
        self.setAccessibleName(self.tr("What the agent says"))
        self.setWidgetResizable(True)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        inside = Surface("content", self)
        column = column_of(parent=inside, margins=(px(14), px(16), px(14), px(12)), spacing=px(8))
        self._lines = column_of(spacing=px(4))
        self._said: tuple[tuple[str, ...], str, tuple[str, ...]] = (), "", ()
        # The layout asks for the height at the width it has, so the whole column is as wide as the words.
        inside.setMaximumWidth(px(690))
        column.addLayout(self._lines)
        column.addStretch(1)
        self.setWidget(inside)

    def show_plan(self, plan: Plan) -> None:
        told = [f"{placed(problem)} {problem.hint}".strip() for problem in told_problems(plan)]
        told += [problem.message for problem in plan.problems if problem.code == STEPS_REFUSED]
        said = [plan.message] if plan.message else list[str]()
        reasons = {step.reason for step in plan.steps if step.reason}
        if len(reasons) == 1:
            said.extend(reasons)
        else:
            named = (
                f"{words.split_path(step.target)[1]}: {step.reason}" for step in plan.steps if step.reason
            )
            said.extend(named)
        heading = self.tr("What the agent says")
        if plan.format == RUN_FORMAT:
            heading = self.tr("How the command went, and what it printed")
        known, words_of_agent = _lines_of(told), _lines_of(said)
        if (known, heading, words_of_agent) == self._said:
            return
        self._said = known, heading, words_of_agent
        self.setVisible(bool(known or words_of_agent))
        while (item := self._lines.takeAt(0)) is not None:
            if (label := item.widget()) is not None:
                label.deleteLater()
        self._add(self.tr("About this plan"), known)
        self._add(heading, words_of_agent)

    def _add(self, title: str, lines: tuple[str, ...]) -> None:
        if lines:
            self._lines.addWidget(Label(title, self.widget(), weight=600))
        for line in lines:
            self._lines.addWidget(Label(line, self.widget(), wrap=True))


def _lines_of(texts: Iterable[str]) -> tuple[str, ...]:
    return tuple(show_name(line) for each in texts for line in each.splitlines() if line.strip())
