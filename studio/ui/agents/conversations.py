"""The conversations of one project: sessions that a person talks in, and what is said in them."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from studio.engine.proposer import EventKind, SessionState
from studio.ui.agents.agent_process import AgentChoice, AgentProcess
from studio.ui.agents.transcript_blocks import TranscriptBlocks
from studio.ui.look.words import say

if TYPE_CHECKING:
    from studio.engine.gate import GateStanding
    from studio.engine.proposer import Session, SessionEvent
    from studio.ui.agents.agent_process import AgentProcesses
    from studio.ui.desk.desk import Desk

_DOOR = "acp"
_AT_ONCE = 50
"""Events that are shown in one turn: a few milliseconds."""


class Conversations(QObject):
    """Which session is looked at, and what it holds, read anew each time that the store changes."""

    sessions_changed = Signal()
    begun_anew = Signal()
    """Another session is looked at; all that it holds comes next."""
    said = Signal(object)
    """Changes of what is shown, a list."""
    not_taken = Signal(str)
    """A prompt that no agent was there to hear."""
    state_changed = Signal()
    """Who is at work is another."""

    def __init__(self, desk: Desk, processes: AgentProcesses | None, parent: QObject) -> None:
        super().__init__(parent)
        self._desk, self._processes = desk, processes
        self.sessions: tuple[Session, ...] = ()
        """Those that were talked in, the newest first."""
        self.current = ""
        """The id of the one that is looked at, "" for none."""
        self._blocks = TranscriptBlocks()
        self._read_up_to = 0
        self._is_reading = self._is_wanted = False
        self._words: dict[str, tuple[str, ...]] = {}
        self._standings: dict[str, GateStanding] = {}
        self._running: list[AgentProcess] = []
        desk.queue.store_changed.connect(self.look)
        desk.project.closed.connect(self.close)

    @property
    def choices(self) -> Sequence[AgentChoice]:
        """The agents that are installed here."""
        return self._processes.choices() if self._processes is not None else ()

    @property
    def process(self) -> AgentProcess | None:
        """Ours, that talks in the session that is looked at."""
        return next((each for each in self._running if each.session == self.current and self.current), None)

    @property
    def session(self) -> Session | None:
        """The session that is looked at."""
        return next((each for each in self.sessions if each.id == self.current), None)

    @property
    def standing(self) -> GateStanding | None:
        """What the gate of the session that is looked at is worth; None where that is not known yet."""
        return self._standings.get(self.current)

    def why_not(self) -> str:
        """Why no prompt can be given to the session that is looked at; "" where one can."""
        session = self.session
        if self._processes is None:
            return self.tr("Agents can't be started here.")
        if session is None:
            return self.tr("No agent was asked yet: choose one, and press Ask.")
        if self.process is None and session.state is not SessionState.GONE:
            return self.tr("This agent is at work for another window or terminal.")
        return ""

    def look(self) -> None:
        """Read which sessions there are, and what is new in the one that is looked at."""
        self._desk.project.ask(self._desk.project.workspace.proposer.sessions, then=self._got_sessions)

    def look_at_gate(self) -> None:
        """Find out anew what the gate of the session that is looked at is worth."""
        session, words = self.session, self._words.get(self.current)
        if self._processes is not None and session is not None and words:
            look, then = self._processes.standing, partial(self._got_standing, session.id)
            root = self._desk.project.root_path
            self._desk.project.compute(look, session.agent, words, root, then=then)

    def show(self, session: str) -> None:
        """Look at another session."""
        if session != self.current:
            self.current = session
            self._blocks, self._read_up_to = TranscriptBlocks(), 0
            self.begun_anew.emit()
            self.state_changed.emit()
            self._read()

    def begin(self, command: str, prompt: str = "") -> str:
        """Start an agent, and give it a prompt once it is there; why it can't be, or ""."""
        try:
            words = tuple(shlex.split(command))
        except ValueError:
            words = ()
        if not words:
            return self.tr("That is no command that starts an agent.")
        return self._start(words, "", prompt)

    def prompt(self, text: str) -> str:
        """Give the agent of the session that is looked at a prompt; one that is gone is started again, and
        goes on. Why it can't be, or ""."""
        if why := self.why_not():
            return why
        if self.process is not None:
            self.process.prompt(text)
            self.state_changed.emit()
            return ""
        return self._start(self._words.get(self.current, ()), self.current, text)

    def stop(self) -> None:
        """Stop the turn of the session that is looked at."""
        if self.process is not None:
            self.process.stop()

    def close(self) -> None:
        """The project is closed: agents are told that there is no more."""
        for process in self._running:
            process.close()
        self._running = []

    def _start(self, words: Sequence[str], session: str, prompt: str) -> str:
        if self._processes is None:
            return self.why_not()
        if not words:
            return self.tr("How that agent was started is not known: press Ask to start it anew.")
        project = self._desk.project
        try:
            process = AgentProcess(self._processes.command(words, session), project.root_path, self)
        except OSError as error:
            return say(self.tr("The agent can't be started: {reason}."), reason=error.strerror or "")
        self._running.append(process)
        process.began.connect(partial(self._began, process, prompt))
        process.failed.connect(partial(self._failed, process, prompt))
        process.turn_ended.connect(self.state_changed)
        process.ended.connect(partial(self._ended, process))
        return ""

    def _began(self, process: AgentProcess, prompt: str, session: str) -> None:
        if prompt:
            process.prompt(prompt)
        self.show(session)
        self.look()
        self.state_changed.emit()

    def _failed(self, process: AgentProcess, prompt: str, why: str) -> None:
        from studio.ui.desk.happening import Tone

        self._desk.project.say(why, Tone.BAD)
        if prompt and not process.session:
            self.not_taken.emit(prompt)

    def _ended(self, process: AgentProcess) -> None:
        if process in self._running:
            self._running.remove(process)
        process.deleteLater()
        self.look()
        self.state_changed.emit()

    def _got_sessions(self, sessions: tuple[Session, ...]) -> None:
        talked = tuple(each for each in reversed(sessions) if each.door == _DOOR)
        if talked != self.sessions:
            self.sessions = talked
            self.sessions_changed.emit()
            self.state_changed.emit()
        if not self.current and talked:
            self.show(talked[0].id)
        else:
            self._read()
        if self.standing is None:
            self.look_at_gate()

    def _got_standing(self, session: str, standing: GateStanding) -> None:
        self._standings[session] = standing
        self.state_changed.emit()

    def _read(self) -> None:
        self._is_wanted = self._is_reading
        if self.current and not self._is_reading:
            self._is_reading = True
            read = self._desk.project.workspace.proposer.events
            self._desk.project.ask(
                read, self.current, self._read_up_to, then=partial(self._got, self.current)
            )

    def _got(self, session: str, events: tuple[SessionEvent, ...]) -> None:
        self._is_reading = False
        if session != self.current:
            self._read()
            return
        if not events and not self._is_wanted:
            return
        self._show_events(session, events)

    def _show_events(self, session: str, events: tuple[SessionEvent, ...]) -> None:
        """So many in one turn as a frame has room for, then the next."""
        if session != self.current:
            self._read()
            return
        now, later = events[:_AT_ONCE], events[_AT_ONCE:]
        if now:
            self._read_up_to = now[-1].number
            for event in now:
                if event.kind is EventKind.BEGAN:
                    self._words[session] = tuple(map(str, event.fields.get("command", ())))
                    self.look_at_gate()
            changes = [self._blocks.change(event) for event in now]
            self.said.emit([change for change in changes if change is not None])
        if later:
            self._is_reading = True
            self._desk.project.runner.next_turn(self._show_later, session, later)
        else:
            self._read()

    def _show_later(self, session: str, events: tuple[SessionEvent, ...]) -> None:
        self._is_reading = False
        self._show_events(session, events)
