"""Display of a `studio acp` conversation as text or JSON lines.

Apart from `acp`, which runs without the SDK and reports that it is missing.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from studio.doors import json_documents
from studio.doors.acp.conversation import STOPPED
from studio.doors.acp.sandboxed_process import InSandbox
from studio.doors.acp.talk import END_TURN, Talk, json_line, plain_line, talk as talk_with
from studio.doors.agents.server_process import AgentFailed
from studio.doors.cli.console.answer import DONE, REFUSED, Answer
from studio.doors.cli.console.output import INTERRUPTED, Interrupted, OutputLost, forget_output, print_text
from studio.engine import EventKind, Session
from studio.errors import Refused
from studio.names import show_lines, show_name
from studio.workspace import Workspace

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
            f"{show_name(words[0])} failed: {error}.",
            "Run it separately to see its output.",
        ) from error
    if result.was_interrupted:
        raise Interrupted("The agent was stopped. Pending plans stay in the queue.")
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
            self._print(f"{json_documents.document_text({'event': kind.value, **fields})}\n")

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
                waits = "Its changes wait for your review. " if fields["gated"] else ""
                if fields["sandbox"] is not None:
                    waits = "It runs in the sandbox; its changes wait for your review. "
                return f"{fields['title']} {fields['version']}{mode}. {waits}Press Ctrl-D to quit."
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
                return "" if fields["reason"] == END_TURN else f"The turn ended: {fields['reason']}"
            case _:
                return ""
