"""Client-side ACP methods: file access, permission requests and session updates.

It uses the official SDK. Nothing from an agent is trusted: what is not understood, and what fails here, is
answered with an error or a denial, and the agent writes nothing because of it.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar, cast

from acp import RequestError
from acp.schema import (
    AgentMessageChunk,
    AgentPlanUpdate,
    AgentThoughtChunk,
    AllowedOutcome,
    ConfigOptionUpdate,
    CurrentModeUpdate,
    DeniedOutcome,
    FileEditToolCallContent,
    PermissionOption,
    ReadTextFileResponse,
    RequestPermissionResponse,
    TextContentBlock,
    ToolCallProgress,
    ToolCallStart,
    ToolCallUpdate,
    WriteTextFileResponse,
)

from studio.doors.acp.changes import TextChange
from studio.doors.acp.session_gate import AgentGate, Asked, NotWritten, Permission
from studio.doors.acp.transcript import Transcript
from studio.doors.limits import AGENT_WAITS_AT_ONCE
from studio.doors.shell_tools import ShellTool, arguments_text, command_keys, request_of
from studio.engine import EventKind
from studio.errors import FileMissing, InternalError, StudioError
from studio.program.log_file import LOGGER, log_file
from studio.workspace import Workspace

T = TypeVar("T")

_PATH_KEY = re.compile("path$", re.IGNORECASE)
_REFUSED = -32003
"""Our error code, from the protocol's range for programs, -32000 to -32099."""


