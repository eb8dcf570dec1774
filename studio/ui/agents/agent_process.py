"""Agents that the window has started, each talked with by a process of its own (design 7)."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

if TYPE_CHECKING:
    from studio.engine.agent_connection import ConnectableAgent
    from studio.engine.gate import GateStanding
    from studio.engine.logins import Logins
    from studio.ui.desk.commands import Given
    from studio.ui.desk.worker import Work

_PIECE = 1 << 16
_LOOK_MS = 50
THREAD = "agent process"
"""What the threads are called that wait for the end of these processes."""


@dataclass(frozen=True, slots=True)
class AgentChoice:
    """An agent that is installed here: what it is called, and its command."""

    title: str
    words: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AgentConnections:
    """How the window connects agents: all that can be, as they stand in these projects; what a process beside
    it does that shows the change of one, by name, or the taking back, and makes it at a press; and the
    command that proves the gate of one, by name, with its user's own settings or in an empty home."""

    agents: Callable[[Sequence[Path]], Sequence[ConnectableAgent]]
    change: Callable[[str, bool], Work]
    proof_command: Callable[[str, bool], Sequence[str]]


@dataclass(frozen=True, slots=True)
class AgentProcesses:
    """What the program's entry gives the window: the agents there are, the command that talks with one (its
    words, the session to go on with, "" for a new one, and what it is given in the sandbox), what the gate of
    a session is worth (what its agent calls itself, its words, and the project) and that of one in the
    sandbox, the files of agents' logins, the line by which these are handed to that command, and how agents
    are connected."""

    choices: Callable[[], Sequence[AgentChoice]]
    command: Callable[[Sequence[str], str, Given | None], Sequence[str]]
    standing: Callable[[str, Sequence[str], Path], GateStanding]
    sandbox_standing: Callable[[], GateStanding]
    logins: Callable[[Sequence[str]], Logins]
    logins_line: Callable[[Sequence[str]], bytes]
    connections: AgentConnections


class AgentProcess(QObject):
    """One process that talks with one agent. What is said stands in the store; here only how it goes.

    It lives on where the window ends: it has then heard that there are no more prompts.
    """

    began = Signal(str)
    """The id of its session."""
    failed = Signal(str)
    """Why there is no conversation, as sentences."""
    turn_ended = Signal()
    ended = Signal()

    def __init__(self, command: Sequence[str], root: Path, parent: QObject, first_line: bytes = b"") -> None:
        """`first_line` is what it reads before anything else. Raises OSError where it can't be started."""
        super().__init__(parent)
        self.session = ""
        self._turns = 0
        self._rest = b""
        self._process = subprocess.Popen(
            command,
            cwd=root,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        assert self._process.stdout is not None
        os.set_blocking(self._process.stdout.fileno(), False)
        self._notifier = QSocketNotifier(self._process.stdout.fileno(), QSocketNotifier.Type.Read, self)
        self._notifier.activated.connect(self._read)
        if first_line:
            # A pipe holds no large login: it is read once the process is up, for which nobody waits here.
            # Prompts come later: a session that has begun has read it.
            threading.Thread(target=self._write, args=(first_line,), name=THREAD, daemon=True).start()
        # Its agent may take a moment to go, for which nobody waits here.
        self._waiting = threading.Thread(target=self._process.wait, name=THREAD, daemon=True)
        self._waiting.start()
        self._ending = QTimer(self, interval=_LOOK_MS)
        self._ending.timeout.connect(self._look_whether_it_ended)

    @property
    def is_in_turn(self) -> bool:
        """Whether there is a prompt that it has not done with."""
        return self._turns > 0

    def prompt(self, text: str) -> None:
        """Give the agent a prompt; one that comes within a turn is next."""
        self._turns += 1
        self._say({"prompt": text})

    def stop(self) -> None:
        """Stop its turn."""
        self._say({"stop": True})

    def end(self) -> None:
        """Say that there is no more: its turn is stopped, and it ends."""
        self.stop()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        """The same, and hear no more of it."""
        self.end()
        self._notifier.setEnabled(False)
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _say(self, said: dict[str, Any]) -> None:
        self._write(json.dumps(said).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # it is gone, and has told or will
            self._process.stdin.write(line)
            self._process.stdin.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            data = os.read(self._process.stdout.fileno(), _PIECE)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        *lines, self._rest = (self._rest + data).split(b"\n")
        for line in lines:
            self._heard(line)
        if not data:
            self._notifier.setEnabled(False)
            self._ending.start()

    def _look_whether_it_ended(self) -> None:
        if not self._waiting.is_alive():
            self._ending.stop()
            self._close_pipes()
            self._turns = 0
            self.ended.emit()

    def _heard(self, line: bytes) -> None:
        try:
            said: object = json.loads(line)
        except ValueError:
            return
        if not isinstance(said, dict):
            return
        fields = cast("dict[str, Any]", said)
        if fields.get("event") == "began":
            is_first, self.session = not self.session, str(fields.get("session"))
            if is_first:  # in the sandbox its agent begins anew after each apply
                self.began.emit(self.session)
        elif fields.get("event") == "turn_ended":
            self._turns -= 1
            self.turn_ended.emit()
        elif isinstance(error := fields.get("error"), dict):
            told = cast("dict[str, Any]", error)
            self.failed.emit(f"{told.get('message')} {told.get('hint')}".strip())
