"""Process of an ACP agent outside the sandbox, configured to request permission."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
from asyncio import StreamReader, StreamWriter
from asyncio.subprocess import PIPE, Process
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final, Protocol

from studio.documents import Unreadable, read_spans
from studio.doors.agents.server_process import AgentFailed, as_fields, as_list
from studio.doors.limits import AGENT_END_SECONDS, AGENT_LINE_BYTES
from studio.extras.home_files import read_home_file, write_stored_file
from studio.names import show_name
from studio.system.os_errors import reason

LAST_LINES: Final = 3
"""How many of the last lines of error output an error contains."""


class AgentStoppedForApply(AgentFailed):
    """A sandboxed agent was ended because a plan is applied."""

    def __init__(self) -> None:
        super().__init__("it was stopped because a plan is being applied to this project")


class AcpProcess(Protocol):
    """An agent's process, sandboxed or not, for a `with` block."""

    writer: StreamWriter
    reader: StreamReader

    async def failure(self) -> AgentFailed:
        """Return an error that says how the process ended."""
        ...

    async def ended(self) -> None:
        """Wait for the process to end, without a timeout."""
        ...

    def kill(self) -> None:
        """Kill the process and all that it started."""
        ...

    async def close(self) -> None:
        """Close its input, wait a moment, and kill it."""
        ...


class AgentProcess:
    """One process in a session of its own.

    Ctrl-C reaches only us, and does not end it.
    """

    def __init__(self, process: Process) -> None:
        assert process.stdin is not None and process.stdout is not None and process.stderr is not None
        self.writer: StreamWriter = process.stdin
        self.reader: StreamReader = process.stdout
        self._process = process
        self._error_lines: deque[str] = deque(maxlen=LAST_LINES)
        self._listening = asyncio.create_task(self._listen(process.stderr))

    async def failure(self) -> AgentFailed:
        """Return an error with the exit code and the last error output."""
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), AGENT_END_SECONDS)
            await asyncio.wait_for(asyncio.shield(self._listening), AGENT_END_SECONDS)
        code = self._process.returncode
        if code is None:
            return AgentFailed("it closed its connection")
        how = f"it ended with code {code}" if code >= 0 else f"it ended by signal {-code}"
        return AgentFailed(
            f"{how}: {' / '.join(self._error_lines).rstrip('.')}" if self._error_lines else how
        )

    async def ended(self) -> None:
        """Wait for the process to end, without a timeout."""
        await self._process.wait()

    def kill(self) -> None:
        """Kill the process group."""
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)

    async def close(self) -> None:
        """Close its input, wait a moment, and kill it."""
        with suppress(OSError, RuntimeError):
            self.writer.close()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._process.wait(), AGENT_END_SECONDS)
        self.kill()
        await self._process.wait()
        self._listening.cancel()
        with suppress(asyncio.CancelledError):
            await self._listening

    async def _listen(self, errors: StreamReader) -> None:
        with suppress(ValueError, OSError):  # a line over the length limit
            async for line in errors:
                if text := line.decode("utf-8", "replace").strip():
                    self._error_lines.append(show_name(text[:500]))


@asynccontextmanager
async def agent_process(words: Sequence[str], folder: Path) -> AsyncGenerator[AgentProcess]:
    """Start an agent in a folder, for a `with` block.

    Raises AgentFailed where it can't be started.
    """
    try:
        process = await asyncio.create_subprocess_exec(
            *words,
            cwd=folder,
            env=environment_that_asks(),
            stdin=PIPE,
            stdout=PIPE,
            stderr=PIPE,
            limit=AGENT_LINE_BYTES,
            start_new_session=True,
        )
    except OSError as error:
        raise AgentFailed(f"it can't be started: {reason(error, words[0])}") from error
    except ValueError as error:  # an argument with a NUL byte
        raise AgentFailed("it can't be started: its command contains a NUL") from error
    started = AgentProcess(process)
    try:
        yield started
    finally:
        await started.close()


_VARIABLE: Final = "QWEN_CODE_SYSTEM_DEFAULTS_PATH"
_ASK_RULES: Final = ("Bash", "mcp__*")
_FOLDERS: Final = {"darwin": "/Library/Application Support/QwenCode", "win32": "C:/ProgramData/qwen-code"}


def environment_that_asks() -> Mapping[str, str]:
    """Return our environment with settings that make Qwen Code ask.

    Raises AgentFailed where the machine's own settings can't be parsed, or a FileError.
    """
    file = read_home_file(_system_defaults_path())
    text = (file.data or b"").decode("utf-8", "replace").removeprefix("\ufeff")
    try:
        settings = as_fields(read_spans(text).value) if text.strip() else {}
    except Unreadable as error:
        raise AgentFailed(f"{file.display_name} can't be read: {error}") from error
    rules = as_fields(settings.get("permissions"))
    ask_rules = [*as_list(rules.get("ask")), *_ASK_RULES]
    merged = {**settings, "permissions": {**rules, "ask": ask_rules}}
    return {
        **os.environ,
        _VARIABLE: str(write_stored_file("qwen-defaults.json", json.dumps(merged).encode())),
    }


def _system_defaults_path() -> Path:
    """Return the path of Qwen Code's machine-wide default settings."""
    if chosen := os.environ.get(_VARIABLE):
        return Path(chosen)
    if settings := os.environ.get("QWEN_CODE_SYSTEM_SETTINGS_PATH"):
        return Path(settings).with_name("system-defaults.json")
    return Path(_FOLDERS.get(sys.platform, "/etc/qwen-code"), "system-defaults.json")
