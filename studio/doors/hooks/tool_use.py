"""Parsers of each agent's hook input JSON to a common tool-use record."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from studio.doors.hooks.answers import SKILL_EVENT
from studio.formats.limits import SUBMISSION_BYTES

if TYPE_CHECKING:
    from studio.errors import Refused

Fields = Mapping[str, Any]


class ToolUse(NamedTuple):
    """One use of a tool: its name, input, folder, session and mode.

    `mode` is the client's name for how freely the session works. `server` is the name of the server whose
    tool it is, "" for the client's own; None where it is not reported. `skill` is the name of the skill or
    command file whose text contains the command; "" for the model's own.
    """

    tool: str
    input: Mapping[str, Any]
    cwd: str
    session: str
    mode: str
    server: str | None = None
    skill: str = ""


def read_fields(data: bytes) -> Fields:
    """Parse a client's input.

    Raises Refused for anything but a JSON object, or more than a person could review.
    """
    if len(data) > SUBMISSION_BYTES:
        raise _unreadable(f"it is larger than {SUBMISSION_BYTES} bytes")
    try:
        parsed = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _unreadable("it is not JSON") from error
    if not isinstance(parsed, dict):
        raise _unreadable("it is not a JSON object")
    return cast("Fields", parsed)


def read_pre_tool_use(fields: Fields) -> ToolUse:
    """Read Claude Code's event, which other clients adopted.

    Raises Refused, as all of these functions do.
    """
    return _read_event(fields, "PreToolUse")


def read_claude_code(fields: Fields) -> ToolUse:
    """Read a tool use, or a shell command in a skill's text."""
    if fields.get("hook_event_name") != SKILL_EVENT:
        return read_pre_tool_use(fields)
    return _read_event(fields, SKILL_EVENT)._replace(skill=_text(fields, "command_name"))


def read_before_tool(fields: Fields) -> ToolUse:
    """Read Gemini CLI's event, which names the tool's server.

    The tool's name alone is ambiguous between two servers.
    """
    use = _read_event(fields, "BeforeTool")
    context = fields.get("mcp_context")
    server = _text(_object(fields, "mcp_context"), "server_name") if context is not None else ""
    return use._replace(server=server)


def read_tool_execute(fields: Fields) -> ToolUse:
    """Read the event of our own plugin in opencode."""
    return _read_event(fields, "tool.execute.before")


def read_tool_call(fields: Fields) -> ToolUse:
    """Read Cline's event; it works in the first of its folders."""
    _check_name(fields, "hookName", "tool_call")
    call = _object(fields, "tool_call")
    roots = fields.get("workspaceRoots")
    if not isinstance(roots, list) or not roots:
        raise _unreadable('its "workspaceRoots" is not a list')
    folder = {"cwd": cast("list[object]", roots)[0]}
    return ToolUse(
        tool=_text(call, "name"),
        input=_object(call, "input"),
        cwd=_text(folder, "cwd"),
        session=_text(fields, "taskId"),
        mode="",
    )


def _read_event(fields: Fields, event: str) -> ToolUse:
    _check_name(fields, "hook_event_name", event)
    return ToolUse(
        tool=_text(fields, "tool_name"),
        input=_object(fields, "tool_input"),
        cwd=_text(fields, "cwd"),
        session=_text(fields, "session_id"),
        mode=_text(fields, "permission_mode") if "permission_mode" in fields else "",
    )


def _check_name(fields: Fields, key: str, name: str) -> None:
    if fields.get(key) != name:
        raise _unreadable(f'its "{key}" is not {name}')


def _object(fields: Fields, name: str) -> Fields:
    value = fields.get(name)
    if not isinstance(value, dict):
        raise _unreadable(f'its "{name}" is not an object')
    return cast("Fields", value)


def _text(fields: Fields, name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise _unreadable(f'its "{name}" is not a string')
    try:
        # A folder's name may contain bytes that are not UTF-8.
        (os.fsencode(value) if name == "cwd" else value.encode()).index(0)
    except UnicodeEncodeError:
        raise _unreadable(f'its "{name}" has an unpaired surrogate') from None
    except ValueError:
        return value
    raise _unreadable(f'its "{name}" has a NUL')


def _unreadable(why: str) -> Refused:
    from studio.errors import Refused  # imported late: see known_tools

    return Refused(
        "hook.not_read",
        f"The hook input can't be read: {why}.",
        "Update Exacta Studio or the client.",
    )
