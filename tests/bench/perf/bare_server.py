"""A server of the same SDK with one tool that does nothing: what `studio mcp` is measured against."""

from __future__ import annotations

import anyio
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import Server
from mcp.server.stdio import stdio_server
from mcp_types import ListToolsResult, PaginatedRequestParams, Tool


async def _listed(
    _context: ServerRequestContext[dict[str, object]], _params: PaginatedRequestParams | None
) -> ListToolsResult:
    return ListToolsResult(tools=[Tool(name="nothing", input_schema={"type": "object"})])


async def _serve() -> None:
    server: Server[dict[str, object]] = Server("bare", on_list_tools=_listed)
    async with stdio_server() as (incoming, outgoing):
        await server.run(incoming, outgoing, server.create_initialization_options())


if __name__ == "__main__":
    anyio.run(_serve)
