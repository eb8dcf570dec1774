"""What each client calls its tools, and how it takes an answer: one row each.

Found by running the clients: a tool that is not named here is refused, for nobody knows what it writes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

_OWN_SERVER = "mcp__studio__"
"""What clients put before the tools of our own server, which propose and never write."""
_OTHER_SERVER = "mcp__"


class ToolKind(Enum):
    """What a use of a tool comes to."""

    CHANGE = "change"
    """Files, which can be shown: a plan."""
    COMMAND = "command"
    """Whatever a command does: a call, as is anything else that may act."""
    HARMLESS = "harmless"
    """No file of the project: the client's own rules decide."""
    OWN = "own"
    """A tool of the server that is called as ours is: harmless if it is."""
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Client:
    """The tools of one client. `starts_in` names the variable with the folder that it was started in,
    `patch_tool` the tool that it makes of a patch in a command of the shell; "" for none."""

    name: str
    changes: frozenset[str]
    commands: frozenset[str]
    harmless: frozenset[str]
    starts_in: str = ""
    patch_tool: str = ""

    def kind(self, tool: str) -> ToolKind:
        """What a use of this tool comes to."""
        if tool in self.changes:
            return ToolKind.CHANGE
        if tool in self.harmless:
            return ToolKind.HARMLESS
        if tool.startswith(_OWN_SERVER):
            return ToolKind.OWN
        if tool in self.commands or tool.startswith(_OTHER_SERVER):
            return ToolKind.COMMAND
        return ToolKind.UNKNOWN


_CLAUDE_CODE = Client(
    name="claude-code",
    changes=frozenset({"Edit", "MultiEdit", "NotebookEdit", "Write"}),
    commands=frozenset(
        """Bash Config CronCreate CronDelete EnterWorktree ExitWorktree KillBash KillShell Monitor PowerShell
        PushNotification REPL RemoteTrigger Workflow""".split()
    ),
    harmless=frozenset(
        """Agent AgentOutputTool AskUserQuestion BashOutput Brief CronList DeferredToolPlaceholder
        EnterPlanMode ExitPlanMode Glob Grep LS LSP ListAgents ListMcpResources ListMcpResourcesTool
        NotebookRead Read ReadMcpResource ReadMcpResourceDirTool ReadMcpResourceTool ReportFindings
        ScheduleWakeup SendMessage Skill Sleep SlashCommand Task TaskCreate TaskGet TaskList TaskOutput
        TaskStop TaskUpdate TodoRead TodoWrite ToolSearch WebFetch WebSearch""".split()
    ),
    starts_in="CLAUDE_PROJECT_DIR",
)
_CODEX = Client(
    name="codex",
    changes=frozenset({"apply_patch"}),
    commands=frozenset({"Bash", "exec_command", "shell", "unified_exec", "write_stdin"}),
    harmless=frozenset(
        """create_goal get_goal list_mcp_resource_templates list_mcp_resources read_mcp_resource
        request_user_input tool_search update_goal update_plan view_image web_search""".split()
    ),
    patch_tool="apply_patch",
)

CLIENTS: Final[Mapping[str, Client]] = {client.name: client for client in (_CLAUDE_CODE, _CODEX)}
"""By the name that `studio hook` takes."""
