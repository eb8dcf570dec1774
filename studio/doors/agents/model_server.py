"""A model that follows a script, for clients nobody here wrote: HTTP on loopback, standard library only.

It speaks Anthropic's Messages, OpenAI's Responses and Chat Completions and Gemini's contents, whole and
streamed. What a client asked stays in the record, so that one can say what the model behind it was told.
"""

from __future__ import annotations

import json
import re
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Final, Self, cast

from studio.doors.agents import anthropic_messages, gemini_contents, openai_chat, openai_responses
from studio.doors.agents.script import ModelRequest, Script, Turn, next_turn

LOOPBACK = "127.0.0.1"
_IDLE_SECONDS = 60.0
"""How long a connection that says nothing is kept."""

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Protocol:
    """How one kind of client asks and is answered.

    `path` is what is asked, without what stands behind a question mark; where its group `streamed` is there,
    or the request says so, the answer is streamed, and `end` is said behind its last event.
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
"""Every path that none of them has is not found."""


@dataclass(frozen=True, slots=True)
class Record:
    """What was asked until now: requests of models in the order they came, and paths nobody serves."""

    requests: tuple[ModelRequest, ...]
    unknown: tuple[str, ...]

    @property
    def work(self) -> tuple[ModelRequest, ...]:
        """The requests of the work itself, without what was asked beside it."""
        return tuple(request for request in self.requests if not request.is_aside)

    @property
    def last(self) -> ModelRequest:
        """The last request of the work: it holds the whole history. Raises IndexError if there is none."""
        return self.work[-1]


class ModelServer:
    """Serves a script on loopback from `with` on, until the block ends; threads of its own answer.

    `listener` is a socket that listens already; without it a free port is taken. A request that this
    server could not answer raises at the end of the block what happened.
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
        """Where it is reached, without a path."""
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def record(self) -> Record:
        """What was asked until now."""
        with self._lock:
            return Record(tuple(self._requests), tuple(self._unknown))

    def answer(self, protocol: Protocol, body: Fields) -> tuple[Turn, ModelRequest]:
        """The turn that is next for a request, which goes on record."""
        request = protocol.read(body)
        with self._lock:
            self._requests.append(request)
        return next_turn(self._script, request), request

    def note_unknown(self, path: str) -> None:
        """Put a path that nobody serves on record."""
        with self._lock:
            self._unknown.append(path)

    def note_failure(self, failure: BaseException) -> None:
        """Keep what went wrong in a thread for the end of the block."""
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
    """A socket that listens on a free port of loopback."""
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
        # A client that lives on keeps its connection: nobody waits for it.
        for connection in tuple(self._open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                continue  # it went by itself meanwhile
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
            self._say_unknown()
            return
        try:
            asked = json.loads(body)
            turn, request = self._model.answer(protocol, asked)
            is_streamed = asked.get("stream") or match.groupdict().get("streamed")
            events = list(protocol.streamed(turn, request)) if is_streamed else None
            document = protocol.whole(turn, request)
        except Exception as failure:
            # Clients ask again and again what was not answered, but not what they are told is wrong.
            self._model.note_failure(failure)
            self._send(HTTPStatus.BAD_REQUEST, _error("invalid_request_error", repr(failure)))
            return
        if events is None:
            self._send(HTTPStatus.OK, document)
        else:
            self._stream(events, protocol.end)

    def do_GET(self) -> None:
        self._say_unknown()

    def do_HEAD(self) -> None:
        self._say_unknown()

    def _say_unknown(self) -> None:
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
        # The end of the connection is the end of the stream.
        self.send_response(HTTPStatus.OK)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        for event in events:
            name = f"event: {event['type']}\n" if "type" in event else ""
            self.wfile.write(f"{name}data: {json.dumps(event)}\n\n".encode())
        self.wfile.write(end.encode())

    def log_message(self, *_: Any, **__: Any) -> None:
        """Nothing: the record says what was asked."""


def _error(kind: str, message: str) -> Fields:
    """As Anthropic says it; the others read the message within."""
    return {"type": "error", "error": {"type": kind, "message": message}}
