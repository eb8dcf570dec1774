"""Tools of each agent with hooks; answers to uses that change nothing.

An agent asks before every tool it uses, mostly to read: such a use is answered with this module, `tools`,
`tool_use` and `answers` alone. They import neither dataclasses (10 ms of 35, Python 3.11) nor
pathlib.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Final

from studio.doors.hooks.answers import BEFORE_TOOL, TOOL_CALL, TOOL_EXECUTE, answer_text
from studio.doors.hooks.tool_use import (
    read_before_tool,
    read_claude_code,
    read_fields,
    read_tool_call,
    read_tool_execute,
)
from studio.doors.hooks.tools import HookTools, ShellTool, ToolKind

_CLAUDE_CODE_SKILLS: Final = (
    "Commands that this skill runs are not shown. From Claude Code 2.1.332 on, its shell commands are, "
    "but not its hooks."
)
"""The commands have an event, unknown to older versions.

See `answers.SKILL_EVENT`.
"""
CLAUDE_CODE_TOOLS: Final = HookTools(
    name="claude-code",
    changes=frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"}),
    shells={
        "Bash": ShellTool("command", harmless=frozenset({"description", "run_in_background", "timeout"}))
    },
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
    not_shown=dict.fromkeys(("Skill", "SlashCommand"), _CLAUDE_CODE_SKILLS),
    starts_in="CLAUDE_PROJECT_DIR",
    read=read_claude_code,
)

CLINE_TOOLS: Final = HookTools(
    name="cline",
    changes=frozenset({"apply_patch", "editor"}),
    shells={"run_commands": ShellTool("commands", is_list=True)},
    harmless=frozenset(
        """ask_question fetch_web_content read_files search_codebase skills spawn_agent submit_and_exit
        switch_to_act_mode team_attach_outcome_fragment team_await_runs team_broadcast team_cancel_run
        team_cleanup team_create_outcome team_finalize_outcome team_list_outcomes team_list_runs
        team_mission_log team_read_mailbox team_review_outcome_fragment team_run_task team_send_message
        team_shutdown_teammate team_spawn_teammate team_status team_task""".split()
    ),
    own_server="studio__",
    others=r"\w+?__",
    read=read_tool_call,
    answers=TOOL_CALL,
)

_CODEX_INPUT: Final = "Later input to it is not shown."
"""0.171 asks no hook for typed text.

It does not report either whether a program can stay open.
"""
_CODEX_SHELLS: Final = {
    "Bash": ShellTool("command", "workdir", frozenset({"timeout_ms"})),
    "exec_command": ShellTool("cmd", "workdir", frozenset({"max_output_tokens", "tty", "yield_time_ms"})),
    "shell": ShellTool("command", "workdir", frozenset({"timeout_ms"})),
}
CODEX_TOOLS: Final = HookTools(
    name="codex",
    changes=frozenset({"apply_patch"}),
    shells=_CODEX_SHELLS,
    not_shown=dict.fromkeys((*_CODEX_SHELLS, "unified_exec", "write_stdin"), _CODEX_INPUT),
    harmless=frozenset(
        """create_goal get_goal list_mcp_resource_templates list_mcp_resources read_mcp_resource
        request_user_input tool_search update_goal update_plan view_image web_search""".split()
    ),
    patch_tool="apply_patch",
)

GEMINI_TOOLS: Final = HookTools(
    name="gemini",
    changes=frozenset({"replace", "write_file"}),
    shells={
        "run_shell_command": ShellTool("command", "dir_path", frozenset({"description", "is_background"}))
    },
    harmless=frozenset(
        """activate_skill ask_user complete_task enter_plan_mode exit_plan_mode get_internal_docs glob
        google_web_search grep_search invoke_agent list_background_processes list_directory
        list_mcp_resources read_background_output read_file read_many_files read_mcp_resource
        search_file_content tracker_add_dependency tracker_create_task tracker_get_task tracker_list_tasks
        tracker_update_task tracker_visualize update_topic web_fetch write_todos""".split()
    ),
    own_server="mcp_studio_",
    others="mcp_|discovered_tool_",
    read=read_before_tool,
    answers=BEFORE_TOOL,
)

OPENCODE_TOOLS: Final = HookTools(
    name="opencode",
    changes=frozenset({"apply_patch", "edit", "write"}),
    shells={"bash": ShellTool("command", "workdir", frozenset({"description", "timeout"}))},
    harmless=frozenset(
        """codesearch glob grep invalid list list_mcp_resource_templates list_mcp_resources lsp plan_enter
        plan_exit question read read_mcp_resource skill task todoread todowrite webfetch websearch""".split()
    ),
    own_server="studio_",
    others=r"[\w-]+?_",
    read=read_tool_execute,
    answers=TOOL_EXECUTE,
)

_QWEN_SKILLS: Final = "Commands that this skill runs are not shown."
"""Shell commands in a skill's text, and its hooks (0.24.4)."""
QWEN_TOOLS: Final = HookTools(
    name="qwen",
    changes=frozenset({"edit", "notebook_edit", "write_file"}),
    shells={
        "run_shell_command": ShellTool(
            "command", "directory", frozenset({"description", "is_background", "timeout"})
        )
    },
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
    not_shown={"skill": _QWEN_SKILLS},
    starts_in="QWEN_PROJECT_DIR",
)

HOOK_TOOLS: Final[Mapping[str, HookTools]] = MappingProxyType(
    {
        tools.name: tools
        for tools in (CLAUDE_CODE_TOOLS, CLINE_TOOLS, CODEX_TOOLS, GEMINI_TOOLS, OPENCODE_TOOLS, QWEN_TOOLS)
    }
)
"""The tools of the clients that `studio hook` accepts, by name."""


def quick_answer(arguments: Sequence[str], data: bytes) -> str | None:
    """Return the answer to a use that changes nothing, else None.

    `arguments` follow `hook`, as the hook program passes them; any others are left to the parser, and input
    that is refused to the command, which says why.
    """
    tools = HOOK_TOOLS.get(arguments[0]) if arguments else None
    if tools is None or not (len(arguments) == 1 or _names_caller(arguments[1:])):
        return None
    try:
        use = tools.read(read_fields(data))
    except Exception:  # whatever it is, the tool must not run: the command refuses it
        return None
    return answer_text(tools.answers.no_opinion) if tools.kind_of(use) is ToolKind.HARMLESS else None


def _names_caller(options: Sequence[str]) -> bool:
    return len(options) == 2 and options[0] == "--caller" and options[1].isascii() and options[1].isdecimal()
