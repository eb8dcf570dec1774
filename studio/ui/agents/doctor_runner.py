"""Runner of `studio doctor`, testing that an agent cannot write files unreviewed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

from studio.extras.agents import Gate, GateStatus
from studio.system.os_errors import reason
from studio.ui.agents.agent_process import THREAD
from studio.values import Value

if TYPE_CHECKING:
    from studio.ui.runner import Runner

_STOP_SECONDS = 5.0
"""Time for the stopped process to end its client before it is killed."""


class Tried(Value):
    """One attempt of the client: its description and whether it wrote.

    `is_gated` is true where there was a gate, so that it should not have written.
    """

    attempt: str
    was_written: bool
    is_gated: bool


class ProofEnded(Value):
    """Result of a test: gate status or failure; neither if stopped."""

    gate_status: GateStatus | None = None
    failure: str = ""


class GateProof:
    """One test of a gate.

    `tried` and `ended` are called on the UI thread.
    """

    def __init__(
        self,
        runner: Runner,
        command: Callable[[], Sequence[str]],
        folder: Path,
        on_attempt: Callable[[Tried], object],
        on_end: Callable[[ProofEnded], object],
    ) -> None:
        self._runner, self._on_attempt, self._on_end = runner, on_attempt, on_end
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._is_stopped = False
        threading.Thread(target=self._run, args=(command, folder), name=THREAD, daemon=True).start()

    def stop(self) -> None:
        """End the test and its client; the last proved status stays."""
        with self._lock:
            self._is_stopped = True
            if self._process is not None:
                self._end(self._process)

    def _run(self, command: Callable[[], Sequence[str]], folder: Path) -> None:
        try:
            process = subprocess.Popen(
                command(),
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                start_new_session=True,
            )
        except OSError as error:
            self._post_result(
                ProofEnded(failure=f"The trial can't be started: {reason(error, 'its program')}.")
            )
            return
        with self._lock:
            self._process = process
            if self._is_stopped:
                self._end(process)
        with process:
            assert process.stdout is not None and process.stderr is not None
            for line in process.stderr:
                self._handle_line(line)
            output = process.stdout.read()
        self._post_result(ProofEnded() if self._is_stopped else _parse_outcome(output))

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        """Interrupt the process, and kill it if it does not end.

        It ends its client itself, which has a session of its own.
        """
        _send(process, signal.SIGINT)
        threading.Thread(target=_kill_later, args=(process,), name=THREAD, daemon=True).start()

    def _handle_line(self, line: bytes) -> None:
        fields = _parse_fields(line)
        if fields.get("event") == "tried":
            attempt = Tried(
                str(fields.get("attempt")), fields.get("written") is True, fields.get("gated") is not False
            )
            self._runner.post(self._on_attempt, attempt)

    def _post_result(self, result: ProofEnded) -> None:
        self._runner.post(self._on_end, result)


def _kill_later(process: subprocess.Popen[bytes]) -> None:
    try:
        process.wait(_STOP_SECONDS)
    except subprocess.TimeoutExpired:
        _send(process, signal.SIGKILL if sys.platform != "win32" else signal.SIGTERM)


def _send(process: subprocess.Popen[bytes], number: signal.Signals) -> None:
    """Signal the whole process group while the process is alive."""
    with suppress(OSError):
        if process.poll() is None:
            if sys.platform == "win32":
                process.terminate()
            else:
                os.killpg(process.pid, number)


def _parse_outcome(output: bytes) -> ProofEnded:
    document = _parse_fields(output)
    error = document.get("error")
    if isinstance(error, dict):
        fault = cast("dict[str, Any]", error)
        return ProofEnded(failure=f"{fault.get('message')} {fault.get('hint')}".strip())
    with suppress(KeyError, ValueError, TypeError, IndexError):
        gate = document["gates"][0]
        when = datetime.fromisoformat(gate["when"]) if gate.get("when") else None
        return ProofEnded(
            GateStatus(
                str(gate["agent"]),
                Gate(gate["gate"]),
                gate["proved"] is True,
                str(gate["why"]),
                str(gate["version"]),
                when,
                str(gate.get("file", "")),
                str(gate.get("reason", "")),
                is_own=gate.get("settings") == "own",
            )
        )
    return ProofEnded(failure="The test process ended without a readable result.")


def _parse_fields(line: bytes) -> dict[str, Any]:
    try:
        value: object = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}
