"""HTTP test server that imitates model APIs with scripted replies, recording requests.

It speaks Anthropic's Messages, OpenAI's Responses and Chat Completions and Gemini's contents, whole and
streamed, and needs only the standard library. All requests are recorded, so that tests can check what the
model was sent.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self, cast

from studio.doors.agents import anthropic_messages, gemini_contents, openai_chat, openai_responses
from studio.doors.agents.script import ModelRequest, Script, Turn, next_turn
from studio.values import Value

LOOPBACK = "127.0.0.1"
_IDLE_SECONDS = 60.0
"""Seconds after which an idle connection is closed."""

Fields = Mapping[str, Any]


class Protocol(Value):
    """How one kind of client sends requests and gets responses.

    `path` matches the request path without the query; the response is streamed where its group `streamed`
    matches, or the request asks for it, and `end` follows its last event.
    """

    path: re.Pattern[str]
    read: Callable[[Fields], ModelRequest]
    whole: Callable[[Turn, ModelRequest], Fields]
    streamed: Callable[[Turn, ModelRequest], Iterator[Fields]]
    end: str = ""


PROTOCOLS: Final = (
    *(
        Protocol(module.PATH, module.read, module.whole, module.streamed)
        for module in (anthropic_messages, openai_responses, gemini_contents)
    ),
    Protocol(openai_chat.PATH, openai_chat.read, openai_chat.whole, openai_chat.streamed, openai_chat.END),
)
"""A path that matches none of them is not found."""


class Record(Value):
    """All requests until now: model requests in order, and unknown paths."""

    requests: tuple[ModelRequest, ...]
    unknown: tuple[str, ...]

    @property
    def work(self) -> tuple[ModelRequest, ...]:
        """The requests of the work itself, without side requests."""
        return tuple(request for request in self.requests if not request.is_side_request)

    @property
    def last(self) -> ModelRequest:
        """The last request of the work, which holds the whole history.

        Raises IndexError if there is none.
        """
        return self.work[-1]


class ModelServer:
    """HTTP server of a script for a `with` block.

    Requests are answered on its own threads. `listener` is a listening socket; without it a free port is
    used. A request that could not be answered raises its error at the end of the block.
    """

    def __init__(self, script: Script, listener: socket.socket | None = None) -> None:
        self._script = script
        self._lock = threading.Lock()
        self._requests: list[ModelRequest] = []
        self._unknown: list[str] = []
        self._failures: list[BaseException] = []
        self._http = _Http(self, listener or listen())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="model server")

    @property
    def url(self) -> str:
        """The base URL, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def record(self) -> Record:
        """All requests until now."""
        with self._lock:
            return Record(tuple(self._requests), tuple(self._unknown))

    def answer(self, protocol: Protocol, body: Fields) -> tuple[Turn, ModelRequest]:
        """Record a request and return the next turn for it."""
        request = protocol.read(body)
        with self._lock:
            self._requests.append(request)
        return next_turn(self._script, request), request

    def note_unknown(self, path: str) -> None:
        """Record a path that is not served."""
        with self._lock:
            self._unknown.append(path)

    def note_failure(self, failure: BaseException) -> None:
        """Store a thread's error, which the block's end raises."""
        with self._lock:
            self._failures.append(failure)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()
        if self._failures and error is None:
            raise self._failures[0]


def listen() -> socket.socket:
    """Return a socket that listens on a free port of loopback."""
    return socket.create_server((LOOPBACK, 0))


class _Http(ThreadingHTTPServer):
    daemon_threads = False

    def __init__(self, model: ModelServer, listener: socket.socket) -> None:
        super().__init__((LOOPBACK, 0), _Handler, bind_and_activate=False)
        self.socket.close()
        self.socket = listener
        self.server_address = listener.getsockname()
        self.model = model
        self._open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def server_close(self) -> None:
        # Close the connections of clients that are still running, instead of waiting for them.
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # closed by the client meanwhile
        super().server_close()

    def handle_error(self, *_: Any, **__: Any) -> None:
        failure = sys.exception()
        if failure is not None and not isinstance(failure, OSError):
            self.model.note_failure(failure)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _IDLE_SECONDS

    @property
    def _model(self) -> ModelServer:
        return cast("_Http", self.server).model

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        found = ((protocol, protocol.path.fullmatch(path)) for protocol in PROTOCOLS)
        protocol, match = next((each for each in found if each[1] is not None), (None, None))
        if protocol is None or match is None:
            self._answer_unknown()
            return
        try:
            request_body = json.loads(body)
            turn, request = self._model.answer(protocol, request_body)
            is_streamed = request_body.get("stream") or match.groupdict().get("streamed")
            events = list(protocol.streamed(turn, request)) if is_streamed else None
            document = protocol.whole(turn, request)
        except Exception as failure:
            # Clients repeat a request that got no answer, but not one answered with a client error.
            self._model.note_failure(failure)
            self._send(HTTPStatus.BAD_REQUEST, _error("invalid_request_error", repr(failure)))
            return
        if events is None:
            self._send(HTTPStatus.OK, document)
        else:
            self._stream(events, protocol.end)

    def do_GET(self) -> None:
        self._answer_unknown()

    def do_HEAD(self) -> None:
        self._answer_unknown()

    def _answer_unknown(self) -> None:
        self._model.note_unknown(f"{self.command} {self.path}")
        self._send(HTTPStatus.NOT_FOUND, _error("not_found_error", "Not served here."))

    def _send(self, status: HTTPStatus, document: Fields) -> None:
        text = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(text)

    def _stream(self, events: Sequence[Fields], end: str) -> None:
        # The connection's end marks the stream's end.
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(end.encode())

    def log_message(self, *_: Any, **__: Any) -> None:
        """Print nothing: the record has the requests."""


def _error(kind: str, message: str) -> Fields:
    """Return an error in Anthropic's form; other clients read its message."""
    return {"type": "error", "error": {"type": kind, "message": message}}
