"""Dock panel of agents: start, prompt and stop them, read their output.

Their plans wait in the queue.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QHBoxLayout, QWidget

from studio.engine import SessionState
from studio.names import show_name
from studio.ui.agents.conversations import Conversations
from studio.ui.agents.gate_summary import SIGNS, GateSummary, summary_of
from studio.ui.agents.transcript_view import TranscriptView
from studio.ui.look.theme import px
from studio.ui.look.words import Clock, age, say, utc_now
from studio.ui.review.commands import CommandPermissions
from studio.ui.widgets import Button, CheckBox, Label, Surface, column_of
from studio.ui.widgets.choice import Choice, LoginChoice
from studio.ui.widgets.text_field import TextField

if TYPE_CHECKING:
    from studio.engine import Session
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.review.desk import Desk

_LINES = 2


class AgentPanel(Surface):
    """Agent panel; shows one session, while several may run."""

    def __init__(
        self,
        desk: Desk,
        processes: AgentProcesses | None,
        parent: QWidget | None = None,
        *,
        now: Clock = utc_now,
    ) -> None:
        super().__init__("panel", parent)
        self._now = now
        self._is_chosen = False
        """Whether the user chose where the next agent runs: typing a command no longer changes it."""
        self.setObjectName("agents")
        self.setAccessibleName(self.tr("Agents"))
        self.conversations = Conversations(desk, processes, self)
        self.choice = Choice(self)
        self.choice.setObjectName("agent-command")
        self.choice.setAccessibleName(self.tr("Agent start command"))
        self.choice.setEditable(True)
        self.choice.setInsertPolicy(Choice.InsertPolicy.NoInsert)
        self.ask_button = Button(self.tr("Ask"), self, name="agent-ask", pressed=self._ask)
        self.sandbox = CheckBox(
            self.tr("Run in sandbox"), self, name="agent-sandbox", pressed=self._choose_place
        )
        self.network = CheckBox(self.tr("Allow network"), self, name="agent-network")
        self.login = LoginChoice("agent-login", self, has_logins=processes is not None)
        self.sessions = Choice(self)
        self.sessions.setObjectName("agent-sessions")
        self.sessions.setAccessibleName(self.tr("Agent sessions"))
        self.view = TranscriptView(self)
        self.field = TextField("agent-prompt", self)
        self.field.setAccessibleName(self.tr("Prompt for the agent"))
        self.field.setPlaceholderText(self.tr("Ask the agent (Ctrl+Enter to send)"))
        self.field.set_lines(_LINES)
        self.send_button = Button(
            self.tr("Send"), self, key="Ctrl+Enter", name="agent-send", pressed=self._send
        )
        self.stop_button = Button(self.tr("Stop"), self, name="agent-stop", pressed=self.conversations.stop)
        self._state = Label("", self, size=12, token="muted", wrap=True, name="agent-state")
        self._lay_out()
        self.field.done.connect(self._send)
        self.sessions.activated.connect(self._choose)
        self.choice.editTextChanged.connect(self._show_permissions)
        self.sandbox.toggled.connect(self._enable_permissions)
        self.conversations.sessions_changed.connect(self._list_sessions)
        self.conversations.is_restarted.connect(self.view.clear_blocks)
        self.conversations.message_sent.connect(self.view.show_changes)
        self.conversations.undelivered.connect(self._restore_prompt)
        self.conversations.state_changed.connect(self._show_state)
        for each in self.conversations.choices:
            self.choice.addItem(" ".join(each.words))
        desk.commands.settings_changed.connect(self._show_permissions)
        self._show_permissions()
        self.setFocusProxy(self.field)
        self._show_state()

    def minimumSizeHint(self) -> QSize:
        """Return a size as small as the other dock panels'.

        Nothing above the dock makes room for it.
        """
        return QSize(px(60), px(60))

    def _lay_out(self) -> None:
        top, middle, bottom = QHBoxLayout(), QHBoxLayout(), QHBoxLayout()
        top.addWidget(self.choice, 1)
        top.addWidget(self.ask_button)
        top.addSpacing(px(12))
        top.addWidget(self.sessions, 1)
        for widget in (self.sandbox, self.network, self.login):
            middle.addWidget(widget)
        middle.addStretch(1)
        bottom.addWidget(self.field, 1)
        bottom.addWidget(self.send_button, 0, Qt.AlignmentFlag.AlignTop)
        bottom.addWidget(self.stop_button, 0, Qt.AlignmentFlag.AlignTop)
        column_of(
            top,
            middle,
            (self.view, 1),
            self._state,
            bottom,
            parent=self,
            margins=(px(12), px(6), px(12), px(6)),
            spacing=px(6),
        )

    def _ask(self) -> None:
        """Start the named agent with the typed prompt."""
        text = self.field.toPlainText().strip()
        sandbox = None
        if self.sandbox.isChecked():
            sandbox = CommandPermissions(network=self.network.isChecked(), login=self.login.login)
        why_not = self.conversations.begin(self.choice.currentText(), text, sandbox)
        self._is_chosen = bool(why_not)
        self._show_sent(why_not, text)

    def _show_permissions(self) -> None:
        """Show how this program was started the last time."""
        if self._is_chosen:
            return
        is_inside, sandbox = self.conversations.remembered(self.choice.currentText())
        self.sandbox.setChecked(is_inside)
        self.network.setChecked(sandbox.network)
        self.login.choose(sandbox.login)
        self._enable_permissions()

    def _choose_place(self) -> None:
        self._is_chosen = True

    def _enable_permissions(self) -> None:
        """Disable the permissions outside of the sandbox, where an agent has all."""
        for widget in (self.network, self.login):
            widget.setEnabled(self.sandbox.isChecked())

    def _send(self) -> None:
        text = self.field.toPlainText().strip()
        if text:
            self._show_sent(self.conversations.prompt(text), text)

    def _show_sent(self, why_not: str, text: str) -> None:
        """Show the result, and clear the field unless the prompt failed."""
        self._show_state()
        if why_not:
            self._state.setText(why_not)
        elif text:
            self.field.clear()

    def _restore_prompt(self, text: str) -> None:
        """Put an undelivered prompt back, after text typed since."""
        self.field.setPlainText("\n".join(filter(None, (self.field.toPlainText(), text))))

    def _choose(self, index: int) -> None:
        self.conversations.show(str(self.sessions.itemData(index)))

    def _list_sessions(self) -> None:
        self.sessions.clear()
        for session in self.conversations.sessions:
            self.sessions.addItem(self._words_of(session), session.id)
        self.sessions.setCurrentIndex(max(0, self.sessions.findData(self.conversations.current)))

    def _words_of(self, session: Session) -> str:
        words = say(
            self.tr("{agent}, {age}"), agent=show_name(session.agent), age=age(session.since, self._now())
        )
        if session.state is SessionState.GONE:
            return words
        waits = session.state is SessionState.WAITING
        return say(
            self.tr("{words} (waiting for you)") if waits else self.tr("{words} (running)"), words=words
        )

    def _show_state(self) -> None:
        process = self.conversations.process
        index = self.sessions.findData(self.conversations.current)
        if index >= 0:
            self.sessions.setCurrentIndex(index)
        is_working = process is not None and process.is_in_turn
        self.stop_button.set_reason("" if is_working else self.tr("No agent is running."))
        self.send_button.set_reason(self.conversations.why_not())
        works = ""
        if is_working and self.conversations.is_in_sandbox:
            works = self.tr("Working. Changes appear in the queue when the agent finishes.")
        elif is_working:
            works = self.tr("Working. Proposals appear in the queue.")
        self._state.setText(
            self.conversations.why_not() or " ".join(filter(None, (works, self._gate_line())))
        )

    def _gate_line(self) -> str:
        """Return the gate status of this session, worded as the gate indicator."""
        status = self.conversations.gate_status
        if status is None:
            return ""
        summary = summary_of(status)
        if summary is GateSummary.ACTIVE and not self.conversations.is_in_sandbox:
            return SIGNS[summary].words
        return say(self.tr("{worth}. {why}"), worth=SIGNS[summary].words, why=show_name(status.why))
