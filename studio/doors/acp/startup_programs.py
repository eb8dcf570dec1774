"""Warning about hooks and MCP servers that project settings start unasked.

No one is asked for what they do. Seen by running the agents in a folder that they trust: Gemini CLI 0.61.0
starts servers and the command that finds tools, Qwen Code 0.24.4 hooks, all before anything is asked. What
either was not seen to start counts as well.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

from studio.documents import Unreadable, read_spans
from studio.doors.clients.client import AcpAgent
from studio.errors import StudioError
from studio.extras.home_files import read_home_file

_SETTINGS: Final = "settings.json"
_EXTENSIONS: Final = "extensions"
_STARTED: Final = ("hooks", "mcpServers")
_STARTED_FOR_TOOLS: Final = ("discoveryCommand", "callCommand", "toolDiscoveryCommand", "toolCallCommand")
"""Older settings have the latter two at the top level."""


def startup_program_warning(agent: AcpAgent, project: Path) -> str:
    """Return a warning about programs that this agent starts here, or ""."""
    if not agent.project_folder:
        return ""
    folder = project / agent.project_folder
    try:
        if any((folder / _EXTENSIONS).glob("*")):
            return _sentence(agent, f"the content of {folder / _EXTENSIONS}")
        file = read_home_file(folder / _SETTINGS)
    except (OSError, StudioError):
        return _sentence(agent, f"{folder / _SETTINGS}, which can't be read")
    return _sentence(agent, file.display_name) if _starts_any(file.data) else ""


def _sentence(agent: AcpAgent, cause: str) -> str:
    return (
        f"In this project {agent.title} starts programs because of {cause}. They run without approval "
        "and can write files unreviewed."
    )


def _starts_any(data: bytes | None) -> bool:
    """Return whether these settings start anything, or can't be parsed."""
    text = (data or b"").decode("utf-8", "replace").removeprefix("\ufeff")
    if not text.strip():
        return False
    try:
        settings: object = read_spans(text).value
    except Unreadable:
        return True
    if not isinstance(settings, dict):
        return False
    members = cast("dict[str, Any]", settings)
    tools: object = members.get("tools")
    for_tools = cast("dict[str, Any]", tools) if isinstance(tools, dict) else {}
    return any(members.get(name) for name in _STARTED) or any(
        each.get(name) for each in (members, for_tools) for name in _STARTED_FOR_TOOLS
    )
