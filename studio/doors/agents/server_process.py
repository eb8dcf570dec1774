"""Child process of an agent, with line-based output and process-group termination.

Ctrl-C reaches only us, and interrupts a turn first.
"""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, Self, cast

_END_SECONDS: Final = 2.0

Message = dict[str, Any]
CALLED_OFF: Final[Message] = {}
"""Stands in for a message after `call_off`."""


class AgentFailed(Exception):
    """An agent's server gave no valid answer; the text is a clause."""


class ServerProcess:
    """The process, until `close`, with its output in `lines`.

    b"" marks the end of the output. `called_off` is set by `call_off`, and when the server ends: other waits
    check it.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None) -> None:
        """Start the process. Raises OSError where it can't be started."""
        self.called_off = threading.Event()
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self.has_ended = False
        self._process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._reader = threading.Thread(target=self._read, name="agent-server", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def input(self) -> IO[bytes]:
        """The process' standard input."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def close(self) -> None:
        """End the process, whatever it is doing, with its process group."""
        self.close_input()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self.kill()
        self._reader.join(_END_SECONDS)
        self._output.close()

    def close_input(self) -> None:
        """Close its input, as a client that was killed would."""
        with suppress(OSError):
            self.input.close()

    def kill(self) -> None:
        """Kill the process and its process group."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def exit_code(self) -> int | None:
        """Return the exit code as in Popen; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_SECONDS if self.called_off.is_set() else 0)
        return None

    def call_off(self) -> None:
        """Wake every thread that waits; safe in a signal handler."""
        self.called_off.set()
        self.lines.put(None)

    def reset_called_off(self) -> None:
        """Reset `called_off`."""
        if not self.has_ended:
            self.called_off.clear()

    def mark_output_end(self) -> None:
        """Report that no more output will come."""
        self.called_off.set()
        self.lines.put(b"")

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._output:
                self.lines.put(line)
        self.mark_output_end()


def as_fields(value: object) -> Message:
    """Return an object of a message; {} for anything else."""
    return cast("Message", value) if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """Return a text of a message; "" for anything else."""
    return value if isinstance(value, str) else ""


def as_list(value: object) -> list[object]:
    """Return a list of a message; empty for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []
