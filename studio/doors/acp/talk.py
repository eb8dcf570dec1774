"""Prompts that come as lines, each given to an agent as a turn."""

from __future__ import annotations

import asyncio
import json
import logging
import signal
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from io import RawIOBase
from typing import Any, Final, cast

from studio.doors.acp.conversation import FAILED, Conversation, conversation
from studio.doors.acp.transcript import Show
from studio.engine.proposer import Session
from studio.engine.workspace import Workspace

END_TURN: Final = "end_turn"
"""How a turn ends that its agent ended, in the protocol's word."""


class Ask(Enum):
    """What a line says."""

    PROMPT = "prompt"
    STOP = "stop"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True)
class Line:
    """One line, read: what it asks for, and the prompt."""

    ask: Ask
    text: str = ""


@dataclass(frozen=True, slots=True)
class Talked:
    """What came of a conversation: how its last turn ended, "" for none, whether somebody ended it by Ctrl-C,
    and the ids of the plans that were proposed."""

    end: str
    was_interrupted: bool
    plans: Sequence[str]


Read = Callable[[bytes], Line]


def plain_line(line: bytes) -> Line:
    """A line of text is a prompt."""
    text = line.decode("utf-8", "replace").strip()
    return Line(Ask.PROMPT, text) if text else Line(Ask.NOTHING)


def json_line(line: bytes) -> Line:
    """A line is `{"prompt": "…"}` or `{"stop": true}`; any other says nothing."""
    with suppress(ValueError, RecursionError):
        said: object = json.loads(line)
        if isinstance(said, dict):
            fields = cast("dict[str, Any]", said)
            if fields.get("stop") is True:
                return Line(Ask.STOP)
            prompt = fields.get("prompt")
            if isinstance(prompt, str) and prompt.strip():
                return Line(Ask.PROMPT, prompt)
    return Line(Ask.NOTHING)


@dataclass(frozen=True, slots=True)
class Talk:
    """How to talk: with which agent, in which session, with what read and shown; `idle` is called each time
    that a prompt is waited for."""

    words: Sequence[str]
    resumed: Session | None
    source: RawIOBase
    read: Read
    show: Show
    idle: Callable[[], None]


def talk(workspace: Workspace, how: Talk) -> Talked:
    """Talk until there are no more lines. Raises AgentFailed where the agent ends before."""
    # The SDK logs what it does not understand, with all it holds, and without a handler on standard error.
    logging.getLogger().addHandler(logging.NullHandler())
    return asyncio.run(_Talking(workspace, how).run())


class _Talking:
    def __init__(self, workspace: Workspace, how: Talk) -> None:
        self._workspace, self._how = workspace, how
        self._prompts: asyncio.Queue[str | None] = asyncio.Queue()
        self._called_off = 0
        """How many of the prompts that wait were called off: a stop counts for all that was said before."""
        self._conversation: Conversation | None = None
        self._is_turn = self._was_stopped = self._was_interrupted = False
        self._end = ""

    async def run(self) -> Talked:
        loop = asyncio.get_running_loop()
        main = asyncio.current_task()
        assert main is not None
        loop.add_signal_handler(signal.SIGINT, self._pressed, main)
        plans: Sequence[str] = ()
        try:
            async with conversation(
                self._workspace, self._how.words, self._how.resumed, self._how.show
            ) as made:
                self._conversation = made
                threading.Thread(target=self._listen, args=(loop,), name="prompts", daemon=True).start()
                try:
                    await self._turns(made)
                finally:
                    plans = tuple(made.plans)
        except asyncio.CancelledError:
            if not self._was_interrupted:
                raise
        finally:
            loop.remove_signal_handler(signal.SIGINT)
        return Talked(self._end, self._was_interrupted, plans)

    async def _turns(self, talk: Conversation) -> None:
        while True:
            self._how.idle()
            prompt = await self._prompts.get()
            if prompt is None:
                return
            if self._called_off:
                self._called_off -= 1
                self._end = talk.call_off(prompt)
                continue
            self._is_turn, self._was_stopped = True, False
            self._end = FAILED
            self._end = await talk.turn(prompt)
            self._is_turn = False

    def _pressed(self, main: asyncio.Task[Any]) -> None:
        """Ctrl-C stops the turn; the second one, or the first outside of a turn, ends."""
        if self._is_turn and not self._was_stopped:
            self._stop()
            return
        self._was_interrupted = True
        main.cancel()

    def _stop(self) -> None:
        self._called_off = self._prompts.qsize()
        if self._is_turn and self._conversation is not None:
            self._was_stopped = True
            self._stopping = asyncio.ensure_future(self._conversation.stop())

    def _listen(self, loop: asyncio.AbstractEventLoop) -> None:
        """Read line after line, on a thread that ends with the process."""
        with suppress(RuntimeError, OSError, ValueError):  # the loop, or the stream, has ended
            for data in iter(self._how.source.readline, b""):
                line = self._how.read(data)
                if line.ask is Ask.PROMPT:
                    loop.call_soon_threadsafe(self._prompts.put_nowait, line.text)
                elif line.ask is Ask.STOP:
                    loop.call_soon_threadsafe(self._stop)
            loop.call_soon_threadsafe(self._prompts.put_nowait, None)
