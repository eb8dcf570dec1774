"""The agents on the page of settings: connected, disconnected and proved by a person's press (design 6)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from studio.engine.names import show_name
from studio.ui.agents.agent_row import AgentRow
from studio.ui.agents.change_sheet import ChangeSheet
from studio.ui.agents.proof_sheet import ProofSheet
from studio.ui.look.theme import px
from studio.ui.look.times import Clock, utc_now
from studio.ui.widgets import STRETCH, Label, Surface, column_of

if TYPE_CHECKING:
    from studio.engine.agent_connection import ConnectableAgent
    from studio.engine.errors import StudioError
    from studio.ui.agents.agent_process import AgentConnections, AgentProcesses
    from studio.ui.runner import Runner

_Found = tuple["AgentConnections", Sequence["ConnectableAgent"]]


class AgentsPart(Surface):
    """A row for each agent, those that are not installed at the end. As high as what it says; needs no open
    project."""

    changed = Signal()
    """An agent was connected, disconnected or proved: whoever shows gates looks anew."""

    def __init__(
        self,
        processes: Callable[[], AgentProcesses] | None,
        runner: Runner,
        parent: QWidget | None = None,
        *,
        projects: Callable[[], Sequence[Path]] = tuple,
        clock: Clock = utc_now,
    ) -> None:
        """`projects` are those that are open: what their own settings say of an agent counts."""
        super().__init__("content", parent)
        self.setObjectName("agents-part")
        self.setAccessibleName(self.tr("Agents that can be connected"))
        self._processes, self._runner, self._projects, self._clock = processes, runner, projects, clock
        self._connections: AgentConnections | None = None
        self._is_looking = self._is_wanted = False
        self.rows: dict[str, AgentRow] = {}
        """By the name of the agent."""
        self._trouble = Label("", self, token="bad", wrap=True, name="agents-trouble")
        self._trouble.hide()
        self._list = column_of()
        column_of(self._trouble, self._list, STRETCH, parent=self, spacing=px(4))

    def look(self) -> None:
        """Ask anew how every agent stands, away from the ui thread; once more where that was asked
        meanwhile."""
        if self._processes is None:
            self._say(self.tr("This window was started without the agents' doors."))
            return
        self._is_wanted = self._is_looking
        if not self._is_looking:
            self._is_looking = True
            projects = tuple(self._projects())
            self._runner.compute(
                _found, self._processes, projects, then=self._looked, failed=self._not_looked
            )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.look()

    def _looked(self, found: _Found) -> None:
        self._is_looking = False
        self._connections, agents = found
        self._say("")
        ordered = sorted(agents, key=lambda agent: not (agent.is_installed or agent.holds_ours))
        for place, agent in enumerate(ordered):
            row = self.rows.get(agent.name) or self._new_row(agent)
            if row.agent != agent:
                row.show_agent(agent)
            if self._list.indexOf(row) != place:
                self._list.removeWidget(row)
                self._list.insertWidget(place, row)
        if self._is_wanted:
            self.look()

    def _not_looked(self, error: StudioError) -> None:
        self._is_looking = False
        self._say(f"{error.message} {error.hint}")

    def _say(self, sentence: str) -> None:
        self._trouble.setText(show_name(sentence))
        self._trouble.setVisible(bool(sentence))

    def _new_row(self, agent: ConnectableAgent) -> AgentRow:
        row = self.rows[agent.name] = AgentRow(agent, self._clock, self)
        row.change_wanted.connect(partial(self._show_change, row))
        row.proof_wanted.connect(partial(self._prove, row))
        return row

    def _show_change(self, row: AgentRow, removes: bool) -> None:
        if self._connections is not None:
            sheet = ChangeSheet(row.agent, self._connections, self._runner, row, removes=removes)
            sheet.made.connect(self._tell)
            sheet.left.connect(row.close_sheet)
            row.open_sheet(sheet)
            sheet.begin()

    def _prove(self, row: AgentRow) -> None:
        if self._connections is not None:
            sheet = ProofSheet(row.agent, self._runner, self._clock, row)
            sheet.ended.connect(self._tell)
            sheet.left.connect(row.close_sheet)
            row.open_sheet(sheet)
            folder = next(iter(self._projects()), Path.home())
            sheet.ask(partial(self._connections.proof_command, row.agent.name), folder)

    def _tell(self) -> None:
        self.look()
        self.changed.emit()


def _found(processes: Callable[[], AgentProcesses], projects: Sequence[Path]) -> _Found:
    """On another thread: what this loads and reads is waited for by nobody."""
    connections = processes().connections
    return connections, connections.agents(projects)
