"""List of AI agents: connect, test write blocking, first request.

Each needs the user's click or key press.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Final

from PySide6.QtCore import QDir, Qt, Signal
from PySide6.QtGui import QGuiApplication, QShowEvent
from PySide6.QtWidgets import QFileDialog, QLayout, QVBoxLayout, QWidget

from studio.extras.agents import ConnectionState
from studio.names import show_name
from studio.ui.actions.action import Action
from studio.ui.agents.change_preview import ChangePreview, GateTestPanel
from studio.ui.agents.gate_summary import SIGNS, summary_of, trial_words
from studio.ui.language import translator
from studio.ui.look.icons import Sign
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, say, utc_now
from studio.ui.widgets import (
    STRETCH,
    Banner,
    BannerKind,
    Button,
    HairLine,
    Label,
    Surface,
    column_of,
    row_of,
)
from studio.ui.widgets.file_dialogs import open_file_dialog
from studio.ui.widgets.text_field import CodeText, Escape

if TYPE_CHECKING:
    from studio.errors import StudioError
    from studio.extras.agents import ConnectableAgent, OtherWays
    from studio.ui.agents.agent_process import AgentConnections, AgentProcesses
    from studio.ui.runner import Runner

_Found = tuple["AgentConnections", Sequence["ConnectableAgent"]]


class AgentsPart(Surface):
    """List of the agents found, and ways for all others.

    It is as high as its content and needs no open project. Who is connected is tested at once, then asked for
    a first change.
    """

    pressed = Signal(object)
    """Emitted with the id of the action to run."""
    listed = Signal()
    """The agents were read and are listed."""
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
        awaits_plan: Callable[[], bool] = lambda: False,
    ) -> None:
        """Create the list.

        `projects` are the open ones: their own settings of an agent affect it. `awaits_plan` returns whether
        nothing was ever applied, so that the way to a first plan is shown.
        """
        super().__init__("content", parent)
        self.setObjectName("agents-part")
        self.setAccessibleName(self.tr("Agents that can be connected"))
        self._processes, self._runner, self._projects, self._clock = processes, runner, projects, clock
        self._awaits_plan = awaits_plan
        self._connections: AgentConnections | None = None
        self._just_connected: tuple[ChangePreview, str] | None = None
        """The preview of an agent that was just connected, and what it said; its gate is not tested yet."""
        self._shows_all = False
        self._is_scanning = self._is_wanted = False
        self.rows: dict[str, AgentRow] = {}
        """Rows by agent name."""
        self._trouble = Label("", self, token="bad", wrap=True, name="agents-trouble")
        self._trouble.hide()
        self._list = column_of()
        self._request = FirstRequest(self)
        self._elsewhere = Button(
            self.tr("Locate an agent…"), self, name="agents-elsewhere", pressed=self._show_all
        )
        self._others = Button(
            self.tr("Other agents…"), self, name="agents-others", pressed=self._read_other_ways
        )
        self._ways = OtherAgents(self)
        self._ways.pressed.connect(self.pressed)
        self._ways.dismissed.connect(self._close_ways)
        more = row_of(self._elsewhere, self._others, STRETCH, margins=(0, px(8), 0, 0), spacing=px(8))
        column_of(self._trouble, self._list, more, self._ways, STRETCH, parent=self)

    def scan(self) -> None:
        """Read every agent's status off the UI thread.

        A call during a read causes another one.
        """
        if self._processes is None:
            self._show_trouble(self.tr("Agents can't be connected from this window."))
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
            if self._shows_all:
                row.show_place()
            else:
                row.setVisible(agent.is_installed or agent.holds_ours)
            if self._list.indexOf(row) != index:
                self._list.removeWidget(row)
                self._list.insertWidget(index, row)
        self._test_connected()
        self._show_request()
        self.listed.emit()
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
        row.place_wanted.connect(partial(self._ask_for_place, row))
        return row

    def _show_change(self, row: AgentRow, removes: bool) -> None:
        if self._connections is not None:
            preview = ChangePreview(row.agent, self._connections, self._runner, row, removes=removes)
            preview.connected.connect(partial(self._remember_connected, preview))
            preview.made.connect(self._on_changed)
            preview.dismissed.connect(row.close_preview)
            row.open_preview(preview)
            preview.begin()

    def _remember_connected(self, preview: ChangePreview, lines: str) -> None:
        self._just_connected = preview, lines

    def _test_connected(self) -> None:
        """Test the gate of a just connected agent, where possible."""
        preview, lines = self._just_connected or (None, "")
        self._just_connected = None
        row = next((each for each in self.rows.values() if each.sheet is preview), None)
        if preview is not None and row is not None and not row.agent.not_proved:
            self._prove(row, lines)

    def _prove(self, row: AgentRow, just_connected: str = "") -> None:
        """Ask how to test a gate, or test a just connected agent."""
        if self._connections is None:
            return
        panel = GateTestPanel(row.agent, self._runner, self._clock, row)
        panel.ended.connect(self._on_changed)
        panel.dismissed.connect(row.close_preview)
        had_keyboard = row.isAncestorOf(self.window().focusWidget() or self)
        row.open_preview(panel)
        folder = next(iter(self._projects()), Path.home())
        command = partial(self._connections.proof_command, row.agent.name)
        if just_connected:
            panel.begin_after(just_connected, command, folder, takes_keyboard=had_keyboard)
        else:
            panel.ask(command, folder)

    def _show_request(self) -> None:
        """Show how to ask the first connected agent for a change."""
        rows = [row for row in self.rows.values() if row.agent.state is ConnectionState.CONNECTED]
        row = next((each for each in rows if each.sheet is not None), next(iter(rows), None))
        is_busy = row is not None and isinstance(row.sheet, GateTestPanel) and not row.sheet.is_idle()
        if row is None or is_busy or not self._awaits_plan():
            self._request.hide()
        else:
            row.add_below(self._request)
            self._request.show_agent(row.agent, next(iter(self._projects()), None))

    def focus_first(self) -> None:
        """Focus the first button of the list."""
        rows = [row for row in self.rows.values() if row.isVisible()]
        first = next(filter(None, (row.first_button() for row in rows)), self._elsewhere)
        first.setFocus(Qt.FocusReason.OtherFocusReason)

    def _show_all(self) -> None:
        """List all known agents, each with a button for its place."""
        self._shows_all = True
        places = [row.place_button for row in self.rows.values() if row.show_place()]
        if places:
            places[0].setFocus(Qt.FocusReason.OtherFocusReason)
        self._elsewhere.hide()

    def _ask_for_place(self, row: AgentRow) -> None:
        words = self.tr("Locate {program} or the settings file for {title}")
        dialog = QFileDialog(self.window(), say(words, program=row.agent.program, title=row.agent.title))
        dialog.setFileMode(QFileDialog.FileMode.ExistingFile)
        dialog.setFilter(QDir.Filter.AllEntries | QDir.Filter.Hidden)
        dialog.fileSelected.connect(lambda file: self._choose_place(row, Path(file)))
        open_file_dialog(dialog)

    def _choose_place(self, row: AgentRow, path: Path) -> None:
        if self._connections is not None:
            self._runner.compute(
                self._connections.choose_place,
                row.agent.name,
                path,
                then=lambda _: self._place_chosen(row),
                failed=lambda error: row.show_trouble(f"{error.message} {error.hint}"),
            )

    def _place_chosen(self, row: AgentRow) -> None:
        """Show what connecting would change there."""
        self._show_change(row, False)
        self._on_changed()

    def _read_other_ways(self) -> None:
        if self._connections is not None:
            self._runner.compute(
                self._connections.other_ways, then=self._ways.show_ways, failed=self._show_scan_failed
            )

    def _close_ways(self) -> None:
        self._ways.hide()
        self._others.setFocus(Qt.FocusReason.OtherFocusReason)

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
    ConnectionState.OUTDATED: ("look-out", "warn", "Connected, but configuration entry is outdated"),
    ConnectionState.CHANGED: ("look-out", "warn", "Configuration entry was changed"),
    ConnectionState.MISSING: ("look-out", "warn", "Part of the configuration entry was removed"),
    ConnectionState.UNREADABLE: ("danger", "bad", "Settings can't be read"),
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
    place_wanted = Signal()
    """The user wants to name where the agent's program or settings are."""

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
            self.tr("Verify gate"), self, name="agent-prove", pressed=self.proof_wanted.emit
        )
        self.place_button = Button(
            self.tr("Locate…"), self, name="agent-place", pressed=self.place_wanted.emit
        )
        self.place_button.setAccessibleName(f"{self.place_button.text()} {agent.title}")
        self.place_button.hide()
        head = row_of(self._sign, self._title, (self._state, 1), spacing=px(8))
        for button in (self.place_button, self.connect_button, self.disconnect_button, self.prove_button):
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
            missing = say(self.tr("Not installed, or {program} was not found"), program=agent.program)
            state = missing if not agent.holds_ours else f"{state}. {missing}"
            icon, token = (icon, token) if agent.holds_ours else ("", "muted")
        self._sign.show_icon(icon, token, state)
        self._state.setText(state)
        self._state.set_token(token if token != "ok" else "muted")
        self._show_facts()
        self._show_buttons()

    def show_place(self) -> bool:
        """Show the row, and its place button unless connected; return that."""
        self.place_button.setVisible(not self.agent.holds_ours)
        self.show()
        return not self.agent.holds_ours

    def show_trouble(self, sentence: str) -> None:
        """Show why something about the agent failed, until the next status."""
        self._state.setText(show_name(sentence))
        self._state.set_token("bad")

    def open_preview(self, preview: QWidget) -> None:
        """Show a panel below the row, in place of the previous one."""
        self.close_preview()
        self.sheet = preview
        self._preview_layout.insertWidget(0, preview)
        self._show_buttons()

    def add_below(self, widget: QWidget) -> None:
        """Put a widget below the row and its panel."""
        self._preview_layout.addWidget(widget)

    def close_preview(self) -> None:
        """Close the panel and return the focus to the row."""
        if self.sheet is None:
            return
        preview, self.sheet = self.sheet, None
        had_keyboard = preview.isAncestorOf(self.window().focusWidget() or self)
        preview.hide()
        preview.deleteLater()
        self._show_buttons()
        first = self.first_button()
        if had_keyboard and first is not None:
            first.setFocus(Qt.FocusReason.OtherFocusReason)

    def first_button(self) -> Button | None:
        """Return the first button that can be pressed."""
        buttons = (self.connect_button, self.disconnect_button, self.prove_button)
        return next((each for each in buttons if not each.isHidden() and each.isEnabled()), None)

    def _show_buttons(self) -> None:
        agent = self.agent
        is_whole = agent.state is ConnectionState.CONNECTED
        open_below = self.tr("Close the pane below first.") if self.sheet is not None else ""
        words = self.tr("Repair…") if agent.holds_ours else self.tr("Connect…")
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
            lead = Label(self.tr("Not covered by the gate:"), facts, size=12)
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


