"""Tool names and answer shape of each client.

Found by running the clients. A tool that is not listed is refused, as no one knows what it writes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

from studio.doors.hooks.answers import BEFORE_TOOL, PRE_TOOL_USE, TOOL_CALL, TOOL_EXECUTE, Answers
from studio.doors.hooks.tool_use import (
    Fields,
    ToolUse,
    read_before_tool,
    read_claude_code,
    read_pre_tool_use,
    read_tool_call,
    read_tool_execute,
)
from studio.doors.shell_tools import SHELL_TOOLS, ShellTool


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


_SKILL: Final = "What this skill runs itself is not shown."
"""Shell commands in a skill's text, and its hooks (Qwen Code 0.24.4)."""
_CLAUDE_SKILL: Final = f"{_SKILL} From Claude Code 2.1.332 on its shell commands are, its hooks are not."
"""The commands have an event, unknown to older versions.

See `answers.SKILL_EVENT`.
"""
_TYPED: Final = "Text that is typed into it later is not shown."
"""Codex 0.171 asks no hook for typed text.

It does not report either whether a program can stay open.
"""
_WORKTREE_TOOLS: Final = frozenset({"EnterWorktree", "enter_worktree"})


@dataclass(frozen=True, slots=True)
class Client:
    """The tools of one client.

    `shells` are tools that run a shell command, with their argument names; `commands` are others that may
    act; `not_shown` says, for tools that run more than this hook is asked for, what that is. `starts_in`
    names the variable with the folder that the client was started in; `patch_tool` is the tool that the
    client uses for a patch in a shell command; both "" for none.

    `own_server` is the prefix of our own server's tools, which propose and never write; `others` matches the
    prefix of tools of any other server. `read` parses a hook's input, and `answers` is the client's shape of
    answers.
    """

    name: str
    changes: frozenset[str]
    shells: Mapping[str, ShellTool]
    harmless: frozenset[str]
    commands: frozenset[str] = frozenset()
    not_shown: Mapping[str, str] = field(default_factory=dict[str, str])
    starts_in: str = ""
    patch_tool: str = ""
    own_server: str = "mcp__studio__"
    others: re.Pattern[str] = re.compile("mcp__")
    read: Callable[[Fields], ToolUse] = read_pre_tool_use
    answers: Answers = PRE_TOOL_USE

    def uses_other_worktree(self, use: ToolUse) -> bool:
        """Return whether the agent would work in another git worktree.

        Documented for Claude Code 2.1: `EnterWorktree`, and `isolation: "worktree"` of its Agent. A subagent
        whose own definition has that is started by the same tool without any sign of it.
        """
        return use.tool in _WORKTREE_TOOLS or (use.tool in self.harmless and bool(use.input.get("isolation")))

    def kind(self, tool: str) -> ToolKind:
        """Return what a use of this tool amounts to."""
        if tool in self.changes:
            return ToolKind.CHANGE
        if tool in self.harmless:
            return ToolKind.HARMLESS
        if tool.startswith(self.own_server):
            return ToolKind.OWN
        named = (self.shells, self.commands, self.not_shown)
        if any(tool in each for each in named) or self.others.match(tool):
            return ToolKind.COMMAND
        return ToolKind.UNKNOWN


_CLAUDE_CODE = Client(
    name="claude-code",
    changes=frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"}),
    shells=SHELL_TOOLS["claude-code"],
    commands=frozenset(
        """Config CronCreate CronDelete EnterWorktree ExitWorktree KillBash KillShell Monitor PowerShell
        PushNotification REPL RemoteTrigger Workflow""".split()
    ),
    harmless=frozenset(
        """Agent AgentOutputTool AskUserQuestion BashOutput Brief CronList DeferredToolPlaceholder
        EnterPlanMode ExitPlanMode Glob Grep LS LSP ListAgents ListMcpResources ListMcpResourcesTool
        NotebookRead Read ReadMcpResource ReadMcpResourceDirTool ReadMcpResourceTool ReportFindings
        ScheduleWakeup SendMessage Sleep Task TaskCreate TaskGet TaskList TaskOutput TaskStop TaskUpdate
        TodoRead TodoWrite ToolSearch WebFetch WebSearch""".split()
    ),
    not_shown=dict.fromkeys(("Skill", "SlashCommand"), _CLAUDE_SKILL),
    starts_in="CLAUDE_PROJECT_DIR",
    read=read_claude_code,
)
_CODEX = Client(
    name="codex",
    changes=frozenset({"apply_patch"}),
    shells=SHELL_TOOLS["codex"],
    not_shown=dict.fromkeys((*SHELL_TOOLS["codex"], "unified_exec", "write_stdin"), _TYPED),
    harmless=frozenset(
        """create_goal get_goal list_mcp_resource_templates list_mcp_resources read_mcp_resource
        request_user_input tool_search update_goal update_plan view_image web_search""".split()
    ),
    patch_tool="apply_patch",
)

