"""Classification of an agent's tools: file change, command, harmless, own, unknown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from enum import Enum
from types import MappingProxyType
from typing import Final, NamedTuple

from studio.doors.hooks.answers import PRE_TOOL_USE, Answers
from studio.doors.hooks.tool_use import Fields, ToolUse, read_pre_tool_use


class ToolKind(Enum):
    """What a use of a tool amounts to."""

    CHANGE = "change"
    """File changes that can be shown: they become a plan."""
    COMMAND = "command"
    """A command or other acting tool: it becomes a tool call."""
    HARMLESS = "harmless"
    """Changes no file of the project: the client's own rules decide."""
    OWN = "own"
    """A tool with our server's prefix: harmless if it is ours."""
    UNKNOWN = "unknown"


_WORKTREE_TOOLS: Final = frozenset({"EnterWorktree", "enter_worktree"})


class ShellTool(NamedTuple):
    """The argument names of one shell tool.

    `folder` is "" for none; `harmless` keys do not change what is run. `is_list`: it takes several commands.
    """

    command: str
    folder: str = ""
    harmless: frozenset[str] = frozenset()
    is_list: bool = False


class HookTools(NamedTuple):
    """The tools of one client, found by running it.

    A tool that is not listed is refused, as no one knows what it writes.

    `shells` are tools that run a shell command, with their argument names; `commands` are others that may
    act; `not_shown` says, for tools that run more than this hook is asked for, what that is. `starts_in`
    names the variable with the folder that the client was started in; `patch_tool` is the tool that the
    client uses for a patch in a shell command; both "" for none.

    `own_server` is the prefix of our own server's tools, which propose and never write; `others` is a
    pattern of the prefix of tools of any other server. `read` parses a hook's input, and `answers` is the
    client's shape of answers.
    """

    name: str
    changes: frozenset[str]
    shells: Mapping[str, ShellTool]
    harmless: frozenset[str]
    commands: frozenset[str] = frozenset()
    not_shown: Mapping[str, str] = MappingProxyType({})
    starts_in: str = ""
    patch_tool: str = ""
    own_server: str = "mcp__studio__"
    others: str = "mcp__"
    read: Callable[[Fields], ToolUse] = read_pre_tool_use
    answers: Answers = PRE_TOOL_USE

    def uses_other_worktree(self, use: ToolUse) -> bool:
        """Return whether the agent would work in another git worktree.

        Documented for Claude Code 2.1: `EnterWorktree`, and `isolation: "worktree"` of its Agent. A subagent
        whose own definition has that is started by the same tool without any sign of it.
        """
        return use.tool in _WORKTREE_TOOLS or (use.tool in self.harmless and bool(use.input.get("isolation")))

    def kind_of(self, use: ToolUse) -> ToolKind:
        """Return what this use amounts to.

        A skill's shell command, and work in another git worktree, are commands whatever the tool is.
        """
        return ToolKind.COMMAND if use.skill or self.uses_other_worktree(use) else self.kind(use.tool)

    def kind(self, tool: str) -> ToolKind:
        """Return what a use of this tool amounts to."""
        if tool in self.changes:
            return ToolKind.CHANGE
        if tool in self.harmless:
            return ToolKind.HARMLESS
        if tool.startswith(self.own_server):
            return ToolKind.OWN
        named = (self.shells, self.commands, self.not_shown)
        if any(tool in each for each in named) or re.match(self.others, tool):
            return ToolKind.COMMAND
        return ToolKind.UNKNOWN
