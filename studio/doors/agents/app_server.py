"""Client of `codex app-server`: one JSON message per line on pipes.

Codex' own programs use the same interface.
"""

from __future__ import annotations

import json
import queue
import time
from collections import deque
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self, cast

from studio import __version__
from studio.doors.agents.server_process import (
    CALLED_OFF,
    AgentFailed,
    Message,
    ServerProcess,
    as_fields,
)
from studio.system.os_errors import reason

ANSWER_SECONDS: Final = 20.0
_NO_METHOD: Final = -32601


class AppServerFailed(AgentFailed):
    """The server gave no valid answer; the text is a clause."""


class AppServerRefused(AppServerFailed):
    """The server answered with an error; it keeps running."""


class AppServer(ServerProcess):
    """The server process, for use in a `with` block."""

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
    ) -> None:
        """Start the server. Raises AppServerFailed where it can't be started."""
        self._unread: deque[Message] = deque()
        self._last = 0
        try:
            super().__init__(command, folder, environment)
        except OSError as error:
            raise AppServerFailed(reason(error, "its program")) from error

    def __enter__(self) -> Self:
        try:
            self.ask("initialize", {"clientInfo": {"name": "exacta-studio", "version": __version__}})
            self._send({"method": "initialized"})
        except BaseException:
            self.close()
            raise
        return self

    def ask(self, method: str, parameters: Mapping[str, Any], seconds: float = ANSWER_SECONDS) -> Message:
        """Send a request and return its result, {} if not an object.

        Messages received before it are queued for `next`. Raises AppServerFailed for an error, a timeout, and
        a server that ended.
        """
        self._last += 1
        self._send({"id": self._last, "method": method, "params": dict(parameters)})
        until = time.monotonic() + seconds
        while True:
            message = self._read_one(until - time.monotonic(), seconds)
            if message is None:
                raise AppServerFailed("it ended")
            if message.get("id") != self._last or "method" in message:
                self._unread.append(message)  # a notification, or a request of the server
                continue
            if "error" in message:
                raise AppServerRefused(f"it refused {method}")
            return as_fields(message.get("result"))

    def next(self, seconds: float | None = None) -> Message | None:
        """Return the next message that is no response.

        Returns None once the server has ended, CALLED_OFF after `call_off`. Raises AppServerFailed on
        timeout.
        """
        if self._unread:
            return self._unread.popleft()
        while (message := self._read_one(seconds, seconds)) is not None:
            if not message or "method" in message:
                return message
        return None

    def answer(self, request: Message, result: Mapping[str, Any]) -> None:
        """Answer a request of the server. Raises AppServerFailed where it ended."""
        self._send({"id": request["id"], "result": dict(result)})

    def refuse(self, request: Message, why: str) -> None:
        """Answer a request of the server with an error."""
        self._send({"id": request["id"], "error": {"code": _NO_METHOD, "message": why}})

    def _send(self, message: Message) -> None:
        try:
            self.input.write(json.dumps(message).encode() + b"\n")
            self.input.flush()
        except (OSError, ValueError) as error:
            raise AppServerFailed("it ended") from error

    def _read_one(self, timeout: float | None, seconds: float | None) -> Message | None:
        """Return the next line that is a JSON object, skipping others."""
        while not self.has_ended:
            try:
                line = self.lines.get(timeout=None if timeout is None else max(0.0, timeout))
            except queue.Empty:
                raise AppServerFailed(f"it did not answer within {seconds:.0f} seconds") from None
            if line is None:
                return CALLED_OFF
            if not line:
                self.has_ended = True
            with suppress(ValueError, RecursionError):
                message: object = json.loads(line)
                if isinstance(message, dict) and message:
                    return cast("Message", message)
        return None