_GEMINI = Client(
    name="gemini",
    changes=frozenset({"replace", "write_file"}),
    shells=SHELL_TOOLS["gemini"],
    harmless=frozenset(
        """activate_skill ask_user complete_task enter_plan_mode exit_plan_mode get_internal_docs glob
        google_web_search grep_search invoke_agent list_background_processes list_directory
        list_mcp_resources read_background_output read_file read_many_files read_mcp_resource
        search_file_content tracker_add_dependency tracker_create_task tracker_get_task tracker_list_tasks
        tracker_update_task tracker_visualize update_topic web_fetch write_todos""".split()
    ),
    own_server="mcp_studio_",
    others=re.compile("mcp_|discovered_tool_"),
    read=read_before_tool,
    answers=BEFORE_TOOL,
)
_QWEN = Client(
    name="qwen",
    changes=frozenset({"edit", "notebook_edit", "write_file"}),
    shells=SHELL_TOOLS["qwen"],
    commands=frozenset(
        """artifact create_sub_session cron_create cron_delete enter_worktree exec exit_worktree image_gen
        monitor save_memory workflow""".split()
    ),
    harmless=frozenset(
        """agent ask_user_question cron_list display_image enter_plan_mode exit_plan_mode get_goal glob
        grep_search list_agents list_directory loop_wakeup lsp propose_goal read_file read_mcp_resource
        record_artifact record_source report_findings request_shutdown send_message structured_output
        task_create task_list task_stop task_update team_create team_delete team_plan_approval todo_write
        tool_search update_goal web_fetch web_search zoom_image""".split()
    ),
    not_shown={"skill": _SKILL},
    starts_in="QWEN_PROJECT_DIR",
)
_CLINE = Client(
    name="cline",
    changes=frozenset({"apply_patch", "editor"}),
    shells=SHELL_TOOLS["cline"],
    harmless=frozenset(
        """ask_question fetch_web_content read_files search_codebase skills spawn_agent submit_and_exit
        switch_to_act_mode team_attach_outcome_fragment team_await_runs team_broadcast team_cancel_run
        team_cleanup team_create_outcome team_finalize_outcome team_list_outcomes team_list_runs
        team_mission_log team_read_mailbox team_review_outcome_fragment team_run_task team_send_message
        team_shutdown_teammate team_spawn_teammate team_status team_task""".split()
    ),
    own_server="studio__",
    others=re.compile(r"\w+?__"),
    read=read_tool_call,
    answers=TOOL_CALL,
)
_OPENCODE = Client(
    name="opencode",
    changes=frozenset({"apply_patch", "edit", "write"}),
    shells=SHELL_TOOLS["opencode"],
    harmless=frozenset(
        """codesearch glob grep invalid list list_mcp_resource_templates list_mcp_resources lsp plan_enter
        plan_exit question read read_mcp_resource skill task todoread todowrite webfetch websearch""".split()
    ),
    own_server="studio_",
    others=re.compile(r"[\w-]+?_"),
    read=read_tool_execute,
    answers=TOOL_EXECUTE,
)

CLIENTS: Final[Mapping[str, Client]] = {
    client.name: client for client in (_CLAUDE_CODE, _CLINE, _CODEX, _GEMINI, _OPENCODE, _QWEN)
}
"""By the name that `studio hook` accepts."""
