"""Prompt loop of an ACP conversation: input lines, turns, Ctrl-C, restarts."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from enum import Enum
from typing import Any, Final, cast

from studio.doors.acp.agent_process import AgentStoppedForApply
from studio.doors.acp.conversation import FAILED, AcpSession, SessionStart, conversation, pending_messages
from studio.doors.acp.sandboxed_process import InSandbox
from studio.doors.acp.transcript import Show
from studio.engine import Session
from studio.values import Value
from studio.workspace import Workspace

END_TURN: Final = "end_turn"
"""The protocol's end reason of a turn that the agent ended."""


_PIECE: Final = 1 << 16


class Ask(Enum):
    """The kind of an input line."""

    PROMPT = "prompt"
    STOP = "stop"
    NOTHING = "nothing"


class Line(Value):
    """A parsed line: its kind, and the prompt."""

    ask: Ask
    text: str = ""


class ConversationResult(Value):
    """The result of a conversation.

    It has how the last turn ended, "" for none, whether Ctrl-C ended the conversation, and the ids of the
    proposed plans.
    """

    end: str
    was_interrupted: bool
    plans: Sequence[str]


Read = Callable[[bytes], Line]


def plain_line(line: bytes) -> Line:
    """Parse a line of text as a prompt."""
    text = line.decode("utf-8", "replace").strip()
    return Line(Ask.PROMPT, text) if text else Line(Ask.NOTHING)


def json_line(line: bytes) -> Line:
    """Parse `{"prompt": "…"}` or `{"stop": true}`; ignore any other line."""
    with suppress(ValueError, RecursionError):
        parsed: object = json.loads(line)
        if isinstance(parsed, dict):
            fields = cast("dict[str, Any]", parsed)
            if fields.get("stop") is True:
                return Line(Ask.STOP)
            prompt = fields.get("prompt")
            if isinstance(prompt, str) and prompt.strip():
                return Line(Ask.PROMPT, prompt)
    return Line(Ask.NOTHING)


class Talk(Value):
    """The parameters of a conversation.

    They are the agent's command, the session to resume, the input lines, and the functions that read and
    show; `idle` is called before each wait for a prompt. `sandbox` has the sandbox's resources, None for an
    agent outside of it.
    """

    words: Sequence[str]
    resumed: Session | None
    lines: Iterator[bytes]
    read: Read
    show: Show
    idle: Callable[[], None]
    sandbox: InSandbox | None = None


def lines_of(handle: int) -> Iterator[bytes]:
    """Yield the lines from a file descriptor. Raises OSError.

    Unbuffered: the reading thread would hold a buffered file's lock as the interpreter ends, which aborts.
    """
    rest = b""
    while data := os.read(handle, _PIECE):
        *lines, rest = (rest + data).split(b"\n")
        yield from lines
    if rest:
        yield rest


def talk(workspace: Workspace, how: Talk) -> ConversationResult:
    """Converse until there are no more lines.

    Raises AgentFailed where the agent ends before.
    """
    # The SDK logs to the root logger messages that it does not understand, with all they contain, and an
    # agent's end.
    root_logger = logging.getLogger()
    root_logger.addFilter(_is_not_logged)
    try:
        return asyncio.run(_Talking(workspace, how).run())
    finally:
        root_logger.removeFilter(_is_not_logged)


def _is_not_logged(_record: logging.LogRecord) -> bool:
    return False


