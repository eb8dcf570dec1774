"""One command at work in its sandbox, and the looks at what it has done so far."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from studio.engine.commands.words import command_text, outcome_sentence, output_of, printed_text
from studio.engine.limits import TITLE_CHARACTERS
from studio.engine.plan import Plan
from studio.engine.proposer import LaidResult, LayerChanges, Proposer
from studio.engine.sandbox import Command, KeptOutput, LayerKind, Outcome, Sandbox
from studio.engine.system.closing import Closing

# What a command left in its sandbox, as it is proposed.


def changes_of(sandbox: Sandbox, shown: str, message: str, laid: Iterable[LaidResult] = ()) -> LayerChanges:
    """What is in the layer now; `shown` is what the command is called, `message` what is said of it."""
    layer = sandbox.layer
    return LayerChanges(
        layer.path,
        layer.copied if layer.kind is LayerKind.COPY else None,
        sandbox.since_ns,
        f"Changes of {shown}"[:TITLE_CHARACTERS],
        message,
        frozenset(laid),
    )


THREAD = "command in the sandbox"
"""What the thread is called that waits for a command."""

DOOR = "run"
"""The door of these sessions."""


class RunningCommand(Closing):
    """A command at work on a layer. Any one thread may ask for what it has changed, and wait.

    The sandbox stays whose it is, and is closed after this.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        command: Command,
        *,
        heard: Callable[[bytes], None] | None = None,
        cancel: threading.Event | None = None,
        output: int | None = None,
        given: int | None = None,
    ) -> None:
        """Start it. `heard`, `output`, `given` and `cancel` are as for `Sandbox.run`."""
        self._sandbox, self._command = sandbox, command
        self._heard = heard
        self._cancel = cancel or threading.Event()
        self._kept, self._kept_lock = KeptOutput(command.output_bytes), threading.Lock()
        self._executor = ThreadPoolExecutor(1, THREAD)
        self._ended: Future[Outcome] = self._executor.submit(
            sandbox.run, command, given=given, output=output, heard=self._hear, cancel=self._cancel
        )

    def wait(self, seconds: float) -> bool:
        """Wait for the command, so many seconds; whether it has ended."""
        return bool(wait((self._ended,), seconds).done)

    def when_ended(self, call: Callable[[], object]) -> None:
        """Call this once it has ended, on any thread."""
        self._ended.add_done_callback(lambda _: call())

    def outcome(self) -> Outcome:
        """What came of the command, once it has ended. Raises as `Sandbox.run`."""
        return self._ended.result()

    def changes_so_far(self, laid: Iterable[LaidResult] = ()) -> LayerChanges:
        """What it has changed, while it is at work. See `CommandRun.look`."""
        with self._kept_lock:
            said = printed_text(self._kept.value, self._kept.cut_at, self._kept.left_out_bytes)
        return self._changes(f"{command_text(self._command.argv)} is at work.", said, laid)

    def changes(self, laid: Iterable[LaidResult] = ()) -> LayerChanges:
        """What it has changed, once it has ended. Raises as `Sandbox.run`."""
        outcome = self.outcome()
        return self._changes(outcome_sentence(outcome), output_of(outcome), laid)

    def stop(self) -> None:
        """End it; nobody waits for that here."""
        self._cancel.set()

    def close(self) -> None:
        """End it where it still runs, and wait until it has."""
        if not self._ended.done():
            self.stop()
        self._executor.shutdown()

    def _hear(self, data: bytes) -> None:
        with self._kept_lock:
            self._kept.add(data)
        if self._heard is not None:
            self._heard(data)

    def _changes(self, sentence: str, printed: str, laid: Iterable[LaidResult]) -> LayerChanges:
        shown = command_text(self._command.argv)
        return changes_of(self._sandbox, shown, f"{sentence}\n\n{printed}", laid)


class CommandRun(RunningCommand):
    """One in a session that lasts as long as it: each look is a round of what it proposes."""

    def __init__(
        self,
        proposer: Proposer,
        sandbox: Sandbox,
        command: Command,
        *,
        agent: str,
        heard: Callable[[bytes], None] | None = None,
        cancel: threading.Event | None = None,
        given: int | None = None,
    ) -> None:
        """Start it, in a session of `agent`."""
        self._proposer, self._session = proposer, proposer.open_session(agent, DOOR)
        super().__init__(sandbox, command, heard=heard, cancel=cancel, given=given)

    def look(self, laid: Iterable[LaidResult] = ()) -> Plan | None:
        """What the command has done so far, as a plan; None where that is nothing. See `propose_layer`.

        Nothing is proposed that is just what was `laid` over the project before.
        """
        return self._proposer.propose_layer(self.changes_so_far(laid), self._session)

    def propose(self, laid: Iterable[LaidResult] = ()) -> Plan | None:
        """The last look, once it has ended. Raises as `Sandbox.run` and `propose_layer`."""
        return self._proposer.propose_layer(self.changes(laid), self._session)

    def close(self) -> None:
        """End the command where it still runs, and its session."""
        super().close()
        self._proposer.close_session(self._session)
