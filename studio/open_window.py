"""Open the window with what it can't import: gates, agents, diagnostics."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from studio import __version__, doors
from studio.doors.cli.console.output import print_line
from studio.doors.cli.parser import build_parser, build_window_parser, refuse_misspelt_command
from studio.errors import StudioError
from studio.program.own_program import own_command
from studio.ui import agents
from studio.ui.app.main import run
from studio.ui.display import check_display

if TYPE_CHECKING:
    from argparse import Namespace

    from studio.extras.agents import ConnectableAgent, GateStatus, OtherWays
    from studio.ui.agents.agent_process import AgentChoice, AgentProcesses
    from studio.ui.review.commands import CommandPermissions
    from studio.ui.worker import Work


def open_window(words: Sequence[str], *, with_demo: bool) -> int:
    """Open the window by its arguments, on the demo project with `with_demo`.

    Returns the exit code; errors are printed.
    """
    try:
        return _open_demo(words) if with_demo else _open(words)
    except StudioError as error:
        return doors.main.report(error, as_json="--json" in words)


def _open(words: Sequence[str]) -> int:
    refuse_misspelt_command(words)
    arguments = build_window_parser().parse_args(words)
    if arguments.version:
        print_line(f"studio {__version__}")
        return 0
    return _run(arguments, arguments.paths, arguments.project)


def _open_demo(words: Sequence[str]) -> int:
    """Copy the demo project, submit its plans, and open the window."""
    arguments = build_parser(words).parse_args(words)
    if arguments.remove_old:
        return doors.main.run(words)
    check_display(smoke=arguments.smoke or arguments.screenshot is not None)
    if arguments.dir is None and (older := doors.older_copies_notice()):
        sys.stderr.write(f"studio: {older}\n")
    return _run(arguments, [], doors.prepare_demo(arguments.dir))


def _run(arguments: Namespace, paths: list[Path], project: Path | None) -> int:
    return run(
        paths,
        project=project,
        smoke=arguments.smoke,
        screenshot=arguments.screenshot,
        theme=arguments.theme,
        gates=_gate_statuses,
        agents=agent_processes,
        bundle=bundle_text,
    )


def _gate_statuses(projects: Sequence[Path]) -> tuple[GateStatus, ...]:
    doors.use_chosen_places()
    return doors.doctor.gate_statuses(projects)


def bundle_text(project: Path | None) -> str:
    """Return the diagnostics text, for the window."""
    return doors.bundle_text(project)


def agent_processes() -> AgentProcesses:
    """Return functions that start agents, for the window."""
    return agents.AgentProcesses(
        _installed_choices,
        _acp_command,
        _acp_gate_status,
        _sandbox_gate_status,
        doors.logins.logins_of,
        doors.logins.logins_line,
        agents.AgentConnections(
            _connectable_agents, _connection_change, _proof_command, doors.choose_place, _other_ways
        ),
    )


def _installed_choices() -> list[AgentChoice]:
    return [agents.AgentChoice(title, words) for title, words in doors.installed_agents()]


def _acp_command(words: Sequence[str], session: str, sandbox_options: CommandPermissions | None) -> list[str]:
    resumed = ["--resume", session] if session else []
    inside: list[str] = []
    if sandbox_options is not None:
        inside = ["--sandbox", "--network" if sandbox_options.network else "--no-network"]
        inside += ["--login", sandbox_options.login, "--login-files"] if sandbox_options.login else []
    return [*own_command(), "--json", "acp", *resumed, *inside, "--", *words]


def _acp_gate_status(agent: str, words: Sequence[str], project: Path) -> GateStatus:
    return doors.doctor.acp_gate_status(doors.known_agent(agent), words, project)


def _sandbox_gate_status() -> GateStatus:
    return doors.doctor.sandbox_gate_status()


def _connectable_agents(projects: Sequence[Path]) -> tuple[ConnectableAgent, ...]:
    doors.use_chosen_places()
    return doors.doctor.connectable_agents(projects)


def _other_ways() -> OtherWays:
    # Not before the first paint.
    from studio.engine.config import user_inbox
    from studio.extras.agents import OtherWays

    return OtherWays(doors.connect.server_entry_text(), str(user_inbox() or ""))


def _connection_change(name: str, removes: bool) -> Work:
    """Return a job that changes an agent's connection.

    No command-line argument leads to it.
    """
    return partial(doors.change_for_window, name=name, removes=removes)


def _proof_command(name: str, is_own: bool) -> list[str]:
    # The window has already shown and asked this.
    return [*own_command(), "--json", "doctor", name, *(["--own-settings", "--yes"] if is_own else [])]
