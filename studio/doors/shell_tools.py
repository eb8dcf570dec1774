"""Agent tool calls prepared for approval: shell command, or else all arguments.

Each client's record names its tools. A key that is not in it may change what is run: if one is present, all
arguments are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.hooks.tools import ShellTool
from studio.errors import Refused
from studio.names import show_name
from studio.values import Value

_COMMAND_KEYS: Final = ("command", "cmd", "commands")


class Request(Value):
    """A tool call that is not a file change.

    `command` is the shell command line, or all arguments of another tool. `shell` holds the command lines to
    run in order; it is () for another tool, and for arguments that `shell_tools` does not recognize.
    """

    tool: str
    command: str
    cwd: str
    shell: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Reject text that cannot be stored or run.

        Raises Refused for half of a surrogate pair, or a NUL.
        """
        words = "".join((self.tool, self.command, *self.shell))
        if "\0" in words + self.cwd or not _is_whole(words):
            raise Refused(
                "call.not_text",
                f"The tool call of {show_name(self.tool)} has a NUL or an unpaired surrogate.",
                "Send valid Unicode without NUL.",
            )


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
            f"Send only “{shell.command}”.",
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


def _is_whole(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True
