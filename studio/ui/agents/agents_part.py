"""Settings section listing AI agents: buttons to connect, disconnect, test write blocking.

Each needs the user's click or key press.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QLayout, QVBoxLayout, QWidget

from studio.extras.agents import ConnectionState
from studio.names import show_name
from studio.ui.agents.change_preview import ChangePreview, GateTestPanel
from studio.ui.agents.gate_summary import SIGNS, summary_of, trial_words
from studio.ui.language import translator
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, say, utc_now
from studio.ui.widgets import STRETCH, Button, HairLine, Label, Surface, column_of, row_of

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.agents import ConnectableAgent
    from studio.ui.agents.agent_process import AgentConnections, AgentProcesses
    from studio.ui.runner import Runner

_Found = tuple["AgentConnections", Sequence["ConnectableAgent"]]


class AgentsPart(Surface):
    """List of agents, those not installed last.

    It is as high as its content and needs no open project.
    """

    changed = Signal()
    """An agent was connected, disconnected or tested: gate status has to be read again."""

    def __init__(
        self,
        processes: Callable[[], AgentProcesses] | None,
        runner: Runner,
        parent: QWidget | None = None,
        *,
        projects: Callable[[], Sequence[Path]] = tuple,
        clock: Clock = utc_now,
    ) -> None:
        """Create the list.

        `projects` are the open ones: their own settings of an agent affect it.
        """
        super().__init__("content", parent)
        self.setObjectName("agents-part")
        self.setAccessibleName(self.tr("Agents that can be connected"))
        self._processes, self._runner, self._projects, self._clock = processes, runner, projects, clock
        self._connections: AgentConnections | None = None
        self._is_scanning = self._is_wanted = False
        self.rows: dict[str, AgentRow] = {}
        """Rows by agent name."""
        self._trouble = Label("", self, token="bad", wrap=True, name="agents-trouble")
        self._trouble.hide()
        self._list = column_of()
        column_of(self._trouble, self._list, STRETCH, parent=self, spacing=px(4))

    def scan(self) -> None:
        """Read every agent's status off the UI thread.

        A call during a read causes another one.
        """
        if self._processes is None:
            self._show_trouble(self.tr("This window was started without the agents' doors."))
            return
        self._is_wanted = self._is_scanning
        if not self._is_scanning:
            self._is_scanning = True
            projects = tuple(self._projects())
            self._runner.compute(
                _find_agents, self._processes, projects, then=self._show_agents, failed=self._show_scan_failed
            )

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.scan()

    def _show_agents(self, found: _Found) -> None:
        self._is_scanning = False
        self._connections, agents = found
        self._show_trouble("")
        ordered = sorted(agents, key=lambda agent: not (agent.is_installed or agent.holds_ours))
        for index, agent in enumerate(ordered):
            row = self.rows.get(agent.name) or self._new_row(agent)
            if row.agent != agent:
                row.show_agent(agent)
            if self._list.indexOf(row) != index:
                self._list.removeWidget(row)
                self._list.insertWidget(index, row)
        if self._is_wanted:
            self.scan()

    def _show_scan_failed(self, error: StudioError) -> None:
        self._is_scanning = False
        self._show_trouble(f"{error.message} {error.hint}")

    def _show_trouble(self, sentence: str) -> None:
        self._trouble.setText(show_name(sentence))
        self._trouble.setVisible(bool(sentence))

    def _new_row(self, agent: ConnectableAgent) -> AgentRow:
        row = self.rows[agent.name] = AgentRow(agent, self._clock, self)
        row.change_wanted.connect(partial(self._show_change, row))
        row.proof_wanted.connect(partial(self._prove, row))
        return row

    def _show_change(self, row: AgentRow, removes: bool) -> None:
        if self._connections is not None:
            preview = ChangePreview(row.agent, self._connections, self._runner, row, removes=removes)
            preview.made.connect(self._on_changed)
            preview.dismissed.connect(row.close_preview)
            row.open_preview(preview)
            preview.begin()

    def _prove(self, row: AgentRow) -> None:
        if self._connections is not None:
            panel = GateTestPanel(row.agent, self._runner, self._clock, row)
            panel.ended.connect(self._on_changed)
            panel.dismissed.connect(row.close_preview)
            row.open_preview(panel)
            folder = next(iter(self._projects()), Path.home())
            panel.ask(partial(self._connections.proof_command, row.agent.name), folder)

    def _on_changed(self) -> None:
        self.scan()
        self.changed.emit()


def _find_agents(processes: Callable[[], AgentProcesses], projects: Sequence[Path]) -> _Found:
    """List the agents, on another thread: imports and reads take long."""
    connections = processes().connections
    return connections, connections.agents(projects)


# One agent that can be connected: its connection, its gate status, and what it can write unreviewed.

_tr = translator("AgentRow")

STATES: Final = {
    ConnectionState.NOT_CONNECTED: ("pending", "muted", "Not connected"),
    ConnectionState.CONNECTED: ("check", "ok", "Connected"),
    ConnectionState.OUTDATED: ("look-out", "warn", "Connected; our entries are to be renewed"),
    ConnectionState.CHANGED: ("look-out", "warn", "Somebody changed our entry"),
    ConnectionState.MISSING: ("look-out", "warn", "Something of ours was taken out"),
    ConnectionState.UNREADABLE: ("danger", "bad", "Its files can't be read"),
}
"""Icon, colour token and words of each state."""
_INDENT = 24


class AgentRow(QWidget):
    """Row of an agent, with room for one panel below.

    In the panel its connection is changed or its gate tested.
    """

    change_wanted = Signal(bool)
    """The change is to be previewed: True to disconnect, False to connect."""
    proof_wanted = Signal()

    def __init__(self, agent: ConnectableAgent, clock: Clock, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._clock = clock
        self.agent = agent
        self.sheet: QWidget | None = None
        self.setObjectName(f"agent-{agent.name}")
        self._sign = Sign("agent-sign", self)
        self._title = Label(agent.title, self, weight=600)
        self._state = Label("", self, token="muted", name="agent-state")
        self.connect_button = Button(
            "", self, name="agent-connect", pressed=lambda: self.change_wanted.emit(False)
        )
        self.disconnect_button = Button(
            self.tr("Disconnect…"),
            self,
            name="agent-disconnect",
            pressed=lambda: self.change_wanted.emit(True),
        )
        self.prove_button = Button(
            self.tr("Prove gate"), self, name="agent-prove", pressed=self.proof_wanted.emit
        )
        head = row_of(self._sign, self._title, (self._state, 1), spacing=px(8))
        for button in (self.connect_button, self.disconnect_button, self.prove_button):
            head.addWidget(button)
        self._facts = QWidget(self)
        self._preview_layout = QVBoxLayout()
        column = column_of(
            head,
            self._facts,
            self._preview_layout,
            px(5),
            HairLine(self),
            parent=self,
            margins=(0, px(7), 0, 0),
            spacing=px(3),
        )
        self._column = column
        self.show_agent(agent)

    def show_agent(self, agent: ConnectableAgent) -> None:
        """Show the agent's current status."""
        self.agent = agent
        icon, token, words = STATES[agent.state]
        state = _tr(words)
        if not agent.is_installed:
            missing = say(self.tr("Not installed, or not found as {program}"), program=agent.program)
            state = missing if not agent.holds_ours else f"{state}. {missing}"
            icon, token = (icon, token) if agent.holds_ours else ("", "muted")
        self._sign.show_icon(icon, token, state)
        self._state.setText(state)
        self._state.set_token(token if token != "ok" else "muted")
        self._show_facts()
        self._show_buttons()

    def open_preview(self, preview: QWidget) -> None:
        """Show a panel below the row, in place of the previous one."""
        self.close_preview()
        self.sheet = preview
        self._preview_layout.addWidget(preview)
        self._show_buttons()

    def close_preview(self) -> None:
        """Close the panel and return the focus to the row."""
        if self.sheet is None:
            return
        preview, self.sheet = self.sheet, None
        had_keyboard = preview.isAncestorOf(self.window().focusWidget() or self)
        preview.hide()
        preview.deleteLater()
        self._show_buttons()
        buttons = (self.connect_button, self.disconnect_button, self.prove_button)
        first = next((each for each in buttons if not each.isHidden() and each.isEnabled()), None)
        if had_keyboard and first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_buttons(self) -> None:
        agent = self.agent
        is_whole = agent.state is ConnectionState.CONNECTED
        open_below = self.tr("Close what is open below first.") if self.sheet is not None else ""
        words = self.tr("Mend…") if agent.holds_ours else self.tr("Connect…")
        self.connect_button.set_label(words)
        self.connect_button.setVisible(not is_whole and agent.is_installed)
        self.disconnect_button.setVisible(agent.holds_ours)
        self.prove_button.setVisible(agent.holds_ours)
        for button in (self.connect_button, self.disconnect_button, self.prove_button):
            button.setAccessibleName(f"{button.text()} {agent.title}")
            button.set_reason(open_below)
        self.prove_button.set_reason(open_below or show_name(agent.not_proved))

    def _show_facts(self) -> None:
        agent = self.agent
        facts = QWidget(self)
        facts.setObjectName("agent-facts")
        column = column_of(parent=facts, margins=(px(_INDENT), 0, 0, 0), spacing=px(2))
        is_quiet = not agent.is_installed and not agent.holds_ours
        if agent.trouble and not is_quiet:
            column.addWidget(Label(show_name(agent.trouble), facts, token="warn", wrap=True))
        if agent.gate_status is not None:
            _add_gate(column, facts, agent, self._clock)
        if not is_quiet:
            lead = Label(self.tr("What it could still do without asking:"), facts, size=12)
            column.addWidget(lead)
            for sentence in agent.unseen:
                label = Label(f"· {sentence}", facts, size=12, token="muted", wrap=True, name="agent-unseen")
                column.addWidget(label)
        before, self._facts = self._facts, facts
        self._column.replaceWidget(before, facts)
        facts.setVisible(column.count() > 0)
        before.hide()
        before.deleteLater()


def _add_gate(column: QLayout, parent: QWidget, agent: ConnectableAgent, clock: Clock) -> None:
    status = agent.gate_status
    assert status is not None
    sign = SIGNS[summary_of(status)]
    row = QWidget(parent)
    row.setObjectName("agent-gate")
    line = row_of(
        (Sign("gate-sign", row, icon=sign.icon, token=sign.token), 0, Qt.AlignmentFlag.AlignTop),
        parent=row,
        spacing=px(6),
    )
    words = (f"{sign.words}.", show_name(status.why), trial_words(status, clock))
    line.addWidget(Label(" ".join(filter(None, words)), row, wrap=True), 1)
    column.addWidget(row)
