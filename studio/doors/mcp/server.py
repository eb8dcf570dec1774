"""MCP server on standard input and output; tool calls run in threads.

It uses the official SDK; each tool call runs on a thread, as the engine's calls block. Those that wait for a
person use a thread limit of their own, so that no number of them blocks a read.
"""

from __future__ import annotations

import json
import signal
import time
from collections.abc import AsyncIterable, Awaitable, Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING

import anyio
import anyio.to_thread
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp.shared.exceptions import MCPError
from mcp.shared.message import SessionMessage
from mcp_types import (
    INVALID_PARAMS,
    PARSE_ERROR,
    CallToolRequestParams,
    CallToolResult,
    ErrorData,
    JSONRPCError,
    ListToolsResult,
    PaginatedRequestParams,
    TextContent,
    Tool as ListedTool,
    ToolAnnotations,
)
from msgspec import Struct, field
from pydantic import ValidationError

from studio import __version__
from studio.doors import json_documents
from studio.doors.limits import AGENT_CALLS_AT_ONCE, AGENT_PROGRESS_SECONDS, AGENT_WAITS_AT_ONCE
from studio.doors.mcp.connection import ClientWait, ServedClient
from studio.doors.mcp.tools import TOOLS, Tool
from studio.names import show_name

if TYPE_CHECKING:
    from studio.doors.chosen_project import ChosenProject
    from studio.doors.mcp.calls import Reply
    from studio.workspace import Workspace

_INSTRUCTIONS = (
    "Read and change the files of this project with these tools. Each change is a proposal: it joins "
    "your plan, and nothing is written before the reviewer approves it. Reads include your own pending "
    "changes. When your work is done, call wait with the plan's id (propose_status does not wait), and "
    "follow the answer: parts may be excluded or changed, and files named there need to be read again."
)

Context = ServerRequestContext[dict[str, object]]


def serve(open_project: Callable[[], tuple[Workspace, ChosenProject]], *, agent: str = "") -> None:
    """Serve the client until it closes standard input.

    `agent` takes precedence over the client's own name.
    """
    # The SDK reads lines on a thread that nothing interrupts: else Ctrl-C would wait for the next line.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    anyio.run(_serve, ServedClient(open_project, agent))


async def _serve(connection: ServedClient) -> None:
    calls = _Calls(connection)
    server: Server[dict[str, object]] = Server(
        "exacta-studio",
        title="Exacta Studio",
        version=__version__,
        instructions=_INSTRUCTIONS,
        on_list_tools=_list_tools,
        on_call_tool=calls.call,
    )
    try:
        async with stdio_server() as (incoming, outgoing), anyio.create_task_group() as beside:
            readable, messages = anyio.create_memory_object_stream[SessionMessage | Exception](0)
            beside.start_soon(_refuse_unreadable, incoming, readable, outgoing.send)
            await server.run(messages, outgoing, server.create_initialization_options())
            beside.cancel_scope.cancel()
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(connection.close)


async def _refuse_unreadable(
    incoming: AsyncIterable[SessionMessage | Exception],
    readable: MemoryObjectSendStream[SessionMessage | Exception],
    send: Callable[[SessionMessage], Awaitable[None]],
) -> None:
    """Forward messages, answering unreadable requests with an error.

    The SDK itself sends none for them.
    """
    async with readable:
        async for message in incoming:
            request = _request_id(message) if isinstance(message, ValidationError) else None
            if request is None:
                await readable.send(message)
                continue
            why = "The request can't be read: it has an unpaired surrogate. Send valid Unicode."
            error = ErrorData(code=PARSE_ERROR, message=why)
            await send(SessionMessage(JSONRPCError(jsonrpc="2.0", id=request, error=error)))


def _request_id(error: ValidationError) -> int | str | None:
    """Return the id of a request that only Python's JSON parser accepts.

    It accepts half of a surrogate pair, the SDK's does not.
    """
    (first, *_) = error.errors()
    try:
        request = json.loads(first["input"]).get("id") if first["type"] == "json_invalid" else None
    except (AttributeError, RecursionError, TypeError, ValueError):
        return None
    return request if isinstance(request, int) or (isinstance(request, str) and request.isascii()) else None


async def _list_tools(_context: Context, _params: PaginatedRequestParams | None) -> ListToolsResult:
    return ListToolsResult(tools=[_listed(tool) for tool in TOOLS.values()])


def _listed(tool: Tool) -> ListedTool:
    return ListedTool(
        name=tool.name,
        title=tool.title,
        description=tool.words,
        input_schema=tool.arguments,
        output_schema=dict(tool.result),
        annotations=ToolAnnotations(
            title=tool.title,
            read_only_hint=not tool.changes,
            destructive_hint=tool.destroys,
            idempotent_hint=tool.repeats,
            open_world_hint=False,
        ),
    )


class _Calls(Struct):
    connection: ServedClient
    _at_once: anyio.CapacityLimiter = field(
        default_factory=lambda: anyio.CapacityLimiter(AGENT_CALLS_AT_ONCE)
    )
    _waiting: anyio.CapacityLimiter = field(
        default_factory=lambda: anyio.CapacityLimiter(AGENT_WAITS_AT_ONCE)
    )

    async def call(self, context: Context, params: CallToolRequestParams) -> CallToolResult:
        """Run one tool call. Raises MCPError for an unknown tool."""
        tool = TOOLS.get(params.name)
        if tool is None:
            raise MCPError(INVALID_PARAMS, f"Unknown tool {show_name(params.name)}.")
        return _result(await self._answer(context, tool, params.arguments or {}))

    async def _answer(self, context: Context, tool: Tool, arguments: Mapping[str, object]) -> Reply:
        """Run a tool call on a thread and return its reply.

        When the client gives up, `wait.cancel` is set, and the thread's end is awaited.
        """
        client_params = context.session.client_params
        client = "" if client_params is None else client_params.client_info.name
        wait = ClientWait()
        limiter = self._waiting if tool.waits else self._at_once
        reply: Reply | None = None
        async with anyio.create_task_group() as tasks:
            tasks.start_soon(_report_or_cancel, context, tool, wait)
            reply = await anyio.to_thread.run_sync(
                _carry_out, tool, self.connection, client, arguments, wait, limiter=limiter
            )
            tasks.cancel_scope.cancel()
        assert reply is not None
        return reply


async def _report_or_cancel(context: Context, tool: Tool, wait: ClientWait) -> None:
    """Report progress of a waiting tool call; at the end, cancel it."""
    start = time.monotonic()
    try:
        while tool.waits:
            with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
                seconds = round(time.monotonic() - start)
                await context.session.report_progress(seconds, message=wait.news)
            await anyio.sleep(AGENT_PROGRESS_SECONDS)
        await anyio.sleep_forever()
    finally:
        wait.cancel.set()


def _carry_out(
    tool: Tool,
    connection: ServedClient,
    client: str,
    arguments: Mapping[str, object],
    wait: ClientWait,
) -> Reply:
    from studio.doors.mcp.calls import answer  # the engine, slow to import: not for a list of tools

    return answer(tool, connection, client, arguments, wait)


def _result(reply: Reply) -> CallToolResult:
    # A file's name may not be UTF-8, which the protocol can't carry: it is sent in escaped form.
    document = None if reply.document is None else json.loads(json_documents.document_text(reply.document))
    text = reply.text.encode("utf-8", "backslashreplace").decode()
    return CallToolResult(
        content=[TextContent(type="text", text=text)], structured_content=document, is_error=reply.is_refused
    )
