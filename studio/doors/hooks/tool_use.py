"""One use of a tool as a client's hook tells of it, read from what it sends (one JSON object)."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from studio.engine.errors import Refused
from studio.engine.limits import SUBMISSION_BYTES

_EVENT = "PreToolUse"


@dataclass(frozen=True, slots=True)
class ToolUse:
    """Which tool, with what, where, in whose session and how free that is: `mode` is the client's word."""

    tool: str
    input: Mapping[str, Any]
    cwd: str
    session: str
    mode: str


def read_tool_use(data: bytes) -> ToolUse:
    """Raises Refused for what is no use of a tool, or more than anybody could review."""
    if len(data) > SUBMISSION_BYTES:
        raise _refused(f"it is larger than {SUBMISSION_BYTES} bytes")
    try:
        said = json.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise _refused("it is no JSON") from error
    if not isinstance(said, dict):
        raise _refused("it is no JSON object")
    fields = cast("dict[str, Any]", said)
    if fields.get("hook_event_name") != _EVENT:
        raise _refused(f'its "hook_event_name" is not {_EVENT}')
    given = fields.get("tool_input")
    if not isinstance(given, dict):
        raise _refused('its "tool_input" is no object')
    return ToolUse(
        tool=_text(fields, "tool_name"),
        input=cast("dict[str, Any]", given),
        cwd=_text(fields, "cwd"),
        session=_text(fields, "session_id"),
        mode=_text(fields, "permission_mode") if "permission_mode" in fields else "",
    )


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or not value:
        raise _refused(f'its "{name}" is no text')
    return value


def _refused(why: str) -> Refused:
    return Refused(
        "hook.not_read",
        f"What the client told its hook can't be read: {why}.",
        "Update Exacta Studio, or the client.",
    )
