"""An agent's own server, started in a session of its own: Ctrl-C is ours, and ends a turn first."""

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
"""What stands for a message where somebody called off what goes on."""


class AgentFailed(Exception):
    """An agent's server gave no answer, or none that is understood; the words are a clause."""


class ServerProcess:
    """The server, until `close` or the end of a block. What it says comes into `lines`, b"" once it ended.

    `called_off` is set by `call_off`, and when the server ends: what waits for anybody else looks at it.
    """

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None) -> None:
        """Raises OSError where it can't be started."""
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
        """Where it reads."""
        assert self._process.stdin is not None
        return self._process.stdin

    @property
    def _output(self) -> IO[bytes]:
        assert self._process.stdout is not None
        return self._process.stdout

    def close(self) -> None:
        """End it, whatever it is doing, and what it started in its session."""
        self.hang_up()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self.kill()
        self._reader.join(_END_SECONDS)
        self._output.close()

    def hang_up(self) -> None:
        """Say nothing more, as a client that was killed."""
        with suppress(OSError):
            self.input.close()

    def kill(self) -> None:
        """End it at once, with its whole group."""
        if sys.platform == "win32":
            self._process.kill()
        else:
            with suppress(ProcessLookupError, PermissionError):
                os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()

    def exit_code(self) -> int | None:
        """What it ended with, as Popen has it; None while it runs."""
        with suppress(subprocess.TimeoutExpired):
            return self._process.wait(_END_SECONDS if self.called_off.is_set() else 0)
        return None

    def call_off(self) -> None:
        """Wake whoever waits for the server, or for anybody else meanwhile. A signal's handler may do it."""
        self.called_off.set()
        self.lines.put(None)

    def go_on(self) -> None:
        """Forget that something was called off."""
        if not self.has_ended:
            self.called_off.clear()

    def note_end(self) -> None:
        """It says nothing more."""
        self.called_off.set()
        self.lines.put(b"")

    def _read(self) -> None:
        with suppress(OSError, ValueError):
            for line in self._output:
                self.lines.put(line)
        self.note_end()


def as_fields(value: object) -> Message:
    """An object of a message; {} for anything else."""
    return cast("Message", value) if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """A text of a message; "" for anything else."""
    return value if isinstance(value, str) else ""


def as_list(value: object) -> list[object]:
    """A list of a message; empty for anything else."""
    return cast("list[object]", value) if isinstance(value, list) else []
