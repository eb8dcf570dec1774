"""`studio agent NAME`: converse with Codex, opencode, aider or Continue; changes reviewed."""

from __future__ import annotations

import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from types import FrameType
from typing import Final

from studio.doors.agents import aider, codex, continue_cli, opencode
from studio.doors.agents.app_server import AppServer
from studio.doors.agents.codex import rule_files
from studio.doors.agents.requests import AgentRequests, Conversation, TurnEnd
from studio.doors.agents.server_process import AgentFailed, ServerProcess
from studio.doors.cli.console.answer import DONE, REFUSED, Answer
from studio.doors.cli.console.output import INTERRUPTED, Interrupted, print_text
from studio.doors.connect import find_unasked_code, is_own_server, project_server_entry
from studio.doors.hooks.known_tools import OPENCODE_TOOLS
from studio.engine import Session
from studio.errors import Refused, UsageError
from studio.extras.home_files import read_home_file
from studio.names import show_lines, show_name
from studio.workspace import Workspace

_PROMPT: Final = "> "
_CODES: Final = {TurnEnd.COMPLETED: DONE, TurnEnd.FAILED: REFUSED, TurnEnd.INTERRUPTED: INTERRUPTED}
_MISSING: Final = "Install it, or add its folder to PATH."


def agent(workspace: Workspace, arguments: Namespace) -> Answer:
    """Converse until the user or the agent ends, or run one prompt.

    Raises Refused for an agent that is not installed, has no closed gate, or whose gate would not be closed;
    UsageError for arguments that it can't be given.
    """
    match arguments.agent:
        case codex.AGENT:
            return _codex(workspace, arguments)
        case opencode.AGENT:
            return _opencode(workspace, arguments)
        case aider.AGENT:
            return _aider(workspace, arguments)
        case continue_cli.AGENT:
            return _continue(workspace, arguments)
        case other:
            raise Refused(
                "agent.no_gate",
                f"studio agent has no closed gate for {other}.",
                "Run it in the sandbox (studio run), or connect it (studio connect).",
            )


def _codex(workspace: Workspace, arguments: Namespace) -> Answer:
    settings, prompt = _split(arguments.words, codex.TITLE, ("-c",), "Pass only -c KEY=VALUE and the prompt.")
    program = _program(codex.AGENT, codex.TITLE)
    if files := rule_files(workspace.root_path):
        raise Refused(
            "agent.own_rules",
            (
                f"Codex runs commands that {show_name(str(files[0]))} allows outside its "
                "sandbox, without asking."
            ),
            "Move that file away while Codex is running here.",
        )
    with (
        _session(workspace, codex.AGENT, codex.DOOR) as session,
        _failures(codex.TITLE, codex.AGENT),
        AppServer([program, *settings, "app-server"], workspace.root_path) as server,
    ):
        agent_requests = AgentRequests(workspace, session, _write(arguments), codex.TITLE, server.called_off)
        talk = codex.CodexThread(server, agent_requests, is_own_server)
        code = _run_turns(server, talk, codex.TITLE, prompt)
    return _answer(codex.AGENT, agent_requests, code, arguments)


def _opencode(workspace: Workspace, arguments: Namespace) -> Answer:
    words = "Pass only -m PROVIDER/MODEL and the prompt."
    settings, prompt = _split(arguments.words, opencode.TITLE, ("-m",), words)
    program = _program(opencode.AGENT, opencode.TITLE)
    if shown := find_unasked_code(workspace.root_path):
        raise Refused(
            "agent.own_rules",
            f"opencode loads code through {shown} and runs it without asking.",
            "Remove it while opencode is running here.",
        )
    model = settings[-1] if settings else ""
    with (
        _session(workspace, opencode.AGENT, opencode.DOOR) as session,
        _failures(opencode.TITLE, opencode.AGENT),
        opencode.serve(program, workspace, model) as server,
    ):
        agent_requests = AgentRequests(
            workspace, session, _write(arguments), opencode.TITLE, server.called_off
        )
        code = _run_turns(
            server,
            opencode.Talk(server, agent_requests, OPENCODE_TOOLS.shells),
            opencode.TITLE,
            prompt,
        )
    return _answer(opencode.AGENT, agent_requests, code, arguments)


def _aider(workspace: Workspace, arguments: Namespace) -> Answer:
    words = "Pass only --model NAME, --file PATH for each file it needs, and the prompt."
    settings, prompt = _split(arguments.words, aider.TITLE, ("--model", "--file"), words)
    if not prompt:
        raise UsageError("agent.words", "aider requires a prompt.", words)
    pairs = list(zip(settings[::2], settings[1::2], strict=True))
    files = [_file_for_aider(workspace, value) for option, value in pairs if option == "--file"]
    models = [word for option, value in pairs if option == "--model" for word in (option, value)]
    root = workspace.root_path
    job = aider.Job(_program(aider.AGENT, aider.TITLE), models, files, prompt)
    with (
        _session(workspace, aider.AGENT, aider.DOOR) as session,
        _failures(aider.TITLE, aider.AGENT),
        aider.AiderRun(job) as run,
        _interrupts(run.process, aider.TITLE) as in_turn,
        in_turn(),
    ):
        agent_requests = AgentRequests(
            workspace, session, _write(arguments), aider.TITLE, run.process.called_off
        )
        draft = aider.draft_of(run.listen(agent_requests), root, files, workspace.config.limits)
        report = agent_requests.change(draft) if draft is not None else ""
        agent_requests.write(f"{report}\n" if report else "")
    return _answer(aider.AGENT, agent_requests, DONE if draft is None or report else INTERRUPTED, arguments)