class GatedClient:
    """The methods that an agent may call.

    The SDK finds the protocol's methods by their names, and passes arguments by name; any other method is
    answered with an error.
    """

    def __init__(
        self,
        workspace: Workspace,
        on_mode: Callable[[str], None],
        after_answer: Callable[[], None],
    ) -> None:
        """Initialize the client with its callbacks.

        `on_mode` receives the agent's mode; `after_answer` runs once a question is answered.
        """
        self._workspace, self._on_mode, self._after_answer = workspace, on_mode, after_answer
        self._active: tuple[AgentGate, Transcript] | None = None
        self._shell: ShellTool | None = None
        self._changes: dict[str, tuple[TextChange, ...]] = {}
        """By tool use id: some agents send the changes before they ask."""
        self._tool_uses: dict[str, dict[str, Any]] = {}
        # More than the event loop's default: each request that waits for a person occupies one.
        self._threads = ThreadPoolExecutor(AGENT_WAITS_AT_ONCE, thread_name_prefix="acp")

    def enter(self, gate: AgentGate, transcript: Transcript, shell: ShellTool | None) -> None:
        """Start the session: requests use this gate, and output is recorded.

        `shell` has the argument names of the agent's shell tool, None where unknown. Earlier output, such as
        the history of a resumed session, is recorded already.
        """
        self._active, self._shell = (gate, transcript), shell

    @property
    def _gate(self) -> AgentGate:
        if self._active is None:
            raise RequestError(_REFUSED, "The session has not started.")
        return self._active[0]

    async def read_text_file(
        self, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> ReadTextFileResponse:
        """Return a file as the session sees it. Raises RequestError."""
        gate = self._gate
        try:
            text = await self.on_thread(lambda: gate.read(path, line, limit))
        except FileMissing as error:
            raise RequestError.resource_not_found(path) from error
        except StudioError as error:
            raise RequestError(_REFUSED, gate.error_message(error)) from error
        return ReadTextFileResponse(content=text)

    async def write_text_file(self, path: str, content: str, **_: Any) -> WriteTextFileResponse:
        """Propose a file and wait. Raises RequestError where it was not written."""
        gate = self._gate
        try:
            await self.on_thread(lambda: gate.write(path, content))
        except NotWritten as error:
            raise RequestError(_REFUSED, str(error)) from error
        except StudioError as error:
            raise RequestError(_REFUSED, gate.error_message(error)) from error
        return WriteTextFileResponse()

    async def request_permission(
        self, tool_call: ToolCallUpdate, options: list[PermissionOption], **_: Any
    ) -> RequestPermissionResponse:
        """Return the decision on a request; an error denies it."""
        gate = self._gate
        try:
            request = self._convert_request(tool_call)
            permission = await self.on_thread(lambda: gate.ask(request))
        except StudioError as error:
            permission = gate.refuse(error)
        # The SDK writes the answer before the loop runs this.
        asyncio.get_running_loop().call_soon(self._after_answer)
        return RequestPermissionResponse(outcome=_outcome(permission, options))

    def _convert_request(self, tool_call: ToolCallUpdate) -> Asked:
        """Convert a tool call. Raises Refused for two commands in one."""
        tool_use = self._tool_uses.get(tool_call.tool_call_id, {})
        kind = tool_call.kind or str(tool_use.get("kind") or "other")
        arguments = _as_object(tool_call.raw_input) or {}
        request = request_of(kind, arguments, "", self._shell if kind == "execute" else None)
        return Asked(
            title=tool_call.title or str(tool_use.get("title", "")),
            kind=kind,
            arguments=request.command if request.shell else _shown(tool_call.raw_input),
            shell=request.shell,
            folder=request.cwd,
            changes=_changes(tool_call.content) or self._changes.get(tool_call.tool_call_id, ()),
            holds_command=bool(command_keys(arguments)),
            paths=tuple(
                text for key, text in arguments.items() if _PATH_KEY.search(key) and isinstance(text, str)
            ),
        )

    async def session_update(self, update: Any, **_: Any) -> None:
        """Handle the agent's output, without waiting, to keep its order."""
        if isinstance(update, (ToolCallStart, ToolCallProgress)):
            self._note_tool(update)
        if isinstance(update, CurrentModeUpdate):
            self._on_mode(update.current_mode_id)
        elif isinstance(update, ConfigOptionUpdate):
            for option in update.config_options:
                if option.id == "mode":
                    self._on_mode(str(option.current_value))
        if self._active is not None:
            self._record(self._active[1], update)

    def _record(self, transcript: Transcript, update: Any) -> None:
        match update:
            case AgentMessageChunk(content=TextContentBlock(text=text)) if text:
                transcript.add(EventKind.MESSAGE, text=text)
            case AgentThoughtChunk(content=TextContentBlock(text=text)) if text:
                transcript.add(EventKind.THOUGHT, text=text)
            case AgentPlanUpdate(entries=entries):
                todos = [{"text": entry.content, "status": entry.status} for entry in entries]
                transcript.add(EventKind.TODO, entries=todos)
            case ToolCallStart() | ToolCallProgress():
                transcript.add(EventKind.TOOL, **self._tool_uses[update.tool_call_id])
            case _:
                pass  # costs, available commands: neither output nor action

    def _note_tool(self, update: ToolCallStart | ToolCallProgress) -> None:
        """Merge an update into the tool use, by its latest fields."""
        if changes := _changes(update.content):
            self._changes[update.tool_call_id] = changes
        tool_use = self._tool_uses.setdefault(
            update.tool_call_id,
            {"tool": update.tool_call_id, "title": "", "kind": "other", "status": "pending", "paths": []},
        )
        paths = [each.path for each in update.locations or []]
        latest = {"title": update.title, "kind": update.kind, "status": update.status, "paths": paths}
        self._tool_uses[update.tool_call_id] = {
            **tool_use,
            **{key: each for key, each in latest.items() if each},
        }

    def close(self) -> None:
        """Wait for the threads, none of which waits for a person."""
        self._threads.shutdown()

    async def on_thread(self, work: Callable[[], T]) -> T:
        """Run the gate's work on a thread.

        Raises StudioError, also for unexpected errors.
        """

        def carry_out() -> T:
            try:
                return work()
            except (StudioError, NotWritten):
                raise
            except Exception as error:
                LOGGER.exception("a request of an agent failed")
                message = "Something went wrong inside Exacta Studio."
                raise InternalError("internal", message, f"Details are in {log_file()}.") from error
            finally:
                self._workspace.close_thread()

        return await asyncio.get_running_loop().run_in_executor(self._threads, carry_out)


def _outcome(permission: Permission, options: list[PermissionOption]) -> AllowedOutcome | DeniedOutcome:
    """Return the agent's allow-once or reject-once option, never a permanent one."""
    kind = {Permission.ONCE: "allow_once", Permission.REFUSED: "reject_once"}.get(permission)
    found = next((option for option in options if option.kind == kind), None)
    if found is None:
        return DeniedOutcome(outcome="cancelled")
    return AllowedOutcome(outcome="selected", option_id=found.option_id)


def _changes(content: list[Any] | None) -> tuple[TextChange, ...]:
    return tuple(
        TextChange(each.path, each.old_text, each.new_text)
        for each in content or []
        if isinstance(each, FileEditToolCallContent)
    )


def _shown(raw: object) -> str:
    """Format all arguments of a tool for a reviewer, "" for none."""
    if isinstance(raw, str):
        return raw
    return arguments_text(raw) if raw else ""


def _as_object(raw: object) -> dict[str, Any] | None:
    return cast("dict[str, Any]", raw) if isinstance(raw, dict) else None
