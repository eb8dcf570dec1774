"""`codex app-server`, spoken to as Codex' own programs do: one JSON message a line, on its pipes."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self, cast

from studio import __version__
from studio.engine.workspace import reason

ANSWER_SECONDS: Final = 20.0
_END_SECONDS: Final = 2.0
_NO_METHOD: Final = -32601

Message = dict[str, Any]
CALLED_OFF: Final[Message] = {}
"""What `next` gives where somebody called off what goes on."""


class AppServerFailed(Exception):
    """The server gave no answer, or none that is understood; the words are a clause."""


class AppServerRefused(AppServerFailed):
    """The server answered with an error; it works on."""


class AppServer:
    """The server from `with` on, in a session of its own: Ctrl-C is ours, and does not end it.

    `called_off` is set by `call_off`, and when the server ends: what waits for anybody else looks at it.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Raises AppServerFailed where it can't be started."""
        self.called_off = threading.Event()
        self._lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._kept: deque[Message] = deque()
        self._last = 0
        self._has_ended = False
        try:
            self._process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise AppServerFailed(reason(error, "its program")) from error
        self._reader = threading.Thread(target=self._read, name="codex-app-server", daemon=True)
        self._reader.start()

    def __enter__(self) -> Self:
        try:
            self.ask("initialize", {"clientInfo": {"name": "exacta-studio", "version": __version__}})
            self._send({"method": "initialized"})
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """End it, whatever it is doing, and what it started in its session."""
        assert self._process.stdout is not None
        self.hang_up()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_SECONDS)
        self.kill()
        self._reader.join(_END_SECONDS)
        self._process.stdout.close()

    def hang_up(self) -> None:
        """Say nothing more, as a client that was killed."""
        assert self._process.stdin is not None
        with suppress(OSError):
            self._process.stdin.close()

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
        self._lines.put(None)

    def go_on(self) -> None:
        """Forget that something was called off."""
        if not self._has_ended:
            self.called_off.clear()

    def ask(self, method: str, parameters: Mapping[str, Any], seconds: float = ANSWER_SECONDS) -> Message:
        """The result of a request, {} for one that is no object; what comes before it is kept for `next`.

        Raises AppServerFailed for an error, none in time, and a server that ended.
        """
        self._last += 1
        self._send({"id": self._last, "method": method, "params": dict(parameters)})
        until = time.monotonic() + seconds
        while True:
            message = self._read_one(until - time.monotonic(), seconds)
            if message is None:
                raise AppServerFailed("it ended")
            if message.get("id") != self._last or "method" in message:
                self._kept.append(message)  # news, or a request of its own
                continue
            if "error" in message:
                raise AppServerRefused(f"it refused {method}")
            return as_fields(message.get("result"))

    def next(self, seconds: float | None = None) -> Message | None:
        """Its next message that is no answer; None once it has ended, CALLED_OFF where somebody did so.

        Raises AppServerFailed where none comes in time.
        """
        if self._kept:
            return self._kept.popleft()
        while (message := self._read_one(seconds, seconds)) is not None:
            if not message or "method" in message:
                return message
        return None

    def answer(self, request: Message, result: Mapping[str, Any]) -> None:
        """Answer a request of the server. Raises AppServerFailed where it ended."""
        self._send({"id": request["id"], "result": dict(result)})

    def refuse(self, request: Message, why: str) -> None:
        """Tell the server that its request is not one that is answered."""
        self._send({"id": request["id"], "error": {"code": _NO_METHOD, "message": why}})

    def _send(self, message: Message) -> None:
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(json.dumps(message).encode() + b"\n")
            self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise AppServerFailed("it ended") from error

    def _read_one(self, left: float | None, seconds: float | None) -> Message | None:
        """The next line that is a message: others say nothing, whatever they are."""
        while not self._has_ended:
            try:
                line = self._lines.get(timeout=None if left is None else max(0.0, left))
            except queue.Empty:
                raise AppServerFailed(f"it did not answer in {seconds:.0f} seconds") from None
            if line is None:
                return CALLED_OFF
            if not line:
                self._has_ended = True
            with suppress(ValueError, RecursionError):
                message: object = json.loads(line)
                if isinstance(message, dict) and message:
                    return cast("Message", message)
        return None

    def _read(self) -> None:
        assert self._process.stdout is not None
        with suppress(OSError, ValueError):
            for line in self._process.stdout:
                self._lines.put(line)
        self.called_off.set()
        self._lines.put(b"")


def as_fields(value: object) -> Message:
    """An object of a message; {} for anything else."""
    return cast("Message", value) if isinstance(value, dict) else {}


def as_text(value: object) -> str:
    """A text of a message; "" for anything else."""
    return value if isinstance(value, str) else ""
