"""Background execution of a sandboxed command; proposal of its changes as plans."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from concurrent.futures import Future, ThreadPoolExecutor, wait

from studio.engine.plan import Plan
from studio.engine.propose.layer_draft import LayerChanges, OverlaidResult
from studio.engine.proposer import Proposer
from studio.extras.commands.messages import command_text, outcome_sentence, output_of, printed_text
from studio.extras.sandbox import BoundedOutput, Command, LayerKind, Outcome, Sandbox
from studio.limits import TITLE_CHARACTERS
from studio.system.closing import Closing

# Changes that a command left in its sandbox, ready to be proposed.


def changes_of(
    sandbox: Sandbox, shown_command: str, message: str, overlaid_results: Iterable[OverlaidResult] = ()
) -> LayerChanges:
    """Return the changes in the layer.

    `shown_command` is the command as displayed, `message` the message of the plan.
    """
    layer = sandbox.layer
    return LayerChanges(
        layer.path,
        layer.copied if layer.kind is LayerKind.COPY else None,
        sandbox.since_ns,
        f"Changes of {shown_command}"[:TITLE_CHARACTERS],
        message,
        frozenset(overlaid_results),
    )


THREAD = "command in the sandbox"
"""Name of the thread that waits for a command."""

DOOR = "run"
"""The door name of these sessions."""


class RunningCommand(Closing):
    """A command running on a layer; any one thread may use it.

    The caller still owns the sandbox, and closes it after this.
    """

    def __init__(
        self,
        sandbox: Sandbox,
        command: Command,
        *,
        on_output: Callable[[bytes], None] | None = None,
        cancel: threading.Event | None = None,
        output: int | None = None,
        stdin: int | None = None,
    ) -> None:
        """Start the command.

        `on_output`, `output`, `stdin` and `cancel` are as for `Sandbox.run`.
        """
        self._sandbox, self._command = sandbox, command
        self._on_output = on_output
        self._cancel = cancel or threading.Event()
        self._captured, self._capture_lock = BoundedOutput(command.output_bytes), threading.Lock()
        self._executor = ThreadPoolExecutor(1, THREAD)
        self._future: Future[Outcome] = self._executor.submit(
            sandbox.run,
            command,
            stdin=stdin,
            output=output,
            on_output=self._capture_output,
            cancel=self._cancel,
        )

    def wait(self, seconds: float) -> bool:
        """Wait up to `seconds` for the command; return whether it has ended."""
        return bool(wait((self._future,), seconds).done)

    def when_ended(self, call: Callable[[], object]) -> None:
        """Call a function on any thread once the command has ended."""
        self._future.add_done_callback(lambda _: call())

    def outcome(self) -> Outcome:
        """Wait for the end and return the outcome. Raises as `Sandbox.run`."""
        return self._future.result()

    def changes_so_far(self, overlaid_results: Iterable[OverlaidResult] = ()) -> LayerChanges:
        """Return the changes of a running command. See `CommandRun.look`."""
        with self._capture_lock:
            output = printed_text(self._captured.value, self._captured.cut_at, self._captured.left_out_bytes)
        return self._collect_changes(
            f"{command_text(self._command.argv)} is at work.", output, overlaid_results
        )

    def changes(self, overlaid_results: Iterable[OverlaidResult] = ()) -> LayerChanges:
        """Wait for the end and return the changes. Raises as `Sandbox.run`."""
        outcome = self.outcome()
        return self._collect_changes(outcome_sentence(outcome), output_of(outcome), overlaid_results)

    def stop(self) -> None:
        """Request the command's end, without waiting for it."""
        self._cancel.set()

    def close(self) -> None:
        """Stop the command if it still runs, and wait for its end."""
        if not self._future.done():
            self.stop()
        self._executor.shutdown()

    def _capture_output(self, data: bytes) -> None:
        with self._capture_lock:
            self._captured.add(data)
        if self._on_output is not None:
            self._on_output(data)

    def _collect_changes(
        self, sentence: str, printed: str, overlaid_results: Iterable[OverlaidResult]
    ) -> LayerChanges:
        shown_command = command_text(self._command.argv)
        return changes_of(self._sandbox, shown_command, f"{sentence}\n\n{printed}", overlaid_results)


class CommandRun(RunningCommand):
    """A command whose changes are proposed to a session of its own.

    Each `propose_so_far` is a further round of the session's plan.
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
        stdin: int | None = None,
    ) -> None:
        """Start the command in a new session of `agent`."""
        self._proposer, self._session = proposer, proposer.open_session(agent, DOOR)
        super().__init__(sandbox, command, on_output=heard, cancel=cancel, stdin=stdin)

    def propose_so_far(self, overlaid_results: Iterable[OverlaidResult] = ()) -> Plan | None:
        """Propose the changes so far as a plan, None without any.

        A change that only repeats what was `laid` over the project before is not proposed. See
        `propose_layer`.
        """
        return self._proposer.propose_layer(self.changes_so_far(overlaid_results), self._session)

    def propose(self, overlaid_results: Iterable[OverlaidResult] = ()) -> Plan | None:
        """Wait for the command's end and propose its final changes.

        Raises as `Sandbox.run` and `propose_layer`.
        """
        return self._proposer.propose_layer(self.changes(overlaid_results), self._session)

    def close(self) -> None:
        """Stop the command if it still runs, and close its session."""
        super().close()
        self._proposer.close_session(self._session)
