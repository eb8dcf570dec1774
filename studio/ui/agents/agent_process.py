"""Child process for one agent conversation, and the interface for starting agents."""

from __future__ import annotations

import json
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from PySide6.QtCore import QObject, QSocketNotifier, QTimer, Signal

from studio.values import Value

if TYPE_CHECKING:
    from studio.extras.agents import ConnectableAgent, GateStatus, Logins, OtherWays
    from studio.ui.review.commands import CommandPermissions
    from studio.ui.worker import Work

_PIECE = 1 << 16
_LOOK_MS = 50
THREAD = "agent process"
"""Name of the threads that wait for these processes to end."""


class AgentChoice(Value):
    """An installed agent: its title and its command."""

    title: str
    words: tuple[str, ...]


class AgentConnections(Value):
    """Functions for connecting agents.

    `agents` lists all that can be connected, with their status in these projects. `change` returns the work
    of a child process that previews connecting or disconnecting a named agent, and does it on a click.
    `proof_command` returns the command that tests the gate of a named agent, with the user's own settings or
    in an empty home. `choose_place` remembers where a named agent's program or settings file is, and raises
    StudioError where it is neither. `other_ways` are for agents that are not listed.
    """

    agents: Callable[[Sequence[Path]], Sequence[ConnectableAgent]]
    change: Callable[[str, bool], Work]
    proof_command: Callable[[str, bool], Sequence[str]]
    choose_place: Callable[[str, Path], object]
    other_ways: Callable[[], OtherWays]


class AgentProcesses(Value):
    """What the program's entry point gives the window to run agents.

    `choices` lists the installed agents. `command` takes an agent's words, the session to resume ("" for a
    new one) and its sandbox permissions. `session_gate_status` takes the agent's own name, its words and the
    project, and returns the gate status of its session; `sandbox_gate_status` that of a session in the
    sandbox. `logins` returns the login files of agents, `logins_line` the line that passes them to the
    command.
    """

    choices: Callable[[], Sequence[AgentChoice]]
    command: Callable[[Sequence[str], str, CommandPermissions | None], Sequence[str]]
    session_gate_status: Callable[[str, Sequence[str], Path], GateStatus]
    sandbox_gate_status: Callable[[], GateStatus]
    logins: Callable[[Sequence[str]], Logins]
    logins_line: Callable[[Sequence[str]], bytes]
    connections: AgentConnections


class AgentProcess(QObject):
    """Child process that talks with one agent.

    Messages are in the store; here is only the process's state. It outlives the window: it then gets no more
    prompts.
    """

    began = Signal(str)
    """Carries the session id."""
    failed = Signal(str)
    """Carries why the conversation could not start, as sentences."""
    turn_ended = Signal()
    ended = Signal()

    def __init__(self, command: Sequence[str], root: Path, parent: QObject, first_line: bytes = b"") -> None:
        """Start the process; `first_line` is what it reads first.

        Raises OSError where it can't be started.
        """
        super().__init__(parent)
        self.session = ""
        self._turns = 0
        self._partial_line = b""
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
            # A pipe can't buffer a large login: it is read once the process is up, and the window must not
            # wait for that. Prompts come later: a running session has read it.
            threading.Thread(target=self._write, args=(first_line,), name=THREAD, daemon=True).start()
        # The agent may take a moment to end, which must not block the window.
        self._waiting = threading.Thread(target=self._process.wait, name=THREAD, daemon=True)
        self._waiting.start()
        self._ending = QTimer(self, interval=_LOOK_MS)
        self._ending.timeout.connect(self._check_ended)

    @property
    def is_in_turn(self) -> bool:
        """Whether a prompt is still being worked on."""
        return self._turns > 0

    def prompt(self, text: str) -> None:
        """Send the agent a prompt; during a turn it is queued."""
        self._turns += 1
        self._send_message({"prompt": text})

    def stop(self) -> None:
        """Stop the current turn."""
        self._send_message({"stop": True})

    def end(self) -> None:
        """Stop the turn and close the input, so that the process ends."""
        self.stop()
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

    def close(self) -> None:
        """End the process and ignore its further output."""
        self.end()
        self._notifier.setEnabled(False)
        self._close_pipes()

    def _close_pipes(self) -> None:
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None
            with suppress(OSError):
                pipe.close()

    def _send_message(self, message: dict[str, Any]) -> None:
        self._write(json.dumps(message).encode() + b"\n")

    def _write(self, line: bytes) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # the process ended, and reported or will report that
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
        *lines, self._partial_line = (self._partial_line + data).split(b"\n")
        for line in lines:
            self._handle_message(line)
        if not data:
            self._notifier.setEnabled(False)
            self._ending.start()

    def _check_ended(self) -> None:
        if not self._waiting.is_alive():
            self._ending.stop()
            self._close_pipes()
            self._turns = 0
            self.ended.emit()

    def _handle_message(self, line: bytes) -> None:
        try:
            message: object = json.loads(line)
        except ValueError:
            return
        if not isinstance(message, dict):
            return
        fields = cast("dict[str, Any]", message)
        if fields.get("event") == "began":
            is_first, self.session = not self.session, str(fields.get("session"))
            if is_first:  # in the sandbox the agent is restarted after each apply
                self.began.emit(self.session)
        elif fields.get("event") == "turn_ended":
            self._turns -= 1
            self.turn_ended.emit()
        elif isinstance(error := fields.get("error"), dict):
            fault = cast("dict[str, Any]", error)
            self.failed.emit(f"{fault.get('message')} {fault.get('hint')}".strip())