# The way to a first plan, and the ways for agents that can't be connected.


class FirstRequest(Banner):
    """Banner on asking a connected agent for a first change."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, name="first-request")
        self._about: tuple[str, Path | None] | None = None

    def show_agent(self, agent: ConnectableAgent, project: Path | None) -> None:
        """Show what to start and to say in the project."""
        if self._about == (agent.name, project) and not self.isHidden():
            return  # its buttons keep the focus
        self._about = agent.name, project
        title = say(
            self.tr("Ask {agent} to make a change. Its first plan will open here."), agent=agent.title
        )
        if project is None:
            words = self.tr("Open a project first, then start {agent} in the project folder.")
            self.show_message(BannerKind.INFO, title, say(words, agent=agent.title))
            return
        command = f"cd {shlex.quote(str(project))} && {shlex.quote(agent.command or agent.program)}"
        sentence = self.tr("Add a HELLO.md file that says in one line what this project does.")
        words = self.tr(
            "Run this command in a terminal: {command}\nThen ask the agent, for example: {sentence}"
        )
        self.show_message(
            BannerKind.INFO, title, say(words, command=show_name(command), sentence=sentence), icon="agent"
        )
        copies = (
            (self.tr("Copy command"), "first-request-command", command),
            (self.tr("Copy prompt"), "first-request-sentence", sentence),
        )
        for label, name, text in copies:
            self.add_choice(label, icon="copy", name=name, pressed=partial(_copy, text))


class OtherAgents(Banner):
    """MCP entry, inbox and pasting, for an agent that is not listed."""

    pressed = Signal(object)
    """Emitted with the id of the action to run."""

    def __init__(self, parent: QWidget) -> None:
        super().__init__(parent, name="other-agents")
        Escape(self, self.isVisible, self.dismissed.emit)
        self._entry = CodeText("other-agents-entry", self)
        self._entry.setAccessibleName(self.tr("MCP client entry"))
        self._entry.setReadOnly(True)
        self._entry.setTabChangesFocus(True)
        self._entry.cancelled.connect(self.dismissed)
        self._inbox = Label("", self, wrap=True, name="other-agents-inbox")
        self.add_field(
            Label(
                self.tr(
                    "To use MCP, add this entry to the agent's settings. The agent's own "
                    "tools still bypass review."
                ),
                self,
            )
        )
        self.add_field(self._entry)
        self.add_field(self._inbox)
        paste = self.tr("To use a chat, paste the agent's answer, such as a diff or complete files.")
        self.add_field(Label(paste, self, wrap=True))

    def show_ways(self, ways: OtherWays) -> None:
        """Show all three ways, and buttons for them."""
        title = self.tr("Other agents can submit plans in any of these ways.")
        self.show_message(BannerKind.INFO, title, icon="agent")
        self._entry.set_lines(ways.mcp_entry.count("\n") + 1)
        self._entry.show_text(ways.mcp_entry, 0)
        words = self.tr(
            "To use the inbox, have the agent write files to {folder} while “studio "
            "inbox” is running in the project."
        )
        if not ways.inbox:
            words = self.tr(
                "To use the inbox, have the agent write files to the folder set in "
                "Settings (Agent permissions) while “studio inbox” is running in the "
                "project."
            )
        self._inbox.setText(say(words, folder=show_name(ways.inbox)))
        copy = self.add_choice(
            self.tr("Copy entry"),
            icon="copy",
            name="other-agents-copy",
            pressed=partial(_copy, ways.mcp_entry),
        )
        self.add_choice(
            self.tr("Paste answer…"),
            icon="paste",
            name="other-agents-paste",
            pressed=lambda: self.pressed.emit(Action.PASTE),
        )
        self.add_close(self.tr("Close"), "other-agents-close", self.dismissed.emit)
        copy.setFocus(Qt.FocusReason.OtherFocusReason)


def _copy(text: str) -> None:
    QGuiApplication.clipboard().setText(text)
