"""The real `studio mcp` as a process of its own, and the official client at the other end of its pipes."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import AbstractAsyncContextManager, ExitStack, asynccontextmanager
from pathlib import Path
from subprocess import PIPE
from typing import Any

import anyio
import jsonschema
import pytest
from anyio.abc import Process
from anyio.from_thread import BlockingPortal, start_blocking_portal
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from anyio.streams.text import TextReceiveStream
from mcp import Client, StdioServerParameters, stdio_client
from mcp.shared.message import SessionMessage
from mcp_types import CallToolResult, Implementation, TextContent, Tool, jsonrpc_message_adapter

from studio.engine.plan import Plan
from studio.engine.workspace import Workspace
from tests.tools.forked import ForkServer

Incoming = MemoryObjectReceiveStream[SessionMessage | Exception]
Outgoing = MemoryObjectSendStream[SessionMessage]

SECONDS = 20
"""How long anything may take that is waited for."""

ERAS = {"auto": "2026-07-28", "legacy": "2025-11-25"}


class Agent:
    """One client that is connected; its calls block, or go on beside when they are started."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self._portal = portal
        self._client = client
        self.progress = list[float]()

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
        assert result.is_error and result.structured_content is None, result
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
def connect(project: Path, forks: ForkServer | None) -> Iterator[Connect]:
    """Connect a client; all are disconnected at the end, and their servers end then. `code` serves it."""
    with ExitStack() as stack:
        portal = stack.enter_context(start_blocking_portal())

        def call(*words: str, era: str = "auto", name: str = "tester", code: str = "") -> Agent:
            client = Client(
                _served(None if code else forks, ["-c", code] if code else ["mcp", *words], project),
                mode=era,
                client_info=Implementation(name=name, version="1"),
            )
            return Agent(portal, stack.enter_context(portal.wrap_async_context_manager(client)))

        yield call


def _served(
    forks: ForkServer | None, words: Sequence[str], folder: Path
) -> AbstractAsyncContextManager[tuple[Any, Any]]:
    if forks is not None:
        return _forked(forks, words, folder)
    command = [*words] if words[0] == "-c" else ["-m", "studio", *words]
    return stdio_client(
        StdioServerParameters(command=sys.executable, args=command, cwd=folder, env=dict(os.environ))
    )


@asynccontextmanager
async def _forked(
    forks: ForkServer, words: Sequence[str], folder: Path
) -> AsyncGenerator[tuple[Incoming, Outgoing]]:
    """As `stdio_client`, with a server that need not import the program first."""
    to_client, incoming = anyio.create_memory_object_stream[SessionMessage | Exception](100)
    outgoing, to_server = anyio.create_memory_object_stream[SessionMessage](100)
    handles = (forks.handle,)
    process = await anyio.open_process(
        forks.client_command(*words), cwd=folder, stdin=PIPE, stdout=PIPE, stderr=None, pass_fds=handles
    )
    async with anyio.create_task_group() as pipes, process:
        pipes.start_soon(_read, process, to_client)
        pipes.start_soon(_write, process, to_server)
        yield incoming, outgoing
        assert process.stdin is not None
        await process.stdin.aclose()
        with anyio.fail_after(SECONDS):
            assert await process.wait() == 0
        pipes.cancel_scope.cancel()
    for stream in (to_client, incoming, outgoing, to_server):
        stream.close()


async def _read(process: Process, lines: MemoryObjectSendStream[SessionMessage | Exception]) -> None:
    assert process.stdout is not None
    rest = ""
    async for part in TextReceiveStream(process.stdout):
        *whole, rest = f"{rest}{part}".split("\n")
        for line in whole:
            await lines.send(SessionMessage(jsonrpc_message_adapter.validate_json(line, by_name=False)))


async def _write(process: Process, messages: MemoryObjectReceiveStream[SessionMessage]) -> None:
    assert process.stdin is not None
    async for message in messages:
        line = message.message.model_dump_json(by_alias=True, exclude_unset=True)
        await process.stdin.send(f"{line}\n".encode())


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