class _Talking:
    def __init__(self, workspace: Workspace, how: Talk) -> None:
        self._workspace, self._how = workspace, how
        self._prompts: deque[str | None] = deque()
        """Prompts not yet sent; None is the end."""
        self._has_prompt = asyncio.Event()
        self._untold = pending_messages(how.sandbox)
        self._stopped_prompts = 0
        """How many waiting prompts were stopped.

        A stop applies to all prompts before it.
        """
        self._conversation: AcpSession | None = None
        self._is_in_turn = self._was_stopped = self._was_interrupted = False
        self._end = ""
        self._plans: list[str] = []

    async def run(self) -> ConversationResult:
        loop = asyncio.get_running_loop()
        main = asyncio.current_task()
        assert main is not None
        loop.add_signal_handler(signal.SIGINT, self._handle_interrupt, main)
        resumed, is_over = self._how.resumed, False
        try:
            while not is_over:
                try:
                    await self._run_agent(resumed)
                    is_over = True
                except AgentStoppedForApply:
                    if self._conversation is None:
                        raise  # it never started
                    resumed = self._conversation.session
                    is_over = await self._wait_is_over()
        except asyncio.CancelledError:
            if not self._was_interrupted:
                raise
        finally:
            loop.remove_signal_handler(signal.SIGINT)
        return ConversationResult(self._end, self._was_interrupted, tuple(self._plans))

    async def _run_agent(self, resumed: Session | None) -> None:
        """Converse with a new agent process until there are no more prompts.

        Raises AgentFailed.
        """
        beginning = SessionStart(self._how.words, resumed, self._how.sandbox)
        async with conversation(self._workspace, beginning, self._how.show, self._untold) as session:
            if self._conversation is None:
                loop = asyncio.get_running_loop()
                threading.Thread(target=self._read_lines, args=(loop,), name="prompts", daemon=True).start()
            self._conversation = session
            try:
                await self._run_turns(session)
            finally:
                self._is_in_turn = False
                self._plans += [plan for plan in session.plans if plan not in self._plans]

    async def _run_turns(self, talk: AcpSession) -> None:
        while not await self._wait_is_over(talk):
            prompt = self._prompts.popleft()
            assert prompt is not None
            if self._stopped_prompts:
                self._stopped_prompts -= 1
                self._end = talk.record_unsent(prompt)
                continue
            self._is_in_turn, self._was_stopped = True, False
            self._end = FAILED
            self._end = await talk.turn(prompt)
            self._is_in_turn = False

    async def _wait_is_over(self, talk: AcpSession | None = None) -> bool:
        """Wait for a prompt; return whether there are no more.

        Raises AgentFailed where the agent ends before.
        """
        self._how.idle()
        prompted = asyncio.ensure_future(self._wait_for_prompt())
        ended = None if talk is None else asyncio.ensure_future(talk.wait_for_end())
        waiting = [prompted] if ended is None else [prompted, ended]
        try:
            await asyncio.wait(waiting, return_when=asyncio.FIRST_COMPLETED)
            if ended is not None and not prompted.done():
                raise ended.result()
        finally:
            for each in waiting:
                each.cancel()
        return self._prompts[0] is None

    async def _wait_for_prompt(self) -> None:
        while not self._prompts:
            self._has_prompt.clear()
            await self._has_prompt.wait()

    def _queue_prompt(self, prompt: str | None) -> None:
        self._prompts.append(prompt)
        self._has_prompt.set()

    def _handle_interrupt(self, main: asyncio.Task[Any]) -> None:
        """Stop the turn at Ctrl-C; exit at a second one.

        Outside of a turn the first one exits.
        """
        if self._is_in_turn and not self._was_stopped:
            self._stop()
            return
        self._was_interrupted = True
        main.cancel()

    def _stop(self) -> None:
        self._stopped_prompts = len(self._prompts)
        if self._is_in_turn and self._conversation is not None:
            self._was_stopped = True
            self._stopping = asyncio.ensure_future(self._conversation.stop())

    def _read_lines(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read lines on a thread that ends with the process."""
        with suppress(RuntimeError, OSError, ValueError):  # the loop or the input has ended
            for data in self._how.lines:
                line = self._how.read(data)
                if line.ask is Ask.PROMPT:
                    loop.call_soon_threadsafe(self._queue_prompt, line.text)
                elif line.ask is Ask.STOP:
                    loop.call_soon_threadsafe(self._stop)
            loop.call_soon_threadsafe(self._queue_prompt, None)
