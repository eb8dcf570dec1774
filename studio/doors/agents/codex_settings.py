"""Codex settings that close all ways past its read-only sandbox.

Found by running Codex 0.169.0: the sandbox stops commands and patches, but not what the user's own rules
allow, nor MCP tools that are approved beforehand.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from studio.doors.agents.app_server import AppServer, AppServerFailed
from studio.doors.agents.server_process import Message, as_fields, as_text

_OWN_SERVER: Final = "studio"
"""Our own MCP server: its tools propose and never write."""
_SYSTEM: Final = Path("/etc/codex")
_ASKS: Final = "prompt"
_START_SECONDS: Final = 120.0
"""Seconds; a thread starts only after the user's MCP servers have."""


IsOurs = Callable[[object], bool]
"""Predicate: whether a configuration entry starts our server.

A project may bring another server of the same name.
"""


def rule_files(project: Path) -> tuple[Path, ...]:
    """Return the non-empty rule files that may allow commands unasked.

    Such a command runs outside of the sandbox.
    """
    chosen = os.environ.get("CODEX_HOME")
    user = Path(chosen) if chosen else Path.home() / ".codex"
    folders = (_SYSTEM, user, *(folder / ".codex" for folder in (project, *project.parents)))
    return tuple(dict.fromkeys(file for folder in folders for file in _with_rules(folder / "rules")))


def _with_rules(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(file for file in folder.glob("*.rules") if file.stat().st_size)
    except OSError:
        return


def start_thread(server: AppServer, project: Path, is_ours: IsOurs) -> str:
    """Start a thread in the read-only sandbox and return its id.

    Codex asks the user for everything else. Raises AppServerFailed where Codex does not itself confirm this.
    """
    read = as_fields(server.ask("config/read", {"cwd": str(project)}).get("config"))
    started = server.ask(
        "thread/start",
        {
            "cwd": str(project),
            "approvalPolicy": "on-request",
            "approvalsReviewer": "user",
            "sandbox": "read-only",
            "config": {"mcp_servers": _asking(as_fields(read.get("mcp_servers")), is_ours)},
        },
        _START_SECONDS,
    )
    holds = (
        as_fields(started.get("sandbox")).get("type") == "readOnly"
        and started.get("approvalPolicy") == "on-request"
        and started.get("approvalsReviewer") == "user"
    )
    thread = as_text(as_fields(started.get("thread")).get("id"))
    if not holds or not thread:
        raise AppServerFailed("it did not begin in its read-only sandbox, asking its user")
    return thread


def _asking(servers: Message, is_ours: IsOurs) -> dict[str, Any]:
    """Return settings that make every server but ours ask for each tool.

    This overrides tools that the user approved beforehand.
    """
    return {
        name: {
            "default_tools_approval_mode": _ASKS,
            "tools": {tool: {"approval_mode": _ASKS} for tool in as_fields(as_fields(server).get("tools"))},
        }
        for name, server in servers.items()
        if name != _OWN_SERVER or not is_ours(server)
    }
