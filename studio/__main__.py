"""Entry point: prints the version, runs a command, or opens the window.

Only this module may import both the doors and the window, and it imports neither before it knows which one is
needed.
"""

from __future__ import annotations

import gc
import os
import sys

from studio import __version__
from studio.doors.cli.console.output import print_line, run_with_output

# Not typing.TYPE_CHECKING: importing it takes longer than all else that --version needs.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from studio.errors import StudioError
    from studio.extras.agents import ConnectableAgent, GateStatus
    from studio.ui.agents.agent_process import AgentConnections, AgentProcesses
    from studio.ui.review.commands import CommandPermissions
    from studio.ui.worker import Work

_ALLOCATIONS = 50_000
_VERSION = ("--version", "-V")
_SYSTEM_LIBRARIES = ("libEGL.so.1", "libGL.so.1", "libGLX.so.0", "libOpenGL.so.0")
"""Libraries of the graphics driver, which no package of ours contains."""
_TRACKING = "from multiprocessing.resource_tracker import main;main("
"""Start of the code with which multiprocessing runs its resource tracker.

It cleans up after killed processes; a packaged app is started with it, too.
"""


def main() -> int:
    """Run `studio` with this process's arguments and return the exit code."""
    words = sys.argv[1:]
    return run_with_output(lambda: _run(words))


def _run(words: list[str]) -> int:
    try:
        return _dispatch(words)
    except ImportError as error:
        return _incomplete(error, words)


def _dispatch(words: list[str]) -> int:
    if len(words) == 1 and words[0] in _VERSION:
        print_line(f"studio {__version__}")
        return 0
    # Under a umask that removes the owner's permissions this process could not read its own files.
    os.umask(os.umask(0o077) & ~0o700)
    if getattr(sys, "frozen", False) and _run_service(words):
        return 0
    if words[:1] == ["hook"] and _answer_hook(words[1:]):
        return 0
    from studio.doors.cli.parser import command_of

    command = command_of(words)
    if command is None:
        return _window(words)
    from studio.doors.cli.console.interrupt_signals import install_interrupt_handler

    install_interrupt_handler()
    if command == "demo":
        return _demo(words)
    # What is loaded is never garbage: collecting it takes a tenth of a short command.
    gc.set_threshold(_ALLOCATIONS)
    if command == "mcp":
        return _mcp(words)
    gc.disable()
    from studio.doors.cli.main import run

    gc.freeze()
    gc.enable()
    code = run(words)
    # Freeze again: the collection at exit would delay the caller.
    gc.freeze()
    return code


def _answer_hook(arguments: list[str]) -> bool:
    """Answer an agent's hook for a tool that changes nothing.

    Returns whether it did; if not, the command reads the same input. It takes a sixth of the time: an agent
    asks before each tool it uses.
    """
    from studio.doors.cli.console.standard_input import read_standard_input, replace_standard_input
    from studio.doors.hooks.known_tools import quick_answer
    from studio.formats.limits import SUBMISSION_BYTES

    try:
        data = read_standard_input(SUBMISSION_BYTES + 1)
    except OSError:
        return False  # the command reports it
    answer = quick_answer(arguments, data)
    if answer is None:
        replace_standard_input(data)
        return False
    print_line(answer)
    return True


def _incomplete(error: ImportError, words: list[str]) -> int:
    """Report which part of the installation is missing.

    Only the standard library is certain to be available.
    """
    library = str(error).partition(":")[0] if "cannot open shared object file" in str(error) else ""
    if library in _SYSTEM_LIBRARIES:
        message = f"This system lacks {library}, without which no window can be drawn."
        hint = "Install the package that holds it; on Debian and Ubuntu: apt install libegl1 libgl1."
    else:
        message = f"A part of Exacta Studio's installation is missing: {error}."
        hint = "Install it again; in a checkout, python3 installer/dev.py run does."
    if "--json" in words:
        import json

        error_object = {"code": "installation.incomplete", "message": message, "hint": hint}
        error_object |= {"registry": "CFG-002", "severity": "fatal", "retryable": False}
        print_line(json.dumps({"error": error_object}), flush=True)
    else:
        sys.stderr.write(f"studio: {message} {hint}\n")
    return 1


def _run_service(words: list[str]) -> bool:
    """Run the service that a packaged app was started as.

    Returns whether it was.
    """
    from importlib import import_module

    from studio.program.own_program import leave_own_libraries
    from studio.system.child_process import SERVICES

    leave_own_libraries(os.environ)
    if words[:1] == ["--multiprocessing-fork"]:
        from multiprocessing.spawn import freeze_support

        freeze_support()  # this ends the process
    if words[-2:-1] == ["-c"] and words[-1].startswith(_TRACKING):
        from multiprocessing.resource_tracker import main as track

        track(int(words[-1].removeprefix(_TRACKING).removesuffix(")")))
        os._exit(0)  # stdout is closed, and would be flushed on exit
    for service in SERVICES:
        if words == [service.argument]:
            getattr(import_module(service.module), service.name)()
            return True
    return False


