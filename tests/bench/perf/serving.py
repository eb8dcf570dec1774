"""From spawn to the list of tools that a client of the Model Context Protocol gets."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path

from tests.bench.perf.comparison import Benchmark, Comparison, compare
from tests.bench.perf.processes import environment, studio

PEER = Path(__file__).with_name("bare_server.py")
_INFO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "perf", "version": "1"}}
_ASKED = "".join(
    f"{json.dumps(line)}\n"
    for line in (
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": _INFO},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
        {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
    )
).encode()


def listed_tools(server: subprocess.Popen[bytes]) -> list[object]:
    """Ask a server that was just spawned for its tools."""
    assert server.stdin is not None and server.stdout is not None
    server.stdin.write(_ASKED)
    server.stdin.flush()
    server.stdout.readline()
    return json.loads(server.stdout.readline())["result"]["tools"]


def _until_listed(command: list[str], variables: Mapping[str, str]) -> float:
    """Milliseconds from before the server is spawned until its tools are listed."""
    began = time.perf_counter()
    with subprocess.Popen(
        command, env=dict(variables), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as server:
        tools = listed_tools(server)
        taken = (time.perf_counter() - began) * 1000
        assert server.stdin is not None
        server.stdin.close()
    assert tools and server.returncode == 0
    return taken


def _start(folder: Path, pairs: int) -> Comparison:
    variables = environment(folder)
    ours, peer = compare(
        lambda: _until_listed([studio(), "mcp", "--project", str(folder)], variables),
        lambda: _until_listed([sys.executable, str(PEER)], variables),
        pairs,
    )
    return Comparison("studio mcp", "a bare server of the same SDK", ours, peer, 1.3)


MCP = Benchmark("mcp", "spawn to the tools of the MCP server listed", _start)
