"""Process of an ACP agent in the sandbox, over a copy-on-write project.

Its changes stay in its layer over the project.
"""

from __future__ import annotations

import asyncio
import os
from asyncio import StreamReader, StreamReaderProtocol, StreamWriter
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import ExitStack, asynccontextmanager, suppress
from typing import Final, TypeVar

from studio.doors.acp.agent_process import LAST_LINES, AgentStoppedForApply
from studio.doors.agents.server_process import AgentFailed
from studio.doors.limits import AGENT_COMMAND_BYTES, AGENT_END_SECONDS, AGENT_LINE_BYTES
from studio.errors import StudioError
from studio.extras.agents import NO_LOGINS, Logins
from studio.extras.commands import RunningCommand, ended_words, output_of
from studio.extras.sandbox import Command, CopySize, EndedBy
from studio.limits import SANDBOX_WATCHED_SECONDS
from studio.names import show_name
from studio.system.os_errors import reason
from studio.values import Value
from studio.workspace import Workspace

T = TypeVar("T")

_LINE_CHARACTERS: Final = 500


class InSandbox(Value):
    """The resources of an agent in the sandbox.

    `names` are the agents whose logins these are; `announce` is called before a copy of the project is made.
    `container` is the image or root folder of its container, "" for none.
    """

    network: bool
    names: tuple[str, ...] = ()
    logins: Logins = NO_LOGINS
    announce: Callable[[CopySize], None] | None = None
    container: str = ""


class SandboxedProcess:
    """The process of an agent on a layer over the project."""

    def __init__(self, run: RunningCommand, reader: StreamReader, writer: StreamWriter) -> None:
        self.reader, self.writer, self.run = reader, writer, run
        self._has_ended = asyncio.Event()
        loop = asyncio.get_running_loop()

        def tell() -> None:
            with suppress(RuntimeError):  # the event loop is closed
                loop.call_soon_threadsafe(self._has_ended.set)

        run.when_ended(tell)

    async def failure(self) -> AgentFailed:
        """Return how it ended; GaveWay if it was ended for an apply."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._has_ended.wait(), AGENT_END_SECONDS)
        if not self._has_ended.is_set():
            return AgentFailed("it closed its connection")
        try:
            outcome = self.run.outcome()
        except StudioError as error:
            return AgentFailed(f"it was not started: {error.message.rstrip('.')}")
        except OSError as error:
            return AgentFailed(f"it was not started: {reason(error, 'its program')}")
        if outcome.ended_by is EndedBy.APPLY:
            return AgentStoppedForApply()
        how = f"it {ended_words(outcome.ended_by, outcome.exit, outcome.signal)}"
        lines = [show_name(line.strip()[:_LINE_CHARACTERS]) for line in output_of(outcome).splitlines()]
        output = " / ".join(list(filter(None, lines))[-LAST_LINES:])
        return AgentFailed(f"{how}: {output.rstrip('.')}" if output else how)

    async def ended(self) -> None:
        """Wait for the process to end, without a timeout."""
        await self._has_ended.wait()

    def kill(self) -> None:
        """Kill the process and all that it started."""
        self.run.stop()

    async def close(self) -> None:
        """Close its input, wait a moment, and end it."""
        with suppress(OSError, RuntimeError):
            self.writer.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._has_ended.wait(), AGENT_END_SECONDS)
        await asyncio.to_thread(self.run.close)


@asynccontextmanager
async def sandboxed_process(
    workspace: Workspace, words: Sequence[str], options: InSandbox
) -> AsyncGenerator[SandboxedProcess]:
    """Start an agent in a layer over the project.

    The layer is removed at the end of the `with` block. Raises SandboxRefused where no sandbox is available,
    TimedOut while a plan is applied, or another StudioError.
    """
    command = Command(
        tuple(words),
        network=options.network,
        seconds=SANDBOX_WATCHED_SECONDS,
        logins=options.logins.paths,
        login_contents=options.logins.contents,
        output_bytes=AGENT_COMMAND_BYTES,
    )
    with ExitStack() as stack:
        sandbox = await _on_thread(
            workspace, lambda: workspace.sandbox(options.announce, container=options.container)
        )
        stack.enter_context(sandbox)
        theirs_in, ours_out = os.pipe()
        ours_in, theirs_out = os.pipe()
        run = stack.enter_context(RunningCommand(sandbox, command, stdin=theirs_in, output=theirs_out))
        # Not earlier, as the launcher passes them on only when it reaches that point. Once the last writer
        # has closed its end, ours is at end of file.
        run.when_ended(lambda: (os.close(theirs_in), os.close(theirs_out)))
        process = SandboxedProcess(run, await _reader(ours_in), await _writer(ours_out))
        try:
            yield process
        finally:
            await process.close()


async def _reader(handle: int) -> StreamReader:
    reader = StreamReader(limit=AGENT_LINE_BYTES)
    loop = asyncio.get_running_loop()
    await loop.connect_read_pipe(lambda: StreamReaderProtocol(reader), os.fdopen(handle, "rb", 0))
    return reader


async def _writer(handle: int) -> StreamWriter:
    loop = asyncio.get_running_loop()
    transport, protocol = await loop.connect_write_pipe(
        lambda: StreamReaderProtocol(StreamReader()), os.fdopen(handle, "wb", 0)
    )
    return StreamWriter(transport, protocol, None, loop)


async def _on_thread(workspace: Workspace, work: Callable[[], T]) -> T:
    def carry_out() -> T:
        try:
            return work()
        finally:
            workspace.close_thread()

    return await asyncio.to_thread(carry_out)