def _window(words: list[str]) -> int:
    from studio.doors.cli.parser import build_window_parser, refuse_misspelt_command
    from studio.errors import StudioError

    try:
        refuse_misspelt_command(words)
        arguments = build_window_parser().parse_args(words)
        if arguments.version:
            print_line(f"studio {__version__}")
            return 0
        from studio.ui.app.main import run

        return run(
            arguments.paths,
            project=arguments.project,
            smoke=arguments.smoke,
            screenshot=arguments.screenshot,
            theme=arguments.theme,
            gates=_gate_statuses,
            agents=agent_processes,
            bundle=bundle_text,
        )
    except StudioError as error:
        return _report(error, words)


def _demo(words: list[str]) -> int:
    """Copy the demo project, submit its plans, and open the window."""
    from studio.doors.cli.parser import build_parser
    from studio.errors import StudioError

    try:
        arguments = build_parser(words).parse_args(words)
        if arguments.remove_old:
            from studio.doors.cli.main import run as run_command

            return run_command(words)
        from studio.ui.display import check_display

        check_display(smoke=arguments.smoke or arguments.screenshot is not None)
        from studio.doors.cli.commands.demo import older_copies_notice, prepare_demo

        if arguments.dir is None and (older := older_copies_notice()):
            sys.stderr.write(f"studio: {older}\n")
        project = prepare_demo(arguments.dir)
        from studio.ui.app.main import run

        return run(
            [],
            project=project,
            smoke=arguments.smoke,
            screenshot=arguments.screenshot,
            theme=arguments.theme,
            gates=_gate_statuses,
            agents=agent_processes,
            bundle=bundle_text,
        )
    except StudioError as error:
        return _report(error, words)


def _mcp(words: list[str]) -> int:
    """Serve an agent, importing only what its first list of tools needs."""
    from studio.doors.cli.parser import build_parser
    from studio.errors import StudioError

    try:
        arguments = build_parser(words).parse_args(words)
        from studio.doors.cli.commands.mcp import mcp

        return mcp(arguments).code
    except StudioError as error:
        return _report(error, words)


def _gate_statuses(projects: Sequence[Path]) -> tuple[GateStatus, ...]:
    """Return the gate status of connected agents, for the window.

    The window can't import doors.
    """
    from studio.doors.doctor import gate_statuses

    return gate_statuses(projects)


def bundle_text(project: Path | None) -> str:
    """Return the diagnostics text, for the window.

    The window can't import doors.
    """
    from studio.doors.doctor.report import bundle_text as build_bundle

    return build_bundle(project)


def agent_processes() -> AgentProcesses:
    """Return functions that start agents, for the window.

    The window can't import doors.
    """
    from studio.doors.acp.agents import installed_agents, known_agent
    from studio.doors.logins import logins_line, logins_of
    from studio.program.own_program import own_command
    from studio.ui.agents.agent_process import AgentChoice, AgentProcesses

    def choices() -> list[AgentChoice]:
        return [AgentChoice(title, words) for title, words in installed_agents()]

    def command(words: Sequence[str], session: str, sandbox_options: CommandPermissions | None) -> list[str]:
        resumed = ["--resume", session] if session else []
        inside: list[str] = []
        if sandbox_options is not None:
            inside = ["--sandbox", "--network" if sandbox_options.network else "--no-network"]
            inside += ["--login", sandbox_options.login, "--login-files"] if sandbox_options.login else []
        return [*own_command(), "--json", "acp", *resumed, *inside, "--", *words]

    def gate_status(agent: str, words: Sequence[str], project: Path) -> GateStatus:
        from studio.doors.doctor import acp_gate_status

        return acp_gate_status(known_agent(agent), words, project)

    def inside() -> GateStatus:
        from studio.doors.doctor import sandbox_gate_status

        return sandbox_gate_status()

    return AgentProcesses(choices, command, gate_status, inside, logins_of, logins_line, _agent_connections())


def _agent_connections() -> AgentConnections:
    """Return functions that connect agents, for the window.

    No command-line argument leads to `change`.
    """
    from functools import partial

    from studio.program.own_program import own_command
    from studio.ui.agents.agent_process import AgentConnections

    def agents(projects: Sequence[Path]) -> tuple[ConnectableAgent, ...]:
        from studio.doors.doctor import connectable_agents

        return connectable_agents(projects)

    def change(name: str, removes: bool) -> Work:
        from studio.doors.connect.window_change import change_for_window

        return partial(change_for_window, name=name, removes=removes)

    def proof_command(name: str, is_own: bool) -> list[str]:
        # The window has already shown and asked this.
        return [*own_command(), "--json", "doctor", name, *(["--own-settings", "--yes"] if is_own else [])]

    return AgentConnections(agents, change, proof_command)


def _report(error: StudioError, words: list[str]) -> int:
    from studio.doors.cli.main import report

    return report(error, as_json="--json" in words)


if __name__ == "__main__":
    sys.exit(main())
