"""One command at work in its sandbox, and the looks at what it has done so far."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from studio.engine.commands.changes import changes_of
from studio.engine.commands.words import command_text, outcome_sentence, output_of, printed_text
from studio.engine.plan import Plan
from studio.engine.proposer import LaidResult, Proposer
from studio.engine.sandbox import Command, KeptOutput, Outcome, Sandbox
from studio.engine.system.closing import Closing

THREAD = "command in the sandbox"
"""What the thread is called that waits for a command."""

DOOR = "run"
"""The door of these sessions."""


class CommandRun(Closing):
    """A session that lasts as long as its command: each look is a round of what it proposes.

    Any one thread may look and wait. The sandbox stays whose it is, and is closed after this.
    """

    def __init__(
        self,
        proposer: Proposer,
        sandbox: Sandbox,
        command: Command,
        *,
        agent: str,
        heard: Callable[[bytes], None] | None = None,
        cancel: threading.Event | None = None,
        output: int | None = None,
        given: int | None = None,
    ) -> None:
        """Start the command. `heard`, `output`, `given` and `cancel` are as for `Sandbox.run`; the session is
        that of `agent`."""
        self._proposer, self._sandbox, self._command = proposer, sandbox, command
        self._heard = heard
        self._cancel = cancel or threading.Event()
        self._kept, self._kept_lock = KeptOutput(command.output_bytes), threading.Lock()
        self._session = proposer.open_session(agent, DOOR)
        self._executor = ThreadPoolExecutor(1, THREAD)
        self._ended: Future[Outcome] = self._executor.submit(
            sandbox.run, command, given=given, output=output, heard=self._hear, cancel=self._cancel
        )

    def wait(self, seconds: float) -> bool:
        """Wait for the command, so many seconds; whether it has ended."""
        return bool(wait((self._ended,), seconds).done)

    def look(self, laid: Iterable[LaidResult] = ()) -> Plan | None:
        """What the command has done so far, as a plan; None where that is nothing. See `propose_layer`.

        Nothing is proposed that is just what was `laid` over the project before.
        """
        with self._kept_lock:
            said = printed_text(self._kept.value, self._kept.cut_at, self._kept.left_out_bytes)
        return self._propose(f"{command_text(self._command.argv)} is at work.", said, laid)

    def outcome(self) -> Outcome:
        """What came of the command, once it has ended. Raises as `Sandbox.run`."""
        return self._ended.result()

    def propose(self, laid: Iterable[LaidResult] = ()) -> Plan | None:
        """The last look, once it has ended. Raises as `Sandbox.run` and `propose_layer`."""
        outcome = self.outcome()
        return self._propose(outcome_sentence(outcome), output_of(outcome), laid)

    def close(self) -> None:
        """End the command where it still runs, and its session."""
        if not self._ended.done():
            self._cancel.set()
        self._executor.shutdown()
        self._proposer.close_session(self._session)

    def _hear(self, data: bytes) -> None:
        with self._kept_lock:
            self._kept.add(data)
        if self._heard is not None:
            self._heard(data)

    def _propose(self, sentence: str, printed: str, laid: Iterable[LaidResult]) -> Plan | None:
        shown = command_text(self._command.argv)
        found = changes_of(self._sandbox, shown, f"{sentence}\n\n{printed}", laid)
        return self._proposer.propose_layer(found, self._session)
