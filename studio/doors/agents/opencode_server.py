"""Client of `opencode serve`: HTTP on loopback, and an event stream.

opencode's own programs use the same interface. Found by running opencode 1.18.33. No other process reaches
it: it listens on loopback, with a password that is generated here. It ends when this process does, however
that ends.
"""

from __future__ import annotations

import base64
import http.client
import json
import queue
import secrets
import sys
import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, Self, cast

from studio.doors.agents.server_process import CALLED_OFF, AgentFailed, Message, ServerProcess
from studio.system.os_errors import reason

_HOST: Final = "127.0.0.1"
_NAME: Final = "opencode"
_LISTENS: Final = b"listening on http"
_START_SECONDS: Final = 60.0
"""Seconds; its first start creates a database."""
_ANSWER_SECONDS: Final = 60.0
_EVENT: Final = b"data:"

_UNTIL_WE_GO: Final = """\
exec 3<&0
(trap '' TERM; cat <&3 >/dev/null; kill -s TERM -- -$$; sleep 1; kill -s KILL -- -$$) >/dev/null 2>&1 &
exec "$@" </dev/null 3<&-
"""
"""Shell wrapper that ends the server when our pipe closes.

The server does not read its input, and would outlive us.
"""


class OpencodeFailed(AgentFailed):
    """The server gave no valid answer; the text is a clause."""


class OpencodeRefused(OpencodeFailed):
    """The server answered with an error; it keeps running."""


class OpencodeServer(ServerProcess):
    """The server process in a `with` block; `next` returns its events."""

    def __init__(self, program: str, folder: Path, environment: Mapping[str, str]) -> None:
        """Start the server. Raises OpencodeFailed where it can't be started."""
        self._password = secrets.token_urlsafe(32)
        self._port = 0
        self._stream: http.client.HTTPConnection | None = None
        self._listener: threading.Thread | None = None
        command = [program, "serve", "--pure", "--hostname", _HOST, "--port", "0"]
        if sys.platform != "win32":
            command = ["/bin/sh", "-c", _UNTIL_WE_GO, "sh", *command]
        credentials = {"OPENCODE_SERVER_PASSWORD": self._password, "OPENCODE_SERVER_USERNAME": _NAME}
        try:
            super().__init__(command, folder, {**environment, **credentials})
        except OSError as error:
            raise OpencodeFailed(reason(error, "its program")) from error

    def __enter__(self) -> Self:
        try:
            self._port = self._read_port()
            self._listen()
        except BaseException:
            self.close()
            raise
        return self

    def close(self) -> None:
        """End the server and the event stream."""
        super().close()
        if self._listener is not None:
            self._listener.join()
        if self._stream is not None:
            self._stream.close()

    def ask(self, method: str, path: str, body: Mapping[str, Any] | None = None) -> Any:
        """Send a request and return its JSON answer, None if empty.

        Raises OpencodeFailed.
        """
        connection = http.client.HTTPConnection(_HOST, self._port, timeout=_ANSWER_SECONDS)
        try:
            connection.request(method, path, None if body is None else json.dumps(body), self._headers)
            response = connection.getresponse()
            text = response.read()
            if response.status >= http.client.BAD_REQUEST:
                raise OpencodeRefused(f"it refused {method} {path}")
            return json.loads(text) if text else None
        except (OSError, http.client.HTTPException) as error:
            raise OpencodeFailed("it did not answer") from error
        except ValueError as error:
            raise OpencodeFailed(f"its answer to {method} {path} has an unknown format") from error
        finally:
            connection.close()

    def next(self) -> Message | None:
        """Return the next event.

        Returns None once the server has ended, CALLED_OFF after `call_off`.
        """
        while not self.has_ended:
            line = self.lines.get()
            if line is None:
                return CALLED_OFF
            if not line:
                self.has_ended = True
            elif line.startswith(_EVENT):
                with suppress(ValueError, RecursionError):
                    event: object = json.loads(line.removeprefix(_EVENT))
                    if isinstance(event, dict) and event:
                        return cast("Message", event)
        return None

    @property
    def _headers(self) -> dict[str, str]:
        word = base64.b64encode(f"{_NAME}:{self._password}".encode()).decode()
        return {"Authorization": f"Basic {word}", "Content-Type": "application/json"}

    def _read_port(self) -> int:
        """Return the port that the server reports. Raises OpencodeFailed."""
        until = time.monotonic() + _START_SECONDS
        while True:
            try:
                line = self.lines.get(timeout=max(0.0, until - time.monotonic()))
            except queue.Empty:
                raise OpencodeFailed(f"it did not start within {_START_SECONDS:.0f} seconds") from None
            if not line:
                raise OpencodeFailed("it ended or was cancelled before it started")
            with suppress(ValueError):
                if _LISTENS in line:
                    return int(line.rpartition(b":")[2])

    def _listen(self) -> None:
        """Start a thread that reads the events until the stream ends."""
        self._stream = http.client.HTTPConnection(_HOST, self._port)
        try:
            self._stream.request("GET", "/event", headers=self._headers)
            response = self._stream.getresponse()
        except (OSError, http.client.HTTPException) as error:
            raise OpencodeFailed("it sends no events") from error
        if response.status != http.client.OK:
            raise OpencodeFailed("it sends no events")

        def read() -> None:
            with suppress(OSError, ValueError, http.client.HTTPException):
                for line in response:
                    self.lines.put(line)
            self.mark_output_end()

        self._listener = threading.Thread(target=read, name="opencode-events", daemon=True)
        self._listener.start()
