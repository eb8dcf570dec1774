"""The real `studio mcp` on a thread of its own, and the official client at the other end of its pipes."""

from __future__ import annotations

import json
import os
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import ExitStack, asynccontextmanager
from pathlib import Path
from typing import IO, Any
from unittest.mock import Mock

import anyio
import anyio.to_thread
import jsonschema
import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp import Client
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, Implementation, TextContent, Tool, jsonrpc_message_adapter

from studio.engine.plan import Plan
from studio.workspace import Workspace
from tests.tools.in_process import Started, end_sharing

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]

SECONDS = 20
"""How long anything may take that is waited for."""

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


class Agent:
    """One client that is connected; its calls block, or go on beside when they are started."""

    def __init__(self, portal: BlockingPortal, client: Client, end: Callable[[], None]) -> None:
        """`end` ends its server."""
        self.end = end
        self._portal = portal
        self._client = client
        self.progress = list[float]()
        self.messages = list[str | None]()

    @property
    def version(self) -> str:
        return self._client.session.protocol_version or ""

    def tools(self) -> dict[str, Tool]:
        return {tool.name: tool for tool in self._portal.call(self._client.list_tools).tools}

    def call(self, name: str, /, **arguments: Any) -> CallToolResult:
        """Call a tool and have its answer, which the SDK compares with the tool's output schema."""
        return self.start(name, **arguments).result(SECONDS)

    def start(self, name: str, /, **arguments: Any) -> Future[CallToolResult]:
        """Begin a call; to cancel its future is to have the client cancel it."""

        async def report(progress: float, total: float | None, message: str | None) -> None:
            self.progress.append(progress)
            self.messages.append(message)

        async def call() -> CallToolResult:
            return await self._client.call_tool(name, arguments, progress_callback=report)

        return self._portal.start_task_soon(call)

    def give(self, name: str, /, **arguments: Any) -> dict[str, Any]:
        """The document that a tool answers with, which the text holds, or which holds the text."""
        result = self.call(name, **arguments)
        assert not result.is_error, text_of(result)
        document = result.structured_content
        assert isinstance(document, dict)
        assert text_of(result) == document.get("text") or json.loads(text_of(result)) == document
        return document

    def refuse(self, name: str, /, **arguments: Any) -> str:
        """The sentence with which a call is refused."""
        result = self.call(name, **arguments)
        assert result.is_error, result
        refused = result.structured_content
        assert refused is None or (refused["text"], refused["state"]) == (text_of(result), "invalid")
        return text_of(result)

    def propose(self, **contents: str) -> str:
        """Propose files with these contents; the id of the plan."""
        steps = [{"op": "create", "path": path, "content": text} for path, text in contents.items()]
        return self.give("propose", text=json.dumps({"title": "New files", "steps": steps}))["plan"]


Connect = Callable[..., Agent]


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


def check(schema: Mapping[str, Any], document: Mapping[str, Any]) -> None:
    jsonschema.validate(document, schema)


@pytest.fixture
def connect(project: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Connect]:
    """Connect a client; all are disconnected at the end, and their servers end then."""
    monkeypatch.chdir(project)
    monkeypatch.setattr("studio.doors.mcp.server.signal", Mock())  # the main thread alone may set one
    monkeypatch.setattr("studio.doors.mcp.server.stdio_server", _closed_at_the_end)
    with ExitStack() as stack:
        stack.callback(end_sharing)
        portal = stack.enter_context(start_blocking_portal())

        def call(*words: str, era: str = "auto", name: str = "tester") -> Agent:
            about = Implementation(name=name, version="1")
            client = Client(_served(words), mode=era, client_info=about)
            served = stack.enter_context(ExitStack())
            opened = served.enter_context(portal.wrap_async_context_manager(client))
            return Agent(portal, opened, served.close)

        yield call


@asynccontextmanager
async def _closed_at_the_end() -> AsyncGenerator[tuple[Any, Any]]:
    """The server's streams, which the SDK leaves to the end of the process."""
    async with stdio_server() as (incoming, outgoing):
        yield incoming, outgoing
        incoming.close()
        outgoing.close()


class ServedHere:
    """A server on a thread, and our ends of its pipes."""

    def __init__(self, *words: str) -> None:
        """Start it."""
        reads, self.stdin = _pipe()
        self.stdout, writes = _pipe()

        def close() -> None:
            reads.close()
            writes.close()

        self._started = Started(["mcp", *words], stdin=reads, stdout=writes, then=close)

    def end(self) -> str:
        """Close its input and wait for its end; its standard error."""
        self.stdin.close()
        code, errors = self._started.end(SECONDS)
        self.stdout.close()
        assert code == 0, errors
        return errors


def _pipe() -> tuple[IO[bytes], IO[bytes]]:
    reads, writes = os.pipe()
    return os.fdopen(reads, "rb"), os.fdopen(writes, "wb")


@asynccontextmanager
async def _served(words: Sequence[str]) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """As `stdio_client`, with a server that runs on a thread."""
    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    outgoing, to_server = anyio.create_memory_object_stream[SessionMessage](100)
    server = ServedHere(*words)
    async with anyio.create_task_group() as pipes:
        pipes.start_soon(_read, server, to_client)
        pipes.start_soon(_write, server, to_server)
        yield incoming, outgoing
        await anyio.to_thread.run_sync(server.end)
        pipes.cancel_scope.cancel()
    for stream in (to_client, incoming, outgoing, to_server):
        stream.close()


async def _read(server: ServedHere, lines: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    while line := await anyio.to_thread.run_sync(server.stdout.readline):
        await lines.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))


async def _write(server: ServedHere, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
    async for message in messages:
        line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        server.stdin.write(f"{line}\n".encode())
        server.stdin.flush()


@pytest.fixture
def era() -> str:
    """Of the protocol; a test of both is parametrized with ERAS."""
    return "auto"


@pytest.fixture
def agent(connect: Connect, era: str) -> Agent:
    return connect(era=era)


async def _until(said: Callable[[], bool]) -> None:
    with anyio.fail_after(SECONDS):
        while not said():
            await anyio.sleep(0.01)


def until(said: Callable[[], bool]) -> None:
    """Go on once it is so."""
    anyio.run(_until, said)


def plan_of(workspace: Workspace, document: Mapping[str, Any]) -> Plan:
    return workspace.proposer.plan(document["plan"])
