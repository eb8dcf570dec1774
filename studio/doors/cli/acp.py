"""`studio acp -- AGENT...`: run an agent over the Agent Client Protocol."""

from __future__ import annotations

import sys
import threading
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from studio.doors import printed
from studio.doors.acp.conversation import STOPPED
from studio.doors.acp.sandboxed_process import InSandbox
from studio.doors.acp.talk import END_TURN, Talk, json_line, plain_line
from studio.doors.acp.talk import talk as talk_with
from studio.doors.agents.server_process import AgentFailed
from studio.doors.cli.answer import DONE, REFUSED, Answer
from studio.doors.cli.output import INTERRUPTED, Interrupted, OutputLost, forget_output, print_text
from studio.engine.errors import NotFound, Refused, UsageError
from studio.engine.logins import NO_LOGINS
from studio.engine.names import show_lines, show_name
from studio.engine.proposer import EventKind, Session
from studio.engine.workspace import Workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from studio.doors.acp.sandboxed_process import InSandbox
    from studio.engine.proposer import Session
    from studio.engine.workspace import Workspace


_PACKAGES = frozenset({"acp", "pydantic"})
_DOOR = "acp"


def acp(workspace: Workspace, arguments: Namespace) -> Answer:
    """Converse until there are no more prompts, or the agent ends.

    Raises Refused where the SDK is not installed and where the agent fails, NotFound for an unknown session,
    UsageError without an agent.
    """
    if not arguments.words:
        raise UsageError("acp.no_agent", "No agent is named.", "Name its command: studio acp -- gemini --acp")
    if not arguments.sandbox and (arguments.network is not None or arguments.login):
        message = "An agent outside of the sandbox has the network and its login in any case."
        raise UsageError("acp.not_in_sandbox", message, "Add --sandbox, or leave --network and --login out.")
    if sys.stdin is None:
        raise Refused("acp.no_streams", "Standard input is closed, where prompts are read.", "Leave it open.")
    try:
        from studio.doors.acp.talk import lines_of
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in _PACKAGES:
            raise
        raise Refused(
            "acp.not_installed",
            "The package agent-client-protocol is not installed, by which agents are talked with.",
            "Install it: pip install 'exacta-studio[acp]'",
        ) from error
    resumed = _session(workspace, arguments) if arguments.resume else None
    lines = lines_of(sys.stdin.fileno())
    sandbox = _in_sandbox(workspace, arguments, lines) if arguments.sandbox else None
    return talk(workspace, arguments.words, resumed, lines, sandbox, as_json=arguments.json)


def _in_sandbox(workspace: Workspace, arguments: Namespace, lines: Iterator[bytes]) -> InSandbox:
    """Return the resources of an agent in the sandbox.

    Raises NeedsPerson for a login that no one allowed, Refused.
    """
    from studio.doors.acp.sandboxed_process import InSandbox
    from studio.doors.cli.sandboxed import allowed_logins, announce, has_network

    names = tuple(arguments.login)
    if not names:
        logins = NO_LOGINS
    elif arguments.login_files:
        from studio.doors.logins import read_logins

        logins = read_logins(names, next(lines, b""))
    else:
        logins = allowed_logins(workspace, names)
    return InSandbox(has_network(workspace, arguments), names, logins, announce)


def _session(workspace: Workspace, arguments: Namespace) -> Session:
    """Return the ACP session that an agent can resume."""
    from studio.doors.acp.conversation import SANDBOXED

    prefix = arguments.resume
    sessions = [each for each in workspace.proposer.sessions() if each.door == _DOOR]
    found = [each for each in sessions if each.id.startswith(prefix)]
    if len(found) != 1 or not found[0].name:
        raise NotFound(
            "acp.no_session",
            f"No session that was talked in begins with {show_name(prefix)}.",
            "List them: studio sessions",
        )
    if found[0].name.startswith(SANDBOXED) != arguments.sandbox:
        raise Refused(
            "acp.other_place",
            f"That session is one {'outside of' if arguments.sandbox else 'in'} the sandbox.",
            f"Go on {'without' if arguments.sandbox else 'with'} --sandbox.",
        )
    return found[0]


# Output of `studio acp`: text, or one JSON object per line.

_PROMPT: Final = "> "
_CODES: Final = {"": DONE, END_TURN: DONE, STOPPED: INTERRUPTED}


def talk(
    workspace: Workspace,
    words: Sequence[str],
    resumed: Session | None,
    lines: Iterator[bytes],
    sandbox: InSandbox | None,
    *,
    as_json: bool,
) -> Answer:
    """Converse with these lines as input. Raises Refused, Interrupted."""
    printer = _Printer()
    parameters = Talk(
        tuple(words),
        resumed,
        lines,
        json_line if as_json else plain_line,
        printer.print_json if as_json else printer.print_plain,
        (lambda: None) if as_json else printer.ask,
        sandbox,
    )
    try:
        result = talk_with(workspace, parameters)
    except AgentFailed as error:
        raise Refused(
            "acp.failed",
            f"{show_name(words[0])} can't be talked with: {error}.",
            "See what it says by itself.",
        ) from error
    if result.was_interrupted:
        raise Interrupted("The agent was ended. What waits for a person is still in the queue.")
    return Answer({}, "", _CODES.get(result.end, REFUSED), is_printed=True)


class _Printer:
    """Thread-safe printer of a conversation's events."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._is_in_message = self._is_lost = False
        self._tools: dict[str, str] = {}

    def ask(self) -> None:
        """Print the prompt."""
        sys.stderr.write(_PROMPT)
        sys.stderr.flush()

    def print_json(self, kind: EventKind, fields: Mapping[str, Any]) -> None:
        """Print an event as one line of JSON."""
        with self._lock:
            self._print(f"{printed.document_text({'event': kind.value, **fields})}\n")

    def print_plain(self, kind: EventKind, fields: Mapping[str, Any]) -> None:
        """Print an event as text, except the prompt that the user typed."""
        with self._lock:
            if kind is EventKind.MESSAGE:
                self._is_in_message = not fields["text"].endswith("\n")
                self._print(show_lines(fields["text"]))
                return
            text = self._text(kind, fields)
            if text:
                begin = "\n" if self._is_in_message else ""
                self._is_in_message = False
                self._print(f"{begin}{show_lines(text)}\n")

    def _print(self, text: str) -> None:
        """Print until the reader is gone, such as a killed window.

        What the agent does is recorded nevertheless.
        """
        if not self._is_lost:
            try:
                print_text(text, flush=True)
            except (BrokenPipeError, OutputLost):
                self._is_lost = True
                forget_output()

    def _text(self, kind: EventKind, fields: Mapping[str, Any]) -> str:
        match kind:
            case EventKind.BEGAN:
                mode = f", mode {fields['mode']}" if fields["mode"] else ""
                waits = "What it writes waits for you; " if fields["gated"] else ""
                if fields["sandbox"] is not None:
                    waits = "It works in the sandbox: what it changes waits for you. "
                return f"{fields['title']} {fields['version']}{mode}. {waits}Ctrl-D ends."
            case EventKind.NOTICE:
                return str(fields["text"])
            case EventKind.TODO:
                return "\n".join(f"  {each['status']}: {each['text']}" for each in fields["entries"])
            case EventKind.TOOL:
                line = f"* {fields['title']} ({fields['status']})"
                if self._tools.get(fields["tool"]) == line:
                    return ""
                self._tools[fields["tool"]] = line
                return line
            case EventKind.TURN_ENDED:
                return "" if fields["reason"] == END_TURN else f"It ended: {fields['reason']}"
            case _:
                return ""
