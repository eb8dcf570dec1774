"""What Gemini CLI and Qwen Code are given: both have a shell run their hook, with our words around it."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from studio.doors.connect.clients.client import SERVER, Entry, passed_on, server_entry
from studio.doors.connect.hook_program import CLIENT_SECONDS, guarded
from studio.engine.documents import Spot

COMMAND_FILES: Final = (
    "Shell commands in a command file ask you or its rules as you type its name, and no hook."
)
"""Run: Gemini CLI 0.61.0, Qwen Code 0.24.4."""


def guarded_entries(settings: Path, spot: Spot, matcher: str, hook: Path) -> tuple[Entry, ...]:
    """The hook at this spot for the tools that match, and our server, in one file. Its times are
    milliseconds."""
    handler = {"type": "command", "command": guarded(hook), "timeout": CLIENT_SECONDS * 1000}
    server: dict[str, object] = {**server_entry(), "trust": True}
    if variables := passed_on():
        server["env"] = variables
    return (
        Entry(
            settings,
            spot,
            {"matcher": matcher, "hooks": [handler]},
            "Every tool it uses asks Exacta Studio first.",
        ),
        Entry(
            settings,
            Spot(("mcpServers",), SERVER),
            server,
            "It is offered the tools of Exacta Studio, and uses them unasked.",
        ),
    )
