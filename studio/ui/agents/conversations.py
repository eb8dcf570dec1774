"""Controller of a project's agent sessions: start, prompt, stop, read events."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, Signal

from studio.engine import EventKind, SessionState, command_words
from studio.ui.agents.agent_process import AgentChoice, AgentProcess
from studio.ui.agents.transcript_view import TranscriptBlocks
from studio.ui.look.words import say
from studio.ui.review.commands import AgentMemory, CommandPermissions
from studio.ui.review.state import Tone
from studio.values import Value

if TYPE_CHECKING:
    from studio.engine import Session, SessionEvent
    from studio.errors import StudioError
    from studio.extras.agents import GateStatus
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.review.desk import Desk

_DOOR = "acp"
_AT_ONCE = 50
"""Events shown per event loop turn: a few milliseconds."""


class Start(Value):
    """An agent's command and sandbox permissions, None outside of it."""

    words: tuple[str, ...]
    permissions: CommandPermissions | None


class Conversations(QObject):
    """The session shown and its events, read on each store change."""

    sessions_changed = Signal()
    is_restarted = Signal()
    """Another session is shown; all its events follow."""
    message_sent = Signal(object)
    """Carries changes of the shown text, a list."""
    undelivered = Signal(str)
    """Carries a prompt that no agent received."""
    state_changed = Signal()
    """The shown session, its gate status or its agent's process changed."""

    def __init__(self, desk: Desk, processes: AgentProcesses | None, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._processes = desk, processes
        self.sessions: tuple[Session, ...] = ()
        """Sessions with a conversation, newest first."""
        self.current = ""
        """Id of the session shown, "" for none."""
        self._blocks = TranscriptBlocks()
        self._read_up_to = 0
        self._is_reading = self._is_wanted = False
        self._starts: dict[str, Start] = {}
        self._statuses: dict[str, GateStatus] = {}
        self._running: list[AgentProcess] = []
        self._memory = AgentMemory(desk.settings)
        desk.queue.store_changed.connect(self.refresh)
        desk.project.closed.connect(self.close)

    @property
    def choices(self) -> Sequence[AgentChoice]:
        """The installed agents."""
        return self._processes.choices() if self._processes is not None else ()

    @property
    def process(self) -> AgentProcess | None:
        """Our process that talks in the shown session."""
        return next((each for each in self._running if each.session == self.current and self.current), None)

    @property
    def session(self) -> Session | None:
        """The session shown."""
        return next((each for each in self.sessions if each.id == self.current), None)

    @property
    def gate_status(self) -> GateStatus | None:
        """Gate status of the shown session; None while unknown."""
        return self._statuses.get(self.current)

    @property
    def is_in_sandbox(self) -> bool:
        """Whether the agent of the shown session runs in the sandbox."""
        start = self._starts.get(self.current)
        return start is not None and start.permissions is not None

    def remembered(self, command: str) -> tuple[bool, CommandPermissions]:
        """Return whether an agent last ran in the sandbox, and its permissions.

        Without a record the permissions are those of any command of its program.
        """
        words = command_words(command)
        program = PurePath(words[0]).name if words else ""
        network = self._memory.network(program)
        if network is None:
            return self._memory.is_in_sandbox(program), self._desk.commands.default_permissions(command)
        return self._memory.is_in_sandbox(program), CommandPermissions(network, self._memory.login(program))

    def why_not(self) -> str:
        """Return why the shown session takes no prompt, or ""."""
        session = self.session
        if self._processes is None:
            return self.tr("Agents can't be started in this window.")
        if session is None:
            return self.tr("No sessions yet. Choose an agent and click Ask.")
        if self.process is None and session.state is not SessionState.GONE:
            return self.tr("This agent is running in another window or terminal.")
        return ""

    def refresh(self) -> None:
        """Read the sessions and the new events of the shown one."""
        self._desk.project.ask(self._desk.project.workspace.proposer.sessions, then=self._store_sessions)

    def check_gate(self) -> None:
        """Read the gate status of the shown session."""
        session, start = self.session, self._starts.get(self.current)
        if self._processes is None or session is None or start is None:
            return
        project, on_status = self._desk.project, partial(self._store_status, session.id)
        if start.permissions is not None:
            project.compute(self._processes.sandbox_gate_status, then=on_status)
        elif start.words:
            read_status = self._processes.session_gate_status
            project.compute(read_status, session.agent, start.words, project.root_path, then=on_status)

    def show(self, session: str) -> None:
        """Show another session."""
        if session != self.current:
            self.current = session
            self._blocks, self._read_up_to = TranscriptBlocks(), 0
            self.is_restarted.emit()
            self.state_changed.emit()
            self._read()

    def begin(self, command: str, prompt: str = "", sandbox: CommandPermissions | None = None) -> str:
        """Start an agent and prompt it; return the error, or "".

        `sandbox` are its permissions in the sandbox, None to run it outside.
        """
        words = command_words(command)
        if not words:
            return self.tr("Enter a command that starts an agent.")
        program = PurePath(words[0]).name
        if sandbox is None:
            self._memory.keep_outside(program)
        else:
            self._memory.keep_inside(program, network=sandbox.network, login=sandbox.login)
        return self._start(Start(words, sandbox), "", prompt)

    def prompt(self, text: str) -> str:
        """Prompt the shown session's agent; return the error, or "".

        An agent that ended is started again and resumes the session.
        """
        if reason := self.why_not():
            return reason
        if self.process is not None:
            self.process.prompt(text)
            self.state_changed.emit()
            return ""
        return self._start(self._starts.get(self.current, Start((), None)), self.current, text)

    def stop(self) -> None:
        """Stop the turn of the shown session."""
        if self.process is not None:
            self.process.stop()

    def close(self) -> None:
        """End all agent processes; the project is closed."""
        for process in self._running:
            process.close()
        self._running = []

    def _start(self, start: Start, session: str, prompt: str) -> str:
        processes, sandbox = self._processes, start.permissions
        if processes is None:
            return self.why_not()
        if not start.words:
            return self.tr("The agent's start command is unknown. Click Ask to start the agent again.")
        if sandbox is None or not sandbox.login:
            return self._launch(processes, start, session, prompt, b"")
        self._desk.project.runner.compute(
            processes.logins_line,
            (sandbox.login,),
            then=partial(self._launch_with, processes, start, session, prompt),
            failed=partial(self._no_login, prompt),
        )
        return ""

    def _launch(
        self, processes: AgentProcesses, start: Start, session: str, prompt: str, first_line: bytes
    ) -> str:
        command = processes.command(start.words, session, start.permissions)
        try:
            process = AgentProcess(command, self._desk.project.root_path, self, first_line)
        except OSError as error:
            return say(self.tr("The agent can't be started: {reason}."), reason=error.strerror or "")
        self._running.append(process)
        process.began.connect(partial(self._on_started, process, prompt))
        process.failed.connect(partial(self._failed, process, prompt))
        process.turn_ended.connect(self.state_changed)
        process.ended.connect(partial(self._on_ended, process))
        return ""

    def _launch_with(
        self, processes: AgentProcesses, start: Start, session: str, prompt: str, first_line: bytes
    ) -> None:
        if why_not := self._launch(processes, start, session, prompt, first_line):
            self._report_not_started(prompt, why_not)

    def _no_login(self, prompt: str, error: StudioError) -> None:
        self._report_not_started(prompt, f"{error.message} {error.hint}".rstrip())

    def _report_not_started(self, prompt: str, reason: str) -> None:
        self._desk.project.report_status(reason, Tone.BAD)
        if prompt:
            self.undelivered.emit(prompt)

    def _on_started(self, process: AgentProcess, prompt: str, session: str) -> None:
        if prompt:
            process.prompt(prompt)
        self.show(session)
        self.refresh()
        self.state_changed.emit()

    def _failed(self, process: AgentProcess, prompt: str, reason: str) -> None:
        self._report_not_started("" if process.session else prompt, reason)

    def _on_ended(self, process: AgentProcess) -> None:
        if process in self._running:
            self._running.remove(process)
        process.deleteLater()
        self.refresh()
        self.state_changed.emit()

    def _store_sessions(self, sessions: tuple[Session, ...]) -> None:
        conversations = tuple(each for each in reversed(sessions) if each.door == _DOOR)
        if conversations != self.sessions:
            self.sessions = conversations
            self.sessions_changed.emit()
            self.state_changed.emit()
        if not self.current and conversations:
            self.show(conversations[0].id)
        else:
            self._read()
        if self.gate_status is None:
            self.check_gate()

    def _store_status(self, session: str, status: GateStatus) -> None:
        self._statuses[session] = status
        self.state_changed.emit()

    def _read(self) -> None:
        self._is_wanted = self._is_reading
        if self.current and not self._is_reading:
            self._is_reading = True
            read = self._desk.project.workspace.proposer.events
            self._desk.project.ask(
                read, self.current, self._read_up_to, then=partial(self._store_events, self.current)
            )

    def _store_events(self, session: str, events: tuple[SessionEvent, ...]) -> None:
        self._is_reading = False
        if session != self.current:
            self._read()
            return
        if not events and not self._is_wanted:
            return
        self._show_events(session, events)

    def _show_events(self, session: str, events: tuple[SessionEvent, ...]) -> None:
        """Show as many events as fit in a frame, then continue."""
        if session != self.current:
            self._read()
            return
        now, later = events[:_AT_ONCE], events[_AT_ONCE:]
        if now:
            self._read_up_to = now[-1].number
            for event in now:
                if event.kind is EventKind.BEGAN:
                    self._starts[session] = _start_of(event)
                    self.check_gate()
            changes = [self._blocks.change(event) for event in now]
            self.message_sent.emit([change for change in changes if change is not None])
        if later:
            self._is_reading = True
            self._desk.project.runner.next_turn(self._show_later, session, later)
        else:
            self._read()

    def _show_later(self, session: str, events: tuple[SessionEvent, ...]) -> None:
        self._is_reading = False
        self._show_events(session, events)


def _start_of(event: SessionEvent) -> Start:
    """Return how the agent of a session's first event was started."""
    words = tuple(map(str, event.fields.get("command", ())))
    sandbox: object = event.fields.get("sandbox")
    if not isinstance(sandbox, dict):
        return Start(words, None)
    fields = cast("dict[str, Any]", sandbox)
    logins = [str(login) for login in fields.get("logins", ())]
    return Start(
        words, CommandPermissions(network=bool(fields.get("network")), login=logins[0] if logins else "")
    )
