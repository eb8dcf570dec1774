"""What clients call the arguments of their own shell tools, and what a person reads of a tool call.

Found by running the clients (Claude Code 2.1, Codex 0.171, Gemini CLI 0.61, Qwen Code 0.24, Cline 3.0,
opencode 1.18) and in their documentation. A key that is not in this table may change what is run: with it all
arguments are shown.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from studio.doors.gate import Request
from studio.engine.errors import Refused

_COMMAND_KEYS: Final = ("command", "cmd", "commands")


@dataclass(frozen=True, slots=True)
class ShellTool:
    """The keys of one shell tool: of its command, its folder ("" for none), and those that do not change what
    is run. `is_list`: it takes several commands."""

    command: str
    folder: str = ""
    harmless: frozenset[str] = frozenset()
    is_list: bool = False


SHELL_TOOLS: Final[Mapping[str, Mapping[str, ShellTool]]] = {
    "claude-code": {
        "Bash": ShellTool("command", harmless=frozenset({"description", "run_in_background", "timeout"}))
    },
    "cline": {"run_commands": ShellTool("commands", is_list=True)},
    "codex": {
        "Bash": ShellTool("command", "workdir", frozenset({"timeout_ms"})),
        "exec_command": ShellTool("cmd", "workdir", frozenset({"max_output_tokens", "tty", "yield_time_ms"})),
        "shell": ShellTool("command", "workdir", frozenset({"timeout_ms"})),
    },
    "gemini": {
        "run_shell_command": ShellTool("command", "dir_path", frozenset({"description", "is_background"}))
    },
    "opencode": {"bash": ShellTool("command", "workdir", frozenset({"description", "timeout"}))},
    "qwen": {
        "run_shell_command": ShellTool(
            "command", "directory", frozenset({"description", "is_background", "timeout"})
        )
    },
}
"""By the names of the client and of its tool."""


def request_of(tool: str, given: Mapping[str, Any], cwd: str, shell: ShellTool | None = None) -> Request:
    """Return the request: the command alone for a known shell tool, else all arguments.

    Raises Refused for a shell tool that is given two commands: nobody can see which of them is run.
    """
    everything = arguments_text(given)
    if shell is None:
        return Request(tool, everything, cwd)
    named = command_keys(given)
    if len(named) > 1:
        raise Refused(
            "call.two_commands",
            f"The tool call has two commands: “{named[0]}” and “{named[1]}”.",
            f"Give one of them: “{shell.command}”.",
        )
    command, folder = given.get(shell.command), given.get(shell.folder, "") if shell.folder else ""
    words = _texts(command if shell.is_list else [command])
    if isinstance(folder, str):
        cwd = str(Path(cwd, folder))
    known = {shell.command, shell.folder, *shell.harmless}
    if not words or not isinstance(folder, str) or not given.keys() <= known:
        return Request(tool, everything, cwd)
    return Request(tool, command if isinstance(command, str) else everything, cwd, words)


def command_keys(given: Mapping[str, Any]) -> list[str]:
    """The keys under which a command for a shell is given, of any tool."""
    return [key for key in _COMMAND_KEYS if key in given]


def arguments_text(given: object) -> str:
    """All arguments of a tool as a person reads them."""
    return json.dumps(given, ensure_ascii=False, indent=1)


def _texts(command: object) -> tuple[str, ...]:
    given = cast("list[object]", command) if isinstance(command, list) else []
    words = [each for each in given if isinstance(each, str)]
    return tuple(words) if len(words) == len(given) else ()
