"""Argument names of clients' shell tools, and display of tool calls.

Each client's record names its tools. A key that is not in it may change what is run: if one is present, all
arguments are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.gate import Request
from studio.doors.hooks.tools import ShellTool
from studio.engine.errors import Refused

_COMMAND_KEYS: Final = ("command", "cmd", "commands")


def request_of(tool: str, arguments: Mapping[str, Any], cwd: str, shell: ShellTool | None = None) -> Request:
    """Return a tool call's request: its command, or else all arguments.

    The command alone is shown for a known shell tool. Raises Refused for a shell tool with two commands: no
    one can see which of them would run.
    """
    everything = arguments_text(arguments)
    if shell is None:
        return Request(tool, everything, cwd)
    named = command_keys(arguments)
    if len(named) > 1:
        raise Refused(
            "call.two_commands",
            f"The tool call has two commands: “{named[0]}” and “{named[1]}”.",
            f"Give one of them: “{shell.command}”.",
        )
    command, folder = arguments.get(shell.command), arguments.get(shell.folder, "") if shell.folder else ""
    words = _texts(command if shell.is_list else [command])
    if isinstance(folder, str):
        cwd = str(Path(cwd, folder))
    recognized = {shell.command, shell.folder, *shell.harmless}
    if not words or not isinstance(folder, str) or not arguments.keys() <= recognized:
        return Request(tool, everything, cwd)
    return Request(tool, command if isinstance(command, str) else everything, cwd, words)


def command_keys(arguments: Mapping[str, Any]) -> list[str]:
    """Return the argument names that hold a shell command, for any tool."""
    return [key for key in _COMMAND_KEYS if key in arguments]


def arguments_text(arguments: object) -> str:
    """Format all arguments of a tool for a reviewer."""
    return json.dumps(arguments, ensure_ascii=False, indent=1)


def _texts(command: object) -> tuple[str, ...]:
    items = cast("list[object]", command) if isinstance(command, list) else []
    words = [each for each in items if isinstance(each, str)]
    return tuple(words) if len(words) == len(items) else ()
