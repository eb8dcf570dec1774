"""Names of clients that have hooks, and lookup of their tool definitions."""

from __future__ import annotations

from importlib import import_module
from typing import Final

from studio.doors.clients.tools import HookTools

HOOKED_CLIENTS: Final = ("claude-code", "cline", "codex", "gemini", "opencode", "qwen")
"""The names that `studio hook` accepts."""


def hook_tools(name: str) -> HookTools:
    """Return the tools of one of HOOKED_CLIENTS.

    A tool is used every few seconds: all records together load in 0.1 s, one in 0.03 s.
    """
    tools: HookTools = import_module(f"studio.doors.clients.{name.replace('-', '_')}").TOOLS
    return tools
