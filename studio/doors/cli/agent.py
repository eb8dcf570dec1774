"""`studio agent NAME`: an agent behind its closed gate, talked with at the terminal (contract 9)."""

from __future__ import annotations

import shutil
import signal
import sys
from argparse import Namespace
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import FrameType
from typing import Final

from studio.doors.agents.app_server import AppServer, AppServerFailed
from studio.doors.agents.codex import AGENT, DOOR, Conversation, TurnEnd
from studio.doors.agents.codex_settings import rule_files
from studio.doors.cli.answer import DONE, REFUSED, Answer
from studio.doors.cli.output import INTERRUPTED, Interrupted, print_text
from studio.doors.cli.texts import shown_lines
from studio.doors.connect import is_own_server
from studio.engine.errors import Refused, UsageError
from studio.engine.names import show_name
from studio.engine.workspace import Workspace

_PROMPT: Final = "> "
_CODES: Final = {TurnEnd.COMPLETED: DONE, TurnEnd.FAILED: REFUSED, TurnEnd.INTERRUPTED: INTERRUPTED}


def agent(workspace: Workspace, arguments: Namespace) -> Answer:
    """Talk until its user or the agent ends, or have one prompt worked on.

    Raises Refused for an agent that is not installed, has no closed gate, or whose gate would not be closed;
    UsageError for words that it can't be given.
    """
    if arguments.agent != AGENT:
        raise Refused(
            "agent.no_gate",
            f"There is no closed gate with which {arguments.agent} could be started.",
            "`studio run` is to hold such agents; this version has none yet. See: studio connect --help",
        )
    settings, prompt = _split(arguments.words)
    program = shutil.which(AGENT)
    if program is None:
        raise Refused(
            "agent.missing",
            "Codex is not installed here, or not found as codex.",
            "Install it, or put its folder on the PATH.",
        )
    if files := rule_files(workspace.root_path):
        raise Refused(
            "agent.own_rules",
            f"Codex runs what {show_name(str(files[0]))} allows unasked, outside of its sandbox.",
            "Move that file away while Codex works here.",
        )
    write = _to_error if arguments.json else _to_output
    session = workspace.proposer.open_session(AGENT, DOOR)
    try:
        with AppServer([program, *settings, "app-server"], workspace.root_path) as server:
            talk = Conversation(server, workspace, session, write)
            code = _talked(server, talk, [prompt] if prompt else _typed())
    except AppServerFailed as error:
        raise Refused(
            "agent.failed", f"Codex could not be talked to: {error}.", "See what codex itself says."
        ) from error
    finally:
        workspace.proposer.close_session(session)
    return Answer({"agent": AGENT, "plans": talk.plans}, "", code, is_printed=not arguments.json)


def _talked(server: AppServer, talk: Conversation, prompts: Iterable[str]) -> int:
    """One turn for each prompt; the exit code is that of the last."""
    code = DONE
    try:
        with _interrupts(server) as in_turn:
            talk.begin(is_own_server)
            for prompt in prompts:
                with in_turn():
                    code = _CODES[talk.turn(prompt)]
    except AppServerFailed as error:
        ended = server.exit_code()
        if ended is None:
            raise
        how = f"with code {ended}" if ended >= 0 else f"by signal {-ended}"
        raise AppServerFailed(f"it ended {how}") from error
    return code


def _split(words: Sequence[str]) -> tuple[list[str], str]:
    """Settings for Codex, `-c KEY=VALUE` each, and the prompt that all other words are, "" without one."""
    settings: list[str] = []
    left = list(words)
    while left[:1] == ["-c"] and len(left) > 1:
        settings += left[:2]
        del left[:2]
    if left and left[0].startswith("-"):
        raise UsageError(
            "agent.words", f"Codex is not given {show_name(left[0])}.", "Give -c KEY=VALUE, and the prompt."
        )
    return settings, " ".join(left)


def _typed() -> Generator[str]:
    """What is typed, line by line, until there is no more."""
    sys.stderr.write("Codex can only read here; what it wants to change waits for you. Ctrl-D ends.\n")
    while True:
        sys.stderr.write(_PROMPT)
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            return
        if line.strip():
            yield line.strip()


@contextmanager
def _interrupts(server: AppServer) -> Generator[Callable[[], AbstractContextManager[None]]]:
    """Ctrl-C ends; within what it gives, a turn, it interrupts that, and only the second one ends.

    Raises Interrupted for the one that ends.
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
        raise Interrupted("Codex was ended. What waits for a person is still in the queue.") from None
    finally:
        signal.signal(signal.SIGINT, before)


def _to_output(text: str) -> None:
    print_text(shown_lines(text), flush=True)


def _to_error(text: str) -> None:
    sys.stderr.write(shown_lines(text))
