"""Interfaces to users and agents: command line, hooks, MCP, ACP, inbox, setup.

Each translates requests into calls of the engine's proposer side.
"""

from studio.late_names import late_names

# Not typing.TYPE_CHECKING: importing it takes longer than all else that a hook's answer needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from studio.doors import connect, doctor, limits, logins, sandboxed_call
    from studio.doors.acp.agents import agents_by_gate, installed_agents, known_agent
    from studio.doors.chosen_project import choose_project
    from studio.doors.cli import main
    from studio.doors.cli.commands.demo import older_copies_notice, prepare_demo
    from studio.doors.cli.console import interrupt_signals, standard_input
    from studio.doors.cli.mcp_start import run_mcp
    from studio.doors.cli.parser import command_of
    from studio.doors.clients.chosen_places import choose_place, use_chosen_places
    from studio.doors.clients.known import CLIENTS, CLIENTS_BY_NAME
    from studio.doors.connect.window_change import change_for_window
    from studio.doors.doctor.report import bundle_text
    from studio.doors.hooks.known_tools import HOOK_TOOLS, quick_answer
    from studio.doors.mcp.tools import TOOLS
    from studio.doors.outcomes import part_sentence

__all__ = [
    "CLIENTS",
    "CLIENTS_BY_NAME",
    "HOOK_TOOLS",
    "TOOLS",
    "agents_by_gate",
    "bundle_text",
    "change_for_window",
    "choose_place",
    "choose_project",
    "command_of",
    "connect",
    "doctor",
    "installed_agents",
    "interrupt_signals",
    "known_agent",
    "limits",
    "logins",
    "main",
    "older_copies_notice",
    "part_sentence",
    "prepare_demo",
    "quick_answer",
    "run_mcp",
    "sandboxed_call",
    "standard_input",
    "use_chosen_places",
]

__getattr__ = late_names(
    __name__,
    {
        "studio.doors.acp.agents": "agents_by_gate installed_agents known_agent",
        "studio.doors.chosen_project": "choose_project",
        "studio.doors.cli.commands.demo": "older_copies_notice prepare_demo",
        "studio.doors.cli.console.interrupt_signals": "interrupt_signals",
        "studio.doors.cli.console.standard_input": "standard_input",
        "studio.doors.cli.main": "main",
        "studio.doors.cli.mcp_start": "run_mcp",
        "studio.doors.cli.parser": "command_of",
        "studio.doors.clients.chosen_places": "choose_place use_chosen_places",
        "studio.doors.clients.known": "CLIENTS CLIENTS_BY_NAME",
        "studio.doors.connect": "connect",
        "studio.doors.connect.window_change": "change_for_window",
        "studio.doors.doctor": "doctor",
        "studio.doors.doctor.report": "bundle_text",
        "studio.doors.hooks.known_tools": "HOOK_TOOLS quick_answer",
        "studio.doors.limits": "limits",
        "studio.doors.logins": "logins",
        "studio.doors.mcp.tools": "TOOLS",
        "studio.doors.outcomes": "part_sentence",
        "studio.doors.sandboxed_call": "sandboxed_call",
    },
)