def _continue(workspace: Workspace, arguments: Namespace) -> Answer:
    _, prompt = _split(arguments.words, continue_cli.TITLE, (), "Pass only the prompt.")
    if not prompt:
        raise UsageError("agent.words", "Continue requires a prompt.", "Pass only the prompt.")
    program = _program(continue_cli.PROGRAM, continue_cli.TITLE)
    settings = read_home_file(continue_cli.user_settings())
    if settings.data is None:
        raise Refused(
            "agent.no_settings",
            f"{settings.display_name} does not exist.",
            "Create it and set a model there.",
        )
    write = _write(arguments)
    before = {plan.id for plan in workspace.proposer.plans()}
    with _failures(continue_cli.TITLE, continue_cli.PROGRAM):
        server = project_server_entry(workspace.root_path, continue_cli.AGENT)
        run_settings = continue_cli.settings_with(settings.data.decode("utf-8", "replace"), server)
        with (
            continue_cli.ContinueRun(program, run_settings, prompt) as run,
            _interrupts(run.process, continue_cli.TITLE) as in_turn,
            in_turn(),
        ):
            while line := run.process.lines.get():
                write(line.decode("utf-8", "replace"))
            exit_code = None if line is None else run.process.exit_code()
    plans = [plan.id for plan in workspace.proposer.plans() if plan.agent == continue_cli.AGENT]
    code = INTERRUPTED if exit_code is None else REFUSED if exit_code else DONE
    document = {"agent": continue_cli.AGENT, "plans": [plan for plan in plans if plan not in before]}
    return Answer(document, "", code, is_printed=not arguments.json)


def _file_for_aider(workspace: Workspace, name: str) -> Path:
    """Return a file of the project for aider to read."""
    file = Path(name).resolve()
    if not file.is_relative_to(workspace.root_path.resolve()):
        raise UsageError(
            "agent.words", f"{show_name(name)} is outside of the project.", "Specify a file in the project."
        )
    return file


def _program(name: str, title: str) -> str:
    program = shutil.which(name)
    if program is None:
        raise Refused("agent.missing", f"{title} is not installed, or {name} is not on PATH.", _MISSING)
    return program


@contextmanager
def _session(workspace: Workspace, name: str, door: str) -> Generator[Session]:
    session = workspace.proposer.open_session(name, door)
    try:
        yield session
    finally:
        workspace.proposer.close_session(session)


@contextmanager
def _failures(title: str, name: str) -> Generator[None]:
    try:
        yield
    except AgentFailed as error:
        raise Refused(
            "agent.failed", f"{title} failed: {error}.", f"Run {name} separately to see its output."
        ) from error


def _answer(name: str, agent_requests: AgentRequests, code: int, arguments: Namespace) -> Answer:
    return Answer({"agent": name, "plans": agent_requests.plans}, "", code, is_printed=not arguments.json)


def _run_turns(server: ServerProcess, talk: Conversation, title: str, prompt: str) -> int:
    """Run one turn per prompt and return the last one's exit code.

    The prompt is the given one, or each line that is typed.
    """
    code = DONE
    prompts: Iterable[str] = [prompt] if prompt else _read_prompts(title)
    try:
        with _interrupts(server, title) as in_turn:
            talk.begin()
            for each in prompts:
                with in_turn():
                    code = _CODES[talk.turn(each)]
    except AgentFailed as error:
        ended = server.exit_code()
        if ended is None:
            raise
        how = f"with code {ended}" if ended >= 0 else f"by signal {-ended}"
        raise AgentFailed(f"it ended {how}") from error
    return code


def _split(words: Sequence[str], title: str, options: Sequence[str], hint: str) -> tuple[list[str], str]:
    """Split arguments into option and value pairs, and the prompt.

    The prompt is all other words, "" without any.
    """
    settings: list[str] = []
    remaining = list(words)
    while remaining and remaining[0] in options and len(remaining) > 1:
        settings += remaining[:2]
        del remaining[:2]
    if remaining and remaining[0].startswith("-"):
        raise UsageError("agent.words", f"{title} does not accept {show_name(remaining[0])} here.", hint)
    return settings, " ".join(remaining)


def _read_prompts(title: str) -> Generator[str]:
    """Yield the lines that the user types."""
    sys.stderr.write(f"{title} can only read here; its changes wait for your review. Press Ctrl-D to quit.\n")
    while True:
        sys.stderr.write(_PROMPT)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


@contextmanager
def _interrupts(server: ServerProcess, title: str) -> Generator[Callable[[], AbstractContextManager[None]]]:
    """Handle Ctrl-C: interrupt the turn first, then end.

    Within the returned context, which is one turn, the first Ctrl-C interrupts it and only the second one
    ends. Raises Interrupted for the one that ends.
    """
    turns: list[bool] = []

    @contextmanager
    def in_turn() -> Generator[None]:
        turns.append(False)
        try:
            yield
        finally:
            turns.pop()

    def pressed(_signal: int, _frame: FrameType | None) -> None:
        if not turns or turns[-1]:
            raise KeyboardInterrupt
        turns[-1] = True
        server.call_off()

    before = signal.signal(signal.SIGINT, pressed)
    try:
        yield in_turn
    except KeyboardInterrupt:
        raise Interrupted(f"{title} was stopped. Pending plans stay in the queue.") from None
    finally:
        signal.signal(signal.SIGINT, before)


def _write(arguments: Namespace) -> Callable[[str], None]:
    return _to_error if arguments.json else _to_output


def _to_output(text: str) -> None:
    print_text(show_lines(text), flush=True)


def _to_error(text: str) -> None:
    sys.stderr.write(show_lines(text))
